#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfettoread.py - a strict reader of Perfetto traces, for perfettocheck.py

It knows the messages that may occur, by number and type, and refuses all else: another field,
another type, a number that is too long, a string that is no UTF-8, a text that was not interned.
The tables are those that trace_processor makes, by its rules for events of ftrace: sched,
thread_state, thread, process, slice, counter.
"""
import struct
from collections import defaultdict

U, S, B = "number", "string", "packed"
SWITCH = {1: S, 2: U, 3: U, 4: U, 5: S, 6: U, 7: U}
WAKING = {1: S, 2: U, 3: U, 5: U}
COMPACT = {1: B, 2: B, 3: B, 4: B, 5: [S], 6: B, 7: B, 8: B, 9: B, 10: B, 11: B}
EVENT = {1: U, 2: U, 4: SWITCH, 18: {1: U, 3: U}, 20: WAKING, 235: {1: U, 2: S, 3: U}, 236: {1: U, 3: S},
         237: {1: S, 2: U, 3: U}, 238: {1: S, 2: U, 3: U}, 240: {2: U}}
BUNDLE = {1: U, 2: [EVENT], 3: U, 4: COMPACT}
TREE = {1: [{1: U, 2: U, 3: S}], 2: [{1: U, 3: U}]}
CLOCKS = {1: [{1: U, 2: U}], 2: U}
TEXT = {1: U, 2: S}
INTERNED = {1: [TEXT], 2: [TEXT], 3: [TEXT], 29: [TEXT]}
TRACK_EVENT = {3: U, 4: [{1: U, 4: U, 17: U}], 9: U, 10: U, 11: U, 23: S, 30: U}
TRACK = {1: U, 2: S, 3: {1: U}, 4: {1: U, 2: U}, 5: U, 8: {3: U}}
SYSTEM = {1: {1: S, 2: S, 3: S}, 4: S, 8: U}
PACKET = {1: BUNDLE, 2: TREE, 6: CLOCKS, 8: U, 10: U, 11: TRACK_EVENT, 12: INTERNED, 13: U,
          45: SYSTEM, 60: TRACK, 98: U}
SWITCH_COLUMNS = (1, 2, 3, 4, 6)
WAKING_COLUMNS = (7, 8, 9, 10, 11)
LETTERS = "SDTtXZPI"


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            assert byte or not shift, "a number is as short as can be"
            assert value < 1 << 64, "a number has 64 bits"
            return value, at
        shift += 7


def message(data, at, end, fields):
    """A message as a dictionary by the fields' numbers."""
    found = {}
    while at < end:
        tag, at = number(data, at)
        field, kind = tag >> 3, tag & 7
        assert field in fields, f"field {field} is not among {list(fields)}"
        what = fields[field]
        several = isinstance(what, list)
        what = what[0] if several else what
        assert several or field not in found, f"field {field} is there twice"
        assert kind == (0 if what is U else 2), f"field {field} has type {kind}"
        value, at = number(data, at)
        if what is not U:
            stop = at + value
            assert stop <= end, "a field is within its message"
            if what is S:
                value = data[at:stop].decode("utf-8")
            elif what is B:
                value = column(data, at, stop)
            else:
                value = message(data, at, stop, what)
            at = stop
        if several:
            found.setdefault(field, []).append(value)
        else:
            found[field] = value
    assert at == end, "a message ends with its last field"
    return found


def column(data, at, end):
    values = []
    while at < end:
        value, at = number(data, at)
        values.append(value)
    assert at == end
    return values


def packets(data):
    at = 0
    while at < len(data):
        assert data[at] == 0x0A, "a trace has packets only"
        length, at = number(data, at + 1)
        yield message(data, at, at + length, PACKET)
        at += length


def signed(value):
    return struct.unpack("<q", struct.pack("<Q", value))[0]


def state_text(raw):
    assert raw < 0x200, f"state {raw:#x}"
    if not raw & 0xFF:
        return "R+" if raw & 0x100 else "R"
    assert not raw & 0x100, "preempted, and something else"
    return "".join(letter for i, letter in enumerate(LETTERS) if raw >> i & 1)


class Thread:
    def __init__(self, tid, start=None):
        self.tid, self.start, self.end = tid, start, None
        self.process, self.name = None, None
        self.states = []  # [start, end or None, state, CPU]
        self.blocked, self.io_waits = None, []  # the last state to wait in, those that are for I/O


class Process:
    def __init__(self, pid, start=None):
        self.pid, self.start, self.end = pid, start, None
        self.name, self.parent, self.command = None, None, None


class Trace:
    def __init__(self, data, machine=0):
        self.machine, self.machines, numbers = machine, set(), {}
        self.threads, self.processes = [], []
        self.live, self.pids = {}, {}
        self.sched = []  # [CPU, start, end or None, thread, end state]
        self.slices, self.counters = [], defaultdict(list)
        self.execs = []  # [PID, path, process]
        self.tracks, self.lost, self.clocks, self.system = {}, set(), {}, None
        self.switches = self.bytes_of_switches = self.wakings = 0
        self.interned, self.stacks, self.cleared = defaultdict(dict), defaultdict(list), False
        self.cpus = defaultdict(lambda: [None, None])  # thread that runs, index in sched
        self.idle = Thread(0)
        self.live[0] = self.idle
        queues = defaultdict(list)
        for packet in packets(data):
            number_of = packet.get(98, 0)
            self.machines.add(number_of)
            if 60 in packet:
                assert numbers.setdefault(packet[60][1], number_of) == number_of, "tracks differ"
            if number_of == machine:
                self.tokenize(packet, queues)
        events = []
        for queue, entries in queues.items():
            events += [(ns, queue, i, fn, args) for i, (ns, fn, args) in enumerate(entries)]
        for event in sorted(events, key=lambda event: event[:3]):
            event[3](event[0], *event[4])
        for thread, stack in self.stacks.items():
            assert not stack, f"slices of {thread} end"

    # What is read, in the order of the file.

    def tokenize(self, packet, queues):
        if 1 in packet:
            self.bundle(packet[1], queues)
        elif 6 in packet:
            assert not self.clocks, "one snapshot"
            self.clocks = {clock[1]: clock[2] for clock in packet[6][1]}
        elif 45 in packet:
            self.system = packet[45]
        elif 2 in packet:
            queues[-1].append((packet[8], self.tree, (packet[2],)))
        else:
            self.track_packet(packet, queues)

    def track_packet(self, packet, queues):
        assert packet[10] == 2 * self.machine + 2
        if packet[13] == 1:
            self.cleared = True
        else:
            assert packet[13] == 2 and self.cleared
        for field, texts in packet.get(12, {}).items():
            for text in texts:
                assert text[1] not in self.interned[field], "a number has one text"
                self.interned[field][text[1]] = text[2]
        if 60 in packet:
            track = packet[60]
            assert track[1] not in self.tracks, "a track is described once"
            assert track.get(5, 0) in self.tracks or 5 not in track
            self.tracks[track[1]] = dict(track)
            if 4 in track:
                queues[-1].append((packet[8], self.thread_track, (track[1],)))
        if 11 in packet:
            event = dict(packet[11])
            assert event[11] in self.tracks, "a track is described before it is used"
            event["category"] = self.interned[1][event[3]] if 3 in event else None
            if 10 in event:
                event["name"] = self.interned[2][event[10]]
            elif 23 in event:
                event["name"] = event[23]
            event["args"] = {self.interned[3][note[1]]: self.interned[29][note[17]]
                             if 17 in note else signed(note[4]) for note in event.get(4, [])}
            queues[-1].append((packet[8], self.track_event, (event,)))

    def bundle(self, bundle, queues):
        cpu = bundle[1]
        assert cpu < 1024
        if bundle.get(3):
            self.lost.add(cpu)
        compact = bundle.get(4)
        if compact:
            self.columns(cpu, compact, queues[cpu])
        for event in bundle.get(2, []):
            queues[cpu].append((event[1], self.ftrace, (cpu, event)))

    def columns(self, cpu, compact, queue):
        texts = compact[5]
        switches = list(zip(*(compact.get(i, []) for i in SWITCH_COLUMNS)))
        wakings = list(zip(*(compact.get(i, []) for i in WAKING_COLUMNS)))
        for rows, numbers in (switches, SWITCH_COLUMNS), (wakings, WAKING_COLUMNS):
            assert len(rows) <= 256
            assert all(len(compact.get(i, [])) == len(rows) for i in numbers), "columns"
        ns = 0
        for delta, state, tid, _, name in switches:
            ns = (ns + delta) % (1 << 64)
            queue.append((ns, self.switch, (cpu, state, tid, texts[name])))
        ns = 0
        for delta, tid, target, _, name in wakings:
            ns = (ns + delta) % (1 << 64)
            queue.append((ns, self.waking, (cpu, tid, target, texts[name])))
        self.switches += len(switches)
        self.wakings += len(wakings)

    # Threads and processes.

    def alive(self, thread):
        if thread.end is not None:
            return False
        process = thread.process
        return process is None or (process.end is None and self.pids.get(process.pid) is process)

    def thread(self, tid):
        thread = self.live.get(tid)
        if thread is None or not self.alive(thread):
            thread = self.new_thread(tid)
        return thread

    def new_thread(self, tid, start=None):
        thread = Thread(tid, start)
        self.threads.append(thread)
        self.live[tid] = thread
        return thread

    def process(self, pid, start=None):
        process = self.pids.get(pid)
        if process is None:
            process = Process(pid, start)
            self.processes.append(process)
            self.pids[pid] = process
            self.member(pid, pid)
        return process

    def member(self, tid, pid):
        thread = self.live.get(tid)
        if thread is None or not self.alive(thread) or \
                (thread.process is not None and thread.process.pid != pid):
            thread = self.new_thread(tid)
        if thread.process is None:
            thread.process = self.process(pid)
        return thread

    def tree(self, _, tree):
        for process in tree.get(1, []):
            entry = self.process(process[1])
            # Without a command line, trace_processor skips a process.
            if 3 not in process:
                continue
            entry.name = entry.command = process[3]
            assert entry.parent in (None, process.get(2, 0)), "a process has one parent"
            entry.parent = process.get(2, 0)
        for thread in tree.get(2, []):
            self.member(thread[1], thread[3])

    # Events of CPUs.

    def ftrace(self, ns, cpu, event):
        kinds = [i for i in event if i not in (1, 2)]
        assert len(kinds) == 1
        kind, body = kinds[0], event[kinds[0]]
        if kind == 4:
            self.full_switch(ns, cpu, body)
        elif kind == 18:
            thread = self.thread(body[1])
            if thread.blocked:
                assert body[3] == 1, "what is no I/O is not known"
                thread.io_waits.append(thread.blocked)
        elif kind == 20:
            self.wake(ns, self.thread(body[2]))
        elif kind == 235:
            self.new_task(ns, event[2], body)
        elif kind == 236:
            thread = self.thread(body[1])
            thread.name = body[3]
            if thread.process and thread.process.pid == body[1]:
                thread.process.name = body[3]
        elif kind == 237:
            self.execs.append((body[2], body[1], self.thread(body[2]).process))
        elif kind == 240:
            self.free_task(ns, body[2])

    def new_task(self, ns, parent, body):
        tid = body[1]
        if body[3] & 0x10000:
            maker = self.thread(parent)
            thread = self.new_thread(tid, ns)
            thread.process = maker.process
            assert maker.process, f"process of {parent} is known, {tid} {ns}"
        else:
            self.pids.pop(tid, None)
            thread = self.new_thread(tid, ns)
            process = self.process(tid, ns)
            process.name = body[2]
            maker = self.thread(parent).process
            process.parent = maker.pid if maker else None
        thread.name = body[2]
        thread.states.append([ns, None, "R", None])

    def free_task(self, ns, tid):
        thread = self.thread(tid)
        thread.end = ns
        if thread.process and thread.process.pid == tid:
            thread.process.end = ns

    def full_switch(self, ns, cpu, body):
        assert self.cpus[cpu][0] is None, "only the first switch of a CPU is full"
        self.go(ns, cpu, self.thread(body[2]), body[4], body[6], body[5])

    def switch(self, ns, cpu, state, tid, name):
        assert self.cpus[cpu][0] is not None, "the first switch of a CPU is full"
        self.go(ns, cpu, self.cpus[cpu][0], state, tid, name)

    def go(self, ns, cpu, prev, state, tid, name):
        text = state_text(state)
        thread = self.thread(tid)
        if name:
            thread.name = name
        index = self.cpus[cpu][1]
        if index is not None:
            self.sched[index][2] = ns
            self.sched[index][4] = text
        self.cpus[cpu] = [thread, len(self.sched)]
        self.sched.append([cpu, ns, None, thread, None])
        if prev is not self.idle:
            if prev.states:
                assert prev.states[-1][2] == "Running", f"{prev.tid} ran until {ns}"
                prev.states[-1][1] = ns
            prev.states.append([ns, None, text, None])
            if text != "R":
                prev.blocked = prev.states[-1]
        if thread is not self.idle:
            if thread.states:
                thread.states[-1][1] = ns
            thread.states.append([ns, None, "Running", cpu])
            thread.blocked = None

    def waking(self, ns, cpu, tid, target, name):
        assert self.cpus[cpu][0] is not None and target < 65536
        del name
        self.wake(ns, self.thread(tid))

    def wake(self, ns, thread):
        if thread.states and thread.states[-1][2] in ("Running", "R", "R+"):
            return
        if thread.states:
            thread.states[-1][1] = ns
        thread.states.append([ns, None, "R", None])

    # Tracks.

    def thread_track(self, _, uuid):
        track = self.tracks[uuid]
        track["thread"] = self.member(track[4][2], track[4][1])

    def track_event(self, ns, event):
        uuid = event[11]
        if event[9] == 4:
            assert 8 in self.tracks[uuid]
            self.counters[uuid].append((ns, signed(event[30])))
            return
        stack = self.stacks[uuid]
        if event[9] == 1:
            stack.append([uuid, ns, None, event["category"], event["name"], {}])
            return
        assert event[9] == 2
        for entry in reversed(stack):
            if entry[3] == event["category"]:
                entry[2] = ns
                entry[5] = event["args"]
                stack.remove(entry)
                self.slices.append(entry)
                return
        raise AssertionError(f"nothing of {event['category']} ends at {ns}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""xraytruth.py OUT TRUTH - are the kernel's events inside the functions that caused them?

OUT is what ovnik-decode made of a capture and the log of xrayload, TRUTH what xrayload
itself wrote down: what it did between which times. From the streams of OUT/ovni, and from
the rows of OUT/thread.prv:

* each time a function did what it is named after lies in one call of it, and all of that
  call was found: no more calls, and no fewer, than the program has made;
* while a thread sleeps, it is in load::sleeps; while it is preempted within
  load::spins, it is there; so are the page faults of load::touches_pages and the system
  calls of load::reads_file; as many as the program says;
* and these functions have no sleep, page fault or read beside that, but for the faults of
  XRay's own buffers, which lie outside of what the program did.
"""
import collections
import os
import struct
import sys

import ovnitrace
import prvcmp

Deed = collections.namedtuple("Deed", "tid name begin end count")
Moment = collections.namedtuple("Moment", "clock kind value stack")
FUNCTION, FAULT, FILE_CALL, OFF_CPU = 315, 302, 306, 300
SLEEPING, READ = 2, 1
PREEMPTED = (1, 11)
MARKS = {"function": FUNCTION, "page_fault": FAULT, "file_call": FILE_CALL}


def fail(*what):
    sys.exit("xraytruth.py: " + " ".join(map(str, what)))


def plain(name):
    """Without what a C++ function is called with."""
    return name.split("(", 1)[0]


class Thread:
    """What a stream says: calls, and what the kernel did, with the functions it was in."""

    def __init__(self, where, marks):
        self.calls = collections.defaultdict(list)
        self.moments = []
        self.stack = []
        self.first = None
        off = None
        for _, clock, mcv, payload, _ in ovnitrace.stream_events(where):
            self.first = self.first or clock
            if mcv == "KCO":
                off = clock, struct.unpack("<I", payload)[0], self.names()
            elif mcv == "KCI" and off:
                self.moments.append(Moment(off[0], OFF_CPU, off[1], off[2]))
                if self.names() != off[2]:
                    fail(where, "a function changes while the thread is off the CPU at", clock)
                off = None
            elif mcv[:2] == "OM":
                self.mark(clock, mcv, marks, *struct.unpack("<qi", payload))
        if self.stack:
            fail(where, "functions without end:", self.stack)

    def names(self):
        return tuple(name for name, _ in self.stack)

    def mark(self, clock, mcv, marks, value, number):
        what = marks.get(number)
        if not what:
            return
        kind = MARKS.get(what.get("ovnik"))
        if kind == FUNCTION and mcv == "OM[":
            self.stack.append((plain(what["labels"][str(value)]), clock))
        elif kind == FUNCTION:
            name, begin = self.stack.pop()
            if name != plain(what["labels"][str(value)]):
                fail("exit of", value, "from", name)
            self.calls[name].append((begin, clock))
        elif kind and mcv == "OM[":
            self.moments.append(Moment(clock, kind, value, self.names()))


def read_trace(path):
    """Threads by tid, and all marks."""
    found, marks = {}, {}
    for where, ovni in ovnitrace.streams(path):
        found[ovni["pid"], ovni["tid"]] = where
        for number, mark in ovni.get("mark", {}).items():
            known = marks.setdefault(int(number), {**mark, "labels": {}})
            known["labels"].update(mark.get("labels", {}))
    return {who: Thread(where, marks) for who, where in found.items()}


def read_truth(path):
    deeds, calls = [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if words[0] == "did":
                deeds.append(Deed(int(words[1]), words[2], *map(int, words[3:])))
            elif words[0] == "call":
                calls[int(words[1]), words[4]] = int(words[3])
    return deeds, calls


def counts_as(name, moment):
    """Is this what the function is named after?"""
    return {
        "load::sleeps": moment.kind == OFF_CPU and moment.value == SLEEPING,
        "load::spins": moment.kind == OFF_CPU and moment.value in PREEMPTED,
        "load::touches_pages": moment.kind == FAULT,
        "load::reads_file": moment.kind == FILE_CALL and moment.value == READ,
    }[name]


def check_calls(threads, calls):
    for (tid, name), count in calls.items():
        thread = threads.get(tid)
        if not thread:
            fail("thread", tid, "is not there")
        if len(thread.calls[name]) != count:
            fail(tid, name, "has", len(thread.calls[name]), "calls instead of", count)


def check_deed(thread, deed, seen):
    around = [call for call in thread.calls[deed.name]
              if call[0] <= deed.begin and deed.end <= call[1]]
    if len(around) != 1:
        fail(deed, "lies in", around, "of", thread.calls[deed.name])
    (begin, end), = around
    since, until = deed.begin, deed.end
    if deed.name == "load::spins":
        # It is preempted when the kernel likes, before it looks at the clock and after it, too.
        since, until = begin, end
    inside = [m for m in thread.moments
              if since <= m.clock <= until and counts_as(deed.name, m)]
    for moment in inside:
        if moment.stack != (deed.name,):
            fail(moment, "is not inside", deed)
    if deed.name == "load::spins":
        seen["preemptions"] += len(inside)
    elif len(inside) != deed.count:
        fail(deed, "has", len(inside), "times instead")
    beside = [m for m in thread.moments if begin <= m.clock <= end and m not in inside and
              counts_as(deed.name, m) and deed.name != "load::touches_pages"]
    if beside:
        fail(deed, "is not all that the call did:", beside)
    seen["events"] += len(inside)
    seen["margin"] = min(seen["margin"], deed.begin - begin, end - deed.end)
    return inside


def value_at(steps, time):
    value = 0
    for at, now in steps:
        if at > time:
            break
        value = now
    return value


def check_row(rows, row, begin, names, moments, name):
    """The row shows the same at the same time."""
    steps = rows.get((row, FUNCTION), [])
    for moment in moments:
        if names.get(value_at(steps, moment.clock - begin)) != name:
            fail("thread.prv: row", row, "does not show", name, "at", moment)
        if not value_at(rows.get((row, moment.kind), []), moment.clock - begin):
            fail("thread.prv: row", row, "does not show", moment)


def read_labels(path):
    """The functions' names, of thread.pcf."""
    names = {}
    with open(path, encoding="utf-8") as f:
        blocks = f.read().split("EVENT_TYPE\n")
    for block in blocks:
        if not block.startswith(f"0 {FUNCTION} "):
            continue
        for line in block.split("VALUES\n")[1].split("\n\n")[0].splitlines():
            value, name = line.split(None, 1)
            names[int(value)] = plain(name)
    return names


def main():
    trace = read_trace(os.path.join(sys.argv[1], "ovni"))
    threads = {who[1]: thread for who, thread in trace.items()}
    deeds, calls = read_truth(sys.argv[2])
    _, _, rows = prvcmp.read_prv(os.path.join(sys.argv[1], "thread.prv"))
    names = read_labels(os.path.join(sys.argv[1], "thread.pcf"))
    begin = min(thread.first for thread in threads.values() if thread.first)
    row_of = {who[1]: row for row, who in enumerate(sorted(trace), 1)}
    seen = {"events": 0, "preemptions": 0, "margin": 1 << 62}
    check_calls(threads, calls)
    for deed in deeds:
        inside = check_deed(threads[deed.tid], deed, seen)
        check_row(rows, row_of[deed.tid], begin, names, inside, deed.name)
    if not deeds or not seen["preemptions"]:
        fail("nothing was preempted")
    print(seen["events"], "events of the kernel inside", len(deeds), "calls,",
          seen["preemptions"], "of them preemptions; at least", seen["margin"],
          "ns from their ends")


main()

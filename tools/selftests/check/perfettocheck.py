#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfettocheck.py [OPTION...] TRACE LINES [CPU...] - compare a Perfetto trace with "--tracer jsonl" of the same capture

To the ns: runs by CPU are the table sched; runs and waits are thread_state; calls, faults and
what is not known are slices, and files and results their arguments; threads and processes, when
they begin and end, their processes, parents and names. With CPUs, LINES has only the runs there. With a
Laplace trace, the counters of the page cache; with --mapped those of mapped memory, too, if each
process has one thread and an address space of its own. With a machine, what TRACE
has of it, so much later than in ALONE, a trace of it. With meta.json, the time of day. Prints what
it has compared.
"""
import argparse
import gzip
import json
from collections import Counter, defaultdict

from perfettoread import Trace

STATES = {"run queue: new": "R", "run queue: woken": "R", "run queue: preempted": "R+",
          "run queue: slice/yield": "R", "run queue: before the capture": "R", "being made": "R",
          "sleep": "S", "disk sleep": "D", "stopped": "T", "stopped by a tracer": "t",
          "parked": "P", "idle kernel thread": "I"}
LOST = "PI"
SLICES = {"call": "call", "fault": "fault", "unknown": "wait", "wait": "wait"}
NO_SYSTEM_CALLS = {"aio", "io_uring", "Another call"}


def differ(what, here, there):
    here, there = Counter(here), Counter(there)
    assert here == there, f"{what}: only in the trace {list((here - there).items())[:5]}, " \
        f"only in the lines {list((there - here).items())[:5]}"


def read_lines(path, begin):
    tasks = defaultdict(list)
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            task = json.loads(line)
            task["start"] = task["start_ns"] + begin
            task["end"] = task["end_ns"] + begin
            tasks[task["kind"]].append(task)
    return tasks


def whole(runs):
    """A run that goes on in another life of its thread is one."""
    last = None
    for cpu, tid, start, end in sorted(runs):
        if last and last[:2] == (cpu, tid) and last[3] == start:
            last = (cpu, tid, last[2], end)
            continue
        if last:
            yield last
        last = (cpu, tid, start, end)
    if last:
        yield last


def check_runs(trace, tasks, end, cpus):
    """Each run is a row of sched, and no other row is."""
    rows = ((cpu, thread.tid, start, end if stop is None else stop)
            for cpu, start, stop, thread, _ in trace.sched
            if thread.tid and (not cpus or cpu in cpus))
    runs = ((run["cpu"], run["tid"], run["start"], run["end"]) for run in tasks["run"])
    differ("sched", whole(row for row in rows if row[3] > row[2]),
           whole(run for run in runs if run[3] > run[2]))


def allowed(segment):
    if segment["kind"] == "run":
        return "Running"
    return STATES[segment["what"]] if segment["kind"] == "wait" else None


def matches(state, want, early):
    """Of several reasons to sleep one counts. Why a thread was preempted before is not known."""
    if state == want or (early and {state, want} == {"R", "R+"}):
        return True
    return len(want) == 1 and want != "R" and want in state and state != LOST


def check_states(trace, tasks, end):
    """Wherever a thread's state is known, thread_state has it; before its first event, nothing."""
    rows = defaultdict(list)
    for thread in trace.threads:
        last = end if thread.end is None else thread.end
        for start, stop, state, _ in thread.states:
            rows[thread.tid].append((start, last if stop is None else stop, state))
    segments = defaultdict(list)
    for kind in "run", "wait", "unknown":
        for task in tasks[kind]:
            segments[task["tid"]].append(task)
    compared = 0
    for tid, parts in segments.items():
        mine = sorted(row for row in rows[tid] if row[1] > row[0])
        parts.sort(key=lambda task: (task["start"], task["end"]))
        i = 0
        for part in parts:
            want, at = allowed(part), part["start"]
            if want is None or part["start"] == part["end"]:
                continue
            while i < len(mine) and mine[i][1] <= at:
                i += 1
            j = i
            while at < part["end"] and j < len(mine) and mine[j][0] < part["end"]:
                row = mine[j]
                assert row[0] <= at or part["early"], \
                    f"{tid} at {at}: no state, should be {want} {part}"
                assert matches(row[2], want, part["early"]), \
                    f"{tid}: {row} should be {want} {part}"
                at = row[1]
                j += 1
            assert at >= part["end"] or part["early"], f"{tid} {at}: no state, should be {part}"
            compared += 1
    return compared


def check_io(trace, tasks):
    """A thread waits for I/O where it sleeps for pages of a file, and nowhere else is that known."""
    requests = defaultdict(list)
    for task in tasks["req_out"]:
        if task["what"] == "pages of a file":
            requests[task["tid"]].append((task["start"], task["end"]))
    waits = [(task["tid"], task["start"]) for task in tasks["wait"] if task["what"] == "disk sleep"
             and any(start <= task["start"] and task["end"] <= end
                     for start, end in requests[task["tid"]])]
    differ("waits for I/O", ((thread.tid, state[0]) for thread in trace.threads
                             for state in thread.io_waits), waits)
    return len(waits)


def tid_of(track):
    """A thread's track, or that of one whose process is not known yet."""
    return track["thread"].tid if 4 in track else int(track[2].split()[1])


def slice_name(task):
    """System calls have the names that trace_processor gives them."""
    prefix = "" if task["kind"] != "call" or task["what"] in NO_SYSTEM_CALLS else "sys_"
    return prefix + task["what"]


def check_slices(trace, tasks):
    files = {}
    want = []
    for task in tasks["file"]:
        files.setdefault((task["device"], task["inode"], task["generation"]), set()).add(
            task["what"])
    for kind in SLICES:
        want += [(SLICES[kind], task["tid"], task["start"], task["end"], slice_name(task))
                 for task in tasks[kind] if kind != "wait" or task["early"]]
    have = [(tid_of(trace.tracks[slice[0]]), *slice[1:]) for slice in trace.slices
            if slice[3] and slice[3] not in ("mark", "function")]
    differ("slices", [(category, tid, start, stop, name)
                      for tid, start, stop, category, name, _ in have], want)
    results, paths = [], {}
    for tid, start, stop, category, _, args in have:
        key = (tid, start, stop)
        if category == "call" and "result" in args:
            results.append((*key, args["result"]))
            if "file" in args:
                paths[key] = args["file"]
    known = [task for task in tasks["call"] if not task["doubt"] and not task["open"]]
    differ("results", results,
           [(task["tid"], task["start"], task["end"], task["result"]) for task in known])
    for task in known:
        path = paths.get((task["tid"], task["start"], task["end"]))
        names = files.get((task["device"], task["inode"], task["generation"]))
        assert path is None or path in names, f"{path} is none of {names}"
    return len(have), len(paths)


def check_lives(trace, tasks):
    ends = {(task[number], task["end"]) for task in tasks["thread"] for number in ("tid", "pid")}
    forks = [(thread.tid, thread.start, thread.process.pid)
             for thread in trace.threads if thread.start is not None]
    begun = set(forks)
    # Some begin again: by an exec, or when their process becomes known.
    differ("threads that began", forks,
           [fork for task in tasks["thread"] if not task["early"]
            for fork in [(task["tid"], task["start"], task["pid"])]
            if fork in begun or not {fork[:2], (fork[2], fork[1])} & ends])
    begins = {(task["tid"], task["start"]) for task in tasks["thread"]}
    # A thread without name may be of any process.
    processes = [task for task in tasks["process"] if (task["pid"], task["end"]) not in begins
                 and (task["what"] or not task["early"])]
    differ("processes that ended",
           [(process.pid, process.end) for process in trace.processes
            if process.end is not None and process.name],
           [(task["pid"], task["end"]) for task in processes if not task["open"]])
    names = {(process.pid, process.end): process.name for process in trace.processes}
    for task in processes:
        name = names.get((task["pid"], None if task["open"] else task["end"]))
        assert name == task["what"] or not task["what"], f"{name!r} is {task}"


def laplace_execs(path):
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line[0] == "X":
                words = line.rstrip("\n").split(" ", 6)
                yield int(words[2], 16), words[6]


def check_commands(trace, path):
    """What a process ran last is its command line; if it ran nothing, its name was."""
    differ("images that are run", ((pid, image) for pid, image, _ in trace.execs), laplace_execs(path))
    # Generated captures have threads that run one: in no kernel is that so.
    last = {process: image for pid, image, process in trace.execs if process and process.pid == pid}
    for process, image in last.items():
        assert process.command == image, f"{process.pid}: {process.command!r} should be {image!r}"
    for process in trace.processes:
        assert process in last or process.start is None or process.command is None, process.command
    return len(last)


CACHES = {"page cache of files, since the beginning": "Pp",
          "page cache of block devices, since the beginning": "Bb"}


def laplace_pages(path):
    """Time and +1 or -1 for each page that came or went, by what it is of. A line is of one page."""
    changes = {name: [] for name in CACHES}
    of = {letter: name for name, letters in CACHES.items() for letter in letters}
    with open(path, "rb") as text:
        for line in text:
            letter = chr(line[0])
            if letter in of:
                changes[of[letter]].append((int(line.split()[1], 16), -1 if letter.islower() else 1))
    return changes


def counted_pages(values):
    """The same from the values of a counter."""
    before = 0
    for ns, value in values:
        pages, rest = divmod(abs(value - before), 4096)
        assert pages and not rest, f"{value} after {before}"
        yield from [(ns, 1 if value > before else -1)] * pages
        before = value


def check_caches(trace, path):
    """The rate of the Laplace trace's clock is not known, but it has one."""
    tracks = {track[2]: uuid for uuid, track in trace.tracks.items() if 8 in track}
    compared = 0
    for name, want in laplace_pages(path).items():
        have = list(counted_pages(trace.counters[tracks[name]])) if name in tracks else []
        assert [step for _, step in have] == [step for _, step in want], name
        if not want:
            continue
        (ns, _), (tick, _), (last_ns, _), (last_tick, _) = have[0], want[0], have[-1], want[-1]
        rate = (last_ns - ns) / (last_tick - tick) if last_tick > tick else 0
        for (at, _), (then, _) in zip(have, want):
            off = at - ns - (then - tick) * rate
            assert abs(off) < 10, f"{name}: {at} is {off} ns from its record"
        compared += len(want)
    return compared


class Space:
    """What is mapped in an address space: ranges that do not overlap."""

    def __init__(self):
        self.ranges = []

    def unmap(self, start, end):
        rest = []
        for low, high in self.ranges:
            rest += [(a, b) for a, b in ((low, min(high, start)), (max(low, end), high)) if a < b]
        self.ranges = rest

    def map(self, start, end):
        self.unmap(start, end)
        self.ranges.append((start, end))

    def bytes(self):
        return sum(high - low for low, high in self.ranges)


class Spaces:
    """All address spaces, as the lines of a Laplace trace change them."""

    def __init__(self):
        self.spaces, self.of = {}, {}

    def line(self, letter, words):
        """A line: the address space that it changes, and who has it."""
        if letter in "MmSU":
            space, start = self.of[words[0]], int(words[1], 16)
            change = Space.unmap if letter == "U" else Space.map
            change(self.spaces[space], start, start + int(words[2], 16))
            return words[0]
        if letter == "D":
            space = words[1]
            self.spaces[space].map(int(words[2], 16), int(words[3], 16))
            return next((tid for tid, has in self.of.items() if has == space), None)
        if letter == "F" and words[0] in self.of:
            self.of[words[1]] = self.of[words[0]]
        elif letter == "A":
            self.of[words[0]] = words[1]
            self.spaces.setdefault(words[1], Space())
            return words[0]
        elif letter == "u":
            self.spaces[words[0]] = Space()
        elif letter == "T":
            self.of.pop(words[0], None)
        return None


def laplace_mapped(path):
    """Tick, TID and mapped bytes, after the last line of that tick."""
    spaces, found = Spaces(), {}
    with open(path, encoding="utf-8") as text:
        for line in text:
            letter, *words = line.split()
            tick = int(words.pop(0), 16) if words else 0
            tid = spaces.line(letter, words)
            if tid is not None:
                found[tick, int(tid, 16)] = spaces.spaces[spaces.of[tid]].bytes()
    return [(*key, value) for key, value in sorted(found.items())]


def clock_of(trace, path):
    """Ticks a ns, and a tick with its time, by the forks of both."""
    starts = {thread.tid: thread.start for thread in trace.threads if thread.start is not None}
    forks = {}
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line[0] == "F":
                _, tick, _, child = line.split()
                forks[int(child, 16)] = int(tick, 16)
    both = sorted((forks[tid], starts[tid]) for tid in forks if tid in starts)
    (tick, ns), (last, last_ns) = both[0], both[-1]
    return (last - tick) / (last_ns - ns), tick, ns


def check_mapped(trace, path):
    """After each change, the counter of the process has what the Laplace trace's lines sum up to."""
    rate, first, begin = clock_of(trace, path)
    values, compared = defaultdict(list), 0
    for uuid, track in trace.tracks.items():
        if track.get(2) == "mapped memory":
            values[trace.tracks[track[5]][3][1]] += trace.counters[uuid]
    changes = defaultdict(list)
    for tick, tid, mapped in laplace_mapped(path):
        changes[tid].append((begin + (tick - first) / rate, mapped))
    for pid, steps in changes.items():
        counter = sorted(values[pid], key=lambda value: value[0])
        for i, (ns, mapped) in enumerate(steps):
            # Others come before the clock is sure to be past this one.
            if i + 1 < len(steps) and steps[i + 1][0] < ns + 4:
                continue
            have = [value for at, value in counter if at <= ns + 2]
            assert have and have[-1] == mapped, \
                f"process {pid} has {mapped} bytes mapped at {ns:.0f}, the counter {have[-1:]}"
            compared += 1
    return compared


def read_trace(path, machine=0):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        return Trace(f.read(), machine)


def read_machine(path, number, shift, host, alone):
    trace = read_trace(path, int(number))
    assert trace.clocks[6] == read_trace(alone).clocks[6] + int(shift), "its times have the offset"
    assert trace.system[1][2] == host, "the machine has the host's name"
    return trace


def check_real(trace, path):
    """The time of day is as far ahead as in meta.json; without it, there is none."""
    with open(path, encoding="utf-8") as text:
        walls = json.load(text)["clock"].get("walls", [])
    want = [wall["realtime"] - wall["monotonic"] - wall["width"] // 2 for wall in walls[:1]]
    have = [real - trace.clocks[3] for number, real in trace.clocks.items() if number == 1]
    assert have == want, f"the time of day is {have} ns ahead, not {want}"
    return len(have)


def main(path, lines, cpus, laplace=None, mapped=None, machine=None, real=None):
    trace = read_machine(path, *machine.split(":")) if machine else read_trace(path)
    assert trace.clocks[3] == trace.clocks[6], "times are those of CLOCK_MONOTONIC"
    assert trace.system[1][1] == "Linux" and trace.system[1][3]
    begin = trace.clocks[6]
    tasks = read_lines(lines, begin)
    end = max((task["end"] for kind in tasks.values() for task in kind), default=begin)
    check_runs(trace, tasks, end, cpus)
    states = check_states(trace, tasks, end)
    io_waits = check_io(trace, tasks)
    slices, paths = check_slices(trace, tasks)
    check_lives(trace, tasks)
    cached = check_caches(trace, laplace or mapped) if laplace or mapped else 0
    commands = check_commands(trace, laplace or mapped) if laplace or mapped else 0
    mapped = check_mapped(trace, mapped) if mapped else 0
    real = check_real(trace, real) if real else 0
    losses = [slice for slice in trace.slices if slice[3] is None]
    print(f"switches={trace.switches} wakeups={trace.wakings} runs={len(tasks['run'])} "
          f"states={states} slices={slices} files={paths} threads={len(tasks['thread'])} "
          f"counters={sum(map(len, trace.counters.values()))} cached={cached} mapped={mapped} losses={len(losses)} "
          f"lossy_cpus={len(trace.lost)} real={real} "
          f"commands={commands} io={io_waits}")


parser = argparse.ArgumentParser()
parser.add_argument("--laplace", metavar="TEXT")
parser.add_argument("--mapped", metavar="TEXT")
parser.add_argument("--machine", metavar="N:NS:HOST:ALONE")
parser.add_argument("--real", metavar="META")
parser.add_argument("path", metavar="TRACE")
parser.add_argument("lines", metavar="LINES")
parser.add_argument("cpus", metavar="CPU", type=int, nargs="*")
main(**vars(parser.parse_args()))

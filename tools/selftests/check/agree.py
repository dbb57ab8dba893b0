#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""agree.py OUT CSV LOG - do three outputs of a capture say the same of what threads do?

OUT has ovni/, thread.prv and, if XRay is to be judged, xray.elf and *.fdr. CSV is the tasks of
the same capture: --tracer csv with the kinds thread, run, wait, unknown, call and fault. LOG is
what the decoder said of it, its gaps among that. For each thread, the states of Paraver's types
302 (page faults), 306 (calls) and 313 (waits for a CPU), the tasks, and XRay's functions must be
as many of each kind, and each must begin and end at the same time. Prints the first 20
differences, one a line.

What may differ, and no more:

- Paraver's times are later by ovni's clock rule: clocks never go back, and some events must be
  later than the last one (a count, two events of a wait, a CPU's next thread). So an event of the
  time t may have a later clock only if all ns from t on have events; a count leaves one ns
  free before it, and so may two of them be (PAUSE_NS).
- A task that has ended without a record of when, outside of a gap (doubt), ends when it was last
  known to go on. A stream cannot go back: Paraver and XRay end it at the thread's next record of
  a call or fault, or with the thread.
- What only has an end (early) takes no time, and is no state in Paraver and XRay; nor is a
  request that completes (aio, io_uring), nor what begins while it is not known where its thread
  is, nor the write of a call that has read before (sendfile). A wait that began before the
  capture is none in Paraver, unless its thread is woken once more.
- XRay's stamps are the capture's. Its one rate is the mean of the capture, whose clock is fitted
  to stamps that are WIDTH_NS wide; so may each of two times be, the task's and the beginning.
"""
import bisect
import collections
import csv
import glob
import re
import struct
import sys

import fdrcheck
import ovnitrace
import prvcmp

SHOWN = 20
PAUSE_NS = 3
WIDTH_NS = 20  # of capgen.h
XRAY_NS = 2 * WIDTH_NS + 1  # and what is rounded
KINDS = {"fault": 302, "call": 306, "wait": 313}
QUEUE = {"run queue: woken": "Woken", "run queue: new": "New, has not run yet",
         "run queue: preempted": "Preempted in the kernel",
         "run queue: slice/yield": "Time slice over, or yielded"}
SEGMENTS = ("run", "wait", "unknown")
HALVES = ("sendfile", "splice", "copy_file_range")
REQUESTS = ("aio", "io_uring")
HIDE_ENDS = re.compile(r"page_fault_end|file_read|file_write|unknown")

# Of a task; another output may have it last until latest. half: it may be the write of a call that
# has read, which is no other state.
State = collections.namedtuple("State", "start end latest half")
# Of another output: first and last time for which its beginning and its end may stand.
Span = collections.namedtuple("Span", "low high end_low end_high")


def number(text):
    return int(text or 0)


class Clocks:
    """The clocks of an ovni trace: which of them may stand for an earlier time."""

    def __init__(self, trace):
        threads = {event.clock for where, _ in ovnitrace.streams(trace)
                   for event in ovnitrace.stream_events(where)}
        cpus = {event.clock for path in glob.glob(f"{trace}/loom.*/cpu.*/cpu.events")
                for event in ovnitrace.events(path)}
        clocks = sorted(threads | cpus)
        self.first = min(threads)
        self.begins = [clocks[0]]
        for before, clock in zip(clocks, clocks[1:]):
            if clock - before > PAUSE_NS:
                self.begins.append(clock)

    def earliest(self, clock):
        """The first time for which this clock may stand."""
        burst = self.begins[bisect.bisect_right(self.begins, clock) - 1]
        return burst - PAUSE_NS if burst < clock else clock


def rows_of(path):
    """The thread of each row of thread.prv."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("LEVEL THREAD"))
    return lines[at + 1:]


def read_prv(out, begin):
    """By thread number, type and value the states; and the clocks. Paraver begins at @begin."""
    _, types = prvcmp.read_pcf(f"{out}/thread.pcf")
    clocks = Clocks(f"{out}/ovni")
    tids = [int(re.search(r"\.(\d+)", row)[1]) for row in rows_of(f"{out}/thread.row") if row]
    found, last = collections.defaultdict(list), {}
    with open(f"{out}/thread.prv", encoding="utf-8") as f:
        end = int(re.search(r":(\d+)_ns:", next(f))[1])
        for line in f:
            row, time, kind, value = map(int, line.split(":")[4:])
            if kind in KINDS.values():
                step(found, last, (row, kind), time, value)
    for key in list(last):
        step(found, last, key, end, 0)
    result = collections.defaultdict(list)
    for (row, kind, value), states in found.items():
        for state in states:
            low = [clocks.earliest(clocks.first + t) - clocks.first + begin for t in state]
            result[tids[row - 1], kind, types[kind][1][value]].append(
                Span(low[0], state[0] + begin, low[1], state[1] + begin))
    return result


def step(found, last, key, time, value):
    since, before = last.get(key, (0, 0))
    if before == value:
        return
    # What lasts no time is another label of the same instant.
    if before:
        found[(*key, before)].append((since, time))
    last[key] = (time, value)


def read_xray(out):
    """The same of the functions of XRay's logs, but for waits."""
    names = fdrcheck.names_of(f"{out}/xray.elf")
    found = collections.defaultdict(list)
    for log in glob.glob(f"{out}/*.fdr"):
        with open(log, "rb") as f:
            rate = struct.unpack_from("<Q", f.read(32), 8)[0]
        for (_, tid), records in fdrcheck.threads(log).items():
            begin = next(r.tsc for r in records if r.kind == "!")
            for what, *times in functions(records):
                key = key_of_function(tid, names[what])
                span = [(t - begin) * 10**9 // rate for t in times]
                if key:
                    found[key].append(Span(span[0] - XRAY_NS, span[0] + XRAY_NS,
                                           span[1] - XRAY_NS, span[1] + XRAY_NS))
    return found


def functions(records):
    entered = {}
    for record in records:
        if record.kind == "+":
            entered[record.what] = record.tsc
        elif record.kind == "-":
            yield record.what, entered[record.what], record.tsc


def key_of_function(tid, name):
    if name.startswith("page fault: "):
        return tid, 302, name[12:]
    return None if fdrcheck.LEAF.match(name) else (tid, 306, name)


def read_csv(path):
    rows = collections.defaultdict(list)
    with open(path, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            row["start"], row["end"] = int(row["start_ns"]), int(row["end_ns"])
            rows[int(row["tid"])].append(row)
    for of_thread in rows.values():
        of_thread.sort(key=lambda row: int(row["id"]))  # as they began
    return rows


def read_gaps(log):
    """When ends of calls or faults may begin to be missing, by the decoder's words."""
    return {int(s) * 10**9 + int(ns)
            for s, ns, what in re.findall(r"gap on CPU .* from (\d+)\.(\d+) s to (.*)", log)
            if HIDE_ENDS.search(what)}


def ends_of_unseen(rows):
    """By kind when a thread's records end what had an end without a record: a record of a call
    ends both, that of a fault only a fault. Requests complete whatever the thread does."""
    times = {"call": [], "fault": []}
    for row in rows:
        if row["kind"] not in times or (row["early"] == "1" and row["what"] in REQUESTS):
            continue
        at = [row["start"]] + [row["end"]] * (row["doubt"] == "0")
        times["fault"] += at
        if row["kind"] == "call":
            times["call"] += at
    return {kind: sorted(of) for kind, of in times.items()}


def tasks_of(tid, rows, gaps):
    """(key, State) of each task of a thread that is a state in the other outputs."""
    unseen = ends_of_unseen(rows)
    lost = {row["start"] for row in rows
            if row["kind"] == "unknown" and row["start"] < row["end"]}
    # Where it came to a CPU or left one, it may be that it was last known to go on.
    gaps = gaps - {row["start"] for row in rows if row["kind"] in SEGMENTS}
    over = max(row["end"] for row in rows)
    segment = None
    for row in rows:
        kind, what, start, end = row["kind"], row["what"], row["start"], row["end"]
        if kind in SEGMENTS:
            segment = kind
        if kind == "wait" and what in QUEUE and row["early"] == "0":
            yield (tid, KINDS[kind], QUEUE[what]), State(start, end, end, False)
        if kind not in unseen or row["early"] == "1" or segment == "unknown":
            continue
        latest = end
        if row["doubt"] == "1" and end not in (lost if start == end else lost | gaps):
            latest = next((t for t in unseen[kind] if t > max(start, end)), over)
        yield ((tid, KINDS[kind], "Another call" if what in REQUESTS else what),
               State(start, end, latest, what in HALVES and start == end))


def fits(task, span):
    return (span.low <= task.start <= span.high and
            task.end <= span.end_high and span.end_low <= task.latest)


def mismatch(tasks, spans):
    """None, or the first task that is none of the spans, and the span in its place."""
    reached = {0}  # so many spans may be what the tasks up to now are
    for task in tasks:
        now = {n + 1 for n in reached if n < len(spans) and fits(task, spans[n])}
        if task.half:
            now |= reached
        if not now:
            last = max(reached)
            return tuple(task), tuple(spans[last]) if last < len(spans) else None
        reached = now
    return None if len(spans) in reached else (None, tuple(spans[max(reached)]))


def compare(name, tasks, others):
    """Lines that say where they differ."""
    for key in sorted(tasks.keys() | others.keys(), key=str):
        if wrong := mismatch(tasks.get(key, []), others.get(key, [])):
            yield f"{name}: thread {key[0]}, {key[2]}: {wrong[1]} instead of {wrong[0]}"


def differences(out, path, log):
    """A line for each."""
    rows, gaps = read_csv(path), read_gaps(log)
    tasks = collections.defaultdict(list)
    for tid, of_thread in rows.items():
        for key, state in tasks_of(tid, of_thread, gaps):
            tasks[key].append(state)
    begin = min(row["start"] for of in rows.values() for row in of if row["kind"] == "thread")
    prv = without_early([row for of in rows.values() for row in of], read_prv(out, begin))
    wrong = list(compare("Paraver", tasks, prv))
    if glob.glob(f"{out}/*.fdr"):
        calls = {key: of for key, of in tasks.items() if key[1] != KINDS["wait"]}
        wrong += compare("XRay", calls, read_xray(out))
    return wrong


def without_early(rows, spans):
    """Waits of Paraver's, without what is of one that began before the capture."""
    ends = {(int(row["tid"]), row["end"]) for row in rows
            if row["kind"] == "wait" and row["early"] == "1" and
            row["what"].startswith("run queue")}
    for key, of in spans.items():
        if key[1] == KINDS["wait"]:
            of[:] = [span for span in of if not any(
                (key[0], t) in ends for t in range(span.end_low, span.end_high + 1))]
    return spans


def main():
    out, path, log = sys.argv[1:]
    with open(log, encoding="utf-8", errors="replace") as f:
        wrong = differences(out, path, f.read())
    for line in wrong[:SHOWN]:
        print(line)
    if len(wrong) > SHOWN:
        print(f"and {len(wrong) - SHOWN} more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

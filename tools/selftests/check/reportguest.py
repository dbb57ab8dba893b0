#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""reportguest.py LOG JSON DATABASE EXACT [PERF] - is a report of reportload true?

LOG is reportload's, JSON the report, DATABASE the tasks, PERF what perf sched latency -p
prints of the same run. EXACT: 1 if the guest counts instructions, else 0.

The kernel does not read its clock again when a wakeup has just asked for a switch: who
comes and who leaves share what lies between in another way (see guest/waitcheck.c). It
is microseconds where instructions are the clock; where the host decides when an emulated
CPU goes on, milliseconds now and then. What a thread ran and waited together differs less.
"""
import json
import re
import sqlite3
import sys

TICK = 4000000  # CONFIG_HZ=250
EXACT = 1000000  # a quarter of one
SHIFT = 200000  # a switch
READ = 2 * (1 << 20 | 123)
READS = 2 * (257 + 1)  # of a page, and one that finds the end
WRITES, WRITTEN = 300, 300 * 1000
# perf 6.1 ignores threads that leave their CPU as preempted (R+).
PERF_LINE = r"\s+(\S+):(\d+)\s+\|\s+([\d.]+) ms \|\s+(\d+) \| avg:\s+([\d.]+) ms \| max:\s+([\d.]+) ms"
PERF_WAITS = """SELECT COUNT(*), SUM(Lasts), MAX(Lasts)
    FROM trace t JOIN ovnik$task x ON t.ID = x.ID WHERE Kind = 'wait' AND PID = ?
    AND What IN ('run queue: new', 'run queue: woken', 'run queue: slice/yield')"""

wrong = 0


def expect(what, is_true):
    global wrong
    if not is_true:
        wrong += 1
        print(f"not true: {what}")


def near(what, got, want, by):
    expect(f"{what}: {got} is {want} +- {by}", abs(got - want) <= by)


def schedstat(p, run, delay, exact):
    name, slack = p["process"], TICK + SHIFT * p["runs"]
    if exact:
        near(f"{name}: on a CPU", p["on_cpu_ns"], run, EXACT)
        near(f"{name}: in run queues", p["run_queue_ns"], delay, EXACT)
        return
    near(f"{name}: on a CPU", p["on_cpu_ns"], run, slack + run // 4)
    near(f"{name}: in run queues", p["run_queue_ns"], delay, slack + delay // 4)
    near(f"{name}: both", p["on_cpu_ns"] + p["run_queue_ns"], run + delay, slack)


def known(p, files):
    """What a process does whatever the machine does."""
    name = p["process"]
    if name.startswith("spin"):
        expect("spin computes for 0.3 s", p["on_cpu_ns"] >= 300000000 - TICK)
    if name == "rest":
        expect("rest sleeps 20 times", p["sleeps"] == 20)
        expect("for 10 ms at least", p["sleep_ns"] >= 200000000)
    if name == "touch":
        expect("touch has 500 faults, and some to begin", 500 <= p["page_faults"] < 550)
    if name == "read":
        f = files["/tmp/disk/known"]
        near("bytes read", p["read_bytes"], READ, 0)
        near("bytes read of the file", f["read_bytes"], READ, 0)
        near("reads", f["reads"], READS, 0)
        # It is there the second time, and some of it is read ahead the first time.
        expect("hits", f["cache_hits"] >= READS // 2 - 1)
        expect("misses", 3 <= f["cache_misses"] <= READS // 2 - 1)
        near("hits and misses", f["cache_hits"] + f["cache_misses"], READS - 2, 3)
    if name == "write":
        f = files["/tmp/disk/written"]
        near("bytes written", p["written_bytes"], WRITTEN, 0)
        near("bytes written to the file", f["written_bytes"], WRITTEN, 0)
        near("writes", f["writes"], WRITES, 0)


def perf(lines, processes, db, exact):
    seen = 0
    for line in lines:
        m = re.match(PERF_LINE, line)
        p = processes.get(int(m[2])) if m else None
        if not p:
            continue
        seen += 1
        n, total, longest = db.execute(PERF_WAITS, (p["pid"],)).fetchone()
        by = EXACT if exact else EXACT + SHIFT // 2 * n
        run = round(float(m[3]) * 1e6)
        near(f"{m[1]}: perf's run time", p["on_cpu_ns"], run,
             EXACT if exact else TICK + SHIFT * p["runs"] + run // 4)
        near(f"{m[1]}: perf's number of delays", n, int(m[4]), 0)
        near(f"{m[1]}: perf's delays", total, round(float(m[5]) * 1e6 * n), by)
        near(f"{m[1]}: perf's longest", longest, round(float(m[6]) * 1e6), EXACT)
    near("processes that perf knows", seen, len(processes), 0)


def main():
    with open(sys.argv[2]) as f:
        report = json.load(f)[0]
    exact = int(sys.argv[4])
    files = {f["path"]: f for f in report["files"] if "path" in f}
    processes, sums = {}, [0, 0, 0, 0]
    with open(sys.argv[1]) as log:
        for line in log:
            name, pid, run, delay = line.split()
            found = [p for p in report["processes"] if p["pid"] == int(pid)]
            near(f"processes with the number of {name}", len(found), 1, 0)
            p = found[0]
            expect(f"{name} is called {p['process']}", p["process"] == name)
            near(f"{name}: not known", p["not_known_ns"], 0, 0)
            processes[int(pid)] = p
            schedstat(p, int(run), int(delay), exact)
            known(p, files)
            for i, n in enumerate((int(run), p["on_cpu_ns"], int(delay), p["run_queue_ns"])):
                sums[i] += n
    near("processes", len(processes), 9, 0)
    near("all on a CPU", sums[1], sums[0], sums[0] * 8 // 100)
    near("all in run queues", sums[3], sums[2], sums[2] * 8 // 100)
    if len(sys.argv) > 5:
        with open(sys.argv[5]) as lines:
            perf(lines, processes, sqlite3.connect(sys.argv[3]), exact)
    sys.exit(wrong != 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""htmlcheck.py PAGE REPORT - read the lanes of a page, and compare their sums with a report

REPORT is what "ovnik-decode report --json" prints. Runs, waits, calls and faults of each
process, and the busy time of each CPU, must be equal to the ns; items must be in order, and
those of a thread's states without holes. The page also draws the ends of calls and faults whose
beginnings are in doubt, which the report does not count once more: at most one for each doubt.
What runs is of a thread, or of a program if there are few.
"""
import base64
import json
import re
import sys
from collections import defaultdict

QUEUE = range(2, 7)
PARTS = 20
KINDS = {1: "on_cpu_ns", 8: "sleep_ns", 9: "disk_ns", 14: "not_known_ns"}
SUMS = ("on_cpu_ns", "run_queue_ns", "sleep_ns", "disk_ns", "other_waits_ns", "not_known_ns",
        "page_fault_ns", "page_faults", "io_ns", "io_calls", "bytes")


def script(page, name):
    return re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', page, re.S)[1]


def items(data, at, length):
    """Yields start, end, is a mix, parts: [key, count, ns, bytes]."""
    stop = at + length

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    time = 0
    while at < stop:
        head = number()
        gap, mix, some = head >> 2, head & 1, head & 2
        time += -(gap + 1) // 2 if gap & 1 else gap // 2
        start = time
        nr, span = (number(), number()) if mix else (1, 0)
        parts = []
        for _ in range(nr):
            key = number()
            count = number() if mix else 1
            ns = number()
            parts.append((key, count, ns, number() if some else 0))
        time = start + (span if mix else parts[0][2])
        yield start, time, mix, parts
    assert at == stop, "a lane ends in an item"


def states(data, thread, sums):
    end = thread[2]
    for start, stop, _, parts in items(data, *thread[11:13]):
        assert start == end, f"thread {thread[1]}: a hole before {start}"
        assert sum(p[2] for p in parts) == stop - start, f"thread {thread[1]}: a hole in a mix"
        end = stop
        for key, _, ns, _ in parts:
            state = key & 31
            sums["run_queue_ns" if state in QUEUE else KINDS.get(state, "other_waits_ns")] += ns


def process_sums(page, data):
    sums = defaultdict(lambda: defaultdict(int))
    for thread in page["threads"]:
        of = sums[thread[0]]
        states(data, thread, of)
        for at, ns, nr in ((13, "io_ns", "io_calls"), (15, "page_fault_ns", "page_faults")):
            for *_, parts in items(data, *thread[at:at + 2]):
                of[ns] += sum(p[2] for p in parts)
                of[nr] += sum(p[1] for p in parts)
                of["bytes"] += sum(p[3] for p in parts)
    return sums


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    with open(sys.argv[2], encoding="utf-8") as f:
        report = json.load(f)[0]
    page = json.loads(script(text, "data"))
    data = base64.b64decode(script(text, "lanes"), validate=True)
    sums, wrong = process_sums(page, data), 0
    doubts = report.get("calls_and_faults_without_an_end", 0)
    for row in report["processes"]:
        row["bytes"] = row.get("read_bytes", 0) + row.get("written_bytes", 0)
        for name in ("io_calls", "page_faults"):
            more = sums[row["number"]][name] - row.get(name, 0)
            if 0 < more <= doubts:
                sums[row["number"]][name] -= more
                doubts -= more
        for name in SUMS:
            # What is not recorded in full has no sum.
            if name not in row and "not_recorded" in report:
                continue
            if row.get(name, 0) != sums[row["number"]][name]:
                print(f"process {row['pid']}: {name} {sums[row['number']][name]}, "
                      f"not {row.get(name, 0)}")
                wrong += 1
    for row in report["CPUs"]:
        lane = next(c[2:4] for c in page["cpus"] if c[0] == row["cpu"])
        runs = [p for *_, parts in items(data, *lane) for p in parts]
        busy = sum(p[2] for p in runs)
        nameless = sum(p[2] for p in runs if not p[0])
        if nameless and len(page["programs"]) < PARTS - 1:
            print(f"CPU {row['cpu']}: {nameless} ns of nobody")
            wrong += 1
        if busy != row.get("busy_ns", 0):
            print(f"CPU {row['cpu']}: {busy} ns busy, not {row.get('busy_ns')}")
            wrong += 1
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

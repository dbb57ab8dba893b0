#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""narrowcheck.py ALL PART FROM TO [PID] - is a part of a capture what the whole has in that time?

ALL and PART are what the tracer csv writes of the whole and of the part; FROM and TO are ns since
the capture began. Per thread and process, the time in each kind of task must be the same. With PID,
only that process is compared.
"""
import collections
import csv
import sys

# The clock is fitted once more between the choice of the part and its outputs.
NEAR = 200
KINDS = ("run", "wait", "unknown", "call", "fault", "file", "thread")


def name(row):
    """Kind and what, but one for all that a part cannot tell apart at its beginning: why a thread
    waits for a CPU, and, while it is not known who runs on some CPU, whether it does."""
    kind, what = row["kind"], row["what"]
    if kind == "wait" and (what.startswith("run queue") or what == "being made") or \
       kind == "unknown" and what == "not seen":
        return "wait", "run queue"
    return kind, "" if kind in ("run", "thread") else what


def times(path, low, high, offset, pid):
    sums = collections.Counter()
    with open(path, encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            if row["kind"] not in KINDS or pid and row["pid"] != pid:
                continue
            start = max(int(row["start_ns"]) + offset, low)
            end = min(int(row["end_ns"]) + offset, high)
            key = name(row) + (row["pid" if row["kind"] == "file" else "tid"],)
            if end > start:
                sums[key] += end - start
    return sums


def main():
    low, high = int(sys.argv[3]), int(sys.argv[4])
    pid = sys.argv[5] if len(sys.argv) > 5 else None
    whole = times(sys.argv[1], low, high, 0, pid)
    part = times(sys.argv[2], low, high, low, pid)
    bad = 0
    for key in sorted(whole.keys() | part.keys()):
        if abs(whole[key] - part[key]) > NEAR:
            print("%s: %d ns in the whole, %d ns in the part" % (key, whole[key], part[key]))
            bad += 1
    print("%d sums, %d wrong" % (len(whole), bad))
    sys.exit(1 if bad or not whole else 0)


if __name__ == "__main__":
    main()

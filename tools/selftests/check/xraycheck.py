#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
xraycheck.py - is all in a log of xrayload's that it did, and are the sums llvm-xray's?

        xraycheck.py truth DUMP TRUTH
        xraycheck.py sums DUMP YAML
        xraycheck.py account DUMP CSV

DUMP is what xraydump wrote, TRUTH the program's own count, YAML what llvm-xray convert
-f yaml wrote, CSV what llvm-xray account -f csv did. Sums are of ticks between
entry and exit of each function's calls.
"""

import collections
import csv
import sys

import xraycmp

ENTER = ("function-enter", "function-enter-arg")


def truth(dump, path):
    calls, ends = collections.Counter(), collections.Counter()
    events, arguments = collections.defaultdict(list), collections.defaultdict(list)
    for record in xraycmp.read_dump(dump):
        tid = record["tid"]
        if record["kind"] == "custom-event":
            events[tid].append(record["data"].decode())
        elif record["kind"] in ENTER:
            calls[tid, record["function"]] += 1
            arguments[tid] += record["args"]
        else:
            ends[tid, record["function"]] += 1
    known = 0
    with open(path, encoding="ascii") as f:
        for word in map(str.split, f):
            tid = int(word[1])
            if word[0] == "call":
                key, count = (tid, int(word[2])), int(word[3])
                assert calls[key] == ends[key] == count, (word, calls[key], ends[key])
                known += count
            elif word[0] == "event":
                assert events[tid] == [f"event {i} of {tid}" for i in range(int(word[2]))]
            elif word[0] == "argument":
                assert arguments[tid] == [(tid << 20) + i for i in range(int(word[2]))]
    assert known == sum(calls.values()) > 0


def sums(records):
    """Of each function: calls and ticks, by a stack for each thread."""
    stacks = collections.defaultdict(list)
    count, ticks = collections.Counter(), collections.Counter()
    for record in records:
        if record["kind"].endswith("event"):
            continue
        stack = stacks[record["tid"]]
        if record["kind"] in ENTER:
            stack.append(record)
            continue
        entry = stack.pop()
        assert entry["function"] == record["function"]
        count[record["function"]] += 1
        ticks[record["function"]] += record["tsc"] - entry["tsc"]
    return count, ticks


def account(dump, path):
    count, ticks = sums(xraycmp.read_dump(dump))
    with open(dump, encoding="ascii") as f:
        frequency = int(f.readline().split()[5])
    with open(path, encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    assert len(rows) == len(count), (len(rows), len(count))
    for row in rows:
        function = int(row["funcid"])
        assert int(row["count"]) == count[function], row
        # Six significant digits of seconds.
        want = ticks[function] / frequency
        assert abs(float(row["sum"]) - want) <= want * 1e-5 + 1e-6, (row, want)


def main():
    if sys.argv[1] == "truth":
        truth(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "account":
        account(sys.argv[2], sys.argv[3])
    else:
        ours, theirs = (sums(read(path)) for read, path in
                        zip((xraycmp.read_dump, xraycmp.read_yaml), sys.argv[2:]))
        assert ours == theirs
        for function in sorted(ours[0]):
            print(f"# function {function}: {ours[0][function]} calls, {ours[1][function]} ticks")


if __name__ == "__main__":
    main()

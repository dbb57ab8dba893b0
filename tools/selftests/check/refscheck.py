#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""refscheck.py known|times EXPECTED REFS | spaces LAPLACE REFS

REFS is wide and binary. EXPECTED is what refsload has printed. LAPLACE is the kernel's
trace of a part of the same run: whenever user code begins to run, its address space
must be the one that was assigned to the task that was scheduled last.
"""
import bisect
import struct
import sys

WIDE = struct.Struct("<cQBIQ")


def references(path):
    with open(path, "rb") as file:
        while data := file.read(WIDE.size << 15):
            yield from WIDE.iter_unpack(data)


def expectation(path):
    ranges, refs, times = [], [], {}
    with open(path, encoding="ascii") as file:
        for line in file:
            what, *values = line.split()
            values = [int(value, 16) for value in values]
            if what == "range":
                ranges.append(range(*values))
            elif what == "T":
                times[values[1]] = values[0]
            else:
                refs.append((what, *values))
    return ranges, refs, times


def known(expected, path):
    ranges, want, stores = expectation(expected)
    end = max(stores.values())
    low, high = min(r.start for r in ranges), max(r.stop for r in ranges)
    got = []
    for kind, time, length, _, address in references(path):
        # Later, other processes have the same addresses.
        if time > end:
            break
        if low <= address < high and any(address in r for r in ranges):
            got.append((kind.decode(), length, address))
    for i, (left, right) in enumerate(zip(want, got)):
        if left != right:
            sys.exit(f"reference {i}: expected {left}, got {right}")
    if len(want) != len(got) or len(want) < 1000:
        sys.exit(f"expected {len(want)} references, got {len(got)}")


def times(expected, path):
    _, _, want = expectation(expected)
    got = {}
    for kind, time, length, _, address in references(path):
        if kind == b"W" and length == 8 and address in want:
            got.setdefault(address, time)
    wrong = sum(got.get(address) != time for address, time in want.items())
    if wrong or len(want) < 20000:
        sys.exit(f"{wrong} of {len(want)} stores are not at their time")


def schedule(path):
    """Times, and from each on the address space that user code must have."""
    spaces, task, when, what = {}, None, [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            kind, *rest = line.split(" ")
            if kind not in "sATF" or len(rest) < 2:
                continue
            time, who = int(rest[0], 16), int(rest[1], 16)
            if kind == "s":
                task = who
            elif kind == "A":
                spaces[who] = int(rest[2], 16)
            elif kind == "F":
                # A thread of its parent until it is told otherwise.
                child = int(rest[2], 16)
                spaces[child] = spaces.get(who)
            when.append(time)
            what.append(spaces.get(task))
    return when, what


def spaces(laplace, path):
    when, what = schedule(laplace)
    entries = wrong = unknown = 0
    was_user = True
    for kind, time, _, space, address in references(path):
        if kind != b"I":
            continue
        user = address < 1 << 63
        if user and not was_user and when[0] <= time <= when[-1]:
            want = what[bisect.bisect(when, time) - 1]
            entries += 1
            unknown += want is None
            if want is not None and want != space:
                wrong += 1
                if wrong < 5:
                    print(f"{time:x}: in {space:x} instead of {want:x}")
        was_user = user
    print(f"{entries} entries, {wrong} wrong, {unknown} before a task was known")
    if wrong or entries < 500 or unknown > entries // 20:
        sys.exit(1)


if __name__ == "__main__":
    {"known": known, "times": times, "spaces": spaces}[sys.argv[1]](*sys.argv[2:])

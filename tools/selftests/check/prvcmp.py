#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""prvcmp.py EXPECTED GOT - do two directories hold the same Paraver traces?

For thread and cpu: the same duration and number of rows, the same value over
time for every row and type, the same row names, the same types and labels.
Lines within one instant may come in another order, as only the last one of a
row and type lasts. cpu.pcf may declare types 1, 2 and 3, which upstream forgets.
Prints the first 20 differences, one a line.
"""
import os
import re
import sys

ALLOWED = {"cpu": {1, 2, 3}, "thread": set()}
SHOWN = 20
HEADER = re.compile(r"#Paraver \([^)]*\):(\d+)_ns:0:1:1\((\d+):1\)$")


class Wrong(Exception):
    """The file is not what it should be."""


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text and not text.endswith("\n"):
        raise Wrong(f"{path}: the last line has no end")
    return text.split("\n")[:-1]


def read_prv(path):
    """The header's numbers, and per row and type the changes of the value."""
    lines = read_lines(path)
    header = HEADER.match(lines[0]) if lines else None
    if not header:
        raise Wrong(f"{path}: bad header")
    duration, rows = int(header[1]), int(header[2])
    steps = {}
    before = 0
    for number, line in enumerate(lines[1:], 2):
        field = line.split(":")
        if len(field) != 8 or field[:4] != ["2", "0", "1", "1"]:
            raise Wrong(f"{path}:{number}: bad line: {line}")
        row, time, kind, value = map(int, field[4:])
        if not 1 <= row <= rows:
            raise Wrong(f"{path}:{number}: row {row} of {rows}")
        if not before <= time <= duration:
            raise Wrong(f"{path}:{number}: time {time} after {before}, end {duration}")
        before = time
        step = steps.setdefault((row, kind), [])
        if step and step[-1][0] == time:
            step.pop()
        if not step or step[-1][1] != value:
            step.append((time, value))
    return duration, rows, steps


def read_pcf(path):
    """Types with their label and labels of values, and what is before them."""
    types = {}
    preamble = []
    values = None
    lines = iter(read_lines(path))
    for line in lines:
        if line == "EVENT_TYPE":
            _, kind, label = re.match(r"(\d+) (\d+) +(.*)$", next(lines)).groups()
            if next(lines) != "VALUES":
                raise Wrong(f"{path}: type {kind} without VALUES")
            values = {}
            if int(kind) in types:
                raise Wrong(f"{path}: type {kind} twice")
            types[int(kind)] = (label, values)
        elif values is None:
            preamble.append(line)
        elif line:
            value, label = re.match(r"(-?\d+) {1,4}(.*)$", line).groups()
            if int(value) in values:
                raise Wrong(f"{path}: value {value} twice")
            values[int(value)] = label
    while preamble and not preamble[-1]:
        preamble.pop()
    return preamble, types


def compare_steps(name, want, got):
    for key in sorted(want.keys() | got.keys()):
        a, b = want.get(key), got.get(key)
        if a == b:
            continue
        row, kind = key
        if not a or not b:
            yield f"{name}: row {row} type {kind} is only in {'expected' if a else 'got'}"
            continue
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        yield (f"{name}: row {row} type {kind}: change {at} is "
               f"{b[at:at + 1]} instead of {a[at:at + 1]}")


def compare_prv(name, want, got):
    a, b = read_prv(want), read_prv(got)
    if a[0] != b[0]:
        yield f"{name}: duration {b[0]} instead of {a[0]}"
    if a[1] != b[1]:
        yield f"{name}: {b[1]} rows instead of {a[1]}"
    yield from compare_steps(name, a[2], b[2])


def compare_type(name, kind, want, got):
    if want[0] != got[0]:
        yield f"{name}: type {kind} is called {got[0]!r} instead of {want[0]!r}"
    for value in sorted(want[1].keys() | got[1].keys()):
        a, b = want[1].get(value), got[1].get(value)
        if a != b:
            yield f"{name}: type {kind} value {value} is {b!r} instead of {a!r}"


def compare_pcf(name, want, got, allowed):
    (pa, a), (pb, b) = read_pcf(want), read_pcf(got)
    if pa != pb:
        yield f"{name}: options or colours differ"
    for kind in sorted(a.keys() - b.keys()):
        yield f"{name}: type {kind} is missing"
    for kind in sorted(b.keys() - a.keys() - allowed):
        yield f"{name}: type {kind} is too much"
    for kind in sorted(a.keys() & b.keys()):
        yield from compare_type(name, kind, a[kind], b[kind])


def compare(want, got):
    for stem in "thread", "cpu":
        paths = {end: (os.path.join(want, f"{stem}.{end}"), os.path.join(got, f"{stem}.{end}"))
                 for end in ("prv", "pcf", "row")}
        yield from compare_prv(f"{stem}.prv", *paths["prv"])
        yield from compare_pcf(f"{stem}.pcf", *paths["pcf"], ALLOWED[stem])
        if read_lines(paths["row"][0]) != read_lines(paths["row"][1]):
            yield f"{stem}.row: names differ"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: prvcmp.py EXPECTED GOT")
    try:
        differences = list(compare(sys.argv[1], sys.argv[2]))
    except (OSError, Wrong) as e:
        sys.exit(f"prvcmp.py: {e}")
    for difference in differences[:SHOWN]:
        print(difference)
    if len(differences) > SHOWN:
        print(f"and {len(differences) - SHOWN} more differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nodescheck.py MERGED NODE=SINGLE:NS... - is a timeline of nodes the union of theirs?

MERGED has the timeline of all, each SINGLE what ovnik-decode makes of one node's capture:
ovni/ and the timeline. They are named in the order in which applications are counted. NS is
to be added to the node's times. Every change of
a value in MERGED must be one of a single node's, and the other way round: at its time, on its
row. Records of one instant may come in another order: only the last one of a row lasts. An
amount shows for a nanosecond, which comes a nanosecond later where another node has an event
of that time. Rows must say the node; a number of a thread or process must have a name only
where all nodes that have the number call it that. Prints the first 20 differences.
"""
import collections
import os
import re
import sys

from ovnitrace import stream_events, streams
from prvcmp import compare_steps, read_lines, read_pcf, read_prv

SHOWN = 20
TYPE_CPU = 6        # its values are rows of cpu.prv
AMOUNTS = {303, 304, 305, 307, 308, 309, 310, 311}
NUMBERS = {"thread": (2,), "cpu": (1, 2)}   # types whose values are TIDs and PIDs

Node = collections.namedtuple("Node", "name path shift first apps rows")


def first_clock(trace):
    return min(event[1] for where, _ in streams(trace) for event in stream_events(where))


def rows_of(path, stem):
    lines = read_lines(f"{path}/{stem}.row")
    return lines[lines.index("") + 2:]


def load(args):
    nodes, before = [], 0
    for arg in args:
        name, rest = arg.split("=", 1)
        path, shift = rest.rsplit(":", 1)
        apps = max(ovni["app_id"] for _, ovni in streams(f"{path}/ovni"))
        nodes.append(Node(name, path, int(shift), first_clock(f"{path}/ovni"), before,
                          {stem: rows_of(path, stem) for stem in NUMBERS}))
        before += apps
    return sorted(nodes)


def union(nodes, stem):
    """The changes that there must be, by row and type."""
    begin = min(node.first + node.shift for node in nodes)
    want = {}
    row_base = cpu_base = 0
    for node in nodes:
        late = node.first + node.shift - begin
        for (row, kind), steps in read_prv(f"{node.path}/{stem}.prv")[2].items():
            base = cpu_base if stem == "thread" and kind == TYPE_CPU else 0
            want[row + row_base, kind] = \
                [(time + late, value + base if value else 0) for time, value in steps]
        row_base += len(node.rows[stem])
        cpu_base += len(node.rows["cpu"])
    return want


def amounts(steps):
    """What they show, and for how long."""
    ends = [time for time, _ in steps[1:]] + [steps[-1][0]]
    return [(time, value, end - time) for (time, value), end in zip(steps, ends) if value]


def is_later(want, got):
    (time, value, _), (got_time, got_value, lasts) = want, got
    return got_time - time in (0, 1) and got_value == value and lasts == 1


def same_amounts(want, got):
    want, got = amounts(want), amounts(got)
    return len(want) == len(got) and all(map(is_later, want, got))


def check_records(nodes, merged, stem):
    want = union(nodes, stem)
    got = read_prv(f"{merged}/{stem}.prv")[2]
    for key in want.keys() & got.keys():
        if key[1] in AMOUNTS and same_amounts(want[key], got[key]):
            got[key] = want[key]
    yield from compare_steps(f"{stem}.prv", want, got)


def row_name(stem, name, at, apps, node):
    """What the row of a node is called among those of all."""
    if stem == "cpu":
        return re.sub(r"CPU 0\.", f"CPU {at}.", name) + f" {node}"
    number, tid, *rest = re.match(r"TH (\d+)\.(\d+)(?: (.*))?$", name).groups()
    return " ".join(["TH", f"{int(number) + apps}.{tid}", node] + [r for r in rest if r])


def check_rows(nodes, merged, stem):
    want = []
    for at, node in enumerate(nodes):
        want += [row_name(stem, name, at, node.apps, node.name) for name in node.rows[stem]]
    got = rows_of(merged, stem)
    if len(want) != len(got):
        yield f"{stem}.row: {len(got)} rows instead of {len(want)}"
    for a, b in zip(want, got):
        if a != b:
            yield f"{stem}.row: {b!r} instead of {a!r}"


def check_labels(nodes, merged, stem):
    got = read_pcf(f"{merged}/{stem}.pcf")[1]
    for kind in NUMBERS[stem]:
        names = collections.defaultdict(dict)
        for node in nodes:
            for value, label in read_pcf(f"{node.path}/{stem}.pcf")[1][kind][1].items():
                names[value][node.name] = label
        for value, on in sorted(names.items()):
            want = " ".join([str(value), *on]) if len(set(on.values())) > 1 else \
                next(iter(on.values()))
            if got[kind][1].pop(value, None) != want:
                yield f"{stem}.pcf: type {kind}: {value} is not called {want!r}"
        for value in got[kind][1]:
            yield f"{stem}.pcf: type {kind}: no node has {value}"


def check_all(nodes, merged):
    for stem in NUMBERS:
        yield from check_records(nodes, merged, stem)
        yield from check_rows(nodes, merged, stem)
        yield from check_labels(nodes, merged, stem)


def main():
    merged, *args = sys.argv[1:]
    if not os.path.isdir(merged) or len(args) < 2:
        sys.exit(__doc__)
    wrong = list(check_all(load(args), merged))
    print(*wrong[:SHOWN], sep="\n")
    sys.exit(bool(wrong))


main()

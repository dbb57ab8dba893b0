#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""phasescheck.py REPORT TRACE LOOM... - are the phases of a report those of a merged ovni trace?

REPORT is JSON of "ovnik-decode report --merge" of the nodes LOOM, TRACE the trace that is merged of the
same. Of each thread the values of its marks are played by markscheck.py; here they are summed up:
what begins within the same value counts once.
"""
import collections
import json
import os
import sys

from markscheck import read_trace


def outermost(slices):
    """Of the slices of one value those that are not within another one."""
    end = None
    for start, stop in sorted(slices, key=lambda s: (s[0], -s[1])):
        if end is None or start >= end:
            yield start, stop
            end = stop


def phases_of(trace):
    """By mark and value: how often, and the time of each thread in it."""
    found = collections.defaultdict(lambda: [0, []])
    for (_, _, title, functions), mark in read_trace(trace, ()):
        assert not functions
        texts = collections.defaultdict(list)
        for text, start, stop in mark.slices:
            texts[text].append((start, stop))
        for text, slices in texts.items():
            alone = list(outermost(slices))
            found[title, text][0] += len(alone)
            found[title, text][1].append(sum(stop - start for start, stop in alone))
    return found


def want_of(trace, looms):
    nodes = {loom: phases_of(os.path.join(trace, "loom." + loom)) for loom in looms}
    rows = {}
    for key in {key for phases in nodes.values() for key in phases}:
        on = {loom: phases[key] for loom, phases in nodes.items() if key in phases}
        times = [ns for _, threads in on.values() for ns in threads]
        row = {"times": sum(n for n, _ in on.values()), "threads": len(times),
               "average_ns": sum(times) // len(times), "least_ns": min(times),
               "most_ns": max(times)}
        if len(looms) > 1:
            row["nodes"] = len(on)
            row["least_on"] = {loom for loom, part in on.items() if min(times) in part[1]}
            row["most_on"] = {loom for loom, part in on.items() if max(times) in part[1]}
        rows[key] = row
    return rows


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        got = json.load(text)[0]["phases"]
    want = want_of(sys.argv[2], sys.argv[3:])
    assert len(got) == len(want) > 0, (got, want)
    for row in got:
        known = want[row["mark"], row["phase"]]
        for key, value in known.items():
            assert row[key] in value if isinstance(value, set) else row[key] == value, (row, known)
        share = row["average_ns"] / row["most_ns"] if row["most_ns"] else None
        assert row["balance"] == share or abs(row["balance"] - share) < 1e-6, row
    print(len(got), "phases")


if __name__ == "__main__":
    main()

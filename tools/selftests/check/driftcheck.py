#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""driftcheck.py TRACE NS - do all looms of a trace have the same events at the same times?

As looms of captures of the same events, which clocks have stamped that drift apart. Times are
those of the streams and what clock-offsets.txt adds; they may differ by NS.
"""
import os
import sys

from ovnitrace import stream_events, streams

trace, tolerance = sys.argv[1], int(sys.argv[2])
offsets = {}
with open(f"{trace}/clock-offsets.txt", encoding="utf-8") as table:
    for line in table.readlines()[1:]:
        offsets[line.split()[1]] = int(line.split()[2])
looms = {}
for where, ovni in streams(trace):
    loom = os.path.relpath(where, trace).split("/")[0].removeprefix("loom.")
    add = offsets[loom.split(".")[0]]
    looms.setdefault(loom, {})[ovni["tid"]] = \
        [(event.mcv, event.clock + add) for event in stream_events(where)]
(first, want), *others = sorted(looms.items())
worst = count = 0
for loom, got in others:
    if got.keys() != want.keys():
        sys.exit(f"{loom} has other threads than {first}")
    for tid, events in got.items():
        if [event[0] for event in events] != [event[0] for event in want[tid]]:
            sys.exit(f"thread {tid} has other events on {loom} than on {first}")
        count += len(events)
        for event, other in zip(events, want[tid]):
            worst = max(worst, abs(event[1] - other[1]))
print(f"{count} events, at most {worst} ns apart")
sys.exit(worst > tolerance or not count)

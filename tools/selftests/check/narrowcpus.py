#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""narrowcpus.py parts ALL PART... - are the parts of a capture, CPU 0, 1, and so on, the whole?
narrowcpus.py prv PART DIR - do the Paraver traces of a part, in DIR, say what its tasks say?

ALL and PART are what the tracer csv writes. The runs of the parts must be those of the whole, each
one once. A call or fault of which a part knows begin and end must be in the whole, and one in which
its thread stays on a CPU in the part of that CPU; not those without a beginning, which may be the
second half of another. All waits must be in each part.
"""
import bisect
import collections
import csv
import re
import sys

from prvcmp import read_prv
from waitsend import rows as names_of

KINDS = ("run", "wait", "call", "fault")
REASON, WAITS = 300, 313
# Of type 300.
REASONS = {"sleep": 2, "disk sleep": 3, "outside the filter": 10}


def table(path):
    with open(path, encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def rows(path):
    """Per kind: how often there is which task."""
    found = {kind: collections.Counter() for kind in KINDS}
    for row in table(path):
        kind = row["kind"]
        sure = row["doubt"] == row["early"] == "0" and row["start_ns"] != row["end_ns"]
        if kind not in KINDS or kind in ("call", "fault") and not sure:
            continue
        cpu = int(row["cpu"]) if kind == "run" else -1
        found[kind][row["what"], int(row["tid"]), cpu, int(row["start_ns"]),
                    int(row["end_ns"])] += 1
    return found


def report(what, tasks):
    for task, times in sorted(tasks.items())[:5]:
        print("%s: %s, %d times" % (what, " ".join(map(str, task)), times))
    return len(tasks)


def stay(calls, runs):
    """By CPU: those in which their thread does not run elsewhere."""
    of_thread = collections.defaultdict(list)
    for _, tid, cpu, start, end in runs:
        of_thread[tid].append((start, end, cpu))
    for mine in of_thread.values():
        mine.sort()
    found = collections.defaultdict(collections.Counter)
    for call, times in calls.items():
        _, tid, _, start, end = call
        mine = of_thread[tid]
        first = max(bisect.bisect(mine, (start,)) - 1, 0)
        last = bisect.bisect(mine, (end + 1,))
        cpus = {cpu for since, until, cpu in mine[first:last] if until >= start}
        if len(cpus) == 1:
            found[cpus.pop()][call] = times
    return found


def parts(whole, *paths):
    whole = rows(whole)
    here = {kind: stay(whole[kind], whole["run"]) for kind in ("call", "fault")}
    runs = collections.Counter()
    bad = 0
    for cpu, path in enumerate(paths):
        part = rows(path)
        runs += part["run"]
        for kind in KINDS[1:]:
            bad += report("only in a part: " + kind, part[kind] - whole[kind])
        for kind, stays in here.items():
            bad += report("missing in its CPU's part: " + kind, stays[cpu] - part[kind])
        bad += report("a wait that is missing in a part", whole["wait"] - part["wait"])
    bad += report("a run that no part has", whole["run"] - runs)
    bad += report("a run that no part should have", runs - whole["run"])
    print("%d runs, %d calls, %d faults that stay, %d wrong" %
          (len(whole["run"]), *(sum(map(len, here[kind].values())) for kind in here), bad))
    return bad or not runs


def expected(row, reason, waits):
    if row["kind"] == "run":
        return not reason and not waits
    if row["what"] in REASONS:
        return reason == REASONS[row["what"]] and not waits
    return waits or not row["what"].startswith("run queue") or "before" in row["what"]


def prv(path, directory):
    steps = read_prv(directory + "/thread.prv")[2]
    row_of = {int(re.match(r"TH \d+\.(\d+)", name)[1]): row
              for row, name in names_of(directory + "/thread.row").items()}
    seen, bad = collections.Counter(), 0

    def value(row, kind, time):
        mine = steps.get((row, kind), [])
        at = bisect.bisect(mine, (time, sys.maxsize))
        return mine[at - 1][1] if at else 0

    for row in table(path):
        start, end = int(row["start_ns"]), int(row["end_ns"])
        if row["kind"] not in ("run", "wait", "unknown") or end - start < 200:
            continue
        thread, middle = row_of[int(row["tid"])], (start + end) // 2
        reason, waits = (value(thread, kind, middle) for kind in (REASON, WAITS))
        seen[row["what"]] += 1
        if not expected(row, reason, waits):
            print("%s: reason %d, waits %d" % (row, reason, waits))
            bad += 1
    print("%s, %d wrong" % (dict(seen), bad))
    return bad or not seen["run"] or not seen["outside the filter"]


def main():
    sys.exit(1 if {"parts": parts, "prv": prv}[sys.argv[1]](*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()

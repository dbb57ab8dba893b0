#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""selfcheck.py PID WHOLE FOLDED [NUMBER] - compare answers of report or top, as JSON

WHOLE: with --self. FOLDED: without. PID: the recorder. NUMBER: of that process, of the report's.
It is the last row of each table of processes, programs or threads, under its own name,
and one row of all its threads. Its reads are neither hits nor misses, of no process, file or sum.
Nothing else is different, and no sum.
"""
import json
import sys
from collections import defaultdict

NAME = "recorder (ovnik)"
HITS = ("cache_hits", "cache_misses")
TABLES = ("processes", "programs", "threads")
NAMES = ("process", "program", "thread")
# Not sums.
KEYS = NAMES + ("pid", "tid", "number", "start_ns", "end_ns")
wrong = 0


def expect(what, got, want):
    global wrong
    if got != want:
        wrong += 1
        print(f"{what}: {got} instead of {want}")


def sums(rows):
    all_of = defaultdict(int)
    for row in rows:
        for key, value in row.items():
            if key.startswith("longest"):
                all_of[key] = max(all_of[key], value)
            elif key not in KEYS and not isinstance(value, (str, float)):
                all_of[key] += value
    return dict(all_of)


def figures(row):
    return {key: value for key, value in row.items() if key not in NAMES and key != "tid"}


def check_programs(whole, own, others):
    """One program is less than it was, or not there: by what is in the row of the recorder."""
    before = [row for row in whole if row not in others]
    rest = [row for row in others if row not in whole]
    expect("programs that have changed", len(before), 1)
    expect("programs: what is left of it", [row["program"] for row in rest],
           [row["program"] for row in before][:len(rest)])
    expect("programs: the recorder and the rest", sums([own] + rest), sums(before))
    kept = [row for row in whole if row in others]
    expect("programs: others", [row for row in others if row in whole], kept)


def check_rows(table, whole, folded, pid):
    *others, own = folded
    expect(f"{table}: sums", sums(folded), sums(whole))
    expect(f"{table}: the last one", own[NAMES[TABLES.index(table)]], NAME)
    expect(f"{table}: others of that name", [row for row in others if NAME in row.values()], [])
    if table == "programs":
        check_programs(whole, own, others)
        return
    mine = [row for row in whole if row["pid"] == pid]
    if table == "processes":
        mine = [row for row in mine if figures(row) == figures(own)][:1]
        expect("the recorder as it is", len(mine), 1)
    else:
        expect("its threads", sums([own]), sums(mine))
    expect(f"{table}: others", others, [row for row in whole if row not in mine])


def check_hits(whole, folded):
    """Then leave them out."""
    own = folded["processes"][-1]
    mine = next(row for row in whole["processes"] if row["number"] == own["number"])
    for key in HITS:
        expect(f"{key} of the recorder", own.get(key), mine.get(key) and 0)
        expect(f"{key} of all", folded["all_processes"][0].get(key, 0),
               whole["all_processes"][0].get(key, 0) - mine.get(key, 0))
        expect(f"{key} of files", sum(row.get(key, 0) for row in folded.get("files", [])),
               folded["all_processes"][0].get(key, 0))
    reads = folded.get("reads_of_the_page_cache", [])
    if reads:
        expect("reads of others", sum(row["reads"] for row in reads),
               folded["all_processes"][0]["reads"] - own["reads"])
    for answer in whole, folded:
        answer.pop("reads_of_the_page_cache", None)
        answer.pop("hit_ratio", None)
        for table in "processes", "programs", "all_processes", "files":
            for row in answer.get(table, []):
                for key in HITS:
                    row.pop(key, None)


def renamed(thing, number):
    if thing.get("most_number") == number:
        thing["most_process"] = NAME
    return thing


def main():
    pid = int(sys.argv[1])
    whole, folded = (json.load(open(path, encoding="utf-8"))[0] for path in sys.argv[2:4])
    if "all_processes" in whole:
        check_hits(whole, folded)
    if "worst_waits" in whole:
        number = int(sys.argv[4])
        expect("which process", folded["processes"][-1]["number"], number)
        waits = [renamed(w, number) for w in whole.pop("worst_waits") if w["number"] != number]
        expect("worst waits", folded.pop("worst_waits")[:len(waits)], waits)
    for table in TABLES:
        if table in whole:
            check_rows(table, whole.pop(table), folded.pop(table), pid)
    expect("the rest", folded, whole)
    sys.exit(wrong != 0)


main()

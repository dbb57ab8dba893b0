#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""whycheck.py JSON TEXT ROWS TASKS TAGS PID|--comm=NAME|--tree=PID - check an answer of ovnik-decode why

JSON, TEXT: the answer; the text has ROWS rows of each table. TASKS, TAGS: all, written by the tracer jsonl. Everything is summed up again,
and each chain is followed again.
"""
import json
import re
import sys
from collections import defaultdict

import units
from resumed import is_resumed
from runqueue import move_of, queue_of, who_ran


NOBODY, BEYOND, NO_CPU = LAST = ("(nobody)", "(not known: who ran is not recorded, or no longer kept)",
                                 "(it got no CPU, or that is not recorded)")


def equal(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def triples(rows, *keys):
    return {tuple(row[key] for key in keys):
            (row["time_ns"], row["times"], row["longest_ns"]) for row in rows}


def wakers(tasks):
    """By thread and begin of the wait: who ended it."""
    requests = {t["id"]: t for t in tasks if t["kind"] == "req_out"}
    ended = {}
    for t in tasks:
        if t["kind"] == "req_in" and t["parent"] in requests:
            request = requests[t["parent"]]
            ended.setdefault(request["tid"], []).append((request["start_ns"], t["pid"], t["tid"]))
    return ended


def waker(ended, wait):
    for start, pid, tid in ended.get(wait["tid"], []):
        if wait["start_ns"] <= start < max(wait["end_ns"], wait["start_ns"] + 1):
            return pid, tid
    return 0, 0


def check_wakers(rows, waits, ended):
    """Threads have numbers; a timer, a device or the page cache has none."""
    want, got = defaultdict(list), defaultdict(list)
    for wait in waits:
        if not wait["what"].startswith("run queue"):
            want[wait["what"], waker(ended, wait)[0]].append(wait["end_ns"] - wait["start_ns"])
    for row in rows:
        got[row["reason"], row.get("pid") or 0].append(row)
    goes_on = [t["end_ns"] - t["start_ns"] for t in waits
               if t["open"] and not t["what"].startswith("run queue")]
    equal("waits that go on", sum(r["times"] for r in rows if r["who"] == "(it goes on)"),
          len(goes_on))
    equal("how long", sum(r["time_ns"] for r in rows if r["who"] == "(it goes on)"), sum(goes_on))
    equal("who ended waits", {key: (sum(r["time_ns"] for r in rows), sum(r["times"] for r in rows),
                                    max(r["longest_ns"] for r in rows))
                              for key, rows in got.items()},
          {key: (sum(x), len(x), max(x)) for key, x in want.items()})


def check_owners(rows, waits, tasks, moves):
    """The CPU in question is the one in whose run queue it was."""
    runs, cpus = defaultdict(list), {}
    for t in tasks:
        if t["kind"] == "run":
            runs[t["cpu"]].append((t["pid"], t["start_ns"], t["end_ns"]))
            cpus[t["tid"], t["start_ns"]] = t["cpu"]
    want = defaultdict(list)
    for wait in waits:
        start, end = wait["start_ns"], wait["end_ns"]
        if not wait["what"].startswith("run queue") or start == end:
            continue
        cpu = cpus.get((wait["tid"], end))
        if cpu is None:
            want[NO_CPU].append(end - start)
            continue
        ran, known = who_ran(runs[queue_of(start, end, cpu, moves[wait["thread"]])], start, end)
        for pid, ns in ran:
            want[pid].append(ns)
        if known > start:
            want[BEYOND].append(known - start)
        rest = end - known - sum(ns for pid, ns in ran)
        if rest > 0:
            want[NOBODY].append(rest)
    got = defaultdict(list)
    for row in rows:
        got[row.get("pid") or row["who"]].append(row)
    equal("who had the CPU", {key: (sum(r["time_ns"] for r in of), sum(r["times"] for r in of))
                              for key, of in got.items()},
          {key: (sum(x), len(x)) for key, x in want.items()})


def table(lines, title):
    if f"  {title}:" not in lines:
        return [], []
    at = lines.index(f"  {title}:")
    rows = [re.split(" {2,}", line.strip()) for line in lines[at + 1:lines.index("", at)]]
    return rows[0], [dict(zip(rows[0], row)) for row in rows[1:]]


def texts(rows):
    """Of rows with a time, a number, the longest time, and perhaps a number: columns have a unit."""
    columns = [units.column("ns", column) if i % 2 == 0 else list(map(str, column))
               for i, column in enumerate(zip(*rows))]
    return list(zip(*columns))


def check_folded(lines, title, rows, limit):
    """Those of a program are one row, and the rows that are not shown are one."""
    sums = {}
    for row in rows:
        key = (row.get("reason"), row["who"], not row.get("pid"))
        mine = sums.setdefault(key, [0, 0, 0, 0])
        mine[0] += row["time_ns"]
        mine[1] += row["times"]
        mine[2] = max(mine[2], row["longest_ns"])
        mine[3] += bool(row.get("pid"))
    last = {key: sums.pop(key) for key in list(sums) if key[2] and key[1] in LAST}
    _, shown = table(lines, title)
    # Which of equals are the last rows is not said.
    there = {(row.get("reason"), row["who"]) for row in shown}
    want = sorted(sums.items(), key=lambda x: (-x[1][0], x[0][:2] not in there))

    got = [(row["time"], row["times"], row["longest"], row["processes"]) for row in shown]
    others = want[limit:]
    expected = [mine for _, mine in want[:limit]]
    if others:
        expected.append([sum(m[0] for _, m in others), sum(m[1] for _, m in others),
                         max(m[2] for _, m in others), sum(m[3] for _, m in others)])
        equal(f"{title}: others", shown[min(limit, len(want))]["who"],
              f"{len(others)} other" + "s" * (len(others) > 1))
    equal(f"{title}: rows", sorted(got), sorted(texts(expected + list(last.values()))))
    names = [key[1] for key, _ in want[:limit]] + [key[1] for key in last]
    equal(f"{title}: who", sorted(row["who"] for row in shown if " other" not in row["who"]),
          sorted(name for name in names if " other" not in name))


def check_memory(lines, answer, faults, limit, of_files):
    """The same faults as by access; by file as the tasks say."""
    rows = answer["page_faults_by_file_or_memory"]
    equal("faults by file",
          {(f"{row['major']}:{row['minor']}", row["inode"], row["generation"]):
           (row["time_ns"], row["times"]) for row in rows if "major" in row},
          {key: (sum(x), len(x)) for key, x in of_files.items()})
    lasts = [ns for x in faults.values() for ns in x]
    equal("faults by memory", (sum(r["time_ns"] for r in rows), sum(r["times"] for r in rows),
                               max((r["longest_ns"] for r in rows), default=0)),
          (sum(lasts), len(lasts), max(lasts, default=0)))
    times = [r["time_ns"] for r in rows]
    equal("order of memory", times, sorted(times, reverse=True))
    _, shown = table(lines, "page faults by file or memory")
    want = [(r["time_ns"], r["times"], r["longest_ns"]) for r in rows[:limit]]
    rest = rows[limit:]
    if rest:
        want.append((sum(r["time_ns"] for r in rest), sum(r["times"] for r in rest),
                     max(r["longest_ns"] for r in rest)))
    equal("memory", [(r["time"], r["times"], r["longest"]) for r in shown], texts(want))


def check_other_files(lines, rows, limit):
    """Files are not folded; those that are not shown are one row."""
    named = [row for row in rows if "major" in row]
    _, shown = table(lines, "system calls on files")
    if len(named) <= limit:
        return
    rest = sorted(named, key=lambda row: -row["time_ns"])[limit:]
    cell = shown[limit]["time"]
    equal("other files", (cell, shown[limit]["times"], shown[limit]["file"]),
          (units.like(cell, "ns", sum(r["time_ns"] for r in rest)), str(sum(r["times"] for r in rest)),
           f"{len(rest)} other" + "s" * (len(rest) > 1)))


def chosen(tasks, which):
    """The numbers of all tasks of the processes that the question is about. A process has the name
    that it has in the end."""
    by_id = {t["id"]: t for t in tasks}
    option, _, value = which.rpartition("=")

    def is_root(t):
        return t["what"] == value if option == "--comm" else t["pid"] == int(value)

    def is_chosen(t):
        while t and t["kind"] != "process":
            t = by_id.get(t["parent"])
        while t and option == "--tree" and not is_root(t):
            t = by_id.get(t["parent"])
            while t and t["kind"] != "process":
                t = by_id.get(t["parent"])
        return t is not None and is_root(t)
    return {t["id"] for t in tasks if is_chosen(t)}


def resumed_of(tasks):
    """The numbers of tasks that are the end of a call or fault that has been counted."""
    last = {}
    return {t["id"] for t in sorted(tasks, key=lambda t: t["id"])
            if is_resumed(last, t["thread"], t["kind"], t["what"], t["early"], t["doubt"])}


def check_files(answer, tasks, mine, resumed):
    """The file of a call whose end is not recorded is not known; if it is after all, the call is one
    of that file, as in the report. If there are too many files, what is given up of them is a row
    of its own."""
    want, bytes_of, known = defaultdict(list), defaultdict(int), 0
    for t in tasks:
        if t["kind"] == "call" and t["id"] in mine:
            sure = not t["open"] and not t["doubt"]
            key = (t["device"], t["inode"], t["generation"]) if sure else None
            want[key].append(t["end_ns"] - t["start_ns"])
            known += t["id"] in resumed
            bytes_of[key] += t["bytes"] if sure else 0
    rows = {}
    for row in answer["system_calls_on_files"]:
        key = f"{row['major']}:{row['minor']}" if "major" in row else None
        rows[(key, row["inode"], row["generation"]) if key else None] = row
    given_up = answer.get("files_given_up", [])
    if not given_up:
        equal("calls on files",
              {key: (row["time_ns"], row["times"], row["longest_ns"],
                     row["read"] + row["written"]) for key, row in rows.items()},
              {key: (sum(x), len(x) - (known if key is None else 0), max(x), bytes_of[key])
               for key, x in want.items()})
    for key, row in rows.items():
        lacks = sum(want[key]) - row["time_ns"]
        equal(f"{key} lacks no more than is said",
              0 <= lacks <= answer.get("time_that_a_file_may_lack_ns", 0), True)
    for mine, its in (("time_ns", "io_ns"), ("times", "io_calls")):
        equal(f"{mine} of all files", sum(row[mine] for row in rows.values()) +
              sum(row[its] for row in given_up),
              sum(sum(x) if mine == "time_ns" else len(x) for x in want.values()) -
              (known if mine == "times" else 0))


def check_chains(rows, tasks, ended):
    """Each step is a wait, and who ended it waited before, as the next step says."""
    waits = {(t["tid"], t["end_ns"]): t for t in tasks if t["kind"] == "wait"}
    before = None
    for row in rows:
        wait = waits[row["tid"], row["until_ns"]]
        equal("step", (row["time_ns"], row["reason"]),
              (wait["end_ns"] - wait["start_ns"], wait["what"]))
        equal("its begin", row["begun"], "before" if wait["early"] else "seen")
        equal("it goes on", row["ended_by"] == "(it goes on)", wait["open"])
        if row["step"] > 1:
            equal("whose step", row["tid"], waker(ended, before)[1])
            equal("order", before["start_ns"] < row["until_ns"] <= before["end_ns"], True)
        before = wait
    firsts = [row["time_ns"] for row in rows if row["step"] == 1]
    equal("order of the longest", firsts, sorted(firsts, reverse=True))
    return firsts


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        got = json.load(f)[0]
    with open(sys.argv[4], encoding="utf-8") as f:
        tasks = [json.loads(line) for line in f]
    moves = defaultdict(list)
    with open(sys.argv[5], encoding="utf-8") as f:
        for tag in map(json.loads, f):
            if tag["what"].startswith("migrated from CPU "):
                moves[tag["task"]].append(move_of(tag["time_ns"], tag["what"]))
    mine, resumed = chosen(tasks, sys.argv[6]), resumed_of(tasks)
    sums = defaultdict(list)
    faults, of_files = defaultdict(list), defaultdict(list)
    life, waits = [], []
    for t in tasks:
        if t["id"] not in mine or t["kind"] in ("process", "file", "mapping", "page"):
            continue
        lasts = t["end_ns"] - t["start_ns"]
        if t["kind"] == "thread":
            life.append(lasts)
        elif t["kind"] == "run":
            sums["running"].append(lasts)
        elif t["kind"] == "wait":
            waits.append(t)
            sums[t["what"]].append(lasts)
        elif t["kind"] == "unknown":
            sums["not known"].append(lasts)
        elif t["kind"] == "fault" and t["id"] not in resumed:
            faults[t["what"]].append(lasts)
            if t["inode"]:
                of_files[t["device"], t["inode"], t["generation"]].append(lasts)

    def summed(by):
        return {(key,): (sum(x), len(x), max(x)) for key, x in by.items()}
    equal("processes", got["processes"],
          sum(1 for t in tasks if t["kind"] == "process" and t["id"] in mine))
    equal("threads", got["threads"], len(life))
    equal("life", got["life_of_the_threads_ns"], sum(life))
    parts = got["where_the_time_went"]
    equal("parts", triples(parts, "what"), summed(sums))
    equal("sum of the parts", sum(row["time_ns"] for row in parts), sum(life))
    equal("faults", triples(got["page_faults"], "access"), summed(faults))
    queue = sum(sum(x) for what, x in sums.items() if what.startswith("run queue"))
    before = got["waits_for_a_CPU_and_who_had_it"]
    equal("waits for a CPU", sum(row["time_ns"] for row in before), queue)
    ended = defaultdict(list)
    for row in got["other_waits_and_who_ended_them"]:
        ended[row["reason"]].append(row)
    for what, rows in ended.items():
        equal(what, (sum(r["time_ns"] for r in rows), sum(r["times"] for r in rows),
                     max(r["longest_ns"] for r in rows)), summed(sums)[(what,)])
    ended = wakers(tasks)
    check_wakers(got["other_waits_and_who_ended_them"], waits, ended)
    check_owners(before, waits, tasks, moves)
    check_files(got, tasks, mine, resumed)
    with open(sys.argv[2], encoding="utf-8") as f:
        lines = f.read().split("\n")
    limit = int(sys.argv[3])
    check_folded(lines, "waits for a CPU and who had it", before, limit)
    check_folded(lines, "other waits and who ended them", got["other_waits_and_who_ended_them"],
                 limit)
    if "page_faults_by_file_or_memory" in got or faults:
        check_memory(lines, got, faults, limit, of_files)
    check_other_files(lines, got["system_calls_on_files"], limit)
    firsts = check_chains(got["longest_waits_and_the_wakeups_behind_them"], tasks, ended)
    longest = sorted((t["end_ns"] - t["start_ns"] for t in waits
                      if not t["what"].startswith("run queue")), reverse=True)
    equal("the longest waits", firsts, longest[:len(firsts)])


main()

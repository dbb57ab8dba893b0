#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""topcheck.py [--only PID,...] BY JSON TEXT TASKS DATABASE LAPLACE [SORT]

Check an answer of ovnik-decode top.

JSON, TEXT: the answer. TASKS: all tasks, written by the tracer jsonl. DATABASE: for their tags.
LAPLACE: for pages and bytes. Everything is summed up again, and the rows are sorted again.
--only: to which processes the capture or the question is limited.
"""
import json
import re
import sqlite3
import sys
from collections import defaultdict

import units
from resumed import is_resumed

FIRST = {"process": "on_cpu_ns", "comm": "on_cpu_ns", "thread": "on_cpu_ns", "cpu": "busy_ns",
         "file": "in_calls_ns", "reason": "time_ns"}
TABLE = {"process": "processes", "comm": "programs", "thread": "threads", "cpu": "CPUs",
         "file": "files", "reason": "reasons"}
QUEUE = "run queue"
WAITS = {"sleep": "sleep_ns", "disk sleep": "disk_ns"}
PREEMPTED = ("run queue: preempted", "run queue: slice/yield")
DID = ("on_cpu_ns", "runs", "preempted", "run_queue_ns", "sleep_ns", "disk_ns", "faults", "calls", "bytes",
       "migrations")
wrong = 0


def expect(what, got, want):
    global wrong
    if got == want:
        return
    wrong += 1
    if wrong <= 10:
        print(f"{what}: {got} instead of {want}")


class Capture:
    """All tasks, and where each belongs."""

    def __init__(self, tasks, database):
        with open(tasks, encoding="utf-8") as f:
            self.tasks = {t["id"]: t for t in map(json.loads, f)}
        db = sqlite3.connect(database)
        self.tags = db.execute("SELECT TaskID, What FROM tag ORDER BY ID").fetchall()
        last = {}
        for t in sorted(self.tasks.values(), key=lambda t: t["id"]):
            t["counts"] = not is_resumed(last, t["thread"], t["kind"], t["what"], t["early"],
                                         t["doubt"])
            t["lasts"] = t["end_ns"] - t["start_ns"]
            t["sure"] = not t["open"] and not t["doubt"]
        # Of threads, the last ones.
        self.names = {task: what[len("comm "):] for task, what in self.tags
                      if what.startswith("comm ")}
        # If it is of some processes, others that they met are known, but not what they did.
        self.only = False

    def above(self, task, kind):
        """The nearest task of a kind, from the task itself on."""
        while task and task["kind"] != kind:
            task = self.tasks.get(task["parent"])
        return task


def add(row, t):
    if t["kind"] == "run":
        row["on_cpu_ns"] += t["lasts"]
        row["runs"] += 1
    elif t["kind"] == "wait":
        key = "run_queue_ns" if t["what"].startswith(QUEUE) else WAITS.get(t["what"])
        if key:
            row[key] += t["lasts"]
        row["preempted"] += t["what"] in PREEMPTED
    elif t["kind"] == "fault":
        row["faults"] += t["counts"]
    elif t["kind"] == "call":
        row["calls"] += t["counts"]
        row["bytes"] += t["bytes"] if t["sure"] else 0


def by_task(capture, key):
    """Sums of what key() says a task belongs to."""
    rows = defaultdict(lambda: dict.fromkeys(DID, 0))
    for t in capture.tasks.values():
        if t["kind"] in ("run", "wait", "fault", "call", "thread") and key(t) is not None:
            add(rows[key(t)], t)
    for task, what in capture.tags:
        if what.startswith("migrated from CPU "):
            rows[key(capture.tasks[task])]["migrations"] += 1
    return rows


def covered(capture, rows):
    return {key: row for key, row in rows.items() if not capture.only or any(row[k] for k in DID)}


def processes(capture):
    def key(t):
        return capture.above(t, "process")["id"]
    rows = by_task(capture, key)
    for t in capture.tasks.values():
        if t["kind"] == "process":
            rows[t["id"]].update(process=t["what"], pid=t["pid"])
    return covered(capture, rows)


def comms(capture):
    sums = defaultdict(lambda: dict.fromkeys(DID, 0) | {"processes": 0})
    for row in processes(capture).values():
        to = sums[row["process"]]
        to["program"] = row["process"]
        to["processes"] += 1
        for key in DID:
            to[key] += row[key]
    return sums


def threads(capture):
    rows = by_task(capture, lambda t: capture.above(t, "thread")["id"])
    for number, row in rows.items():
        t = capture.tasks[number]
        row.update(thread=capture.names.get(number, t["what"]), tid=t["tid"], pid=t["pid"])
    return covered(capture, rows)


def cpus(capture):
    def key(t):
        return t["cpu"] if t["kind"] in ("run", "fault", "call") else None
    rows = defaultdict(lambda: dict.fromkeys(DID, 0))
    waits, longest = {}, defaultdict(int)
    for t in sorted(capture.tasks.values(), key=lambda t: t["id"]):
        if key(t) is not None:
            add(rows[t["cpu"]], t)
        thread = capture.above(t, "thread")
        if t["kind"] == "wait" and t["what"] in PREEMPTED:
            rows[t["cpu"]]["preempted"] += 1
        if t["kind"] == "wait" and t["what"].startswith(QUEUE):
            waits[thread["id"]] = t
        if t["kind"] == "run" and thread["id"] in waits:
            wait = waits.pop(thread["id"])
            if wait["end_ns"] == t["start_ns"]:
                rows[t["cpu"]]["run_queue_ns"] += wait["lasts"]
                longest[t["cpu"]] = max(longest[t["cpu"]], wait["lasts"])
    for _, what in capture.tags:
        if what.startswith("migrated from CPU "):
            rows[int(what.split()[-1])]["migrations"] += 1
    for cpu, row in rows.items():
        row.update(cpu=cpu, busy_ns=row.pop("on_cpu_ns"), longest_run_queue_ns=longest[cpu])
        del row["sleep_ns"], row["disk_ns"]
    return rows


def reasons(capture, only):
    """What others do is not recorded, so that is no time of theirs that is not known."""
    rows = defaultdict(list)
    for t in capture.tasks.values():
        if only and t["pid"] not in only:
            continue
        if t["kind"] in ("run", "wait", "unknown"):
            what = {"run": "running", "unknown": "not known"}.get(t["kind"], t["what"])
            rows[what].append(t)
    return {what: {"reason": what, "time_ns": sum(t["lasts"] for t in of), "times": len(of),
                   "longest_ns": max(t["lasts"] for t in of),
                   "average_ns": sum(t["lasts"] for t in of) // len(of)}
            for what, of in rows.items()}


def check_longest(capture, rows):
    """Whose the longest was: of several, any."""
    longest = {(row["reason"], row["longest_ns"]): set() for row in rows if row["times"]}
    for t in capture.tasks.values():
        what = {"run": "running", "unknown": "not known"}.get(t["kind"], t["what"])
        if t["kind"] in ("run", "wait", "unknown") and (what, t["lasts"]) in longest:
            process = capture.above(t, "process")
            longest[what, t["lasts"]].add((process["what"], process["pid"]))
    for row in rows:
        whose = (row.get("longest_of", ""), row.get("pid"))
        if row["times"] and whose not in longest[row["reason"], row["longest_ns"]]:
            expect(f"{row['reason']}: longest of", whose, longest[row["reason"], row["longest_ns"]])


def files(capture, laplace):
    rows = defaultdict(lambda: dict.fromkeys(
        ("in_calls_ns", "calls", "read", "written", "hits", "misses", "pages_added",
         "pages_removed"), 0))

    def of(t):
        return rows[tuple(map(int, t["device"].split(":"))) + (t["inode"],)]
    for t in capture.tasks.values():
        if t["kind"] == "call" and t["sure"]:
            of(t)["in_calls_ns"] += t["lasts"]
            of(t)["calls"] += 1
    for task, what in capture.tags:
        if what in ("cache hit", "cache miss"):
            of(capture.tasks[task])["hits" if what == "cache hit" else "misses"] += 1
    pages, unknown = {}, 0
    with open(laplace, encoding="utf-8", errors="replace") as f:
        for line in f:
            word = line.split()
            if word[0] in "<>P":
                ino, major, minor = (int(x, 16) for x in word[3:6])
                row = rows[major, minor, ino]
            if word[0] in "<>":
                row["read" if word[0] == "<" else "written"] += int(word[7], 16)
            elif word[0] == "P":
                row["pages_added"] += 1
                pages[word[2]] = row
            elif word[0] == "p" and word[2] in pages:
                pages.pop(word[2])["pages_removed"] += 1
            elif word[0] == "p":
                unknown += 1
    return rows, unknown


def check_rows(got, want, keys):
    expect("rows", len(got), len(want))
    for row in got:
        mine = want.get(keys(row))
        if mine is None:
            expect(f"{keys(row)}", row, None)
            continue
        for key, value in mine.items():
            # What was not recorded has no value.
            expect(f"{keys(row)}: {key}", row.get(key) or None, value or None)


def check_unnamed(got, want):
    """Numbers may be used twice: as a set."""
    def line(row, keys):
        return sorted((key, row.get(key) or None) for key in keys)
    keys = next(iter(want.values()), {}).keys()
    expect("rows", sorted(map(str, (line(r, keys) for r in got))),
           sorted(map(str, (line(r, keys) for r in want.values()))))


GIVEN_UP = {"in_calls_ns": "io_ns", "calls": "io_calls", "read": "read_bytes",
            "written": "written_bytes", "hits": "cache_hits", "misses": "cache_misses",
            "pages_added": "pages_added", "pages_removed": "pages_removed"}


def given_up(answer, key):
    return sum(row.get(GIVEN_UP.get(key), 0) for row in answer.get("files_given_up", []))


def check_given_up(answer, got, want):
    """Files that were too many are one row. That of one that came again lacks what it had."""
    expect("files are given up", len(got) < len(want), True)
    expect("how many", answer["number_of_files_given_up"] >= len(want) - len(got), True)
    for key in GIVEN_UP:
        expect(f"{key} of all files", sum(row[key] for row in got.values()) + given_up(answer, key),
               sum(row[key] for row in want.values()))
    for file, row in got.items():
        lacks = {key: want[file][key] - row[key] for key in GIVEN_UP}
        pages = lacks["pages_added"] + lacks["pages_removed"]
        expect(f"{file}: less than it had", min(lacks.values()) >= 0, True)
        expect(f"{file}: lacks no more than is said",
               pages <= answer["pages_that_a_file_may_lack"] and
               lacks["in_calls_ns"] <= answer["time_that_a_file_may_lack_ns"], True)


def check_files(answer, want, unknown):
    got = defaultdict(lambda: defaultdict(int))
    for row in answer["files"]:
        for key in ("in_calls_ns", "calls", "read", "written", "hits", "misses", "pages_added",
                    "pages_removed"):
            got[row["major"], row["minor"], row["inode"]][key] += row[key]
    if answer.get("files_given_up"):
        check_given_up(answer, got, want)
        return
    missing = 0
    for key, row in got.items():
        missing += row["pages_removed"] - want[key]["pages_removed"]
        if unknown and row["pages_removed"] > want[key]["pages_removed"]:
            want[key]["pages_removed"] = row["pages_removed"]
    # Of pages that were there before the capture, Laplace's text does not say the file.
    expect("pages removed that were there before", missing, unknown)
    check_rows([dict(row, key=key) for key, row in got.items()], want, lambda row: row["key"])


def check_all(answer, rows, by):
    if by == "cpu":
        return
    for key, value in answer["all"][0].items():
        if key in (*DID, "time_ns", "times", "in_calls_ns", "read", "written", "hits", "misses",
                   "pages_added", "pages_removed", "processes"):
            expect(f"all: {key}", value, sum(row[key] for row in rows) + given_up(answer, key))


def check_shares(answer, rows, by):
    whole = answer["length_ns"] * answer["number_of_CPUs"]
    if by == "cpu":
        whole = answer["length_ns"]
    if by == "reason":
        whole = answer["all"][0]["time_ns"]
    for row in rows:
        for key in ("of_CPUs", "share_busy", "share"):
            if key in row and whole:
                value = row[FIRST[by]] / whole
                expect(key, abs(row[key] - value) < 1e-9, True)


def escaped(text):
    """Control characters, and those that change the direction of a text."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", lambda m: "".join(
        f"\\x{b:02x}" for b in m[0].encode()), text)


def cells(row, head):
    """What may be in the table: numbers in any unit."""
    key = head.replace(" ", "_")
    if key + "_ns" in row:
        return [units.text("ns", row[key + "_ns"], u) for u in range(4)]
    if key not in row:
        return ["-"]
    if key in ("bytes", "read", "written"):
        return [units.text("bytes", row[key], u) for u in range(7)]
    return [] if key in ("of_CPUs", "share_busy", "share") else [escaped(str(row[key]))]


def check_text(path, rows, sort):
    """The first rows of the answer, of which those without a value of the column are not shown."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    expect("unprintable", [x for x in lines if re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", x)],
           [])
    at = [i for i, line in enumerate(lines) if re.fullmatch(r"  [^ ].*, sorted by .*:", line)]
    if not at and not any(sort in row for row in rows):
        return 0
    expect("tables", len(at), 1)
    heads = re.split(r" {2,}", lines[at[0] + 1].strip())
    shown = [line for line in lines[at[0] + 2:lines.index("", at[0])]
             if not re.search(r"(^ *|  )(all \d+( |$)|given up for lack of room$)", line)]
    for line, row in zip(shown, rows):
        # Names may contain two spaces.
        for head in heads:
            want = cells(row, head) if head != "file" else []
            if want and not any(f" {text} " in f" {line} " for text in want):
                expect(f"text: {head}", line, want)
    return len(shown)


def main():
    only = set()
    if sys.argv[1] == "--only":
        only = set(map(int, sys.argv[2].split(",")))
        del sys.argv[1:3]
    by = sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as f:
        answer = json.load(f)[0]
    capture = Capture(*sys.argv[4:6])
    capture.only = "only" in answer or "recorded_only" in answer
    rows = answer[TABLE[by]]
    if by == "file":
        check_files(answer, *files(capture, sys.argv[6]))
    elif by in ("process", "thread"):
        check_unnamed(rows, {"process": processes, "thread": threads}[by](capture))
    elif by == "reason":
        check_rows([r for r in rows if r["times"]], reasons(capture, only), lambda r: r["reason"])
        check_longest(capture, rows)
    elif by == "cpu":
        want = cpus(capture)
        check_rows([r for r in rows if r["cpu"] in want], want, lambda r: r["cpu"])
    else:
        check_rows(rows, comms(capture), lambda r: r.get("program", ""))
    check_all(answer, rows, by)
    check_shares(answer, rows, by)
    sort = sys.argv[7] if len(sys.argv) > 7 else FIRST[by]
    if by == "file" and rows and sort not in rows[0]:
        sort = "pages_added"
    values = [row.get(sort, 0) for row in rows]
    expect("order", values, sorted(values, reverse=True))
    expect("rows of the text", check_text(sys.argv[3], rows, sort),
           min(10, sum(1 for value in values if value)))
    if wrong:
        print(f"{wrong} things are wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

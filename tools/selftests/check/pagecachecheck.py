#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""pagecachecheck.py CAPTURE JSON TEXT TASKS DATABASE LAPLACE [--from US] [--until US] [--pid PID]...
                     [--cpu N]

Check an answer of ovnik-decode pagecache, JSON and TEXT. Pages are counted again from the records
of CAPTURE, one by one; TASKS (of the tracer jsonl) and DATABASE (its tags) tell the processes, hits
and misses; LAPLACE, the pages added by file once more. These are of the same part of the capture.
The recorder, if meta.json has one and no process is asked for, is the last process, and its reads
are neither hits nor misses.
"""
import argparse
import bisect
import heapq
import json
import pathlib
import re
import sqlite3
import struct
import sys
from collections import Counter, defaultdict

COUNTS = ("again", "added", "removed")
RECORDER = "recorder (ovnik)"
HEADER = struct.Struct("<QHHHHQQQQIIQIIIIII")
wrong = 0


def expect(what, got, want):
    global wrong
    if got == want:
        return
    wrong += 1
    if wrong <= 10:
        print(f"{what}: {got} instead of {want}")


class Reader:
    """The records of a capture of which this is about: (tsc, cpu, who runs, event, fields)."""

    FIELDS = {"page_add": ("dev", "generation", "ino", "offset", "order"),
              "page_remove": ("dev", "generation", "ino", "offset", "order"),
              "file_delete": ("dev", "generation", "ino"),
              "file_truncate": ("dev", "generation", "ino", "length")}

    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.meta = json.loads((self.dir / "meta.json").read_text(encoding="utf-8"))
        events = {e["name"]: e for e in self.meta["events"]}
        self.switch = events["sched_switch"]["number"]
        self.anchor = events["anchor"]["number"]
        self.wanted = {}
        letter = {"u16": "H", "u32": "I", "u64": "Q"}
        for name, fields in self.FIELDS.items():
            at = {f["name"]: ("<" + letter[f["type"]], f["offset"]) for f in events[name]["fields"]}
            self.wanted[events[name]["number"]] = (name, {f: at[f] for f in fields})
        self.begin = min(self.first(c["file"]) for c in self.meta["cpus"])

    def first(self, name):
        with open(self.dir / name, "rb") as f:
            head = f.read(HEADER.size)
        return HEADER.unpack(head)[7] if len(head) == HEADER.size else 1 << 64

    def us(self, tsc):
        return (tsc - self.begin) * 1000 / self.meta["clock"]["tsc_khz"]

    def cpu(self, name):
        data = (self.dir / name).read_bytes()
        at = 0
        while at < len(data):
            (_, _, size, cpu, _, _, _, base, _, _, tid, _, _, _, used, *_) = \
                HEADER.unpack_from(data, at)
            pos, at = at + size, at + used
            while pos < at:
                delta, event, words, length = struct.unpack_from("<IBBH", data, pos)
                if event == self.anchor:
                    base = struct.unpack_from("<Q", data, pos + 8)[0]
                elif event == self.switch:
                    tid = struct.unpack_from("<I", data, pos + 12)[0]
                elif event in self.wanted:
                    what, fields = self.wanted[event]
                    yield base + delta, cpu, tid, what, {
                        f: struct.unpack_from(t, data, pos + o)[0] for f, (t, o) in fields.items()}
                # The bit says that the text is that of another record.
                pos += words * 8 or (length & 0x7fff) + 7 & ~7

    def __iter__(self):
        return heapq.merge(*(self.cpu(c["file"]) for c in self.meta["cpus"]), key=lambda r: r[0])


class Processes:
    """Who has a thread number, and what its reads hit."""

    def __init__(self, tasks, database, recorder):
        with open(tasks, encoding="utf-8") as f:
            tasks = {t["id"]: t for t in map(json.loads, f)}
        self.pids = {t["tid"]: t["pid"] for t in tasks.values() if t["kind"] == "thread"}
        self.names = {t["pid"]: t["what"] for t in tasks.values() if t["kind"] == "process"}
        if recorder:
            self.names[recorder] = RECORDER
        self.by_file, self.by_pid = Counter(), Counter()
        for number, what in sqlite3.connect(database).execute("SELECT TaskID, What FROM tag"):
            if what in ("cache hit", "cache miss"):
                task, key = tasks[number], "hits" if what == "cache hit" else "misses"
                if recorder and task["pid"] == recorder:
                    continue
                device = tuple(map(int, task["device"].split(":")))
                self.by_file[(*device, task["inode"]), key] += 1
                self.by_pid[task["pid"], key] += 1


def is_of(args, reader, processes, tsc, cpu, tid):
    """Is a record of the part of the capture?"""
    us = reader.us(tsc)
    for at in (args.begin, args.end):
        expect("a record too near to a border", at is not None and abs(us - at) < 0.2, False)
    if args.begin is not None and us < args.begin or args.end is not None and us > args.end:
        return False
    if args.cpu is not None and cpu != args.cpu:
        return False
    return not args.pid or processes.pids.get(tid) in args.pid


def count(args, reader, processes):
    """Pages by file and generation, by process, by file, thread and CPU."""
    gone = defaultdict(set)
    files, by_pid, uses = (defaultdict(Counter) for _ in range(3))
    for tsc, cpu, tid, what, rec in reader:
        if not is_of(args, reader, processes, tsc, cpu, tid):
            continue
        file = (rec["dev"] >> 20, rec["dev"] & 0xfffff, rec["ino"], rec["generation"])
        if what == "file_delete":
            gone.pop(file, None)
        elif what == "file_truncate":
            kept = -(-rec["length"] // 4096)
            gone[file] = {page for page in gone[file] if page < kept}
        if not what.startswith("page"):
            continue
        first = rec["offset"] // 4096
        pages = set(range(first, first + (1 << rec["order"])))
        tid = tid if tid in processes.pids else 0
        for to in (files[file], by_pid[processes.pids.get(tid, 0)], uses[file, tid, cpu]):
            if what == "page_add":
                to["added"] += len(pages)
                to["again"] += len(pages & gone[file])
            else:
                to["removed"] += len(pages)
        if what == "page_add":
            gone[file] -= pages
        else:
            gone[file] |= pages
    return files, by_pid, uses


def file_of(row):
    return row["major"], row["minor"], row["inode"], row["generation"]


def numbers(row, keys):
    return {key: row[key] for key in keys if row.get(key)}


def check_counts(answer, args, counted):
    """The rows of three tables."""
    keys = COUNTS[1:] if args.pid or args.cpu is not None else COUNTS
    made = (("files", file_of),
            ("processes", lambda row: row.get("pid", 0)),
            ("who", lambda row: (file_of(row), row.get("tid", 0), row["cpu"])))
    for (table, key), want in zip(made, counted):
        got = defaultdict(Counter)
        for row in answer[table]:
            got[key(row)].update(numbers(row, COUNTS))
        got = {k: dict(v) for k, v in got.items() if v}
        want = {k: numbers(v, keys) for k, v in want.items() if numbers(v, keys)}
        for k in set(got) | set(want):
            expect(f"{table}: {k}", got.get(k), want.get(k))
        expect(f"{table}: again", any("again" in row for row in answer[table]),
               "again" in keys and len(answer[table]) > 0)
    whole = sum(counted[0].values(), Counter())
    for name, key in (("pages_added", "added"), ("pages_removed", "removed")):
        expect(name, answer[name], whole[key])
    expect("pages_added_again", answer.get("pages_added_again"),
           whole["again"] if "again" in keys else None)


def check_names(answer, processes):
    for row in answer["who"]:
        expect(f"who: process of {row.get('tid')}", row.get("pid"),
               processes.pids.get(row.get("tid")))
    for row in answer["processes"]:
        expect(f"processes: name of {row.get('pid')}", row.get("process"),
               processes.names.get(row.get("pid")))


def check_reads(answer, processes):
    for table, want, key in (("files", processes.by_file, lambda row: file_of(row)[:3]),
                             ("processes", processes.by_pid, lambda row: row.get("pid", 0))):
        got = Counter()
        for row in answer[table]:
            for what in ("hits", "misses"):
                if row.get(what):
                    got[key(row), what] += row[what]
            reads = row.get("hits", 0) + row.get("misses", 0)
            ratio = row["hits"] / reads if reads else None
            expect(f"{table}: ratio of {key(row)}",
                   row.get("hit_ratio") if ratio is None else abs(row["hit_ratio"] - ratio) < 1e-9,
                   ratio is not None or None)
        expect(f"{table}: hits and misses", got, want)
    hits, reads = (sum(n for (_, k), n in processes.by_pid.items() if k in keys)
                   for keys in (("hits",), ("hits", "misses")))
    if reads:
        expect("hit_ratio", abs(answer["hit_ratio"] - hits / reads) < 1e-9, True)


def check_laplace(answer, path):
    want, got = Counter(), Counter()
    with open(path, encoding="utf-8", errors="replace") as f:
        for word in map(str.split, f):
            if word[0] == "P":
                ino, major, minor = (int(x, 16) for x in word[3:6])
                want[major, minor, ino] += 1
    for row in answer["files"]:
        if row["added"]:
            got[file_of(row)[:3]] += row["added"]
    expect("pages added, as Laplace says", got, want)


def check_order(answer):
    for table in ("files", "processes", "who"):
        values = [(row.get("process") != RECORDER,
                   *(row.get(key, 0) for key in ("again", "removed", "added")))
                  for row in answer[table]]
        expect(f"{table}: order", values, sorted(values, reverse=True))



def check_text(answer, path):
    """The first ten rows are the same, and no terminal is hurt."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    hurts = "[\x00-\x09\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    expect("unprintable", re.findall(hurts, text), [])
    expect("too long", [x for x in text.split("\n") if len(x) > 100], [])
    rows = r"^  \S.*, by pages (?:added again|removed):\n((?:    .*\n)+)"
    tables = dict(zip(("files", "processes", "who"), re.findall(rows, text, re.M)))
    for table, rows in tables.items():
        head, *lines = rows.splitlines()
        heads = re.split(r" {2,}", head.strip())
        right = [m.end() for m in re.finditer(r"\S+( \S+)*", head)]
        shown = [row for i, row in enumerate(answer[table])
                 if i < 10 or row.get("process") == RECORDER]
        expect(f"text: rows of {table}", len(lines), len(shown))
        for line, row in zip(lines, shown):
            for i, name in enumerate(heads):
                if name not in (*COUNTS, "hits", "misses", "cpu", "tid", "pid"):
                    continue
                # Numbers end where their heading ends.
                left = bisect.bisect_left(right, right[i]) and right[i - 1]
                got = re.split(r"\s", line[left:right[i]].strip())[-1]
                want = row.get(name)
                expect(f"text: {table}: {name}", got, "-" if want is None else str(want))
    expect("text: tables", len(tables), sum(bool(answer[t]) for t in ("files", "processes", "who")))


def main():
    parser = argparse.ArgumentParser()
    for name in ("capture", "json", "text", "tasks", "database", "laplace"):
        parser.add_argument(name)
    parser.add_argument("--from", type=float, dest="begin")
    parser.add_argument("--until", type=float, dest="end")
    parser.add_argument("--pid", type=int, action="append", default=[])
    parser.add_argument("--cpu", type=int)
    args = parser.parse_args()
    with open(args.json, encoding="utf-8") as f:
        answer = json.load(f)[0]
    reader = Reader(args.capture)
    recorder = not args.pid and reader.meta.get("recorder", {}).get("pid")
    processes = Processes(args.tasks, args.database, recorder)
    counted = count(args, reader, processes)
    check_counts(answer, args, counted)
    check_names(answer, processes)
    check_reads(answer, processes)
    check_laplace(answer, args.laplace)
    check_order(answer)
    check_text(answer, args.text)
    if wrong:
        print(f"{wrong} things are wrong")
    again = sum(row["again"] for row in counted[0].values())
    print(f"{sum(map(len, counted))} rows, {again} pages again")
    sys.exit(wrong != 0)


main()

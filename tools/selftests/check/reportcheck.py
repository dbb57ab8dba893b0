#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""reportcheck.py tasks JSON DATABASE | bytes JSON LAPLACE | text JSON TEXT |
lack JSON N - check a report

tasks: everything is summed up again from the tasks that the database tracer wrote.
bytes: what each file lost and got is what the Laplace trace says, which knows no tasks.
text: each table on the terminal has the right rows of the JSON, with the same values.
lack: of N files, of which it took I ns to read N + 1 - I bytes, not all could be kept.
"""
import json
import re
import sqlite3
import sys
from collections import defaultdict

import units
from resumed import is_resumed
from runqueue import move_of, queue_of, who_ran

CACHE = {"cache hit": "cache_hits", "cache miss": "cache_misses"}
PREEMPTED = ("run queue: preempted", "run queue: slice/yield")
WAITS = {"sleep": "sleep", "disk sleep": "disk"}
# JSON keys of ns, number, longest.
TIMES = {
    "run": ("on_cpu_ns", "runs", "longest_run_ns"),
    "queue": ("run_queue_ns", "run_queue_waits", "longest_run_queue_ns"),
    "sleep": ("sleep_ns", "sleeps", "longest_sleep_ns"),
    "disk": ("disk_ns", "disk_sleeps", "longest_disk_ns"),
    "other": ("other_waits_ns", "number_of_other_waits", "longest_other_wait_ns"),
    "unknown": ("not_known_ns", "times_not_known", "longest_not_known_ns"),
    "fault": ("page_fault_ns", "page_faults", "longest_page_fault_ns"),
    "call": ("io_ns", "io_calls", "longest_io_ns"),
}
# Title of a table, key of its first column in JSON, key by which it is sorted.
VIEWS = {
    "programs by time on a CPU": "on_cpu_ns",
    "processes by time on a CPU": "on_cpu_ns",
    "processes by time in run queues, waiting for a CPU": "run_queue_ns",
    "processes by disk sleep": "disk_ns",
    "processes by sleep": "sleep_ns",
    "processes by time in page faults": "page_fault_ns",
    "processes by time in system calls on files": "io_ns",
    "files by time in system calls on them": "io_ns",
    "files by bytes read and written": None,
}
NEEDS = {
    "processes by time in page faults": "page faults",
    "processes by time in system calls on files": "system calls on files",
    "files by time in system calls on them": "beginnings of system calls",
    "files by bytes read and written": "system calls on files",
}
KEYS = {
    "on cpu": "on_cpu_ns", "runs": "runs", "not known": "not_known_ns", "sleep": "sleep_ns",
    "run queue": "run_queue_ns", "disk": "disk_ns", "in faults": "page_fault_ns",
    "faults": "page_faults", "major": "major", "failed": "failed", "COW breaks": "cow_breaks",
    "in calls": "io_ns", "calls": "io_calls", "read": "read_bytes",
    "written": "written_bytes", "errors": "errors", "threads": "threads", "pid": "pid",
    "processes": "processes", "preempted": "preempted",
}
NUMBERS = {"run_queue_ns": "run_queue_waits", "disk_ns": "disk_sleeps", "sleep_ns": "sleeps",
           "on_cpu_ns": "runs", "page_fault_ns": "page_faults", "io_ns": "io_calls"}
LONGEST = {times[0]: times[2] for times in TIMES.values()}

wrong = 0


def expect(what, got, want):
    global wrong
    if got == want:
        return
    wrong += 1
    if wrong <= 10:
        print(f"{what}: {got} instead of {want}")


def kind_of(kind, what):
    if kind != "wait":
        return kind
    return "queue" if what.startswith("run queue") else WAITS.get(what, "other")


def add_task(sums, row, resumed=False):
    kind, what, start, end, doubt, size, result = row
    sums["preempted"] += kind == "wait" and what in PREEMPTED
    kind = kind_of(kind, what)
    if kind == "thread":
        sums["threads"] += 1
        sums["lives"] += end - start
    if kind not in TIMES:
        return
    total, number, longest = TIMES[kind]
    sums[total] += end - start
    sums[number] += not resumed
    sums[longest] = max(sums[longest], end - start)
    if doubt:
        return
    if kind == "fault":
        sums["major"] += result == 1
        sums["failed"] += result == 2
    if kind == "call":
        sums["errors"] += result < 0
        sums["moved"] += size
        sums["moves"] += 1


def read_tasks(db):
    """Sums by number of the process, and by file."""
    sums, files = defaultdict(lambda: defaultdict(int)), defaultdict(lambda: defaultdict(int))
    query = """SELECT t.ID, Kind, What, Start, End, Open OR Doubt, Bytes,
        Result, ProcessID, Device, Inode, Generation, PID, ThreadID, Early, Doubt FROM trace t JOIN ovnik$task x ON
        t.ID = x.ID ORDER BY t.ID"""
    where, number, pids, last = {}, {}, {}, {}
    for row in db.execute(query):
        process = row[8]
        if row[1] == "process":
            number[row[0]] = len(number) + 1
            pids[number[row[0]]] = row[12]
            sums[row[0]].update(start_ns=row[3], end_ns=row[4])
        where[row[0]] = (process, (row[9], row[10], row[11]))
        if process:
            resumed = is_resumed(last, row[13], *row[1:3], *row[14:16])
            add_task(sums[process], row[1:8], resumed)
        if row[1] == "call" and not row[5]:
            add_task(files[row[9:12]], row[1:8])
    for task, what in db.execute("SELECT TaskID, What FROM tag"):
        if what in CACHE:
            sums[where[task][0]][CACHE[what]] += 1
            files[where[task][1]][CACHE[what]] += 1
        if what == "COW break":
            sums[where[task][0]]["cow_breaks"] += 1
    return {number[p]: sums[p] for p in number}, files, number, pids


def compare(what, thing, sums):
    for key, value in thing.items():
        if key in sums or key in LONGEST or key in LONGEST.values() or key in NUMBERS.values():
            expect(f"{what}: {key}", value, sums[key])
    for a, b, key in (("read_bytes", "written_bytes", "moved"), ("reads", "writes", "moves")):
        if a in thing:
            expect(f"{what}: {key}", thing[a] + thing.get(b, 0), sums[key])


def check_processes(report, sums, pids):
    # Others whom those met are known, but not what they did; a child of theirs may have done nothing.
    if "only" in report or "recorded_only" in report:
        there = {p["number"] for p in report["processes"]}
        sums = {number: mine for number, mine in sums.items()
                if number in there or
                any(mine[TIMES[kind][1]] for kind in TIMES if kind != "unknown")}
    expect("processes", sorted(p["number"] for p in report["processes"]), sorted(sums))
    for p in report["processes"]:
        what = f"process {p['number']}"
        expect(f"{what}: pid", p["pid"], pids[p["number"]])
        compare(what, p, sums[p["number"]])
        segments = [TIMES[k][0] for k in ("run", "queue", "sleep", "disk", "other", "unknown")]
        if "on_cpu_ns" in p:
            expect(f"{what}: life", sum(p.get(k, 0) for k in segments), sums[p["number"]]["lives"])
    order = [(-p.get("on_cpu_ns", 0), p["number"]) for p in report["processes"]]
    expect("order", order, sorted(order))
    for key, value in report["all_processes"][0].items():
        values = [p[key] for p in report["processes"] if key in p]
        if key in ("process", "start_ns", "end_ns"):
            continue
        expect(f"all: {key}", value, max(values) if key.startswith("longest") else sum(values))


def check_programs(report):
    """What the processes of a name have together; their own figures were checked."""
    sums, order = defaultdict(lambda: defaultdict(int)), {}
    for p in sorted(report["processes"], key=lambda p: p["number"]):
        name = p.get("process", "")
        order.setdefault(name, len(order))
        sums[name]["processes"] += 1
        for key, value in p.items():
            if key.startswith("longest"):
                sums[name][key] = max(sums[name][key], value)
            elif key not in ("process", "pid", "number", "start_ns", "end_ns"):
                sums[name][key] += value
    want = [dict(sums[name], **({"program": name} if name else {}))
            for name in sorted(sums, key=lambda n: (-sums[n].get("on_cpu_ns", 0), order[n]))]
    expect("programs", report["programs"], want)


def check_files(report, files):
    names = set()
    for f in report.get("files", []):
        key = (f"{f['major']}:{f['minor']}", f["inode"], f["generation"])
        names.add(key)
        compare(f"file {key}", f, files[key])
    given_up = report.get("number_of_files_given_up", 0)
    if "files" in report and not given_up:
        expect("files", sorted(names), sorted(files))


def check_waits(report, db, number):
    runs, runs_of, waits, moves = defaultdict(list), {}, {}, defaultdict(list)
    query = """SELECT Kind, What, Start, End, CPU, ProcessID, TID, ThreadID FROM
        trace t JOIN ovnik$task x ON t.ID = x.ID WHERE Kind IN ('run', 'wait')"""
    for kind, what, start, end, cpu, process, tid, thread in db.execute(query):
        if kind == "run":
            runs[cpu].append((number[process], start, end))
            runs_of[tid, start] = cpu
        elif what.startswith("run queue") and end > start:
            waits[end - start, start, tid, number[process], what] = thread
    query = "SELECT TaskID, Time / 1000, What FROM tag WHERE What LIKE 'migrated from CPU %'"
    for thread, ns, what in db.execute(query):
        moves[thread].append(move_of(round(ns), what))
    worst = sorted((w[0] for w in waits), reverse=True)
    printed = report.get("worst_waits", [])
    expect("worst waits", [w["wait_ns"] for w in printed], worst[:len(printed)])
    expect("number of waits", len(printed), min(100, len(worst)) if runs else 0)
    for w in printed:
        start, end = w["at_ns"], w["at_ns"] + w["wait_ns"]
        row = (w["wait_ns"], start, w["tid"], w["number"], "run queue: " + w["why"])
        expect(f"wait {row}", row in waits, True)
        cpu = runs_of.get((w["tid"], end))
        if cpu is not None:
            cpu = queue_of(start, end, cpu, moves[waits[row]])
        expect(f"wait {row}: cpu", w.get("cpu"), cpu)
        if cpu is None:
            continue
        parts, since = who_ran(runs[cpu], start, end)
        ran = defaultdict(int)
        for who, ns in parts:
            ran[who] += ns
        unknown = since > start or "recorded_only" in report
        expect(f"wait {row}: not known", "others" not in w, unknown)
        if unknown:
            continue
        expect(f"wait {row}: others", w["others"], len(ran))
        expect(f"wait {row}: others ran", w["others_ran_ns"], sum(ran.values()))
        if ran:
            expect(f"wait {row}: most", w["most_ran_ns"], max(ran.values()))
            expect(f"wait {row}: who", ran[w["most_number"]], max(ran.values()))


def check_losses(report, db):
    lost, blind = defaultdict(int), defaultdict(set)
    query = "SELECT CPU, Event, Lost, Start, End FROM ovnik$loss"
    for cpu, event, n, start, end in db.execute(query):
        if n:
            lost[cpu, event or "of unknown kinds"] += n
        blind[cpu].add((start, end))
    expect("losses", {(e["cpu"], e["event"]): e["lost"] for e in report.get("events_lost_by_CPU", [])},
           dict(lost))
    for cpu in report["CPUs"]:
        gaps = blind[cpu["cpu"]]
        expect(f"CPU {cpu['cpu']}: blind", cpu["blind_ns"], sum(e - s for s, e in gaps))


def tasks(report, path):
    db = sqlite3.connect(path)
    sums, files, number, pids = read_tasks(db)
    check_processes(report, sums, pids)
    check_programs(report)
    check_files(report, files)
    check_waits(report, db, number)
    check_losses(report, db)
    busy = dict(db.execute("""SELECT CPU, SUM(Lasts) FROM trace t
        JOIN ovnik$task x ON t.ID = x.ID WHERE Kind = 'run' GROUP BY CPU"""))
    check_unknown(report, busy)
    for cpu in report["CPUs"]:
        if "busy_ns" in cpu:
            expect(f"CPU {cpu['cpu']}: busy", cpu["busy_ns"], busy.get(cpu["cpu"], 0))


def moved_bytes(report, path):
    want, got = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
    with open(path) as trace:
        for line in trace:
            if line[0] in "<>":
                _, _, _, ino, major, minor, _, size = line.split()
                want[int(major, 16), int(minor, 16), int(ino, 16)][line[0] == ">"] += int(size, 16)
    for f in report.get("files", []):
        got[f["major"], f["minor"], f["inode"]][0] += f.get("read_bytes", 0)
        got[f["major"], f["minor"], f["inode"]][1] += f.get("written_bytes", 0)
    # The Laplace trace has no calls that moved nothing.
    expect("files", {k: v for k, v in got.items() if any(v)}, dict(want))


def known_cpus(report):
    return sum("busy_ns" in cpu for cpu in report["CPUs"])


def check_unknown(report, busy):
    """While nothing is known of a CPU, nothing of events is 0."""
    if known_cpus(report) == report["number_of_CPUs"] or not busy:
        expect("not known", report.get("not_known"), None)
        return
    expect("not known", "not_known" in report, True)
    keys = {key for times in TIMES.values() for key in times} - set(TIMES["unknown"])
    keys |= {"preempted", "read_bytes", "written_bytes", "reads", "writes", "cache_hits", "cache_misses"}
    for part in ("processes", "programs", "all_processes", "files"):
        for row in report.get(part, []):
            expect(f"{part}: 0", [key for key in keys if row.get(key) == 0], [])
    for cpu in report["CPUs"]:
        missing = cpu["blind_ns"] >= report["length_ns"] - report["length_ns"] // 20
        expect(f"CPU {cpu['cpu']}: known", "busy_ns" in cpu, not missing)


def value_of(thing, head, by, report):
    """A text, or a number and its kind; None: anything."""
    if head in ("process", "program", "file"):
        return None
    if head == "of CPUs":
        whole = report["length_ns"] * (known_cpus(report) or report["number_of_CPUs"])
        return f"{100 * thing[by] / whole:.1f} %" if by in thing else "-"
    if head == "average":
        return ("ns", thing[by] // thing[NUMBERS[by]]) if thing.get(NUMBERS[by]) else "-"
    if head == "longest":
        return ("ns", thing[LONGEST[by]]) if LONGEST[by] in thing else "-"
    if head == "waits":
        return str(thing.get(NUMBERS[by], "-"))
    if head == "hits":
        hits, misses = thing.get("cache_hits", 0), thing.get("cache_misses", 0)
        return f"{100 * hits / (hits + misses):.1f} %" if hits + misses else "-"
    key = KEYS[head]
    if key not in thing:
        return "-"
    if key.endswith("_ns"):
        return ("ns", thing[key])
    return ("bytes", thing[key]) if key.endswith("_bytes") else str(thing[key])


def sorted_things(report, title, by):
    if title.startswith("programs"):
        things = [p for p in report["programs"] if p.get(by)]
        return things, [dict(report["all_processes"][0], processes=len(report["processes"]))]
    if title.startswith("processes"):
        things = [p for p in report["processes"] if p.get(by)]
        things.sort(key=lambda p: (-p[by], p["number"]))
        return things, report["all_processes"]
    things = sorted(report["files"], key=lambda f: (
        -(f.get(by, 0) if by else f.get("read_bytes", 0) + f.get("written_bytes", 0)),
        f["major"], f["minor"], f["inode"], f["generation"]))
    return things, report.get("files_given_up", [])


def tables(path):
    """Title, heads, rows. A head stands on the left of texts, on the right of numbers."""
    with open(path) as text:
        lines = text.read().split("\n")
    for i, line in enumerate(lines):
        if not re.fullmatch(r"  [^ ].*:", line):
            continue
        end = lines.index("", i)
        rows = [re.split(r" {2,}", row.strip()) for row in lines[i + 1:end]]
        yield line.strip()[:-1], rows[0], rows[1:]


def texts_of(things, head, by, report):
    values = [value_of(thing, head, by, report) for thing in things]
    kinds = {v[0] for v in values if isinstance(v, tuple)}
    if not kinds:
        return values
    return units.column(kinds.pop(), [v[1] if isinstance(v, tuple) else v for v in values])


def check_table(report, title, heads, rows):
    by = VIEWS[title]
    things, last = sorted_things(report, title, by)
    things = things[:len(rows) - len(last)] + last
    expect(f"{title}: rows", len(rows), len(things))
    wants = zip(*(texts_of(things, head, by, report) for head in heads))
    for row, thing, texts in zip(rows, things, wants):
        expect(f"{title}: cells", len(row), len(heads))
        for cell, head, want in zip(row, heads, texts):
            expect(f"{title}: {row}: {head}", cell, cell if want is None else want)
        name = thing.get("program") or thing.get("process") or thing.get("path", "")
        if not re.fullmatch(r"[!-~]+", name) or len(name) > 40:
            continue
        expect(f"{title}: {row}", name in row, True)


def width(line):
    """Columns of a line; paths and names of others, at its end, are as long as they are."""
    if not re.match(r"    ", line):
        return 0
    return len(re.sub(r"  (/|[^ ]+ \d+: \d+ %).*", "", line.rstrip("\n")))


def text(report, path):
    seen = set()
    with open(path) as lines:
        wide = [line for line in lines if width(line) > 100]
    expect("lines of more than 100 columns", wide, [])
    for title, heads, rows in tables(path):
        if title == "worst waits in run queues":
            waits = [w["wait_ns"] for w in report["worst_waits"]][:len(rows)]
            expect(title, [row[0] for row in rows], units.column("ns", waits))
        if title in VIEWS:
            seen.add(title)
            check_table(report, title, heads, rows)
    missing = {row["what"] for row in report["not_recorded"]}
    names = [title for title in VIEWS if NEEDS.get(title, "runs and waits") not in missing]
    expect("tables", sorted(seen), sorted(names))


def lack(report, n):
    n = int(n)
    again = range(30001, 31001)
    files = {f["inode"] - 1000: f for f in report["files"]}
    others = report["files_given_up"][0]
    expect("some are given up", 65536 / 2 <= len(files) <= 65536 < n, True)
    expect("some have come again", [i for i in again if files[i]["io_calls"] == 1], list(again))
    for key, bound, of in (("io_ns", "time_that_a_file_may_lack_ns", lambda i: i),
                           ("read_bytes", "bytes_that_a_file_may_lack", lambda i: n + 1 - i)):
        want = {i: of(i) for i in range(1, n + 1)}
        want.update((i, 2 * of(i)) for i in again)
        expect(key, sum(f[key] for f in files.values()) + others[key], sum(want.values()))
        for i, f in files.items():
            expect(f"{f['path']}: {key}", want[i] - report[bound] <= f[key] <= want[i], True)
    # When 65535 were closed: a quarter by bytes, a quarter by time; and all after them.
    for i in [*range(1, 16384), *range(49153, n + 1)]:
        expect(f"file {i}: calls", files[i]["io_calls"] if i in files else 0, 1)
    calls = sum(f["io_calls"] for f in files.values())
    expect("calls", calls + others["io_calls"], n + len(again))
    expect("files", others["io_calls"], report["number_of_files_given_up"])


def main():
    with open(sys.argv[2]) as f:
        report = json.load(f)[0]
    {"tasks": tasks, "bytes": moved_bytes, "text": text, "lack": lack}[sys.argv[1]](report, sys.argv[3])
    if wrong:
        print(f"{wrong} things are wrong")
    sys.exit(wrong != 0)


main()

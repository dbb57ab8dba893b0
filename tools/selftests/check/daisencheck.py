#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""daisencheck.py DATABASE CSV - does Akita's viewer get right figures from a database?

Its questions, as facts about it: which columns it reads, and how it calculates with them (Akita
version 5, daisen2). Each answer is compared with one that is made from the lines of the tracer csv
without SQL. As the viewer does, indexes are made first; the database is a copy in memory.
"""

import csv
import json
import re
import sqlite3
import sys
from collections import Counter, defaultdict

BINS = 200
INDEXES = """
CREATE INDEX idx_trace_ID ON trace(ID);
CREATE INDEX idx_trace_ParentID ON trace(ParentID);
CREATE INDEX idx_trace_ID_time ON trace(ID, StartTime, EndTime);
CREATE INDEX idx_trace_loc_time_id ON trace(Location, StartTime, EndTime, ID);
CREATE INDEX idx_trace_loc_kind_times ON trace(Location, Kind, StartTime, EndTime);
CREATE INDEX idx_milestone_Kind_What ON milestone(Kind, What, TaskID);
CREATE INDEX idx_milestone_TaskID_Time ON milestone(TaskID, Time);
"""
SCOPE = "(SELECT ID FROM location WHERE Locale = ? OR (Locale >= ? AND Locale < ?))"
# A location's component is what is before its first dot.
RANKING = """SELECT CASE WHEN instr(Locale, '.') > 0 THEN substr(Locale, 1, instr(Locale, '.') - 1)
    ELSE Locale END AS component, SUM(time) FROM (SELECT Location, SUM(EndTime - StartTime) AS time
    FROM trace GROUP BY Location) JOIN location ON ID = Location GROUP BY component"""
RESOURCES = """SELECT What, COUNT(*), COUNT(DISTINCT TaskID) FROM milestone
    WHERE Kind = 'hardware_resource' GROUP BY What"""


def scope_of(name):
    return name, name + ".", name + "/"


def place_in(column, start, end):
    """The place of a time among the bins: no cast before the division."""
    return f"(({column} - {start:.0f}) * {BINS} / ({end:.0f} - {start:.0f}))"


def binned(rows_sql, where, start, end):
    """+1 in the bin of a beginning, -1 behind that of an end."""
    lo, hi = place_in("lo", start, end), place_in("hi", start, end)
    return f"""SELECT bin, k, delta, COUNT(*) FROM (SELECT k, delta, CASE WHEN delta = 1
        THEN MAX(0, MIN({BINS} - 1, CAST({lo} AS INTEGER)))
        ELSE CAST({hi} AS INTEGER) + ({hi} > CAST({hi} AS INTEGER)) END AS bin
        FROM ({rows_sql}) CROSS JOIN (SELECT 1 AS delta UNION ALL SELECT -1)
        WHERE hi > {start:.0f} AND lo < {end:.0f} {where}) GROUP BY bin, k, delta"""


def curves(events):
    changes = defaultdict(Counter)
    for place, key, delta, count in events:
        changes[key][place] += delta * count
    return {key: [sum(n for at, n in change.items() if at <= i) for i in range(BINS)]
            for key, change in changes.items()}


def expected_curves(rows, start, end):
    """The same from (key, ns, ns): how many lie in each bin, in whole numbers."""
    events = []
    for key, lo, hi in rows:
        if hi * 1000 > start and lo * 1000 < end:
            span = end - start
            events += [(max(0, min(BINS - 1, (lo * 1000 - start) * BINS // span)), key, 1, 1),
                       (-((start - hi * 1000) * BINS // span), key, -1, 1)]
    return curves(events)


def component_of(task):
    return re.sub(r"\.([0-9:]+)", r"[\1]", task["where"]).split(".")[0]


def number(task):
    for key in ("id", "parent", "start_ns", "end_ns"):
        task[key] = int(task[key])
    return task


def draw_wakeups(tasks):
    """The viewer has a wakeup from then on until the thread that asked for it gets a CPU."""
    for task in tasks.values():
        request = tasks.get(task["parent"])
        if task["kind"] == "req_in" and task["device"] == "0:0" and request["kind"] == "req_out":
            task["start_ns"], task["end_ns"] = task["end_ns"], request["end_ns"]


def same(name, got, want):
    if got != want:
        sys.exit(f"{name}: {str(got)[:300]}, not {str(want)[:300]}")
    print(f"{name}: {len(want)} rows")


def ranking(db, tasks):
    want = Counter()
    for task in tasks.values():
        want[component_of(task)] += 1000 * (task["end_ns"] - task["start_ns"])
    same("ranking", dict(db.execute(RANKING)), dict(want))
    return want


def tasks_curves(db, tasks, component, start, end):
    sql = f"""SELECT Kind || '-' || What AS k, StartTime AS lo, EndTime AS hi FROM trace
        WHERE Location IN {SCOPE}"""
    want = expected_curves([(f"{t['kind']}-{t['what']}", t["start_ns"], t["end_ns"])
                            for t in tasks.values() if component_of(t) == component], start, end)
    got = curves(db.execute(binned(sql, "", start, end), scope_of(component)))
    same(f"tasks of {component} in bins", got, want)


def reasons(db, tasks):
    """(task, kind, what, from, to) of each wait or run that a milestone ends."""
    last = {}
    for task, time, kind, what in db.execute(
            "SELECT TaskID, Time, Kind, What FROM milestone ORDER BY TaskID, Time"):
        if time != int(time) or time % 1000:
            sys.exit(f"milestone of {task}: {time} ps are no ns")
        begin = last.get(task, tasks[task]["start_ns"])
        last[task] = int(time) // 1000
        yield task, kind, what, begin, last[task]


LAG = """SELECT m.{key} AS k, m.What AS what, m.Time AS hi, COALESCE(LAG(m.Time) OVER (PARTITION BY
    m.TaskID ORDER BY m.Time), t.StartTime) AS lo
    FROM trace t JOIN milestone m ON m.TaskID = t.ID"""


def blocked(db, tasks, found, component, start, end):
    sql = LAG.format(key="Kind") + f" WHERE t.Location IN {SCOPE}"
    want = expected_curves([(kind, lo, hi) for task, kind, _, lo, hi in found
                            if component_of(tasks[task]) == component], start, end)
    got = curves(db.execute(binned(sql, "", start, end), scope_of(component)))
    same(f"reasons of {component} in bins", got, want)


def resources(db, tasks, found, start, end):
    want = defaultdict(list)
    for row in found:
        if row[1] == "hardware_resource":
            want[row[2]].append(row)
    same("resources", {what: rest for what, *rest in db.execute(RESOURCES)},
         {what: [len(rows), len({r[0] for r in rows})] for what, rows in want.items()})
    for what, rows in want.items():
        got = curves(db.execute(binned(LAG.format(key="What"), "AND what = ?", start, end),
                                (what,)))
        same(f"resource {what} in bins", got,
             expected_curves([(what, lo, hi) for *_, lo, hi in rows], start, end))
    # What the threads waited for is what their waits were.
    threads = Counter(r[2] for rows in want.values() for r in rows
                      if tasks[r[0]]["kind"] == "thread")
    waits = Counter(t["what"] for t in tasks.values() if t["kind"] == "wait"
                    and (t["what"].startswith("run queue") or t["what"] == "disk sleep")
                    and t["start_ns"] < t["end_ns"])
    same("waits of threads for resources", threads, waits)


def tree(db, tasks):
    children = defaultdict(list)
    for task in tasks.values():
        children[task["parent"]].append(task["id"])
    got = defaultdict(list)
    for parent, child in db.execute(
            "SELECT p.ID, t.ID FROM trace p JOIN trace t ON t.ParentID = p.ID"):
        got[parent].append(child)
    children.pop(0, None)
    same("tree", {p: sorted(c) for p, c in got.items()},
         {p: sorted(c) for p, c in children.items()})
    roots = sorted(r[0] for r in db.execute("SELECT ID FROM trace WHERE ParentID = 0"))
    same("roots", roots, sorted(t["id"] for t in tasks.values() if not t["parent"]))


def wakeups(db, tasks):
    """Tasks without a duration are not drawn."""
    want = {t["id"]: (1000 * t["start_ns"], 1000 * t["end_ns"])
            for t in tasks.values() if t["kind"] == "req_in"}
    got = {row[0]: row[1:] for row in db.execute(
        "SELECT ID, StartTime, EndTime FROM trace WHERE Kind = 'req_in'")}
    same("answers", got, want)


def topology(db, tasks):
    """A part with a port Top is drawn below the one that is connected to it."""
    parts = {name: spec and json.loads(spec)
             for name, _, spec in db.execute("SELECT Name, Type, Spec FROM component_spec")}
    want = {f"cpu[{t['cpu']}]" for t in tasks.values() if t["kind"] == "run"}
    want |= {component_of(t) for t in tasks.values()
             if t["where"].startswith(("cpu.", "pagecache."))}
    same("parts of the machine", sorted(parts), sorted(
        want | {"node"} | {"runqueue" for name in want if name.startswith("cpu")}))
    ends = defaultdict(dict)
    ports = list(db.execute("SELECT Component, Port, Connection FROM port"))
    for part, port, connection in ports:
        ends[connection][port.endswith(".Top")] = part
    same("ports", [port.rpartition(".")[0] for _, port, _ in ports], [part for part, *_ in ports])
    same("ports of connections", [sorted(two) for two in ends.values()], [[False, True]] * len(ends))
    below = {two[True]: two[False] for two in ends.values()}
    same("what is above", below, {name: "runqueue" if name.startswith("cpu[") else "node"
                                  for name in parts if name != "node"})
    same("what is known of them", parts, {
        name: {"number": int(number)} if name.startswith("cpu") else {"device": number} if number
        else "" if name == "runqueue" else parts["node"]
        for name, number in ((name, name.partition("[")[2].rstrip("]")) for name in parts)})


def window(db):
    info = dict(db.execute("SELECT Property, Value FROM exec_info"))
    axis = [float(info[f"{end} Virtual Time"]) for end in ("Start", "End")]
    same("segments", [list(r) for r in db.execute('SELECT * FROM "daisen$segments"')], [axis])
    return [int(time) for time in axis]


def main():
    db = sqlite3.connect(":memory:")
    with sqlite3.connect(sys.argv[1]) as file:
        file.backup(db)
    db.executescript(INDEXES)
    with open(sys.argv[2], encoding="utf-8", newline="") as file:
        tasks = {task["id"]: task for task in map(number, csv.DictReader(file))}
    draw_wakeups(tasks)
    start, end = window(db)
    largest = [name for name, _ in ranking(db, tasks).most_common(1)]
    found = list(reasons(db, tasks))
    for begin, stop in (start, end), (start + (end - start) // 3, end - (end - start) // 7):
        for component in largest:
            tasks_curves(db, tasks, component, begin, stop)
            blocked(db, tasks, found, component, begin, stop)
        resources(db, tasks, found, begin, stop)
    tree(db, tasks)
    wakeups(db, tasks)
    topology(db, tasks)


if __name__ == "__main__":
    main()

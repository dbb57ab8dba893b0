#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
nodetables.py ALL CAPTURES ALONE NODE... - are the tables ALL.* those of the nodes?

ALONE/NODE.* are those of each node's capture, CAPTURES/NODE, alone. Each row must be that of its
node, in the order of nodes, with the node's name and its begin in real time, which is computed
here of meta.json. CSV, JSON lines and the views of the database must have the same rows.
"""
import csv
import json
import sqlite3
import sys

NOTES = ("tags", "milestones", "losses")
NULL = ("cpu", "event", "begin_real_ns")    # what may be unknown


def fail(text):
    print(text)
    sys.exit(1)


def number(text):
    return int(text) if text.lstrip("-").isdigit() else text


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            yield {key: None if key in NULL and not value else
                   value if key in ("what", "where", "kind", "event", "why") else number(value)
                   for key, value in row.items()}


def read_json(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield {key: int(value) if isinstance(value, bool) else value
                   for key, value in json.loads(line).items()}


def read_view(path, table):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    order = "start_ns" if table == "losses" else "id"
    return [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY node, {order}")]


def key(row):
    return row["node"], row.get("id", row.get("start_ns")), str(row)


def begin_of(capture, database):
    """When it began, in real time."""
    with open(capture + "/meta.json", encoding="utf-8") as text:
        walls = json.load(text)["clock"].get("walls")
    begin = sqlite3.connect(database).execute(
        "SELECT Value FROM \"ovnik$meta\" WHERE Property = 'begin_ns'").fetchone()[0]
    if not walls:
        return None
    wall = walls[0]
    return wall["realtime"] - (wall["monotonic"] + wall["width"] // 2) + int(begin)


def check_table(table, whole, captures, alone, nodes):
    got = list(read_csv(f"{whole}.{table}.csv"))
    want = []
    for node in nodes:
        rows = list(read_csv(f"{alone}/{node}.{table}.csv"))
        begin = begin_of(f"{captures}/{node}", f"{alone}/{node}.db")
        for row in rows:
            if row["node"] != node or row["begin_real_ns"] != begin:
                fail(f"{table}: {row} is not of {node}, which began at {begin}")
        want += rows
    if got != want:
        fail(f"{table}: {len(got)} rows, not the {len(want)} of each alone")
    if list(read_json(f"{whole}.{table}.jsonl")) != got:
        fail(f"{table}: JSON lines differ")
    got.sort(key=key)
    if sorted(read_view(f"{whole}.db", table), key=key) != got:
        fail(f"{table}: the database differs")
    return len(got)


def check_ids(path):
    """What refers to a row of the database must find it, and on its own node."""
    db = sqlite3.connect(path)
    for column in ("ParentID", '"ovnik$process"', '"ovnik$thread"'):
        lost, = db.execute(f"SELECT count(*) FROM trace t LEFT JOIN trace o ON o.ID = t.{column} "
                           f"WHERE t.{column} AND (o.ID IS NULL OR o.ID >> 40 <> t.ID >> 40)"
                           ).fetchone()
        if lost:
            fail(f"{lost} rows have a {column} that is none")


def main():
    whole, captures, alone, *nodes = sys.argv[1:]
    counts = {table: check_table(table, whole, captures, alone, nodes)
              for table in ("tasks",) + NOTES}
    check_ids(whole + ".db")
    print(counts)
    if not counts["tasks"] or not counts["milestones"]:
        fail("there is nothing to compare")


main()

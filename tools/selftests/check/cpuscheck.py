#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
#
# cpuscheck.py CPUS LOG REPORT DATABASE OUT - is each CPU there, and what ran on it?
#
# LOG has lines "CPU PID" of processes that ran on one CPU; REPORT is the JSON of the report,
# DATABASE the tasks, OUT the directory of the decoder's outputs.

import json
import sqlite3
import sys

cpus = int(sys.argv[1])
ran = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
report = json.load(open(sys.argv[3]))[0]
tasks = sqlite3.connect(sys.argv[4])
out = sys.argv[5]
wrong = []

rows = [row["cpu"] for row in report["CPUs"]]
if rows != list(range(cpus)):
    wrong.append(f"the report has the CPUs {rows}")
if report["events_lost"]:
    wrong.append(f"{report['events_lost']} events are lost")
for cpu, pid in ran:
    seen = {row[0] for row in tasks.execute(
        'SELECT "ovnik$cpu" FROM trace WHERE Kind = ? AND "ovnik$pid" = ?', ("run", pid))}
    if cpu not in seen:
        wrong.append(f"process {pid} ran on CPU {cpu}, recorded is {sorted(seen)}")
names = [line.strip() for line in open(f"{out}/cpu.row")]
for cpu in range(cpus):
    if f"CPU 0.{cpu}" not in names:
        wrong.append(f"Paraver has no row of CPU {cpu}")
if len(ran) < cpus:
    wrong.append(f"{len(ran)} processes ran")
for line in wrong[:20]:
    print(line)
sys.exit(1 if wrong else 0)

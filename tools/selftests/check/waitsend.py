#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""waitsend.py DIR - do the waits for a CPU end in the Paraver traces of a directory?

A thread that runs on a physical CPU waits for none (type 313); the CPUs do not count more
that wait than there are, and none at the end (type 314). That there are waits at all is
needed, too. Prints the first differences; exit status 1.
"""
import os
import re
import sys

from prvcmp import read_lines, read_prv

TID, WAIT, WAITING = 2, 313, 314


def rows(path):
    """The names of the rows, by number."""
    lines = read_lines(path)
    at = next(i for i, line in enumerate(lines) if line.startswith("LEVEL THREAD"))
    return dict(enumerate((line for line in lines[at + 1:] if line), 1))


def value_at(steps, time):
    return next((v for t, v in reversed(steps) if t <= time), 0)


def judge(directory):
    threads = read_prv(f"{directory}/thread.prv")[2]
    cpus = read_prv(f"{directory}/cpu.prv")[2]
    row_of = {int(re.match(r"TH \d+\.(\d+)", name)[1]): row
              for row, name in rows(f"{directory}/thread.row").items()}
    physical = [row for row, name in rows(f"{directory}/cpu.row").items()
                if not name.startswith("vCPU")]
    waits = {row: steps for (row, kind), steps in threads.items() if kind == WAIT}
    counts = {row: steps for (row, kind), steps in cpus.items() if kind == WAITING}
    times = sorted({t for steps in [*waits.values(), *counts.values(),
                                    *(cpus.get((row, TID), []) for row in physical)]
                    for t, _ in steps})
    if not any(value for steps in waits.values() for _, value in steps):
        yield "no thread waits"
    for time in times:
        for cpu in physical:
            tid = value_at(cpus.get((cpu, TID), []), time)
            if tid and value_at(waits.get(row_of[tid], []), time):
                yield f"{time}: thread {tid} runs on the CPU of row {cpu} and waits"
        waiting = sum(value_at(steps, time) != 0 for steps in waits.values())
        counted = sum(value_at(steps, time) for steps in counts.values())
        if counted > waiting:
            yield f"{time}: CPUs have {counted} that wait, but there are {waiting}"
    for cpu, steps in counts.items():
        if steps[-1][1]:
            yield f"in the end {steps[-1][1]} wait for the CPU of row {cpu}"


def main():
    differences = list(judge(sys.argv[1]))
    for difference in differences[:20]:
        print(difference)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""diffcheck.py JSON TEXT ROWS BY A... -- B...

Check an answer of ovnik-decode diff.

JSON, TEXT: the answer. ROWS: of a table of the text. BY: comm, reason, file or cpu; "": the first
three. A, B: for each capture, a directory with the tasks, tags and laplace.txt that topcheck.py sums
up. Everything is summed up again, and mean, deviation, noise and order are computed again, with
fractions and by bisection where the decoder has a table.
"""
import json
import math
import re
import statistics
import sys
from collections import Counter, defaultdict
from fractions import Fraction

import topcheck

FIGURES = {
    "comm": {"programs_by_time_on_a_CPU": "on_cpu_ns",
             "programs_by_time_in_a_run_queue": "run_queue_ns", "programs_by_preemptions": "preempted",
             "programs_by_page_faults": "faults", "programs_by_calls_on_files": "calls",
             "programs_by_bytes_read_and_written": "bytes"},
    "reason": {"reasons_by_time": "time_ns", "reasons_by_times": "times"},
    "file": {"files_by_time_in_calls": "in_calls_ns", "files_by_calls": "calls",
             "files_by_bytes_read_and_written": "bytes",
             "files_by_pages_added_to_the_page_cache": "pages_added",
             "files_by_pages_removed_from_the_page_cache": "pages_removed"},
    "cpu": {"CPUs_by_time_busy": "busy_ns", "CPUs_by_time_in_a_run_queue": "run_queue_ns",
            "CPUs_by_page_faults": "faults", "CPUs_by_preemptions": "preempted"},
}
wrong = 0


def expect(what, got, want):
    global wrong
    if got == want:
        return
    wrong += 1
    if wrong <= 10:
        print(f"{what}: {got!r} instead of {want!r}")


def near(what, got, want):
    expect(what, math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-6) or (got, want), True)


def t_tail(t, freedom):
    """The share of Student's distribution that is beyond +-t, for a whole number of degrees."""
    angle = math.atan(t / math.sqrt(freedom))
    if freedom == 1:
        return 1 - 2 * angle / math.pi
    cos = math.cos(angle)
    total = term = cos if freedom % 2 else 1.0
    for k in range(2 if freedom % 2 else 1, freedom - 1, 2):
        term *= cos * cos * k / (k + 1)
        total += term
    if freedom % 2 == 0:
        return 1 - math.sin(angle) * total
    return 1 - 2 / math.pi * (angle + math.sin(angle) * total)


def t_limit(freedom):
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, freedom) > 0.05 else (low, middle)
    return round(low, 3)


def variance(values):
    return statistics.variance(map(Fraction, values)) if len(values) > 1 else None


def noise(a, b):
    va, vb = variance(a) / len(a), variance(b) / len(b)
    if not va + vb:
        return 0.0
    freedom = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    return t_limit(min(30, int(freedom))) * math.sqrt(va + vb)


def paths(laplace):
    """The last path by which each file was opened."""
    names = {}
    with open(laplace, encoding="utf-8", errors="replace") as f:
        for line in f:
            word = line.rstrip("\n").split(" ", 6)
            if word[0] == "(" and len(word) == 7 and word[6]:
                ino, major, minor = (int(x, 16) for x in word[3:6])
                names[major, minor, ino] = word[6]
    return names


def sums(where, by):
    """{name: {figure: value}} of a capture."""
    capture = topcheck.Capture(f"{where}/tasks", f"{where}/tags")
    rows = defaultdict(Counter)
    if by == "file":
        of, unknown = topcheck.files(capture, f"{where}/laplace.txt")
        expect(f"{where}: removals of files that are not known", unknown, 0)
        names = paths(f"{where}/laplace.txt")
        for key, row in of.items():
            name = names.get(key, f"{key[0]}:{key[1]} inode {key[2]}")
            rows[name].update(row, bytes=row["read"] + row["written"])
        return rows
    of = {"comm": topcheck.comms, "cpu": topcheck.cpus,
          "reason": lambda c: topcheck.reasons(c, None)}[by](capture)
    for key, row in of.items():
        rows[str(key)].update({k: v for k, v in row.items() if isinstance(v, int)})
    return rows


def check_row(what, row, a, b):
    ma, mb = Fraction(sum(a), len(a)), Fraction(sum(b), len(b))
    near(f"{what}: A", row["A"], float(ma))
    near(f"{what}: B", row["B"], float(mb))
    near(f"{what}: change", row["change"], float(mb - ma))
    for key, values in (("sd_A", a), ("sd_B", b)):
        expect(f"{what}: has {key}", key in row, len(values) > 1)
        if len(values) > 1:
            near(f"{what}: {key}", row[key], math.sqrt(variance(values)))
    expect(f"{what}: has a percentage", "percent" in row, ma > 0)
    if ma:
        near(f"{what}: percent", row["percent"], float(100 * (mb - ma) / ma))
    several = len(a) > 1 and len(b) > 1
    expect(f"{what}: has noise", "noise" in row, several)
    if several:
        near(f"{what}: noise", row["noise"], noise(a, b))
        expect(f"{what}: beyond", bool(row["beyond"]), abs(mb - ma) > noise(a, b))


def check_table(title, rows, key, sides):
    names = set().union(*(one for side in sides for one in side))
    got = {row["name"]: row for row in rows}
    expect(f"{title}: names twice", len(got), len(rows))
    # A reason that nothing waited for has a row of zeros.
    for name in names | set(got):
        values = [[one.get(name, {}).get(key, 0) for one in side] for side in sides]
        # Nor has a program that others met a row, of which no more is known.
        if name not in got and not any(map(any, values)):
            continue
        if name not in got:
            expect(f"{title}: {name}", None, values)
            continue
        check_row(f"{title}: {name}", got[name], *values)
    order = [(-abs(row["change"]), row["name"].encode()) for row in rows]
    expect(f"{title}: order", order, sorted(order))


def check_text(text, title, rows, most, sides):
    """Changed rows in the order of JSON, with the sum of all below."""
    head = f"  {title.replace('_', ' ')}:"
    lines = text.split("\n")
    expect(f"{head} is there", lines.count(head), 1)
    if head not in lines:
        return
    at = lines.index(head)
    shown = lines[at + 2:lines.index("", at) if "" in lines[at:] else len(lines)]
    changed = [row for row in rows if row["change"]][:most]
    expect(f"{head} rows", len(shown), len(changed) + 1)
    for line, row in zip(shown, changed):
        expect(f"{head} name", line.endswith("  " + topcheck.escaped(row["name"] or "-")),
                   True)
        if "beyond" in row:
            expect(f"{head} mark of {line}", bool(re.search(r"  \*  ", line)), bool(row["beyond"]))
        if "percent" in row:
            expect(f"{head} percent of {line}",
                   f" {round(row['percent'], 1):+.1f} " in line, True)
    whole = [sum(row[key] for row in rows) for key in ("A", "B")]
    if shown and whole[0]:
        expect(f"{head} the sum of all",
               f" {100 * (whole[1] - whole[0]) / whole[0]:+.1f} " in shown[-1], True)
    expect(f"{head} the sum's name", shown[-1].endswith(f"all {len(rows)}"), True)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        answer = json.load(f)[0]
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    most, bys = int(sys.argv[3]), [sys.argv[4]] if sys.argv[4] else ["comm", "reason", "file"]
    at = sys.argv.index("--")
    dirs = [sys.argv[5:at], sys.argv[at + 1:]]
    expect("unprintable", re.findall("[\x00-\x09\x0b-\x1f\x7f\u202e]", text), [])
    expect("captures", Counter(row["side"] for row in answer["captures"]),
           Counter({"A": len(dirs[0]), "B": len(dirs[1])}))
    tables = 0
    for by in bys:
        sides = [[sums(one, by) for one in side] for side in dirs]
        for title, key in FIGURES[by].items():
            used = any(row.get(key) for side in sides for one in side for row in one.values())
            if title not in answer:
                expect(f"{title}: is left out", used, False)
                continue
            tables += 1
            check_table(title, answer[title], key, sides)
            check_text(text, title, answer[title], most, sides)
    expect("tables that should not be there",
           [t for by in FIGURES if by not in bys for t in FIGURES[by] if t in answer], [])
    expect("there are tables", tables > 0, True)
    if wrong:
        print(f"{wrong} things are wrong")
    sys.exit(wrong != 0)


main()

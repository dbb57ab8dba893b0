#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
docexamples.py PRINTED PAGE... - do the tables that pages show have the form of real ones?

PRINTED is what the programs print. A table of an example has a title and a heading that one of
PRINTED has, and one unit in a column, except in a comparison of captures. "..." stands for columns
that are left out. Figures are not compared: they are those of the run that the page shows.
"""
import re
import sys

ELSEWHERE = {"phases:"}     # needs an ovni trace: host/report-phases.sh
WORDS = re.compile(r"\S+(?: \S+)*")
QUANTITY = re.compile(r"(?<!\S)[+<-]?(\d[\d.]*) (ns|us|ms|s|B|KiB|MiB|GiB|TiB)(?= |$)")


def names(heading):
    return WORDS.findall(heading.replace(" ...", "  ..."))


def tables(lines):
    """Line number, title, heading and rows of each table."""
    for i, line in enumerate(lines[:-1]):
        heading = lines[i + 1]
        if not re.fullmatch(r"\s+[^\s.].*[^:]:", line) or len(names(heading)) < 2:
            continue
        rows = []
        for row in lines[i + 2:]:
            # A request of the manual's formatter, too; or the next title.
            if not row.strip() or row.startswith(".") or row.endswith(":"):
                break
            rows.append(row)
        yield i + 2, line.strip(), heading, rows


def is_like(shown, printed):
    """Is SHOWN the heading PRINTED, but for what "..." leaves out?"""
    pattern = "".join("(.*\n)?" if name == "..." else re.escape(name) + "\n" for name in shown)
    return re.fullmatch(pattern, "\n".join(printed) + "\n", re.DOTALL)


def units(heading, rows):
    """Those of each column, whose numbers end where its name does; zero has any."""
    found = {}
    for name in WORDS.finditer(heading):
        for row in rows:
            for quantity in QUANTITY.finditer(row):
                if quantity.end() == name.end() and float(quantity[1]):
                    found.setdefault(name[0], set()).add(quantity[2])
    return found


def read(path):
    with open(path, encoding="utf-8") as page:
        lines = page.read().expandtabs().split("\n")
    if path.endswith(".1"):
        lines = [line.replace("\\-", "-") for line in lines]
    return lines


def complaints(title, heading, rows, printed):
    if title in ELSEWHERE:
        return
    if title not in printed:
        yield "no program prints such a table"
    elif not any(is_like(names(heading), other) for other in printed[title]):
        yield "\n\t".join(["the heading is", *(" | ".join(other) for other in printed[title])])
    for name, several in units(heading, rows).items():
        # In a comparison each number has its own.
        if len(several) > 1 and "change" not in names(heading):
            yield f'"{name}" has several units: {", ".join(sorted(several))}'


def main():
    printed = {}
    for _, title, heading, _ in tables(read(sys.argv[1])):
        printed.setdefault(title, []).append(names(heading))
    wrong = seen = 0
    for path in sys.argv[2:]:
        for number, title, heading, rows in tables(read(path)):
            seen += 1
            for text in complaints(title, heading, rows, printed):
                print(f"{path}:{number}: {title} {text}")
                wrong += 1
    print(f"{seen} tables")
    sys.exit(wrong > 0 or not seen)


main()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Are the values in Documentation/limits.rst those of the sources, and has each a test?

limitcheck.py PAGE SOURCE...	compare
limitcheck.py -v PAGE		print the name and value of each limit that host/limits tests

A limit is defined once: which of several definitions a source sees is not looked for. Its test is
a file below tools/selftests that has the limit's name, or a check of that name; a comment is none.
"""

import re
import sys

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "": 1}
NUMBER = re.compile(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b")


class Unclear(Exception):
    """A name has no value, or there may be another one."""


def said(text):
    """The value of a cell: "64 MiB", "2^20", "65,536"."""
    number, _, unit = text.partition(" ")
    if "^" in number:
        base, power = number.split("^")
        return int(base) ** int(power)
    return int(number.replace(",", "")) * UNITS[unit]


def defined(paths):
    """The definitions of macros, and where they are."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                match = re.match(r"\s*#\s*define\s+(\w+)\s+([^/\n]+)", line)
                if match:
                    found.setdefault(match[1], []).append((match[2].strip(), path))
    return found


def value_of(name, found, depth=0):
    places = found.get(name, [])
    if len(places) != 1 or depth > 4:
        where = ", ".join(path for _, path in places) or "nowhere"
        raise Unclear(f"{name} must be defined once, and is defined in: {where}")
    text = NUMBER.sub(r"\1", places[0][0])
    text = re.sub(r"\b[A-Z_][A-Z0-9_]+\b", lambda m: str(value_of(m[0], found, depth + 1)), text)
    if not re.fullmatch(r"[\d\s()+*<>-]+|0x[\da-fA-F]+", text):
        raise Unclear(f"{name} is no number: {places[0][0]}")
    return eval(text)  # pylint: disable=eval-used # digits and signs only


def rows(path):
    """The cells of each row: what, value, macro, reason, test."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    rule = next(line for line in lines if re.fullmatch(r"=+(  =+){4}", line))
    starts = [match.start() for match in re.finditer(r"=+", rule)] + [None]
    first = lines.index(rule)
    last = len(lines) - lines[::-1].index(rule)
    for line in lines[first + 3:last - 1]:
        cells = [line[a:b].strip() for a, b in zip(starts, starts[1:])]
        if cells[1]:
            yield cells


def code_of(path):
    """A test without its comments."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".c"):
        return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"^\s*#.*", "", text, flags=re.M)


def has_test(name, cell):
    """TEST, or TEST CHECK."""
    test, _, check = cell.partition(" ")
    unit = test.startswith("unit/")
    try:
        code = code_of(f"tools/selftests/{test}" + (".c" if unit else ".sh"))
    except OSError:
        return False
    if not check:
        return re.search(rf"\b{name}\b", code) is not None
    return re.search((rf"\bTEST\w*\((\w+, )?{check}\b" if unit else rf'"[^"]*\b{check}\b'),
                     code) is not None


def wrong(cells, found):
    """What is wrong with a row, or None."""
    what, cell, name, _, test = cells
    try:
        value = value_of(name, found)
    except Unclear as why:
        return f"{what}: {why}"
    if said(cell) != value:
        return f"{what}: {cell}, but {name} is {value}"
    return None if has_test(name, test) else f"{what}: {test or 'no file'} does not test {name}"


def main():
    if sys.argv[1] == "-v":
        for _, cell, name, _, test in rows(sys.argv[2]):
            if test == "host/limits":
                print(name, said(cell))
        return
    table = list(rows(sys.argv[1]))
    found = defined(sys.argv[2:])
    reasons = [why for why in (wrong(cells, found) for cells in table) if why]
    print("\n".join(reasons + [f"{len(table)} limits"]))
    sys.exit(1 if reasons or len(table) < 20 else 0)


if __name__ == "__main__":
    main()

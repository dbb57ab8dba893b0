#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Are the values in Documentation/limits.rst those of the sources?

limitcheck.py PAGE SOURCE...
"""

import re
import sys

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "": 1}


def said(text):
    """The value of a cell: "64 MiB", "2^20", "65,536"."""
    number, _, unit = text.partition(" ")
    if "^" in number:
        base, power = number.split("^")
        return int(base) ** int(power)
    return int(number.replace(",", "")) * UNITS[unit]


def defined(paths):
    """The values of macros that are numbers; a name may be defined in several files."""
    values = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                match = re.match(r"#define\s+(\w+)\s+([^/\n]+)", line)
                if match:
                    values.setdefault(match[1], []).append(match[2].strip())
    return values


def value_of(name, values, depth=0):
    """All values that a name has."""
    found = set()
    for text in values.get(name, []):
        plain = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)
        for other in re.findall(r"\b[A-Z_][A-Z0-9_]+\b", plain):
            inner = value_of(other, values, depth + 1) if depth < 4 else set()
            if len(inner) == 1:
                plain = plain.replace(other, str(inner.pop()))
        if re.fullmatch(r"[\d\s()+*<x-]+", plain):
            found.add(eval(plain))  # pylint: disable=eval-used # digits and signs only
    return found


def rows(path):
    """What, value and macro of each row."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    rule = next(line for line in lines if re.fullmatch(r"=+(  +=+){3}", line))
    starts = [match.start() for match in re.finditer(r"=+", rule)] + [None]
    for line in lines:
        cells = [line[a:b].strip() for a, b in zip(starts, starts[1:])]
        if re.fullmatch(r"[A-Z][A-Z0-9_]+", cells[2]):
            yield cells[0], cells[1], cells[2]


def main():
    values = defined(sys.argv[2:])
    wrong = nr = 0
    for what, cell, name in rows(sys.argv[1]):
        nr += 1
        has = value_of(name, values)
        if said(cell) not in has:
            print(f"{what}: {cell}, but {name} is {sorted(has)}")
            wrong += 1
    print(f"{nr} limits")
    sys.exit(1 if wrong or nr < 20 else 0)


main()

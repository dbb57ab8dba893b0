#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""pagesizecheck.py SIZE SMALL LARGE - compare what was made of two captures

LARGE is of a machine whose pages have SIZE bytes, SMALL of one with pages of 4096; all else is the
same in both captures. So addresses, offsets and bytes of pages in LARGE must be those of SMALL, as
many times larger as a page is; everything else must be equal. SMALL and LARGE are directories.
Streams of ovni are seen in what is made of them, Paraver's traces. XRay's logs have records as they
are. What a picture has is what the page has, but as high as there is room.
"""
import base64
import csv
import json
import re
import sys
from pathlib import Path

from htmlcheck import items, script
from perfettoread import Trace

BASE = 0x7F0000000000
# Fields of Laplace's lines that are of memory; the first one is the time.
LAPLACE = {"M": (2, 3, 7), "m": (2, 3), "S": (2, 3), "U": (2, 3), "D": (3, 4), "C": (2,),
           "<": (5,), ">": (5,), "P": (1, 5), "p": (1,), "B": (1,), "b": (1,)}
MAPPED = "312"	# type of Paraver's events
SKIPPED = (".obs", ".fdr", ".elf", ".svg")
K = int(sys.argv[1]) // 4096


def place(value):
    return BASE + (value - BASE) * K if value >= BASE else value * K


def laplace(path, scale):
    for line in path.open():
        letter, *fields = line.rstrip("\n").split(" ")
        if letter not in LAPLACE or len(fields) <= max(LAPLACE[letter]):
            yield line
            continue
        for i in LAPLACE[letter]:
            fields[i] = scale(int(fields[i], 16))
        yield letter, fields


def tasks(path, scale):
    """Of pages in the cache: what they are of, and their bytes."""
    for row in csv.DictReader(path.open()):
        if row["kind"] == "page":
            of, _, offset = row["what"].partition(":")
            yield of, scale(int(offset)), scale(int(row["bytes"])), row["start_ns"], row["end_ns"]


def html(path, scale):
    text = path.read_text()
    page, data = json.loads(script(text, "data")), base64.b64decode(script(text, "lanes"))
    for start, end, _, parts in items(data, *page["pages"][1:3]):
        yield start, end, [(key, count, ns, scale(nr)) for key, count, ns, nr in parts]


def perfetto(path, scale):
    trace = Trace(path.read_bytes())
    for uuid, values in sorted(trace.counters.items()):
        for ns, value in values:
            yield uuid, ns, scale(value)


def prv(path, scale):
    """Levels of mapped memory are bytes, all other values are not."""
    for line in path.open():
        kind, *fields = line.strip().split(":")
        if kind != "2":
            yield line
            continue
        pairs = list(zip(fields[5::2], fields[6::2]))
        yield fields[:5], [(key, scale(int(value)) if key == MAPPED else value) for key, value in pairs]


def plain(path, large):
    """What answers a question says how large a page is, unless it is as on most machines."""
    lines = path.read_text().splitlines()
    if large and "all" not in path.parts:
        said = [i for i, line in enumerate(lines) if re.search(r'^ *page size +|"page_size":', line)]
        if len(said) != 1 or not re.search(rf"\b({K * 4096}|{K * 4}\.0 KiB)\b", lines[said[0]]):
            sys.exit(f"{path}: does not say once that a page has {K * 4} KiB")
        del lines[said[0]]
    return lines


def times(value):
    return value * K


KINDS = {"laplace.txt": (laplace, place), "tasks.csv": (tasks, times), "timeline.html": (html, times),
         "thread.prv": (prv, times), "cpu.prv": (prv, times), "trace.perfetto-trace": (perfetto, times)}


def main():
    small, large, wrong = Path(sys.argv[2]), Path(sys.argv[3]), 0
    for path in sorted(p.relative_to(small) for p in small.rglob("*") if p.is_file()):
        if path.suffix in SKIPPED:
            continue
        read, scale = KINDS.get(path.name, (plain, None))
        want, got = list(read(small / path, scale)), list(read(large / path, lambda value: value))
        if not want or want != got:
            different = next(((w, g) for w, g in zip(want, got) if w != g), (len(want), len(got)))
            print(f"{path}: {different[1]} instead of {different[0]}")
            wrong += 1
        else:
            print(f"{path}: {len(want)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

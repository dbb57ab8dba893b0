#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""refsmergecheck.py LAPLACE REFS DIR

DIR is what ovnik-merge has made of a capture and a log, in all forms. LAPLACE is the
kernel's trace of the same capture, REFS the references of its time, wide and binary.
Each record and each reference must be there once, where it belongs.
"""
import collections
import pathlib
import struct
import sys

WIDE = struct.Struct("<cQBIQ")
PAGE = 4096


def pieces(path):
    """The references, in two where they cross the border of a page."""
    with open(path, "rb") as file:
        for kind, time, length, space, address in WIDE.iter_unpack(file.read()):
            left = PAGE - address % PAGE
            yield kind.decode(), time, min(length, left), space, address
            if length > left:
                yield kind.decode(), time, length - left, space, address + left


def is_reference(line):
    return line[0] in "irwIRW"


def same(what, want, got):
    want, got = list(want), list(got)
    for i, pair in enumerate(zip(want, got)):
        if pair[0] != pair[1]:
            sys.exit(f"{what} {i}: expected {pair[0]}, got {pair[1]}")
    if len(want) != len(got) or not want:
        sys.exit(f"{what}: expected {len(want)}, got {len(got)}")
    print(f"{what}: {len(want)}")


def interleaved(lines, kernel, refs):
    same("references in one order", (f"{k} {t:x} {n:x} {s:x} {a:x}" for k, t, n, s, a in refs),
         (line for line in lines if is_reference(line)))
    same("records in one order", kernel, (line for line in lines if not is_reference(line)))
    times = [int(line.split(" ", 2)[1], 16) for line in lines if line[:2] in ("s ", "R ", "W ")]
    if times != sorted(times):
        sys.exit("references and switches are not in the order of time")


def running(kernel):
    """When which task was scheduled."""
    return [(int(line.split()[1], 16), int(line.split()[2], 16))
            for line in kernel if line[0] == "s"]


def right_place(path, task):
    """Records of a task are in its file, those of none in the kernel's, in the order of time."""
    before = 0
    for line in path.read_text().splitlines():
        kind, time, *rest = line.split()
        if int(time, 16) < before:
            sys.exit(f"{path}: the time falls at: {line}")
        before = int(time, 16)
        if is_reference(line) or kind in "Du":
            continue
        whose = None if kind in "PpBb-" else int(rest[0], 16) or None
        if whose != task:
            sys.exit(f"{path}: does not belong here: {line}")


def by_processes(files, kernel, refs, pages):
    """What is in which file; references must be those of the task that runs there."""
    got = collections.defaultdict(list)
    for path in files:
        task = None if path.name == "kernel.txt" else int(path.stem.split("-")[0])
        right_place(path, task)
        for line in path.read_text().splitlines():
            if not is_reference(line):
                got["records"].append(line)
                continue
            kind, time, length, page, canonical = line.split()
            got[task].append((kind.upper(), int(time, 16), int(length, 16), int(page, 16),
                              int(canonical, 16)))
    same("records of processes", sorted(line for line in kernel if line != "c"),
         sorted(got.pop("records")))
    switches, i, kernel_code, want = running(kernel), 0, True, collections.defaultdict(list)
    for (kind, time, length, _, address), canonical in zip(refs, pages):
        while i < len(switches) and switches[i][0] <= time:
            i += 1
        if kind == "I":
            kernel_code = address >> 63 == 1
        task = switches[i - 1][1] if i else 0
        # Before the first switch, the records of the statedump say who runs.
        if not i and not kernel_code:
            continue
        want[None if kernel_code or not task else task].append(
            (kind, time, length, address >> 12, canonical))
    if switches:
        first = switches[0][0]
        got = {task: [ref for ref in lines if task is None or ref[1] >= first]
               for task, lines in got.items()}
    for task in sorted(want, key=lambda t: t or 0):
        same(f"references of {task or 'the kernel'}", want[task], got.get(task, []))
    extra = [task for task in got if task not in want and got[task]]
    if extra or len(want) < 3:
        sys.exit(f"tasks with references: expected {sorted(map(str, want))}, also got {extra}")


def main():
    laplace, path, directory = sys.argv[1:4]
    directory = pathlib.Path(directory)
    refs = list(pieces(path))
    with open(laplace, encoding="utf-8") as file:
        kernel = file.read().splitlines()
    interleaved((directory / "laplace.txt").read_text().splitlines(), kernel, refs)
    basic = (directory / "basic.txt").read_text().splitlines()
    if any(line[:2] != "R " for line in basic) or len(basic) != len(refs):
        sys.exit(f"basic merge: expected {len(refs)} references, got {len(basic)}")
    pages = [int(line[2:], 16) for line in basic]
    known = {int(line.split()[0], 16) for line in (directory / "pages.txt").read_text().splitlines()}
    if not set(pages) <= known:
        sys.exit("a canonical page is not in pages.txt")
    files = [directory / "kernel.txt", *sorted((directory / "processes").glob("*/*.txt"))]
    by_processes(files, kernel, refs, pages)


main()

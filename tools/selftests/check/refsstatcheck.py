#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""refsstatcheck.py DIR TOP

What ovnik-merge has counted must be what its merges say, which refsmergecheck.py has
compared with both traces, and what "ovnik-decode top --json" has written to TOP: the
names. A memory with LRU replacement is simulated for some sizes.
"""
import collections
import csv
import json
import os
import pathlib
import sys

SIZES = (1, 6, 8, 64, 768) if os.environ.get("LONG") else (1, 768)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def references(directory):
    """By who makes them, in the order of each file: time, type, page."""
    refs = collections.defaultdict(list)
    files = [(0, directory / "kernel.txt")]
    files += [(int(path.parent.name.split("-")[0]), path)
              for path in sorted((directory / "processes").glob("*/*.txt"))]
    for pid, path in files:
        for line in path.read_text().splitlines():
            if line[0] in "irw":
                kind, time, _, _, page = line.split()
                refs[pid].append((int(time, 16), kind, int(page, 16)))
    return refs


def misses(pages, size):
    memory, count = collections.OrderedDict(), 0
    for page in pages:
        if page in memory:
            memory.move_to_end(page)
            continue
        count += 1
        memory[page] = True
        if len(memory) > size:
            memory.popitem(last=False)
    return count


def expect(what, want, got):
    if want != got:
        sys.exit(f"{what}: expected {want}, got {got}")


def check_references(table, refs):
    want, got = collections.Counter(), collections.Counter()
    pages, counted = collections.defaultdict(set), collections.Counter()
    for pid, items in refs.items():
        for _, kind, page in items:
            want[pid, kind] += 1
            pages[pid].add(page)
    for row in table:
        pid = int(row["pid"])
        for kind, column in zip("irw", ("fetches", "loads", "stores")):
            got[pid, kind] += int(row[column])
        counted[pid] += int(row["pages"])
    expect("references", +want, +got)
    expect("pages", {pid: len(known) for pid, known in pages.items()}, dict(counted))
    print(f"references of {len(pages)} processes: {sum(want.values())}")


def check_curves(table, strings):
    for pid, name, pages in strings:
        curve = {int(row["pages"]): row for row in table
                 if int(row["pid"]) == pid and (pid or row["name"] == name)}
        for size in SIZES:
            if size not in curve:
                continue
            want = misses(pages, size)
            expect(f"misses of {name} with {size} pages",
                   (want, len(pages), f"{want / len(pages):.9f}"),
                   (int(curve[size]["misses"]), int(curve[size]["references"]),
                    curve[size]["ratio"]))
        expect(f"misses of {name} in the largest memory", len(set(pages)),
               int(curve[max(curve)]["misses"]))
    print(f"{len(strings)} curves")


def check_windows(table, refs, files):
    begins = [int(row["begin"], 16) for row in table]
    width = begins[1] - begins[0]
    sets = [collections.defaultdict(set) for _ in table]
    count = collections.Counter()
    for pid, items in refs.items():
        for time, _, page in items:
            i = (time - begins[0]) // width
            count[i] += 1
            sets[i]["pages"].add(page)
            if pid:
                sets[i]["user_pages"].add(page)
            if page in files:
                sets[i]["file_pages"].add(page)
    for i, row in enumerate(table):
        expect(f"references of window {i}", count[i], int(row["references"]))
        for column in ("pages", "user_pages", "file_pages"):
            expect(f"{column} of window {i}", len(sets[i][column]), int(row[column]))


def check_names(table, path):
    processes = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))[0]["processes"]
    # One whose name no record has is there without it.
    names = {process["pid"]: process.get("process", "not known") for process in processes}
    for row in table:
        pid = int(row["pid"])
        expect(f"name of {pid}", names[pid] if pid else "kernel", row["name"])


def main():
    directory = pathlib.Path(sys.argv[1])
    refs = references(directory)
    files = {int(line.split()[0], 16) for line in (directory / "pages.txt").read_text().splitlines()
             if line.split()[1] == "file"}
    whole = [int(line[2:], 16) for line in (directory / "basic.txt").read_text().splitlines()]
    check_references(rows(directory / "references.csv"), refs)
    check_names(rows(directory / "references.csv"), sys.argv[2])
    strings = [(0, "machine", whole),
               (0, "machine without files", [page for page in whole if page not in files])]
    for pid, items in sorted(refs.items()):
        # Threads of a process have files of their own.
        strings.append((pid, "kernel" if not pid else str(pid),
                        [page for _, _, page in sorted(items, key=lambda ref: ref[0])]))
    check_curves(rows(directory / "miss-ratio.csv"), strings)
    check_windows(rows(directory / "working-set.csv"), refs, files)
    names = {row["mapping"] for row in rows(directory / "references.csv")}
    if not any(name.startswith("/") for name in names) or "[anonymous]" not in names:
        sys.exit(f"mappings: {sorted(names)}")


main()

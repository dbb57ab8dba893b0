#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""svgcheck.py PICTURE TABLE LENGTH [LAPLACE] - are the boxes of a picture what happened?

TABLE is what the tracer csv writes of the same time, which is LENGTH ns. For each thread and CPU of
the picture, the sums that it says must be those of its runs and waits, to the ns, and the areas of
its boxes to half a unit of height at each edge. A CPU's sums are by program, as far as those have names.
A row of several processes must have the sums of its program, and areas in proportion.
Calls and faults must have these sums, too, and boxes in exactly the columns that they touch. Files
must have the bytes of calls, and of the pages in the Laplace trace, the page cache those of all pages.
What has no row may not be used more than what has one.
"""
import collections
import csv
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
LEFT, RIGHT, COLUMN = 1900, 300, 10
HEIGHTS = {"CPU": 230, "thread": 170}
LINES = ("read", "write", "call", "fault")
READS = ("read", "pread64", "readv", "preadv/preadv2")
WRITES = ("write", "pwrite64", "writev", "pwritev/pwritev2", "sendfile", "splice", "copy_file_range")
USES = {"read": "calls", "written": "calls", "added to the page cache": "added",
        "removed from the page cache": "removed"}
CACHE, PAGE = "page cache, all files", 4096
WAITS = {"sleep": "sleep", "idle kernel thread": "sleep", "disk sleep": "disk"}


def state(row):
    if row["kind"] == "run":
        return "run"
    if row["kind"] == "unknown":
        return "unknown"
    if row["what"].startswith("run queue"):
        return "queue"
    return WAITS.get(row["what"], "other")


def line_of(row):
    if row["kind"] == "fault":
        return "fault"
    return "read" if row["what"] in READS else "write" if row["what"] in WRITES else "call"


def row_of(title):
    """The TID, the number of a CPU, or the name of a program and a space."""
    return title[:title.rindex("\u00d7")] if "\u00d7" in title else title.split()[-1]


class Programs:
    """Last names of processes."""

    def __init__(self, rows):
        self.lives = collections.defaultdict(list)
        for row in rows:
            if row["kind"] == "process":
                self.lives[row["pid"]].append((int(row["start_ns"]), int(row["end_ns"]), row["what"]))

    def of(self, row):
        start, end = int(row["start_ns"]), int(row["end_ns"])
        return next((what for begin, stop, what in self.lives[row["pid"]] if begin <= start and end <= stop), None)

    def rows_of(self, row):
        return row["tid"], "%s " % self.of(row)

    def count(self, name):
        return sum(what == name for lives in self.lives.values() for *_, what in lives)


def lines(rows, columns, length, programs):
    """By TID or program, and kind: how long calls and faults were, and which columns they touch."""
    sums, touched = collections.Counter(), collections.defaultdict(set)
    for row in rows:
        start, end = int(row["start_ns"]), int(row["end_ns"])
        if row["kind"] in ("call", "fault") and end > start:
            for who in programs.rows_of(row):
                sums[who, line_of(row)] += end - start
                touched[who, line_of(row)].update(
                    range(columns * start // length, min(columns * (end - 1) // length, columns - 1) + 1))
    return sums, touched


def uses(rows, laplace):
    """By file and what happened to it: bytes. Of some calls it is not known whether they write."""
    sums = collections.Counter()
    paths = {}
    for row in rows:
        file = row["inode"], row["device"]
        if row["kind"] == "file" and row["what"]:
            paths[file] = row["what"]
        elif row["kind"] == "call" and not (int(row["open"]) or int(row["doubt"])):
            sums[file, "calls"] += int(row["bytes"])
    with open(laplace, encoding="utf-8") as text:
        for line in text:
            words = line.split()
            if words[0] == "P":
                inode, major, minor = (int(word, 16) for word in words[3:6])
                sums[(str(inode), "%d:%d" % (major, minor)), "added"] += PAGE
            if words[0] in "Pp":
                sums[CACHE, "added" if words[0] == "P" else "removed"] += PAGE
    named = collections.Counter()
    for (file, what), size in sums.items():
        named[file if file == CACHE else paths.get(file, "inode %s of %s" % file), what] += size
    return +named


def truth(rows, programs, named):
    """By CPU and program, too; those that the picture does not name are its others."""
    sums = collections.Counter()
    for row in rows:
        start, end = int(row["start_ns"]), int(row["end_ns"])
        if row["kind"] not in ("run", "wait", "unknown"):
            continue
        for who in programs.rows_of(row):
            sums["thread", who, state(row)] += end - start
        if row["kind"] == "run":
            name = programs.of(row)
            sums["CPU", row["cpu"], name if name in named else "others"] += end - start
    return sums


BOX = re.compile(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z")


def area(path):
    boxes = BOX.findall(path)
    assert "".join("M%s %sh%sv%sh-%sz" % box for box in boxes) == path, path
    return sum(int(width) * int(height) for _, _, width, height, _ in boxes)


def shown(root):
    """Yields sort, number, kind, area, ns."""
    sort, number = None, None
    for element in root:
        if sort == "CPU" and element.get("class") == "unknown":
            continue
        title = element.find(SVG + "title")
        text = title.text if title is not None else ""
        if element.tag == SVG + "text" and element.get("class") == "h":
            sort = re.sub("s$", "", element.text.split()[-1])
        elif element.tag == SVG + "text" and text:
            number = row_of(text)
        elif text and sort in HEIGHTS and element.get("class") not in (*LINES, "loss"):
            kind = element.get("class").split()[0] if sort == "thread" else text[:text.rindex(": ")]
            seconds = re.search(r": (\d+)\.(\d{9}) s$", text)
            yield (sort, number, kind), area(element.get("d")), int(seconds[1] + seconds[2])


def check_lines(root, rows, columns, length, programs):
    right, touched = lines(rows, columns, length, programs)
    said, seen, tid, tids = collections.Counter(), collections.defaultdict(set), None, set()
    for element in root:
        title = element.findtext(SVG + "title") or ""
        if element.tag == SVG + "text" and title:
            tid = row_of(title)
            tids.add(tid)
        elif element.get("class") in LINES and title.endswith(" s"):
            key = tid, element.get("class")
            said[key] += int(title.split()[-2].replace(".", ""))
            for x, _, width, _, _ in BOX.findall(element.get("d")):
                at = (int(x) - LEFT) // COLUMN
                seen[key].update(range(at, at + int(width) // COLUMN))
    wrong = [key for key in right.keys() | said.keys() if key[0] in tids and
             (right[key] != said[key] or touched[key] != seen[key])]
    for key in wrong:
        print("%s: %d ns in %d columns, the picture says %d in %d" %
              (key, right[key], len(touched[key]), said[key], len(seen[key])))
    return len(wrong)


def check_uses(root, rows, laplace):
    """A page that leaves has no file in a Laplace trace: all of them are compared."""
    right, said, file, files = uses(rows, laplace), collections.Counter(), None, set()
    for element in root:
        title = element.findtext(SVG + "title") or ""
        if element.tag == SVG + "text" and title:
            file = title
            files.add(file)
        elif title.endswith(" bytes"):
            what, size = title.rsplit(": ", 1)
            said[file, USES[what]] += int(size.split()[0])
    wrong = [key for key in right.keys() | said.keys() if key[0] in files and right[key] != said[key] and
             (key[1] != "removed" or key[0] == CACHE)]
    for key in wrong:
        print("%s: %d bytes, the picture says %d" % (key, right[key], said[key]))
    print("%d sums of bytes" % len(said))
    return len(wrong) + check_files(right, said, files)


def check_files(right, said, files):
    """The most used first. Of files without a row it is not known what was removed."""
    shown, left = dict.fromkeys(key[0] for key in said if key[0] != CACHE), collections.Counter()
    for (file, _), size in right.items():
        if file not in files:
            left[file] += size
    sizes = [sum(size for (file, _), size in said.items() if file == name) for name in shown]
    least = sizes[-1] if sizes else 0
    wrong = [name for name in left if left[name] > least]
    print("\n".join("%s: without a row" % name for name in wrong), end="\n" if wrong else "")
    if sizes != sorted(sizes, reverse=True):
        print("files: %s are not in order" % sizes)
        return len(wrong) + 1
    return len(wrong)


def check_programs(root, programs):
    """How many processes a row has."""
    titles = [element.findtext(SVG + "title") or "" for element in root if element.tag == SVG + "text"]
    wrong = [title for title in titles if "\u00d7" in title and
             programs.count(row_of(title)[:-1]) != int(title[title.rindex("\u00d7") + 1:])]
    print("\n".join("%s: so many processes?" % title for title in wrong), end="\n" if wrong else "")
    return len(wrong)


def check_choice(keys, rows, programs):
    """If a program of several processes has a row, each one has."""
    ran, left = collections.Counter(), collections.Counter()
    folded = any(key[0] == "thread" and key[1].endswith(" ") for key in keys)
    for row in rows:
        if row["kind"] != "run":
            continue
        many = folded and programs.count(programs.of(row)) > 1
        for who in ("CPU", row["cpu"]), ("thread", programs.rows_of(row)[many]):
            (ran if who in keys else left)[who] += int(row["end_ns"]) - int(row["start_ns"])
    least = {sort: min(ran[key] for key in keys if key[0] == sort) for sort in {key[0] for key in keys}}
    wrong = [who for who in left if left[who] > least.get(who[0], left[who])]
    print("\n".join("%s %s: without a row" % who for who in wrong), end="\n" if wrong else "")
    return len(wrong)


def scale(who, areas, right):
    """How much lower than a thread's the boxes of a program are; sleep is behind them, as high as the row."""
    keys = [key for key in right if key[:2] == who and key[2] != "sleep"]
    if who[0] == "CPU" or not who[1].endswith(" ") or not sum(areas[key] for key in keys):
        return 1
    return sum(right[key] for key in keys) / sum(areas[key] for key in keys)


def main():
    root = tree.parse(sys.argv[1]).getroot()
    length = int(sys.argv[3])
    columns = (int(root.get("viewBox").split()[2]) - LEFT - RIGHT) // COLUMN
    areas, said, keys = collections.Counter(), collections.Counter(), set()
    for key, boxes, ns in shown(root):
        areas[key] += boxes
        said[key] += ns
        keys.add(key[:2])
    with open(sys.argv[2], encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    programs = Programs(rows)
    right = truth(rows, programs, {key[2] for key in said if key[0] == "CPU"} - {"others"})
    bad = check_lines(root, rows, columns, length, programs) + check_programs(root, programs) + \
        check_choice(keys, rows, programs)
    if len(sys.argv) > 4:
        bad += check_uses(root, rows, sys.argv[4])
    for key in sorted(k for k in right.keys() | said.keys() if k[:2] in keys):
        height = HEIGHTS[key[0]]
        unit = length / (columns * COLUMN * height)
        factor = max(scale(key[:2], areas, right) / unit, 1) if key[1].endswith(" ") else 1
        ns = right[key] if factor > 1 and key[2] == "sleep" else areas[key] * unit * factor
        # Each edge is rounded; the programs of a CPU have one each.
        near = length / height * (12 if key[0] == "CPU" else factor)
        if said[key] != right[key] or abs(ns - right[key]) > near:
            print("%s: %d ns, the picture says %d, its boxes %d" % (key, right[key], said[key], ns))
            bad += 1
    print("%d rows, %d wrong" % (len(keys), bad))
    sys.exit(1 if bad or not keys else 0)


if __name__ == "__main__":
    main()

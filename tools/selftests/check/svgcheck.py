#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""svgcheck.py PICTURE TABLE LENGTH - are the boxes of a picture what happened?

TABLE is what the tracer csv writes of the same time, which is LENGTH ns. For each thread and CPU of
the picture, the sums that it says must be those of its runs and waits, to the ns, and the areas of
its boxes to half a unit of height at each edge. A CPU's sums are by program, as far as those have names.
"""
import collections
import csv
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
LEFT, RIGHT, COLUMN = 1900, 300, 10
HEIGHTS = {"CPU": 230, "thread": 170}
WAITS = {"sleep": "sleep", "idle kernel thread": "sleep", "disk sleep": "disk"}


def state(row):
    if row["kind"] == "run":
        return "run"
    if row["kind"] == "unknown":
        return "unknown"
    if row["what"].startswith("run queue"):
        return "queue"
    return WAITS.get(row["what"], "other")


def truth(path, programs):
    """By CPU and program, too; those that the picture does not name are its others."""
    sums = collections.Counter()
    with open(path, encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    lives = collections.defaultdict(list)
    for row in rows:
        if row["kind"] == "process":
            lives[row["pid"]].append((int(row["start_ns"]), int(row["end_ns"]), row["what"]))
    for row in rows:
        start, end = int(row["start_ns"]), int(row["end_ns"])
        if row["kind"] not in ("run", "wait", "unknown"):
            continue
        sums["thread", row["tid"], state(row)] += end - start
        if row["kind"] == "run":
            name = next((what for begin, stop, what in lives[row["pid"]] if begin <= start and end <= stop),
                        None)
            sums["CPU", row["cpu"], name if name in programs else "others"] += end - start
    return sums


def area(path):
    boxes = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", path)
    assert "".join("M%s %sh%sv%sh-%sz" % box for box in boxes) == path, path
    return sum(int(width) * int(height) for _, _, width, height, _ in boxes)


def shown(root):
    """Yields sort, number, kind, area, ns."""
    sort, number = None, None
    for element in root:
        title = element.find(SVG + "title")
        text = title.text if title is not None else ""
        if element.tag == SVG + "text" and element.get("class") == "h":
            sort = re.sub("s$", "", element.text.split()[-1])
        elif element.tag == SVG + "text" and text:
            number = text.split()[-1]
        elif text and sort in HEIGHTS and element.get("class") not in ("read", "write", "call", "fault",
                                                                       "loss"):
            kind = element.get("class") if sort == "thread" else text[:text.rindex(": ")]
            seconds = re.search(r": (\d+)\.(\d{9}) s$", text)
            yield (sort, number, kind), area(element.get("d")), int(seconds[1] + seconds[2])


def main():
    root = tree.parse(sys.argv[1]).getroot()
    length = int(sys.argv[3])
    columns = (int(root.get("viewBox").split()[2]) - LEFT - RIGHT) // COLUMN
    areas, said, keys = collections.Counter(), collections.Counter(), set()
    for key, boxes, ns in shown(root):
        areas[key] += boxes
        said[key] += ns
        keys.add(key[:2])
    right, bad = truth(sys.argv[2], {key[2] for key in said if key[0] == "CPU"} - {"others"}), 0
    for key in sorted(k for k in right.keys() | said.keys() if k[:2] in keys):
        height = HEIGHTS[key[0]]
        ns = areas[key] * length / (columns * COLUMN * height)
        # Each edge is rounded; the programs of a CPU have one each.
        near = length / height * (12 if key[0] == "CPU" else 1)
        if said[key] != right[key] or abs(ns - right[key]) > near:
            print("%s: %d ns, the picture says %d, its boxes %d" % (key, right[key], said[key], ns))
            bad += 1
    print("%d rows, %d wrong" % (len(keys), bad))
    sys.exit(1 if bad or not keys else 0)


if __name__ == "__main__":
    main()

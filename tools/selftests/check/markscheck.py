#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""markscheck.py TRACE OUT [PID/TID...] - compare the marks in a picture with a merged ovni trace

TRACE is an ovni trace that was merged, OUT a picture of the same run: a trace for Perfetto, a
page, or an SVG beside that page. Of TRACE each mark that an application declared is played, by the rules of ovni: OM[ and OM]
are a stack, OM= is a single value, 0 is none, and a thread that ends, ends its marks. The threads
named are not in the capture, and must not be in the picture. Prints how many values it compared.

A trace for Perfetto has each value from its beginning to its end, below its thread; a page has
the innermost one, with sums, an SVG its sums.
"""
import base64
import json
import re
import struct
import sys
import xml.etree.ElementTree as tree
from collections import Counter

from htmlcheck import items, script
from ovnitrace import stream_events, streams
from perfettoread import Trace
from svgcheck import COLUMN, LEFT, RIGHT, SVG, area

MARK_X, MARK_HEIGHT = "390", 200
NAMED, OTHERS = 7, "other values"     # CHOICE_COLORS - 1 of the decoder


def differ(what, here, there):
    here, there = Counter(here), Counter(there)
    assert here == there, f"{what}: only in the picture {list((here - there).items())[:5]}, " \
        f"only in the trace {list((there - here).items())[:5]}"


class Mark:
    """A mark of a thread, as it is played."""

    def __init__(self, texts):
        self.texts, self.stack, self.since = texts, [], None
        self.slices, self.innermost = [], []

    def show(self, ns):
        if self.stack and ns > self.since:
            self.innermost.append((self.stack[-1][0], self.since, ns))
        self.since = ns

    def push(self, ns, value):
        self.show(ns)
        self.stack.append((self.texts.get(str(value), str(value)), ns))

    def pop(self, ns):
        self.show(ns)
        if self.stack:
            text, start = self.stack.pop()
            self.slices.append((text, start, ns))


def declared_in(path):
    """Title, whether it shows functions, and texts of each mark that any stream declares."""
    found = {}
    for _, ovni in streams(path):
        for number, mark in ovni.get("mark", {}).items():
            if mark.get("ovnik", "function") == "function":
                texts = found.setdefault(int(number), (mark["title"], "ovnik" in mark, {}))[2]
                for value, text in mark.get("labels", {}).items():
                    texts.setdefault(value, text)
    return found


def played(where, declared):
    """The marks of a stream."""
    marks = {number: Mark(texts) for number, (_, _, texts) in declared.items()}
    for _, ns, mcv, payload, _ in stream_events(where):
        if mcv == "OHe":
            for mark in marks.values():
                while mark.stack:
                    mark.pop(ns)
        if mcv[:2] != "OM":
            continue
        value, number = struct.unpack("<qi", payload)
        mark = marks.get(number)
        if mark and mcv in ("OM]", "OM="):
            mark.pop(ns)
        if mark and (mcv == "OM[" or mcv == "OM=" and value):
            mark.push(ns, value)
    return [(declared[number][:2], mark) for number, mark in marks.items()]


def read_trace(path, absent):
    declared = declared_in(path)
    for where, ovni in streams(path):
        if ovni["tid"] > 0 and f"{ovni['pid']}/{ovni['tid']}" not in absent:
            for what, mark in played(where, declared):
                yield (ovni["pid"], ovni["tid"], *what), mark


def check_perfetto(path, marks):
    with open(path, "rb") as f:
        trace = Trace(f.read())
    have = []
    for uuid, start, end, category, text, _ in trace.slices:
        if category not in ("mark", "function"):
            continue
        track = trace.tracks[uuid]
        thread = trace.tracks[track[5]][4]
        have.append(((thread[1], thread[2], track[2], category == "function"), text, start, end))
    want = [(who, *part) for who, mark in marks for part in mark.slices]
    differ("values", have, want)
    return len(want)


def page_marks(path):
    """Who, text, start and end of each value, which must all be alone; and the sums it says."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = json.loads(script(text, "data"))
    data = base64.b64decode(script(text, "lanes"), validate=True)
    begin, threads = int(page["begin"]), page["threads"]
    for nr, title, ns, *lane in page["marks"]:
        thread = threads[nr - 1]
        who = (page["processes"][thread[0] - 1][0], thread[1], title)
        parts = [(who, page["values"][key - 1], begin + start, begin + end)
                 for start, end, mix, [(key, *_)] in items(data, *lane)]
        assert ns == sum(end - start for *_, start, end in parts), f"sum of {who}"
        yield from parts
    yield begin, begin + page["length"]


def check_page(path, marks):
    """What is before and after the capture is not there."""
    *have, (begin, end) = page_marks(path)
    want = [(who[:3], text, max(start, begin), min(stop, end)) for who, mark in marks
            for text, start, stop in mark.innermost if stop > begin and start < end]
    differ("values", have, want)
    return len(want)


def svg_rows(root):
    """TID, title, text, area and ns of what is in the rows of marks, and the TIDs of all threads."""
    tid = title = None
    for element in root.iter():
        said = element.findtext(SVG + "title")
        if element.tag == SVG + "text" and said:
            title = said if element.get("x") == MARK_X else None
            tid = tid if title else said.split()[-1]
            yield (tid, title), None, 0, 0
        elif element.tag == SVG + "path" and said and title and element.get("class") != "loss":
            seconds = re.search(r"(.*): (\d+)\.(\d{9}) s$", said, re.S)
            yield (tid, title), seconds[1], area(element.get("d")), int(seconds[2] + seconds[3])


def fold_rest(have, want):
    """Values without a color of their own are "other values"; none of them is shown longer."""
    longest, named = Counter(), {key[1:] for key in have if key[2] != OTHERS}
    for key, ns in want.items():
        longest[key[1:]] += ns
    rest = set(longest) - named
    assert len(named) == min(NAMED, len(longest)), f"{len(named)} values of {len(longest)} are named"
    least = min((longest[value] for value in named), default=0)
    assert all(longest[value] <= least for value in rest), "a value that is shown longer has no name"
    folded = Counter()
    for (tid, title, text), ns in want.items():
        folded[tid, title, OTHERS if (title, text) in rest else text] += ns
    return folded


def check_svg(path, marks):
    """Sums of each thread, mark and text; the boxes have them to half a unit at each edge."""
    root = tree.parse(path).getroot()
    length = int(root.findtext(SVG + "title").split()[1].replace(".", ""))
    columns = (int(root.get("viewBox").split()[2]) - LEFT - RIGHT) // COLUMN
    with open(path[:-3] + "html", encoding="utf-8") as f:
        begin = int(json.loads(script(f.read(), "data"))["begin"])
    have, boxes, want, tids = Counter(), Counter(), Counter(), set()
    for (tid, title), text, units, ns in svg_rows(root):
        tids.add(tid)
        if title and text is not None:
            have[tid, title, text] += ns
            boxes[tid, title, text] += units
    for who, mark in marks:
        for text, start, end in mark.innermost:
            ns = min(end, begin + length) - max(start, begin)
            if str(who[1]) in tids and ns > 0:
                want[str(who[1]), who[2], text] += ns
    want = fold_rest(have, want)
    assert have == want, f"the picture says {have}, should be {want}"
    for key, units in boxes.items():
        off = units * length / (columns * COLUMN * MARK_HEIGHT) - want[key]
        assert abs(off) <= length / MARK_HEIGHT * 12, f"{key}: the boxes are {off} ns off"
    return len(want)


def main(trace, picture, *absent):
    marks = list(read_trace(trace, absent))
    checks = {"html": check_page, "svg": check_svg}
    print(f"values={checks.get(picture.split('.')[-1], check_perfetto)(picture, marks)}")


if __name__ == "__main__":
    main(*sys.argv[1:])

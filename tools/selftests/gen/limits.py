#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""limits.py DIR NAME VALUE - make an input that has VALUE of what the limit NAME is about

The input is DIR/input: a copy of the capture DIR/good, a trace of an application, or a file.
"""
import json
import os
import shutil
import struct
import subprocess
import sys

import ovniwrite

OVNI = {
    "lib": {"version": "1.14.0", "commit": "test"}, "part": "thread", "tid": 300, "pid": 300,
    "loom": "gen.1", "app_id": 1, "finished": 1, "loom_cpus": [{"index": 0, "phyid": 0}],
    "require": {"ovni": "1.1.0"},
}
MARK = {"5": {"title": "x", "chan_type": "stack"}}
BEGIN = ovniwrite.encode(10, "OHx", struct.pack("<iiQ", 0, -1, 0))
END = ovniwrite.encode(10 ** 6, "OHe")


class Trace:
    """A trace of one thread."""

    def __init__(self, root):
        self.root = root
        self.where = ovniwrite.folder(root, "gen.1", 300, 300)

    def save(self, data=BEGIN + END, ovni=(), **others):
        ovniwrite.save(self.where, {**OVNI, **dict(ovni)}, data, **others)

    def text(self):
        with open(self.where + "/stream.json", encoding="utf-8") as file:
            return file.read()

    def json_bytes(self, nr):
        self.save()
        text = self.text()
        with open(self.where + "/stream.json", "a", encoding="utf-8") as file:
            file.write(" " * (nr - len(text)))

    def json_values(self, nr):
        """As the reader counts them; the last one is no longer allowed."""
        self.save(x=[])
        left = nr - 1 - sum(self.text().count(c) for c in ",{[")
        shutil.rmtree(self.root)
        self.save(x=[0] * (left + 1))

    def json_depth(self, nr):
        lists = []
        for _ in range(nr - 2):
            lists = [lists]
        self.save(x=lists)

    def jumbo(self, size):
        """Sparse."""
        head = ovniwrite.encode(20, "Zab", b"", True)[:-4] + struct.pack("<I", size)
        self.save(BEGIN + head)
        with open(self.where + "/stream.obs", "r+b") as file:
            file.seek(size, os.SEEK_END)
            file.write(END)

    def stack(self, nr):
        marks = [(20 + i, "OM[", i + 1) for i in range(nr)]
        marks += [(20 + nr + i, "OM]", nr - i) for i in range(nr)]
        data = b"".join(ovniwrite.encode(clock, mcv, struct.pack("<qi", value, 5))
                        for clock, mcv, value in marks)
        self.save(BEGIN + data + END, {"mark": MARK})

    def offsets(self, lines):
        self.save()
        with open(self.root + "/clock-offsets.txt", "w", encoding="utf-8") as file:
            file.write("rank host median mean std\n" + lines)

    def offset_rows(self, nr):
        self.offsets("0 gen 0 0 0\n" + "".join(f"{i} h{i} 0 0 0\n" for i in range(1, nr)))

    def offset_bytes(self, nr):
        self.offsets("0 gen 0 0 0\n".rjust(nr))

    def counters(self, nr):
        hwc = {str(i): {"name": f"counter {i}"} for i in range(nr)}
        self.save(ovni={"require": {"ovni": "1.1.0", "nosv": "2.7.0"}}, nosv={"hwc": hwc})

    def mark_type(self, nr):
        """Types begin with 0."""
        self.save(ovni={"mark": {str(nr - 1): MARK["5"]}})

    def label(self, length):
        """Of a title, and of a value."""
        self.save(ovni={"mark": {"5": {"title": "x" * length, "chan_type": "stack",
                                       "labels": {"1": "y" * length}}}})

    def values(self, nr):
        """Of a mark, without a text."""
        mark = {"5": {"title": "x", "chan_type": "single"}}
        self.save(BEGIN + b"".join(
            ovniwrite.encode(20 + i, "OM=", struct.pack("<qi", i + 1, 5)) for i in range(nr)) + END,
            {"mark": mark})

    def regions(self, nr):
        """One that goes back over so many others."""
        data = b""
        for clock in [10000 + 10 * i for i in range(nr)]:
            data += ovniwrite.encode(clock, "OU[") + ovniwrite.encode(clock, "OB.") + \
                ovniwrite.encode(clock, "OU]")
        last = 10000 + 10 * nr
        data += ovniwrite.encode(last, "OU[") + ovniwrite.encode(9999, "OB.") + \
            ovniwrite.encode(last, "OU]")
        self.save(data)

    def unsorted(self, size):
        """So many bytes of events in a region."""
        event = ovniwrite.encode(5, "OB.")
        rest = size - len(event) - 4 * 16
        head = ovniwrite.encode(6, "Zab", b"", True)[:-4]
        jumbos = [rest - 3 * (rest // 4)] + 3 * [rest // 4]
        self.save(ovniwrite.encode(10, "OU[") + event + b"".join(
            head + struct.pack("<I", length) + bytes(length) for length in jumbos) +
            ovniwrite.encode(20, "OU]"))


class Capture:
    """A copy of a capture without CRC."""

    def __init__(self, root, good):
        shutil.copytree(good, root)
        self.root = root
        with open(root + "/meta.json", encoding="utf-8") as file:
            self.meta = json.load(file)

    def save(self):
        with open(self.root + "/meta.json", "w", encoding="utf-8") as file:
            json.dump(self.meta, file)

    def patch(self, number, form, offset, value):
        path = f"{self.root}/cpu{number}.ovk"
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(struct.pack(form, value))

    def json_bytes(self, nr):
        os.truncate(self.root + "/meta.json", nr)

    def cpus(self, nr):
        """Numbers begin with 0."""
        self.meta["cpus"][1].update(cpu=nr - 1, file=f"cpu{nr - 1}.ovk")
        os.rename(self.root + "/cpu1.ovk", f"{self.root}/cpu{nr - 1}.ovk")
        self.patch(nr - 1, "<H", 12, nr - 1 & 0xffff)
        self.save()

    def pids(self, nr):
        self.meta["filter"] = {"pids": list(range(1, nr + 1))}
        self.save()

    def event(self, number=200, fields=1, size=136):
        self.meta["events"].append({"name": "strange", "number": number, "size": size, "fields": [
            {"name": f"field{i}", "type": "u32", "offset": 8 + 4 * i, "size": 4, "unit": "number"}
            for i in range(fields)]})
        self.save()

    def subbuf(self, size):
        self.patch(1, "<I", 64, size)

    def tid(self, tid):
        """One record is left of CPU 1."""
        event = next(event for event in self.meta["events"] if event["name"] == "sched_switch")
        field = next(field for field in event["fields"] if field["name"] == "next_tid")
        hostile = os.path.dirname(os.path.realpath(__file__)) + "/hostile.py"
        subprocess.run([hostile, self.root, "only", "sched_switch", str(event["size"])], check=True)
        with open(self.root + "/cpu1.ovk", "rb") as file:
            header, = struct.unpack("<H", file.read(12)[10:])
        self.patch(1, "<I", header + field["offset"], tid)


def deep(work, nr):
    """A trace that is replaced has so many directories in each other, and the capture is sound."""
    shutil.copytree(work + "/good", work + "/input")
    os.makedirs(work + "/out/ovni" + "/loom.gen" * nr)


def accesses(work, nr):
    """Wide references: an instruction, and what it loads."""
    with open(work + "/input", "wb") as file:
        file.write(struct.pack("<BQBIQ", ord("I"), 1000, 4, 1, 0x401000))
        file.write(struct.pack("<BQBIQ", ord("R"), 1000, 1, 1, 0x5000) * nr)


def memory(work, nr):
    """Files of ovnik-merge --stat, the first one of so many bytes."""
    os.mkdir(work + "/input")
    with open(work + "/input/miss-ratio.csv", "w", encoding="utf-8") as file:
        file.write("pid,name,pages,misses,references,ratio\n".ljust(nr - 1, "\n") + "\n")
    with open(work + "/input/working-set.csv", "w", encoding="utf-8") as file:
        file.write("begin,end,references,pages,user_pages,file_pages\n")


def main():
    work, name, value = sys.argv[1], sys.argv[2], int(sys.argv[3])
    root = work + "/input"
    trace = Trace(root)
    traces = {
        "JSON_FILE_MAX": trace.json_bytes, "JSON_VALUES": trace.json_values,
        "JSON_DEPTH": trace.json_depth, "OVNI_STREAM_JUMBO_MAX": trace.jumbo,
        "OVNI_STACK_MAX": trace.stack, "OFFSETS_MAX": trace.offset_rows,
        "OFFSETS_LINE_MAX": trace.offset_bytes, "NOSV_MAX_COUNTERS": trace.counters,
        "OVNI_MARK_TYPES": trace.mark_type, "OVNI_LABEL_MAX": trace.label,
        "MARKS_UNNAMED": trace.values,
        "MERGE_REGIONS_AHEAD": trace.regions, "MERGE_SORT_BYTES": trace.unsorted,
    }
    if name in traces:
        traces[name](value)
        return
    others = {"EMPTY_DEPTH_MAX": deep, "STAT_TEXT_MAX": memory, "INSN_ACCESSES_MAX": accesses}
    if name in others:
        others[name](work, value)
        return
    capture = Capture(root, work + "/good")
    {
        "META_MAX_BYTES": capture.json_bytes, "META_CPUS_MAX": capture.cpus,
        "BUNDLE_CPUS_MAX": capture.cpus, "META_PIDS_MAX": capture.pids,
        "EVENT_FIELDS_MAX": lambda nr: capture.event(fields=nr),
        "EVENT_NUMBERS": lambda nr: capture.event(number=nr - 1),
        "OVNIK_REC_MAX": lambda nr: capture.event(size=nr), "OVNIK_SUBBUF_MAX": capture.subbuf,
        "KNOWN_TID_MAX": capture.tid,
    }[name](value)


main()

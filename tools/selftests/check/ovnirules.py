#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovnirules.py TRACE - would upstream's emulator take the marks of this trace?

Written from what upstream demands, not from our emulator: every mark is declared,
within limits, has 12 bytes and another value than 0; OM[ and OM] are on stacks, OM= is
not; OM] names what is on top; nothing of the O and V models comes between KCO and KCI,
and no mark, nor event of a runtime, of a thread that is not running; threads run, rest
and end in an order that can be, and end; clocks do not go back, and no unsorted region
is left. Prints how many marks of each kind there are.
"""
import collections
import os
import struct
import sys

from ovnitrace import stream_events, streams

TITLE_MAX = 512
LABEL_MAX = 512


def fail(where, what):
    sys.exit(f"{where}: {what}")


def merge_mark(path, kind, known, mark):
    """Streams may each have other labels, but not another one for the same value."""
    labels = mark.get("labels", {})
    if {**known, "labels": 0} != {**mark, "labels": 0}:
        fail(path, f"mark {kind} is declared twice")
    for value, text in labels.items():
        if known["labels"].setdefault(value, text) != text:
            fail(path, f"mark {kind}: value {value} has two labels")
        if len(text) >= LABEL_MAX:
            fail(path, f"mark {kind}: the label of {value} is too long")


def declare(marks, path, declared):
    for key, mark in declared.items():
        kind = int(key)
        if not 0 <= kind < 100 or str(kind) != key:
            fail(path, f"mark {key}")
        if not 0 < len(mark["title"]) < TITLE_MAX or mark["chan_type"] not in ("single", "stack"):
            fail(path, f"mark {key}: {mark}")
        for value, text in mark.get("labels", {}).items():
            if int(value) == 0 or not text:
                fail(path, f"mark {key}: label {value}")
        merge_mark(path, kind, marks.setdefault(kind, {**mark, "labels": {}}), mark)


class Thread:
    """What upstream's emulator keeps of one."""

    def __init__(self, marks):
        self.marks = marks
        self.running = False
        self.alive = False
        self.out = False
        self.stacks = collections.defaultdict(list)

    def mark(self, how, payload):
        if len(payload) != 12:
            return "payload"
        value, kind = struct.unpack("<qi", payload)
        if kind not in self.marks:
            return f"mark {kind} is not declared"
        if not value:
            return "value 0"
        if not self.running:
            return "not running"
        stack = self.stacks[kind]
        if (how == "=") != (self.marks[kind]["chan_type"] == "single"):
            return f"mark {kind} is a {self.marks[kind]['chan_type']}"
        if how == "[":
            stack.append(value)
        elif how == "]" and (not stack or stack.pop() != value):
            return f"mark {kind}: {value} is not on top"
        return None

    def event(self, mcv, payload):
        if mcv[0] in "OV" and self.out:
            return "out of the CPU"
        if mcv[0] in "V6DPMT" and not self.running:
            return "not running"
        if mcv[:2] == "OU":
            return "not sorted"
        if mcv in ("KCO", "KCI"):
            if self.out == (mcv == "KCO"):
                return "out or in twice"
            self.out = mcv == "KCO"
        elif mcv in ("OHx", "OHr"):
            if self.running or self.alive == (mcv == "OHx"):
                return "runs twice, or has another life"
            self.running = self.alive = True
        elif mcv in ("OHp", "OHe"):
            if not self.running:
                return "does not run"
            self.running = False
            self.alive = mcv == "OHp"
        elif mcv[:2] == "OA" and not self.running:
            return "goes to a CPU without running"
        elif mcv[:2] == "OM":
            return self.mark(mcv[2], payload)
        return None


def check(where, marks, seen):
    path = os.path.join(where, "stream.obs")
    thread = Thread(marks)
    before = 0
    for at, clock, mcv, payload, _ in stream_events(where):
        wrong = thread.event(mcv, payload)
        if clock < before:
            wrong = "the clock goes back"
        if wrong:
            fail(path, f"offset {at}: {mcv} at {clock}: {wrong}")
        before = clock
        if mcv[:2] == "OM":
            seen[(struct.unpack_from("<i", payload, 8)[0], mcv)] += 1
    if thread.alive:
        fail(path, "the thread has not ended")
    for kind, stack in thread.stacks.items():
        if stack:
            fail(path, f"mark {kind} is still open in the end: {stack}")


def main():
    marks, seen = {}, collections.Counter()
    found = streams(sys.argv[1])
    if not found:
        fail(sys.argv[1], "there is no stream")
    for where, ovni in found:
        declare(marks, os.path.join(where, "stream.json"), ovni.get("mark", {}))
    for where, _ in found:
        check(where, marks, seen)
    for kind in sorted({kind for kind, _ in seen} ^ marks.keys()):
        fail(sys.argv[1], f"mark {kind} is declared and not used")
    for (kind, mcv), n in sorted(seen.items()):
        print(kind, mcv, n)


main()

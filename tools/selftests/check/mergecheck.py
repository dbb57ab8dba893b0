#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mergecheck.py APP PLAIN MERGED MOVED FARTHEST [--views] - is a merged trace both of them?

With "-" for APP, what XRay's logs give (marks 91 and 92) is taken for the application's,
and not looked at.

APP is the trace of an application, PLAIN the output of ovnik-decode without it and MERGED
the one with it. The capture must have all of the application's threads, from their
beginning to their end.

* Every event of the application is there once, sorted, unchanged, but those about where
  a thread runs. MOVED of them have another clock, by FARTHEST ns at most.
* Without them each thread's stream is the one of PLAIN, down to the clock.
* With --views: thread.prv and cpu.prv show the kernel's types as those of PLAIN do, and
  the application's marks as a small model of theirs says.
"""
import collections
import os
import struct
import sys

import ovnitrace
import prvcmp

Event = collections.namedtuple("Event", "clock mcv payload")
XRAY_MARKS = {91, 92}
LEFT_OUT = ("OH", "OA", "OC", "KC", "OU")
# Amounts, which last for 1 ns: an event of the application may take that from them.
AMOUNTS = {303, 304, 305, 307, 308, 309, 310, 311}


def fail(*what):
    sys.exit("mergecheck.py: " + " ".join(map(str, what)))


def read_trace(path):
    """Events by (pid, tid), and what marks there are by number."""
    streams, marks = {}, {}
    for where, ovni in ovnitrace.streams(path):
        who = ovni["pid"], ovni["tid"]
        if who in streams:
            fail(path, who, "has two streams")
        streams[who] = [Event(e.clock, e.mcv, e.payload)
                        for e in ovnitrace.stream_events(where)]
        marks.update({int(kind): mark for kind, mark in ovni.get("mark", {}).items()})
    return streams, marks


def mark_kind(event):
    return struct.unpack_from("<i", event.payload, 8)[0]


class Merged:
    """A merged trace, taken apart again."""

    def __init__(self, path, app_marks):
        self.streams, marks = read_trace(path)
        self.app_marks = app_marks
        self.ours = {kind: mark["ovnik"] for kind, mark in marks.items() if "ovnik" in mark}
        for kind, mark in app_marks.items():
            if marks.get(kind) != mark:
                fail(path, "mark", kind, "is", marks.get(kind), "and not", mark)

    def of_app(self, event):
        if event.mcv[:2] == "OM" and not self.app_marks:
            return mark_kind(event) in XRAY_MARKS
        if event.mcv[:2] == "OM":
            return mark_kind(event) not in self.ours
        return event.mcv[:2] not in LEFT_OUT


def check_app(who, want, got, seen):
    want = [e for e in sorted(want, key=lambda e: e.clock) if e.mcv[:2] not in LEFT_OUT]
    if len(want) != len(got):
        fail(who, len(got), "events of the application instead of", len(want))
    for a, b in zip(want, got):
        if (a.mcv, a.payload) != (b.mcv, b.payload):
            fail(who, b, "instead of", a)
        by = abs(a.clock - b.clock)
        seen["moved"] += by > 0
        seen["farthest"] = max(seen["farthest"], by)
    return len(want)


def by_key(event, keys):
    """The same whatever number our mark has."""
    if event.mcv[:2] != "OM":
        return event
    return event._replace(payload=(keys[mark_kind(event)], event.payload[:8]))


def check_kernel(who, want, got, keys_want, keys_got):
    want = [by_key(e, keys_want) for e in want]
    got = [by_key(e, keys_got) for e in got]
    for a, b in zip(want, got):
        if a != b:
            fail(who, b, "instead of", a)
    if len(want) != len(got):
        fail(who, len(got), "events of the kernel instead of", len(want))


def check_streams(app, plain, merged, limits):
    keys = {kind: mark["ovnik"] for kind, mark in plain[1].items()}
    seen = {"moved": 0, "farthest": 0}
    total = 0
    if plain[0].keys() != merged.streams.keys():
        fail("threads differ:", plain[0].keys() ^ merged.streams.keys())
    for who, stream in merged.streams.items():
        theirs = [e for e in stream if merged.of_app(e)]
        rest = [e for e in stream if not merged.of_app(e)]
        if app:
            total += check_app(who, app.get(who, []), theirs, seen)
        else:
            total += len(theirs)
        check_kernel(who, plain[0][who], rest, keys, merged.ours)
    if app and (seen["moved"], seen["farthest"]) != limits:
        fail("moved", seen, "and not", limits)
    if not app.keys() <= merged.streams.keys():
        fail("threads are missing:", app.keys() - merged.streams.keys())
    return total


def mark_steps(stream, merged, begin):
    """What each mark of the application shows on the thread's row: [(time, value)]."""
    active = False
    value = dict.fromkeys(merged.app_marks, ())
    steps = {kind: [] for kind in value}
    for event in stream:
        if event.mcv in ("OHx", "OHr"):
            active = True
        elif event.mcv in ("OHp", "OHe"):
            active = False
        elif event.mcv[:2] == "OM" and mark_kind(event) in value:
            number = struct.unpack_from("<q", event.payload)[0]
            kind = mark_kind(event)
            value[kind] = {"[": value[kind] + (number,), "]": value[kind][:-1],
                           "=": (number,)}[event.mcv[2]]
        for kind, step in steps.items():
            now = value[kind][-1] if active and value[kind] else 0
            if step and step[-1][0] == event.clock - begin:
                step.pop()
            if not step or step[-1][1] != now:
                step.append((event.clock - begin, now))
    return steps


def is_kernels(kind):
    return kind not in (7, 315) and not 100 <= kind < 300 and kind not in AMOUNTS


def check_views(app, plain, out, merged):
    for name in "thread.prv", "cpu.prv":
        a = prvcmp.read_prv(os.path.join(plain, name))
        b = prvcmp.read_prv(os.path.join(out, name))
        if a[:2] != b[:2]:
            fail(name, b[:2], "instead of", a[:2])
        want, got = ({key: step for key, step in steps.items() if is_kernels(key[1])}
                     for steps in (a[2], b[2]))
        for difference in prvcmp.compare_steps(name, want, got):
            fail(difference)
    _, _, got = prvcmp.read_prv(os.path.join(out, "thread.prv"))
    begin = min(stream[0].clock for stream in merged.streams.values() if stream)
    for row, who in enumerate(sorted(merged.streams), 1):
        if who not in app:
            continue
        for kind, step in mark_steps(merged.streams[who], merged, begin).items():
            if got.get((row, 100 + kind)) != step:
                fail("thread.prv:", who, "mark", kind, "is not what it should be")


def main():
    app, app_marks = ({}, {}) if sys.argv[1] == "-" else read_trace(sys.argv[1])
    plain = read_trace(os.path.join(sys.argv[2], "ovni"))
    merged = Merged(os.path.join(sys.argv[3], "ovni"), app_marks)
    if not merged.streams or not app and sys.argv[1] != "-":
        fail("there is nothing to compare")
    total = check_streams(app, plain, merged, (int(sys.argv[4]), int(sys.argv[5])))
    if "--views" in sys.argv:
        check_views(app, sys.argv[2], sys.argv[3], merged)
    print(total, "events of", len(app), "threads among those of", len(merged.streams))


main()

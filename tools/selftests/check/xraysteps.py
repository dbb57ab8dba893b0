#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""xraysteps.py OUT DESCRIPTION... - do the rows show the functions of these logs?

DESCRIPTION is what xraymake.py made a log of, whose first line is a comment: how many
values its functions lie above their numbers. The capture is one of gen-merge.c: 2 ticks a
ns, tick 10^9 is ns 5 * 10^9. From the descriptions alone, each record in its turn:

* an exit pops down to its function, if that is there; what a thread has at the end is
  popped at its last record;
* a thread's row of type 315 shows what is on top;
* a CPU's row shows that of the thread which runs there, by the OAs of OUT/ovni.

Prints how many changes there are.
"""
import bisect
import os
import struct
import sys

import ovnitrace
import prvcmp

TYPE = 315


def fail(*what):
    sys.exit("xraysteps.py: " + " ".join(map(str, what)))


def ns_of(tsc):
    return 5 * 10**9 + (tsc - 10**9) // 2


class Calls:
    """A thread's stack, and what it showed when."""

    def __init__(self):
        self.stack = []
        self.steps = []
        self.last = None

    def take(self, tsc, action, value):
        self.last = ns_of(tsc)
        if action in ("enter", "args"):
            self.stack.append(value)
        elif action in ("exit", "tail") and value in self.stack:
            while self.stack.pop() != value:
                pass
        self.show()

    def end(self):
        self.stack = []
        self.show()

    def show(self):
        if self.last is None:
            return
        if self.steps and self.steps[-1][0] == self.last:
            self.steps.pop()
        top = self.stack[-1] if self.stack else 0
        if not self.steps or self.steps[-1][1] != top:
            self.steps.append((self.last, top))


def read_description(path, threads):
    who, base = None, 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if not words or words[0] == "log":
                continue
            if words[0] == "#":
                base = int(words[1])
            elif words[0] == "buffer":
                who = tuple(map(int, words[1].split("/")))
                threads.setdefault(who, Calls())
            elif words[1] in ("enter", "exit", "tail", "args"):
                threads[who].take(int(words[0]), words[1], base + int(words[2]))
            elif words[1] == "event":
                threads[who].last = ns_of(int(words[0]))


def read_streams(path):
    """Threads in the order of rows, their first clocks, and on which CPU each was when."""
    threads, first, places = [], 1 << 63, []
    for where, ovni in ovnitrace.streams(path):
        who = ovni["pid"], ovni["tid"]
        threads.append(who)
        for event in ovnitrace.stream_events(where):
            first = min(first, event.clock)
            if event.mcv == "OAs":
                places.append((event.clock, who, struct.unpack("<i", event.payload)[0]))
            elif event.mcv == "OHe":
                places.append((event.clock, who, -1))
    return threads, first, sorted(places, key=lambda p: p[0])


def value_at(steps, time):
    at = bisect.bisect_right(steps, (time, 1 << 62))
    return steps[at - 1][1] if at else 0


def squeeze(steps):
    """Without what changes nothing, and what lasts for no time."""
    out = []
    for at, value in steps:
        if out and out[-1][0] == at:
            out.pop()
        if not (out and out[-1][1] == value or not out and not value):
            out.append((at, value))
    return out


def cpu_steps(calls, places, cpu):
    steps, here = [], None
    times = sorted({clock for clock, _, _ in places} |
                   {at for call in calls.values() for at, _ in call.steps})
    moves = {}
    for clock, who, where in places:
        moves.setdefault(clock, []).append((who, where))
    for time in times:
        for who, where in moves.get(time, []):
            if where == cpu:
                here = who
            elif here == who:
                here = None
        value = value_at(calls[here].steps, time) if here in calls else 0
        steps.append((time, value))
    return squeeze(steps)


def main():
    calls = {}
    for path in sys.argv[2:]:
        read_description(path, calls)
        for call in calls.values():
            call.end()
    order, first, places = read_streams(os.path.join(sys.argv[1], "ovni"))
    _, _, rows = prvcmp.read_prv(os.path.join(sys.argv[1], "thread.prv"))
    total = 0
    for row, who in enumerate(order, 1):
        want = squeeze(calls[who].steps) if who in calls else []
        got = squeeze([(at + first, value) for at, value in rows.get((row, TYPE), [])])
        if want != got:
            fail("thread", who, "shows", got, "instead of", want)
        total += len(want)
    _, _, rows = prvcmp.read_prv(os.path.join(sys.argv[1], "cpu.prv"))
    for cpu in 0, 1:
        want = cpu_steps(calls, places, cpu)
        got = squeeze([(at + first, value) for at, value in rows.get((cpu + 1, TYPE), [])])
        if want != got:
            fail("CPU", cpu, "shows", got, "instead of", want)
        total += len(want)
    print(total, "changes")


main()

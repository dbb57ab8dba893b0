#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""xraygen.py SEED VERSION [big] - make up the log of what ran in a capture, for xraymake.py

From stdin what ovnidump.py prints of the capture's own trace. Each thread calls functions
while it is on a CPU, by the clock of gen-merge.c; some entries and exits are missing, some
calls are tail calls, and there are custom events.
"""
import random
import sys

from genapp import intervals


def step(rng, stack):
    """What is recorded of the next thing a thread does."""
    if rng.random() < 0.1:
        return "event phase %d" % rng.randint(1, 9)
    if stack and rng.random() < 0.5:
        number = stack.pop()
        return ("tail" if rng.random() < 0.2 else "exit") + f" {number}"
    number = rng.randint(1, 5)
    if len(stack) < 40:
        stack.append(number)
    return ("args" if rng.random() < 0.2 else "enter") + f" {number}"


def main():
    rng = random.Random(int(sys.argv[1]))
    print("# 0")
    print("log", *sys.argv[2:])
    for who, times in intervals().items():
        stack = []
        for begin, end in times:
            clocks = sorted(rng.randint(begin, end) for _ in range(rng.randint(0, 40)))
            if not clocks:
                continue
            print("buffer", who, 10**9 + (clocks[0] - 5 * 10**9) * 2)
            for clock in clocks:
                what = step(rng, stack)
                if rng.random() > 0.15:
                    print(10**9 + (clock - 5 * 10**9) * 2, what)


main()

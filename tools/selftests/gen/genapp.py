#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""genapp.py SEED SHIFT - make up what an application could have written in a capture

From stdin what ovnidump.py prints of the capture's own trace. Each thread writes marks
at any time it is on a CPU, some of them late and in no order, by clocks that are wrong
by SHIFT ns. To stdout, for ovniwrite.py.
"""
import json
import random
import sys

MARK = {"7": {"title": "Made up", "chan_type": "single"}}


def intervals():
    """Per thread, in the order of stdin: [begin, end] on a CPU."""
    threads = {}
    for line in sys.stdin:
        who, clock, mcv, *payload = line.split()
        times = threads.setdefault(who, [])
        if mcv == "OAs" and payload[0] != "-1":
            times.append([int(clock), None])
        elif times and not times[-1][1] and (mcv == "OAs" or mcv == "OHe"):
            times[-1][1] = int(clock)
    return threads


def clocks(rng, times, shift):
    """Nothing before the first interval: there the capture could not know."""
    first = times[0][0]
    for begin, end in times:
        for clock in sorted(rng.randint(begin, end) for _ in range(rng.choice((0, 1, 1, 4)))):
            if clock + shift > first:
                yield clock + shift


def write(who, mcv, clock, value):
    print(who, clock, mcv, value, 0, 7)


def main():
    rng = random.Random(int(sys.argv[1]))
    shift = int(sys.argv[2])
    for who, times in intervals().items():
        if not times:
            continue
        print("!", who, "gen.1", json.dumps({"mark": MARK}))
        late = []
        value = 0
        for clock in clocks(rng, times, shift):
            value += 1
            if rng.random() < 0.1 and len(late) < 20:
                late.append((clock, value))
                continue
            write(who, "OM=", clock, value)
            if late and rng.random() < 0.1:
                print(who, clock, "OU[")
                rng.shuffle(late)
                for event in late:
                    write(who, "OM=", *event)
                print(who, clock, "OU]")
                late = []


if __name__ == "__main__":
    main()

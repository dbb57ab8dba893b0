#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make an ovni trace of any size: threads that take turns on a few CPUs.

Every switch follows the pattern of ovnik's own traces. Out: OAs(-1), OHp,
KCO(reason); in: KCI, OHr, OAs(cpu). With --pinned threads do not migrate: out is
OHp, KCO, in is KCI, OHr. Between two switches a thread may write marks. The same
arguments always give the same trace.
"""
import argparse
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../selftests/gen"))
from ovniwrite import encode, folder, save  # noqa: E402 pylint: disable=wrong-import-position

PID = 1000


class Stream:
    """One thread's stream."""

    def __init__(self, tid, pinned):
        self.tid = tid
        self.pinned = pinned
        self.events = 0
        self.data = bytearray()

    def event(self, clock, mcv, payload=b""):
        self.events += 1
        self.data += encode(clock, mcv, payload)

    def out(self, clock, reason):
        if not self.pinned:
            self.event(clock, "OAs", struct.pack("<i", -1))
        self.event(clock, "OHp")
        self.event(clock, "KCO", struct.pack("<I", reason))

    def back(self, clock, cpu):
        self.event(clock, "KCI")
        self.event(clock, "OHr")
        if not self.pinned:
            self.event(clock, "OAs", struct.pack("<i", cpu))

    def mark(self, clock, value, kind):
        self.event(clock, "OM=", struct.pack("<qi", value, kind))

    def save(self, directory, cpus, marks):
        ovni = {
            "lib": {"version": "1.14.0", "commit": "gen"},
            "part": "thread", "tid": self.tid, "pid": PID, "loom": "gen.0",
            "app_id": 1, "finished": 1,
            "require": {"ovni": "1.1.0", "kernel": "1.0.0"},
        }
        if self.tid == PID:
            ovni["loom_cpus"] = [{"index": i, "phyid": i} for i in range(cpus)]
        if marks:
            ovni["mark"] = {
                str(i): {"title": f"mark {i}", "chan_type": "single"}
                for i in range(marks)
            }
        save(folder(directory, "gen.0", PID, self.tid), ovni, self.data)


def generate(args):
    rnd = random.Random(args.seed)
    streams = [Stream(PID + i, args.pinned) for i in range(args.threads)]
    clock = 10**9
    for i, s in enumerate(streams):
        cpu = i % args.cpus if args.pinned else -1
        s.event(clock, "OHx", struct.pack("<iiQ", cpu, -1, 0))
        clock += 10
        s.out(clock, 9)
        clock += 10
    queues = [list(range(args.threads))]
    if args.pinned:
        queues = [queues[0][i::args.cpus] for i in range(args.cpus)]
    for queue in queues:
        rnd.shuffle(queue)
    running = [None] * args.cpus
    for _ in range(args.switches):
        cpu = rnd.randrange(args.cpus)
        ready = queues[cpu % len(queues)]
        clock += rnd.randrange(100, 3000)
        if running[cpu] is not None:
            s = streams[running[cpu]]
            for _ in range(args.per_slice if args.marks else 0):
                s.mark(clock, rnd.randrange(1, 100), rnd.randrange(args.marks))
                clock += 1
            s.out(clock, rnd.randrange(1, 4))
            ready.append(running[cpu])
            clock += 1
        running[cpu] = ready.pop(rnd.randrange((len(ready) + 1) // 2))
        streams[running[cpu]].back(clock, cpu)
    last = [i for i in running if i is not None]
    for i in last + [i for i in range(args.threads) if i not in last]:
        clock += 10
        if i not in last:
            streams[i].back(clock, -1)
        streams[i].event(clock, "OHe")
    return streams


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--threads", type=int, default=64)
    p.add_argument("--cpus", type=int, default=8)
    p.add_argument("--switches", type=int, default=20000)
    p.add_argument("--marks", type=int, default=0, help="number of mark types")
    p.add_argument("--per-slice", type=int, default=4, help="marks per slice")
    p.add_argument("--pinned", action="store_true", help="no migrations")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("directory")
    args = p.parse_args()
    args.cpus = min(args.cpus, args.threads)
    streams = generate(args)
    for s in streams:
        s.save(args.directory, args.cpus, args.marks)
    print(sum(s.events for s in streams), "events")


if __name__ == "__main__":
    main()

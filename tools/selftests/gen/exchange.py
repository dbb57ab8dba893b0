#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""exchange.py run DIR NAME:SECONDS... - a message goes around, and each node writes down when
exchange.py check DIR TABLE NAME... - is it drawn in that order?

run: each node is a process whose CLOCK_MONOTONIC is SECONDS ahead, in a ring of pipes. It is in the
kernel while it waits for the message: KCO is stamped before it sends, KCI after it has received. The
traces are DIR/NAME. check: in DIR/thread.prv, no message arrives before it was sent, by more than two
nodes may differ with the table of offsets, and none is sent before the one before has arrived, which
is of one clock.
"""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../check")]

from ovniwrite import encode, folder, save
from prvcmp import read_prv

ROUNDS = 300
TYPE_KERNEL = 45    # what the thread is in, of the kernel


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def node(directory, name, at, source, sink):
    """Runs in its namespaces. The first one begins, and has the message at the end."""
    at, source, sink = int(at), int(source), int(sink)
    events = [(now(), "OHx", (0).to_bytes(4, "little") + bytes(12))]
    if at:
        events.append((now(), "KCO", b""))
    for turn in range(ROUNDS):
        if at or turn:
            os.read(source, 1)
            events.append((now(), "KCI", b""))
        events.append((now(), "KCO", b""))
        os.write(sink, b"m")
    if not at:
        os.read(source, 1)
    events += [(now(), "KCI", b""), (now(), "OHe", b"")]
    ovni = {"lib": {"version": "1.14.0", "commit": "test"}, "part": "thread", "tid": 100, "pid": 100,
            "loom": name, "app_id": at + 1, "require": {"ovni": "1.1.0", "kernel": "1.0.0"}, "finished": 1,
            "loom_cpus": [{"index": 0, "phyid": 0}]}
    save(folder(f"{directory}/{name}", name, 100, 100), ovni, b"".join(encode(*e) for e in events))


def run(directory, *nodes):
    pipes = [os.pipe() for _ in nodes]
    running = []
    for at, arg in enumerate(nodes):
        name, seconds = arg.split(":")
        fds = pipes[at - 1][0], pipes[at][1]
        running.append(subprocess.Popen(
            ["unshare", "-u", "-T", "--fork", "--monotonic", seconds, "sh", "-c",
             'hostname "$4" && exec "$0" "$@"', sys.executable, __file__, "node", directory, name, str(at),
             *map(str, fds)], pass_fds=fds))
    return max(process.wait() for process in running)


def times(steps):
    """When it has left the CPU, and when it was there again."""
    out = [t for t, value in steps if value]
    return out, [t for t, value in steps if not value and t > out[0]]


def promised(table):
    """How far two nodes may be apart, by ovnik-sync: ns."""
    with open(table, encoding="utf-8") as lines:
        return int(lines.readline().split("within=")[1])


def check(directory, table, *names):
    within = promised(table)
    steps = read_prv(f"{directory}/thread.prv")[2]
    sent, got = [], []
    for row in range(1, len(names) + 1):
        left, back = times(steps[row, TYPE_KERNEL])
        # What it does before it has the message, and behind the last, is no message.
        sent.append(left[row > 1:])
        got.append(back[:ROUNDS])
    early, least = 0, None
    for turn in range(ROUNDS):
        for at in range(len(names)):
            to = (at + 1) % len(names)
            took = got[to][turn] - sent[at][turn]
            least = took if least is None else min(least, took)
            early += took < -within
            if to or turn + 1 < ROUNDS:
                early += sent[to][turn + (not to)] < got[to][turn]
    print(f"{ROUNDS * len(names)} messages, {early} out of order; the fastest took {least} ns, "
          f"which is right to {within} ns")
    return 3 if early else 0


if __name__ == "__main__":
    sys.exit({"run": run, "node": node, "check": check}[sys.argv[1]](*sys.argv[2:]))

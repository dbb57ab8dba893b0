# SPDX-License-Identifier: GPL-2.0-only
"""emufacts.py - models of user runtimes by ovni-models.txt, and traces that use them"""
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../gen")
import ovniwrite  # noqa: E402 pylint: disable=wrong-import-position

PID, APP, RANK = 100, 3, 5


class Chan:
    """A channel, by the facts."""

    def __init__(self, line):
        (_, self.name, kind, self.kind, self.dup, self.thread, self.cpu, self.flags,
         _) = line.split(" ")
        self.type = int(kind)
        self.label = {}
        self.values = []
        self.init = 100 if self.name == "idle" else 0
        self.cpu_null = 101 if self.name == "idle" else 0

    def shows(self, state):
        """Does a thread's row show it in a state?"""
        return (self.thread == "any" or state == "running" or
                self.thread == "active" and state in ("cooling", "warming"))


class Model:
    """A model, by the facts."""

    def __init__(self, name):
        self.name, self.current = name, None
        self.letter, self.version, self.active = None, None, False
        self.chans = []
        self.events = []
        with open(f"{HERE}/../fixture/ovni-models.txt", encoding="utf-8") as f:
            for line in f:
                self.fact(line.rstrip("\n"))
        self.by_type = {c.type: c for c in self.chans}
        self.by_name = {c.name: c.type for c in self.chans}

    def fact(self, line):
        word = line.split(" ")[0]
        if word == "model":
            _, letter, self.current, version, need, _ = line.split(" ")
            if self.current == self.name:
                self.letter, self.version, self.active = letter, version, need == "active"
        elif word in ("#", "gid", "breakdown") or self.current != self.name:
            return
        elif word == "chan":
            self.chans.append(Chan(line))
        elif word == "label":
            _, _, file, text = line.split(" ", 3)
            self.chans[-1].label[file] = text
        elif word == "value":
            _, kind, value, text = line.split(" ", 3)
            next(c for c in self.chans if c.type == int(kind)).values.append((int(value), text))
        elif word == "event":
            mcv, op, *rest = line.split(" ")[1:]
            self.events.append((mcv, op, *(map(int, rest) if len(rest) == 2 else rest)))


class Trace:
    """An ovni trace being written."""

    def __init__(self, model, threads, cpus):
        self.model, self.cpus = model, cpus
        self.data = [bytearray() for _ in range(threads)]

    def event(self, thread, clock, mcv, payload=b"", jumbo=False):
        self.data[thread] += ovniwrite.encode(clock, mcv, payload, jumbo)

    def save(self, directory, breakdown):
        for i, data in enumerate(self.data):
            ovni = {
                "lib": {"version": "1.14.0", "commit": "x"}, "part": "thread",
                "tid": PID + i, "pid": PID, "loom": "node.0", "app_id": APP, "rank": RANK,
                "nranks": RANK + 1, "finished": 1,
                "require": {"ovni": "1.1.0", self.model.name: self.model.version},
                "loom_cpus": [{"index": c, "phyid": c} for c in range(self.cpus)]}
            others = {"nosv": {"can_breakdown": True}} if breakdown else {}
            ovniwrite.save(ovniwrite.folder(directory, "node.0", PID, PID + i), ovni, data,
                           **others)


def emulate(emu, directory, *options):
    subprocess.run([emu, *options, directory], check=True)


def payload_x(cpu):
    return struct.pack("<iiQ", cpu, -1, 0)

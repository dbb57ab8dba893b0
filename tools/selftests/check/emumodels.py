#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""emumodels.py - drive ovnik-emu with traces of the user runtimes and judge what it draws

	emumodels.py walk EMU MODEL DIR		every event that pushes, pops, sets or is ignored:
						the lines and the PCF are as the facts say
	emumodels.py random EMU MODEL DIR SEED	many threads on few CPUs: the values over time
						are those of a simple emulator here, and the
						rows of the breakdown those of a sort

What a model is comes from ovni-models.txt. Prints the first differences; exit status 1.
"""
import sys

from emufacts import Model, Trace, emulate, payload_x
from emurandom import run_random


class Lines:
    """The lines of one row, in the order in which they are to come."""

    def __init__(self, model, cpu):
        self.model, self.cpu = model, cpu
        self.last = {}
        self.lines = []

    def look(self, chan, time, value):
        null = value is None
        if null:
            value = chan.cpu_null if self.cpu else 0
            null = not value
        if self.last.get(chan.type) == value:
            if chan.flags == "skip-dup" or chan.flags == "skip-dup-null" and null:
                return
        self.last[chan.type] = value
        self.lines.append(f"2:0:1:1:1:{time}:{chan.type}:{value}")


class Walk:
    """One thread on one CPU that does all there is."""

    def __init__(self, model):
        self.model = model
        self.trace = Trace(model, 1, 1)
        self.thread, self.cpu = Lines(model, False), Lines(model, True)
        self.state = {c.type: c.init or None for c in model.chans}
        self.time = 0
        self.trace.event(0, 0, "OHx", payload_x(0))
        self.all(True)

    def all(self, running):
        for c in self.model.chans:
            value = self.state[c.type] if running else None
            if c.thread != "any":
                self.thread.look(c, self.time, value)
            self.cpu.look(c, self.time, value)

    def event(self, mcv, chan=None, value=None):
        self.time += 1
        self.trace.event(0, self.time, mcv)
        if chan:
            self.state[chan.type] = value
            self.thread.look(chan, self.time, value)
            self.cpu.look(chan, self.time, value)

    def stack(self, mcv, kind, value):
        chan = self.model.by_type[kind]
        pop = next(m for m, op, *rest in reversed(self.model.events)
                   if op == "pop" and rest == [kind, value])
        twice = chan.dup == "allow"
        for top in [value] * (1 + twice):
            self.event(mcv, chan, top)
        for top in [value] * twice + [None]:
            self.event(pop, chan, top)

    def pops(self):
        """Each pop for its own sake: several may leave the same state."""
        for mcv, op, *rest in self.model.events:
            if op == "pop":
                push = next(m for m, o, *r in self.model.events if o == "push" and r == rest)
                chan = self.model.by_type[rest[0]]
                self.event(push, chan, rest[1])
                self.event(mcv, chan, None)

    def run(self):
        for mcv, op, *rest in self.model.events:
            if op == "push":
                self.stack(mcv, *rest)
            elif op == "set" and self.state[rest[0]] != rest[1]:
                self.event(mcv, self.model.by_type[rest[0]], rest[1])
            elif op == "ignore":
                self.event(mcv)
        self.pops()
        for mcv, op, *rest in self.model.events:
            if op == "set" and self.state[rest[0]] != rest[1]:
                self.event(mcv, self.model.by_type[rest[0]], rest[1])
        self.time += 1
        self.trace.event(0, self.time, "OHe")
        self.all(False)


def model_lines(path, model):
    with open(path, encoding="utf-8") as f:
        for line in f.read().split("\n")[1:-1]:
            if int(line.split(":")[6]) in model.by_type:
                yield line


def same_lines(name, want, got):
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            yield f"{name}: line {i} of the model is {b} instead of {a}"
            return
    if len(want) != len(got):
        yield f"{name}: {len(got)} lines of the model instead of {len(want)}"


def pcf_block(model, file):
    """What a PCF has to say of the model, as text."""
    text = ""
    for c in model.chans:
        text += f"\n\nEVENT_TYPE\n0 {c.type:<10} {c.label[file]}\nVALUES\n"
        text += "".join(f"{value:<4} {label}\n" for value, label in c.values)
    return text


def walk(emu, name, directory):
    model = Model(name)
    w = Walk(model)
    w.run()
    w.trace.save(directory, False)
    emulate(emu, directory, "-l", "--strict")
    yield from same_lines("thread.prv", w.thread.lines,
                          list(model_lines(f"{directory}/thread.prv", model)))
    yield from same_lines("cpu.prv", w.cpu.lines,
                          list(model_lines(f"{directory}/cpu.prv", model)))
    for file in "thread", "cpu":
        with open(f"{directory}/{file}.pcf", encoding="utf-8") as f:
            if pcf_block(model, file) not in f.read():
                yield f"{file}.pcf: the types of {name} are not as the facts say"


def main():
    modes = {"walk": walk, "random": run_random}
    if len(sys.argv) < 5 or sys.argv[1] not in modes:
        sys.exit(__doc__)
    differences = list(modes[sys.argv[1]](*sys.argv[2:]))
    for difference in differences[:20]:
        print(difference)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0-only
"""emurandom.py - many threads on few CPUs do anything; a simple emulator says what is to be seen"""
import random
import struct

from emufacts import APP, RANK, Model, Trace, emulate, payload_x
from prvcmp import read_lines, read_prv

GID = {"main": 1423278814, "task": 1485258024, "daxpy": 366294539}
BODY = {"nosv": 11, "nanos6": 1}
# subsystem, task, idle, state of a task's body, unknown subsystem
BREAKDOWN = {"nosv": (13, 11, 16, 11, 2), "nanos6": (37, 36, 40, 1, 2),
             "openmp": (50, 51, None, None, 0)}


class Thread:
    """A thread of the simple emulator."""

    def __init__(self, model, number):
        self.number, self.state, self.cpu = number, "unknown", None
        self.stack = {c.type: [] for c in model.chans}
        self.single = {c.type: c.init or None for c in model.chans}
        self.tasks = []		# what it has begun: [task, body, gid, running]

    def value(self, chan):
        if chan.kind == "single":
            return self.single[chan.type]
        return self.stack[chan.type][-1] if self.stack[chan.type] else None


class Random:
    """Threads that do what they may, and what is to be seen of that."""

    def __init__(self, name, seed, threads=7, cpus=4):
        self.model, self.rnd = Model(name), random.Random(seed)
        self.name, self.cpus = name, cpus
        self.trace = Trace(self.model, threads, cpus)
        self.threads = [Thread(self.model, i) for i in range(threads)]
        self.followed = [None] * cpus
        self.seen = [False] * cpus
        self.chosen = [False] * cpus
        self.time, self.next_task, self.next_body = 0, 1, 1
        self.ready = []		# tasks to run: (task, gid)
        self.steps = {"thread": {}, "cpu": {}, "breakdown": {}}
        self.touched = set()	# CPUs whose subsystem (or label) was looked at

    # What a thread does

    def event(self, th, mcv, payload=b"", jumbo=False):
        self.time += self.rnd.randrange(1, 3)
        self.trace.event(th.number, self.time, mcv, payload, jumbo)

    def write(self, th, name, value):
        """Set or push; None sets null or pops."""
        kind = self.model.by_name.get(name)
        if self.model.by_type[kind].kind == "single":
            th.single[kind] = value
        elif value is None:
            th.stack[kind].pop()
        else:
            th.stack[kind].append(value)
        if BREAKDOWN.get(self.name, [0])[self.name == "openmp"] == kind:
            self.touched.add(th.cpu)

    def show(self, th, task):
        shown = {"bodyid": 1, "taskid": 0, "task_type": 0, "appid": APP, "rank": RANK + 1}
        if task:
            shown.update(taskid=task[0], bodyid=task[1], task_type=task[2])
        for name, value in shown.items():
            if name in self.model.by_name:
                self.write(th, name, value if task else None)

    def task_payload(self, task):
        if self.name != "nosv":
            return struct.pack("<I", task[0])
        return struct.pack("<II", task[0], task[1] if task[3] else 0)

    def create(self, th):
        label = self.rnd.choice(sorted(GID))
        kind = sorted(GID).index(label) + 1
        mcv = {"nosv": "VTc", "nanos6": "6Tc", "openmp": "PPc"}[self.name]
        self.event(th, mcv, struct.pack("<II", self.next_task, kind))
        self.ready.append((self.next_task, GID[label]))
        self.next_task += 1

    def task(self, th):
        """Something about tasks, if the thread may."""
        top = th.tasks[-1] if th.tasks else None
        letter = self.model.letter
        prefix = letter + ("P" if letter == "P" else "T")
        if not top or not top[4] or self.name == "openmp" and self.rnd.random() < 0.3:
            self.begin_task(th, prefix)
            return
        body = self.name in BODY
        if body and top[4] and th.stack[self.model.by_name["subsystem"]][-1] != BODY[self.name]:
            return
        if body and self.rnd.random() < 0.4:
            self.event(th, prefix + "p", self.task_payload(top))
            top[4] = False
            self.show(th, None)
            return
        self.event(th, prefix + "e", self.task_payload(top))
        th.tasks.pop()
        if body:
            self.write(th, "subsystem", None)
            self.show(th, None)
        else:
            self.write(th, "task_ID", None)
            self.write(th, "label", None)

    def begin_task(self, th, prefix):
        body = self.name in BODY
        if th.tasks and not th.tasks[-1][4] and self.rnd.random() < 0.5:
            top = th.tasks[-1]
            self.event(th, prefix + "r", self.task_payload(top))
            top[4] = True
            self.show(th, top)
            return
        stack = th.stack[self.model.by_name["subsystem"]]
        if not self.ready:
            self.create(th)
            return
        if self.name == "nanos6" and stack and stack[-1] == BODY["nanos6"]:
            return
        task, gid = self.ready.pop()
        begun = [task, 1, gid, False, True]
        self.event(th, prefix + "x", self.task_payload(begun))
        th.tasks.append(begun)
        if body:
            self.write(th, "subsystem", BODY[self.name])
            self.show(th, begun)
        else:
            self.write(th, "task_ID", task)
            self.write(th, "label", gid)

    def act(self, th):
        if self.name in ("nosv", "nanos6", "openmp") and self.rnd.random() < 0.4:
            self.task(th)
            return
        mcv, op, *rest = self.rnd.choice([e for e in self.model.events
                                          if e[1] in ("push", "pop", "set")])
        chan = self.model.by_type[rest[0]]
        if op == "pop":
            if not th.stack[chan.type] or th.stack[chan.type][-1] != rest[1]:
                return
        elif th.value(chan) == rest[1] and chan.dup == "error":
            return
        self.event(th, mcv)
        self.write(th, chan.name, None if op == "pop" else rest[1])

    def pop_some(self, th):
        """Leave the state on top, for a random pop seldom fits."""
        for chan in self.model.chans:
            top = th.value(chan)
            pop = next((m for m, op, *rest in self.model.events
                        if op == "pop" and rest == [chan.type, top]), None)
            if chan.kind == "stack" and pop and self.rnd.random() < 0.5:
                self.event(th, pop)
                self.write(th, chan.name, None)
                self.look()

    # Where threads are

    def free_cpus(self):
        busy = {t.cpu for t in self.threads if t.state == "running"}
        return [c for c in range(self.cpus) if c not in busy]

    def move(self, th):
        free = self.free_cpus()
        if th.state == "unknown":
            if free:
                cpu = self.rnd.choice(free)
                self.event(th, "OHx", payload_x(cpu))
                th.cpu, th.state = cpu, "running"
        elif th.state == "running":
            mcv, state = self.rnd.choice([("OHp", "paused"), ("OHc", "cooling"), ("OAs", None)])
            if state:
                self.event(th, mcv)
                th.state = state
            elif free:
                cpu = self.rnd.choice(free)
                self.event(th, mcv, struct.pack("<i", cpu))
                th.cpu = cpu
        elif th.state == "cooling":
            self.event(th, "OHp")
            th.state = "paused"
        elif th.state == "paused" and self.rnd.random() < 0.3:
            self.event(th, "OHw")
            th.state = "warming"
        elif th.cpu in free:
            self.event(th, "OHr")
            th.state = "running"

    # What is to be seen

    def step(self, file, row, kind, value):
        steps = self.steps[file].setdefault((row, kind), [(0, 0)])
        if steps[-1][1] != value:
            if steps[-1][0] == self.time:
                steps.pop()
            steps.append((self.time, value))

    def cpu_value(self, cpu, kind):
        th = self.followed[cpu]
        return th.value(self.model.by_type[kind]) if th else None

    def breakdown(self, cpu, again):
        if not self.seen[cpu]:
            return 0
        subsystem, task, idle, body, unknown = BREAKDOWN[self.name]
        if again or cpu in self.touched:
            self.chosen[cpu] = (self.cpu_value(cpu, task) is not None and
                                body in (None, self.cpu_value(cpu, subsystem)))
        if idle and self.cpu_value(cpu, idle) != 100:
            return self.cpu_value(cpu, idle) or 101
        if self.chosen[cpu]:
            return self.cpu_value(cpu, task) or 0
        return self.cpu_value(cpu, subsystem) or unknown

    def look(self):
        for th in self.threads:
            for chan in self.model.chans:
                value = th.value(chan) if chan.shows(th.state) else None
                self.step("thread", th.number + 1, chan.type, value or 0)
        values = []
        for cpu in range(self.cpus):
            th = next((t for t in self.threads if t.cpu == cpu and t.state == "running"), None)
            again = th is not self.followed[cpu]
            self.followed[cpu] = th
            self.seen[cpu] |= bool(th)
            # Only the thread that is followed makes the CPU look again.
            if again or not th or th.number != self.actor:
                self.touched.discard(cpu)
            for chan in self.model.chans:
                value = self.cpu_value(cpu, chan.type)
                if value is None and self.seen[cpu]:
                    value = chan.cpu_null
                self.step("cpu", cpu + 1, chan.type, value or 0)
            if self.name in BREAKDOWN:
                values.append(self.breakdown(cpu, again))
        for row, value in enumerate(sorted(values), 1):
            self.step("breakdown", row, 0, value)
        self.touched.clear()

    def run(self, events):
        first = self.threads[0]
        self.actor = 0
        self.move(first)
        self.look()
        mcv = {"nosv": "VYc", "nanos6": "6Yc", "openmp": "POc"}.get(self.name)
        for i, label in enumerate(sorted(GID), 1):
            if mcv:
                self.event(first, mcv, struct.pack("<I", i) + label.encode() + b"\0", True)
        for _ in range(events):
            th = self.rnd.choice(self.threads)
            self.actor = th.number
            may = ("running", "cooling", "warming") if self.model.active else ("running",)
            if th.state not in may or self.rnd.random() < 0.1:
                self.move(th)
            elif self.rnd.random() < 0.3:
                self.pop_some(th)
            else:
                self.act(th)
            self.look()
        self.finish()

    def finish(self):
        for th in sorted(self.threads, key=lambda t: t.state != "running"):
            self.actor = th.number
            while th.state not in ("running", "cooling"):
                self.move(th)
                self.look()
            self.event(th, "OHe")
            th.state, th.cpu = "dead", None
            self.look()


def trim(steps):
    """Without what is 0 from the beginning."""
    return steps[1:] if steps and steps[0][1] == 0 else steps


def same_steps(name, want, path, types):
    got = read_prv(path)[2]
    first = 0
    keys = {k for k in got if k[1] in types} | set(want)
    for key in sorted(keys):
        a, b = trim(want.get(key, [])), trim(got.get(key, []))
        if a != b:
            first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                         min(len(a), len(b)))
            yield (f"{name}: row {key[0]} type {key[1]}: change {first} is "
                   f"{b[first:first + 1]} instead of {a[first:first + 1]}")


def rows_ascend(name, path):
    """The lines of one event go from the first row to the last, one line a row."""
    before = (-1, 0)
    for number, line in enumerate(read_lines(path)[1:], 2):
        row, time = map(int, line.split(":")[4:6])
        if (time, row) <= before:
            yield f"{name}:{number}: row {row} after row {before[1]}, both at {time}"
            return
        before = (time, row)


def run_random(emu, name, directory, seed):
    r = Random(name, int(seed))
    r.run(4000)
    r.trace.save(directory, name == "nosv")
    emulate(emu, directory, "-b")
    # Times are relative to the first event.
    start = next(iter(struct.unpack_from("<Q", r.trace.data[0], 4)))
    for file in r.steps:
        for key, steps in r.steps[file].items():
            r.steps[file][key] = [(max(0, t - start), v) for t, v in steps]
    for file in "thread", "cpu":
        yield from same_steps(f"{file}.prv", r.steps[file], f"{directory}/{file}.prv",
                              r.model.by_type)
    if name in BREAKDOWN:
        kind = {"nosv": 17, "nanos6": 41, "openmp": 53}[name]
        want = {(row, kind): steps for (row, _), steps in r.steps["breakdown"].items()}
        yield from same_steps(f"{name}-breakdown.prv", want,
                              f"{directory}/{name}-breakdown.prv", {kind})
        yield from rows_ascend(f"{name}-breakdown.prv", f"{directory}/{name}-breakdown.prv")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""judge.py BUILD FILE... - judge scenarios in all outputs, a line of TAP for each
judge.py --print BUILD FILE NAME WHAT... - what an output says of a scenario now

BUILD is the folder with ovnik-decode and selftests/. testing.rst, "Scenarios", has the language.
The capture of a scenario is decoded to every output and answer. Each must be made with no other
warnings, and no other status, than a scenario with its gaps may have; what the checkers compare
must agree; and what the scenario expects must be there, line by line.
"""
import collections
import concurrent.futures
import glob
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import agree
import fdrcheck
import ovnitrace
import prvcmp

HERE = os.path.dirname(os.path.realpath(__file__))
OUTPUTS = "ovni,laplace,prv,xray,html,svg,perfetto"
ANSWERS = ("report", "top", "pagecache", "why")
# CLOCK_MONOTONIC, stamp and stamps a microsecond at 0, of capgen.h, by the clock.
CLOCKS = {"monotonic": (10**9, 10**9, 1000), "tsc": (5 * 10**9, 10**9, 2000)}
SEGMENTS = ("run", "wait", "unknown")
REPORTS = "(?:start|end|tag|milestone|loss) "
TASK = re.compile(r'(start|end) (\w+) (\d+) of (\d+) (\S+) "(.*)" (\d+)-(\d+) cpu (\d+)(.*)$', re.S)
MARK = re.compile(r'(tag|milestone) (\w+) (\d+)(?: (\w+))? "(.*)" (\d+)$', re.S)
LOSS = re.compile(r"loss CPU (\d+) (\d+)-(\d+) (\S+) (\d+) (\w+)$")
FLAGS = ("early", "open", "doubt", "either")
# Of an ovni event: format of the payload, and which of its numbers tell something.
PAYLOADS = {"KCO": ("<I", (0,)), "OM[": ("<qi", (1, 0)), "OM]": ("<qi", (1, 0)),
            "OM=": ("<qi", (1, 0)), "KW[": ("<IIiI", (1, 2, 3)), "KWm": ("<IIi", (1, 2)),
            "KW]": ("<II", (1,)), "KL[": ("<I", (0,))}

Expectation = collections.namedtuple("Expectation", "line what lines")
Task = collections.namedtuple("Task", "kind id parent where what start end cpu flags details")


class Wrong(Exception):
    """An output is not what it should be; in words."""


# What those raise who read an output.
ERRORS = (Wrong, fdrcheck.Wrong, prvcmp.Wrong, OSError, ValueError, LookupError, struct.error)


class Scenario:
    """A scenario of a file: its events are gen-scenario's."""

    def __init__(self, words, where):
        self.name, self.where = words[1], where
        self.clock = "tsc" if "clock=tsc" in words else "monotonic"
        self.gaps = False
        self.expects = []

    def expected(self, word):
        return [e for e in self.expects if e.what[0] == word]


def read_scenarios(path):
    found = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.split()
            if line[0] in " \t" and words and found and found[-1].expects:
                found[-1].expects[-1].lines.append(" ".join(words))
            elif line.startswith("scenario "):
                found.append(Scenario(words, f"{path}:{number}"))
            elif line.startswith("expect "):
                found[-1].expects.append(Expectation(f"{path}:{number}", words[1:], []))
            elif line.startswith("gap "):
                found[-1].gaps = True
    return found


def run(*command):
    return subprocess.run(command, capture_output=True, check=False, encoding="utf-8",
                          errors="replace")


class Evidence:
    """All that is made of a capture."""

    def __init__(self, build, capture, work, clock):
        self.build, self.capture, self.out = build, capture, f"{work}/out"
        self.decode = f"{build}/ovnik-decode"
        self.ns, self.stamp, self.rate = CLOCKS[clock]
        self.made = run(self.decode, capture, "-o", self.out, "--to", OUTPUTS, "-j1",
                        "--tracer", f"csv,kind=thread|run|wait|unknown|call|fault,file={work}/csv",
                        "--tracer", f"jsonl,file={work}/jsonl",
                        "--tracer", f"database,file={work}/db")
        self.work = work
        self.tasks, self.marks, self.losses = {}, [], []
        self.dumped = run(f"{build}/selftests/check/dump-tasks", capture)
        # A name may have any byte.
        for line in re.split(f"\n(?={REPORTS})", self.dumped.stdout.rstrip("\n")):
            self.read_report(line)
        self.answers = {}
        with open(f"{work}/report", "w", encoding="utf-8") as f:
            f.write(self.answer(["report"]).stdout)

    def read_report(self, line):
        """A line of dump-tasks; a task is as at its end."""
        if m := TASK.match(line):
            words = m[10].split()
            flags = [w for w in words if w in FLAGS]
            details = dict(zip(words[len(flags)::2], words[len(flags) + 1::2]))
            details["was"] = self.tasks[int(m[3])].what if int(m[3]) in self.tasks else m[6]
            self.tasks[int(m[3])] = Task(m[2], int(m[3]), int(m[4]), m[5], m[6], int(m[7]),
                                         int(m[8]), int(m[9]), flags, details)
        elif m := MARK.match(line):
            self.marks.append((m[1], int(m[3]), m[4], m[5], int(m[6])))
        elif m := LOSS.match(line):
            self.losses.append((int(m[1]), int(m[2]), int(m[3]), m[4], int(m[5]), m[6]))
        else:
            raise Wrong(f"dump-tasks says: {line}")

    def at(self, ns):
        return ns - self.ns

    def at_stamp(self, stamp):
        return (stamp - self.stamp) * 1000 // self.rate

    def answer(self, words):
        """An answer as JSON, by the words of its command."""
        key = tuple(words)
        if key not in self.answers:
            self.answers[key] = run(self.decode, *words, "--json", self.capture)
        return self.answers[key]

    def pid(self):
        """The process that was last there; another number may have been taken for it before."""
        return max((t for t in self.tasks.values() if t.kind == "process"),
                   key=lambda t: (t.end, t.id)).where[5:]


def choice(ev, words):
    """The tasks that "of TID KIND..." names, and the columns after "with"."""
    words, columns = list(words), []
    if "with" in words:
        columns = words[words.index("with") + 1:]
        words = words[:words.index("with")]
    tid = None
    if words[:1] == ["of"]:
        tid, words = words[1], words[2:]
    kinds = set(words)
    if "segments" in kinds:
        kinds |= set(SEGMENTS)
    return [t for t in sorted(ev.tasks.values(), key=lambda t: t.id)
            if (not kinds or t.kind in kinds) and tid in (None, t.details.get("tid"))], columns


def column(ev, task, name):
    if name == "in":
        parent = ev.tasks.get(task.parent)
        return f"{parent.kind}@{ev.at(parent.start)}" if parent else "nothing"
    if name == "waker" and ":" in task.details.get(name, ""):
        tid, _, number = task.details[name].partition(":")
        thread = ev.tasks.get(int(number))
        return f"{tid}@{ev.at(thread.start)}" if thread else tid
    if name in ("cpu", "where", "kind"):
        return getattr(task, name)
    return task.details.get(name, "")


def say_tasks(ev, words):
    tasks, columns = choice(ev, words)
    for task in tasks:
        values = [(name, column(ev, task, name)) for name in columns]
        yield " ".join([f"{ev.at(task.start)}-{ev.at(task.end)}", *task.what.split(), *task.flags,
                        *(f"{name}={value}" for name, value in values if value != "")])


def say_marks(ev, words, which):
    tasks = {task.id: task for task in choice(ev, words)[0]}
    for kind, task, reason, what, ns in ev.marks:
        if kind == which and task in tasks:
            yield " ".join(filter(None, [str(ev.at(ns)), f"{tasks[task].kind}:", reason, what]))


def say_losses(ev, _):
    for cpu, start, end, event, number, why in ev.losses:
        yield f"cpu{cpu} {ev.at(start)}-{ev.at(end)} {event} {number} {why}"


def by_time(pairs, between):
    """What comes at the same time is a line."""
    for time, group in itertools.groupby(pairs, key=lambda pair: pair[0]):
        yield f"{time} {between.join(text for _, text in group)}"


def ovni_event(event):
    if event.mcv not in PAYLOADS:
        return event.mcv
    form, shown = PAYLOADS[event.mcv]
    if len(event.payload) < struct.calcsize(form):
        return event.mcv
    numbers = struct.unpack_from(form, event.payload)
    return event.mcv + ",".join(str(numbers[i]) for i in shown)


def say_ovni(ev, words):
    who = words[1]
    if who.startswith("cpu"):
        streams = [ovnitrace.events(path) for path in
                   glob.glob(f"{ev.out}/ovni/loom.*/cpu.{who[3:]}/cpu.events")]
    else:
        streams = [ovnitrace.stream_events(where) for where, about in
                   ovnitrace.streams(f"{ev.out}/ovni") if about["tid"] == int(who)]
    for stream in streams:
        yield from by_time([(ev.at(e.clock), ovni_event(e)) for e in stream], " ")


def say_xray(ev, words):
    names = fdrcheck.names_of(f"{ev.out}/xray.elf")
    for (_, tid), records in sorted(fdrcheck.threads(f"{ev.out}/xray.fdr").items()):
        if tid == int(words[1]):
            yield from by_time([(ev.at_stamp(r.tsc), r.kind + names[r.what]) for r in records
                                if r.kind in "+-"], ", ")


def say_laplace(ev, _):
    with open(f"{ev.out}/laplace.txt", encoding="utf-8") as f:
        for line in f:
            letter, *rest = line.split()
            if rest:
                yield " ".join([str(ev.at_stamp(int(rest[0], 16))), letter, *rest[1:]])


def say_prv(ev, words):
    """States: of ("thread", TID, TYPE) or ("cpu", N, TYPE)."""
    stem, who, kind = words[0], int(words[1]), int(words[2])
    end, _, steps = prvcmp.read_prv(f"{ev.out}/{stem}.prv")
    labels = prvcmp.read_pcf(f"{ev.out}/{stem}.pcf")[1].get(kind, ("", {}))[1]
    row = who + 1
    if stem == "thread":
        rows = [int(re.search(r"\.(\d+)", name)[1]) for name in
                agree.rows_of(f"{ev.out}/thread.row") if name]
        row = rows.index(who) + 1
    begin = ev.at(min(t.start for t in ev.tasks.values() if t.kind == "thread"))
    changes = steps.get((row, kind), []) + [(end, 0)]
    for (start, value), (stop, _) in zip(changes, changes[1:]):
        if value:
            yield f"{start + begin}-{stop + begin} {labels.get(value, value)}"


def json_at(data, path):
    """processes[pid=11].runs, or files[0].path."""
    for name, picks in re.findall(r"([\w-]+)((?:\[[^]]*\])*)", path):
        data = data[name]
        for pick in re.findall(r"\[([^]]*)\]", picks):
            key, _, value = pick.partition("=")
            data = next(r for r in data if str(r.get(key)) == value) if value else data[int(key)]
    return data


def json_paths(data, path=""):
    """To all that is in it and is not 0."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from json_paths(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from json_paths(value, f"{path}[{number}]")
    elif data:
        yield path


def say_answer(ev, words, lines):
    made = ev.answer(words)
    if made.returncode not in (0, 3, 4):
        raise Wrong(f"{' '.join(words)}: {made.stderr}")
    data = json.loads(made.stdout)[0]
    for path in [line.split()[0] for line in lines] or json_paths(data):
        try:
            yield f"{path} {json.dumps(json_at(data, path), ensure_ascii=False)}"
        except (KeyError, IndexError, StopIteration):
            yield f"{path} is not there"


SAYERS = {
    "tasks": say_tasks, "tags": lambda ev, words: say_marks(ev, words, "tag"),
    "milestones": lambda ev, words: say_marks(ev, words, "milestone"), "losses": say_losses,
    "ovni": say_ovni, "xray": say_xray, "laplace": say_laplace, "prv": say_prv,
    "messages": lambda ev, _: warnings(ev.made.stderr),
    "status": lambda ev, _: [str(ev.made.returncode)],
}


def says(ev, what, lines=()):
    """What an output says now, in the form of an expectation."""
    if what[0] in ANSWERS:
        return list(say_answer(ev, what, lines))
    if what[0] == "says":
        said = " ".join(ev.made.stderr.split())
        return [line if line in said else "is not said" for line in lines]
    if what[0] not in SAYERS:
        raise Wrong(f"nothing is called {what[0]}")
    return list(SAYERS[what[0]](ev, what[1:]))


def warnings(text):
    """But for gaps, which the losses tell."""
    said = [line.split(": ", 1)[1] for line in text.splitlines()
            if re.match(r"[\w-]+: (warning|error): ", line)]
    return [w for w in said if not re.match("warning: (gap on CPU|lost, in)", w)]


def side_by_side(expected, found):
    width = max([len("expected"), *map(len, expected)])
    yield f"  {'expected':{width}} | found"
    for a, b in itertools.zip_longest(expected, found, fillvalue=""):
        yield f"{' ' if a == b else '!'} {a:{width}} | {b}".rstrip()


def check_status(scenario, ev):
    """Made, and nobody complains."""
    if not scenario.expected("messages") and (said := warnings(ev.made.stderr)):
        yield from side_by_side([], said)
    status = ev.made.returncode
    if not scenario.expected("status") and status != (4 if scenario.gaps else 0):
        yield f"status {status}: {ev.made.stderr}"
    if ev.dumped.returncode:
        yield f"the tasks are not consistent: {ev.dumped.stderr}"


def check_agreement(scenario, ev):
    """What several outputs say of the same, by their checkers. One may be expected to complain."""
    if not glob.glob(f"{ev.out}/*.fdr"):
        yield "not all outputs were made"
        return
    allowed = {e.what[1]: e.lines for e in scenario.expected("complaint")}
    for name in allowed.keys() - CHECKS.keys():
        yield f"no checker is called {name}"
    for name, check in CHECKS.items():
        try:
            said = "\n".join(check(ev))
        except ERRORS as error:
            said = str(error)
        if name not in allowed:
            yield from [f"{name}: {said}"] * bool(said)
        elif not said or not all(line in said for line in allowed[name]):
            yield from side_by_side(allowed[name], [f"{name}: {said or 'does not complain'}"])


def check_threads(ev):
    return agree.differences(ev.out, f"{ev.work}/csv", ev.made.stderr)


def check_fdr(ev):
    lives = collections.Counter(t.where for t in ev.tasks.values() if t.kind == "thread")
    fdrcheck.REUSED = {tuple(map(int, re.findall(r"\.(\d+)", where)))
                       for where, n in lives.items() if n > 1}
    fdrcheck.sound(f"{ev.out}/xray.fdr", fdrcheck.names_of(f"{ev.out}/xray.elf"))
    return []


def check_answers(ev):
    for words in (["report"], ["top"], ["pagecache"], ["why", "--pid", ev.pid()]):
        made = ev.answer(words)
        if made.returncode not in (0, 4):
            yield f"{' '.join(words)}: status {made.returncode}: {made.stderr}"


def by_program(*program):
    """A checker that is a program, most times in Python; NAME in braces is that of the evidence."""
    def check(ev):
        words = [word.format(ev=ev, here=HERE) for word in program]
        made = run(*words) if words[0].startswith(ev.build) else run(sys.executable, *words)
        if made.returncode:
            last = made.stderr.strip().rsplit("\n", 1)[-1]
            yield f"{made.stdout}{last}" or f"status {made.returncode}"
    return check


CHECKS = {
    "agree": check_threads, "fdrcheck": check_fdr, "answers": check_answers,
    "prvcheck": by_program("{ev.build}/selftests/prvcheck", "{ev.out}"),
    "laplace-check": by_program("{here}/laplace-check", "{ev.out}/laplace.txt"),
    "reportcheck": by_program("{here}/reportcheck.py", "tasks", "{ev.work}/report", "{ev.work}/db"),
    "htmlcheck": by_program("{here}/htmlcheck.py", "{ev.out}/timeline.html", "{ev.work}/report"),
    "perfettocheck": by_program("{here}/perfettocheck.py", "{ev.out}/trace.perfetto-trace",
                                "{ev.work}/jsonl"),
}


def check_expectations(scenario, ev):
    for expect in scenario.expects:
        if expect.what[0] == "complaint":
            continue
        try:
            found = says(ev, expect.what, expect.lines)
        except ERRORS as error:
            found = [f"({error})"]
        if found != expect.lines:
            yield f"{expect.line}: expect {' '.join(expect.what)}"
            yield from side_by_side(expect.lines, found)


def judge(build, scenario, captures):
    """Lines that say what is wrong."""
    with tempfile.TemporaryDirectory() as work:
        try:
            ev = Evidence(build, f"{captures}/{scenario.name}", work, scenario.clock)
            return [*check_expectations(scenario, ev), *check_status(scenario, ev),
                    *check_agreement(scenario, ev)]
        except ERRORS as error:
            return [f"{type(error).__name__}: {error}"]


def write_captures(build, path, work):
    """The captures of the scenarios of a file."""
    made = run(f"{build}/selftests/gen/gen-scenario", path, work)
    if made.returncode:
        sys.exit(made.stderr.rstrip())


def judge_all(build, paths):
    bad = number = 0
    with tempfile.TemporaryDirectory() as work, \
         concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = []
        for path in paths:
            stem = os.path.splitext(os.path.basename(path))[0]
            write_captures(build, path, f"{work}/{stem}")
            jobs += [(stem, s, pool.submit(judge, build, s, f"{work}/{stem}"))
                     for s in read_scenarios(path)]
        for number, (stem, scenario, job) in enumerate(jobs, 1):
            wrong = job.result()
            bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} {stem}.{scenario.name}", flush=True)
            for line in wrong:
                print("\n".join(f"# {part}" for part in line.splitlines()))
    return 1 if bad or not number else 0


def print_now(build, path, name, *what):
    with tempfile.TemporaryDirectory() as work:
        write_captures(build, path, f"{work}/captures")
        scenario = next(s for s in read_scenarios(path) if s.name == name)
        lines = next((e.lines for e in scenario.expects if e.what == list(what)), ())
        ev = Evidence(build, f"{work}/captures/{name}", work, scenario.clock)
        print("expect", *what)
        for line in says(ev, what, lines):
            print(f"\t{line}")


def main():
    if sys.argv[1] == "--print":
        print_now(*sys.argv[2:])
        return 0
    return judge_all(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check FDR logs that ovnik-decode wrote.

    fdrcheck.py dump LOG ELF [PID/TID]		a line a record
    fdrcheck.py sound LOG...			grammar, nesting, tiling
    fdrcheck.py llvm LOG ELF			what llvm-xray reads is what is written
    fdrcheck.py same LOG LOG			the same records, but for padding
    fdrcheck.py ours LOG XRAYDUMP		what our reader reads is what is written
    fdrcheck.py counts DIR LAPLACE LOG...	functions against other outputs: DIR has ovni/
    fdrcheck.py events SAID LOG...		custom events against what ovnik-decode said it read

Reads the format by its document (version 5: by llvm/lib/XRay), not by our code. Names
come from the symbols of ELF, in the order of the map.
"""
import collections
import csv
import json
import os
import re
import struct
import subprocess
import sys

Record = collections.namedtuple("Record", "pid tid cpu tsc kind what")
LEAF = re.compile(r"run$|run \(continued\)$|off-CPU: |unknown: ")


class Wrong(Exception):
    pass


def body(data, at, end, version, pid, tid):
    """The records of a buffer from its NewCPUId on; gives where they end, too."""
    cpu = base = None
    out = []
    while at < end:
        first = data[at]
        if not first & 1:
            word, delta = struct.unpack_from("<II", data, at)
            base += delta
            action = word >> 1 & 7
            if action > 1:
                raise Wrong(f"{at}: action {action}")
            out.append(Record(pid, tid, cpu, base, "+-"[action], word >> 4))
            at += 8
            continue
        kind = first >> 1
        if kind == 1 and version == 1:
            return out, at + 16
        if kind == 2:
            cpu, base = struct.unpack_from("<HQ", data, at + 1)
        elif cpu is None:
            raise Wrong(f"{at}: no NewCPUId")
        elif kind == 3:
            (base,) = struct.unpack_from("<Q", data, at + 1)
        elif kind == 5:
            if version == 1:
                size, tsc = struct.unpack_from("<iQ", data, at + 1)
            else:
                size, delta = struct.unpack_from("<ii", data, at + 1)
                if delta < 0:
                    raise Wrong(f"{at}: delta {delta}")
                base += delta
                tsc = base
            text = data[at + 16:at + 16 + size]
            if size <= 0 or at + 16 + size > end:
                raise Wrong(f"{at}: size {size}")
            out.append(Record(pid, tid, cpu, tsc, "!", text.decode()))
            at += size
        else:
            raise Wrong(f"{at}: kind {kind}")
        at += 16
    if version == 1 or at != end:
        raise Wrong(f"{at}: no end of buffer")
    return out, at


def expect(data, at, kind):
    if data[at] != kind << 1 | 1:
        raise Wrong(f"{at}: {data[at]} instead of kind {kind}")


def buffers(path):
    with open(path, "rb") as f:
        data = f.read()
    version, fdr, _, _, size = struct.unpack_from("<HHIQQ", data)
    if fdr != 1 or version not in (1, 5):
        raise Wrong(f"version {version}, type {fdr}")
    at = 32
    if len(data) == at:
        raise Wrong("no buffer")
    while at < len(data):
        pid = 0
        end = at + size
        if version == 5:
            expect(data, at, 7)
            end = at + 16 + struct.unpack_from("<Q", data, at + 1)[0]
            at += 16
        if end > len(data):
            raise Wrong(f"{at}: the buffer ends after the file")
        expect(data, at, 0)
        (tid,) = struct.unpack_from("<i", data, at + 1)
        expect(data, at + 16, 4)
        at += 32
        if version == 5:
            expect(data, at, 9)
            (pid,) = struct.unpack_from("<i", data, at + 1)
            at += 16
        expect(data, at, 2)
        out, stop = body(data, at, end, version, pid, tid)
        if any(data[stop:end]):
            raise Wrong(f"{stop}: not padded with zeros")
        yield (pid, tid), out
        at = end


def threads(path):
    found = {}
    for who, records in buffers(path):
        before = found.setdefault(who, [])
        if before and records and records[0].tsc < before[-1][-1].tsc:
            raise Wrong(f"{who}: a buffer goes back in time")
        before.append(records)
        if len(before) > 16:
            raise Wrong(f"{who}: more than 16 buffers")
    return {who: [r for b in parts for r in b] for who, parts in found.items()}


def names_of(elf):
    text = subprocess.run(["readelf", "-sW", elf], check=True, capture_output=True,
                          text=True).stdout
    rows = re.findall(r"^ *\d+: ([0-9a-f]+) +\d+ FUNC +\S+ +\S+ +\S+ (.*)$", text, re.M)
    return [None] + [name for _, name in sorted(rows)]


def sound(path, names):
    begins = set()
    for who, records in threads(path).items():
        stack, since = [], None
        if records[0].kind != "!" or records[0].what.strip() != "capture begins":
            raise Wrong(f"{who}: begins with {records[0]}")
        begins.add(records[0].tsc)
        last = 0
        lives = 0
        for r in records:
            if r.tsc < last:
                raise Wrong(f"{who}: {r} goes back in time")
            if r.kind == "!":
                last = r.tsc
                continue
            name = names[r.what]
            leaf = bool(stack) and LEAF.match(names[stack[-1]])
            # Time may pass in leaves only, and before and after a life.
            if r.tsc != last and stack and not leaf:
                raise Wrong(f"{who}: {r} comes while nothing is done in {names[stack[-1]]}")
            if r.kind == "+":
                if leaf:
                    raise Wrong(f"{who}: {r}: {name} in {names[stack[-1]]}")
                if not stack and since is not None and r.tsc != since:
                    lives += 1
                stack.append(r.what)
            elif not stack or stack.pop() != r.what:
                raise Wrong(f"{who}: {r}: {name} is not the innermost")
            if not stack:
                since = r.tsc
            last = r.tsc
        if stack:
            raise Wrong(f"{who}: {[names[i] for i in stack]} never ends")
        if lives and who not in REUSED:
            raise Wrong(f"{who}: {lives} holes")
    if len(begins) != 1:
        raise Wrong(f"threads begin at {begins}")


# PID/TID in the environment: numbers that are used twice.
REUSED = {tuple(map(int, w.split("/"))) for w in os.environ.get("REUSED", "").split()}


def yaml_records(log, elf):
    text = subprocess.run(["llvm-xray-14", "convert", "-f", "yaml", "--symbolize",
                           f"--instr_map={elf}", "--sort=false", log], check=True,
                          capture_output=True).stdout.decode()
    kinds = {"function-enter": "+", "function-exit": "-", "custom-event": "!"}
    line = re.compile(r"  - \{ type: \d+, func-id: (\d+), function: (.*), cpu: (\d+), thread: (\d+), "
                      r"(?:process: (\d+), )?kind: (\S+), tsc: (\d+), data: (.*) \}$")
    for found in re.findall(r"^  - \{.*$", text, re.M):
        m = line.match(found)
        if not m:
            raise Wrong(f"llvm-xray: {found}")
        fid, name, cpu, tid, pid, kind, tsc, data = m.groups()
        kind = kinds[kind]
        yield name.strip("'"), unyaml(data), Record(int(pid or 0), int(tid), int(cpu), int(tsc),
                                                    kind, int(fid))


def unyaml(text):
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return json.loads(text) if text.startswith('"') else text


def llvm(log, elf, names):
    """Record by record, then what the other commands make of them."""
    want = threads(log)
    version = open(log, "rb").read(1)[0]
    have = collections.defaultdict(list)
    for name, data, r in yaml_records(log, elf):
        have[r.pid, r.tid].append((name, data, r))
    if set(have) != set(want):
        raise Wrong("llvm-xray has other threads")
    for who, records in want.items():
        if len(have[who]) != len(records):
            raise Wrong(f"{who}: llvm-xray has {len(have[who])} records, not {len(records)}")
        for (name, data, h), w in zip(have[who], records):
            if w.kind == "!":
                # It has no CPU for these in version 1.
                good = data == w.what and (h.cpu == w.cpu or version == 1)
            else:
                good = (name, h.what, h.cpu) == (names[w.what], w.what, w.cpu)
            if not good or (h.tsc, h.kind) != (w.tsc, w.kind):
                raise Wrong(f"{who}: llvm-xray reads {name} {data} {h}, not {w}")
    calls = collections.Counter(r.what for rs in want.values() for r in rs if r.kind == "+")
    check_commands(log, elf, {names[i]: n for i, n in calls.items()})


def run(*command):
    done = subprocess.run(["llvm-xray-14", *command], capture_output=True)
    if done.returncode or done.stderr:
        raise Wrong(f"{command}: {done.returncode}: {done.stderr.decode()[:500]}")
    return done.stdout.decode()


def check_commands(log, elf, calls):
    table = run("account", f"--instr_map={elf}", "--format=csv", "--sort=funcid", log)
    got = {row[-1]: int(row[1]) for row in list(csv.reader(table.splitlines()))[1:]}
    if got != calls:
        raise Wrong(f"account counts {got}, not {calls}")
    events = json.loads(run("convert", "-f", "trace_event", "--symbolize",
                            f"--instr_map={elf}", log))["traceEvents"]
    begun = collections.Counter(e["name"] for e in events if e["ph"] == "B")
    if begun != calls:
        raise Wrong(f"trace_event has {begun}, not {calls}")
    graph = run("graph", f"--instr_map={elf}", log)
    drawn = set(re.findall(r'^F\d+ \[label="(.+)"\];$', graph, re.M))
    # It has room for 40 characters.
    short = {name if len(name) <= 40 else name[:40] + "..." for name in calls}
    if drawn != short:
        raise Wrong(f"graph: {drawn ^ short} is drawn or is not")
    flame = run("stack", f"--instr_map={elf}", "--all-stacks", "--stack-format=flame",
                "--aggregation-type=count", log)
    leaves = collections.Counter()
    for line in flame.splitlines():
        stack, n = line.rsplit(" ", 1)
        leaves[stack.split(";")[-2]] += int(n)
    if set(leaves) - set(calls):
        raise Wrong(f"stack has {set(leaves) - set(calls)}")
    for name in leaves:
        if LEAF.match(name) and leaves[name] != calls[name]:
            raise Wrong(f"stack counts {leaves[name]} of {name}, not {calls[name]}")


def same(one, other):
    """Version 1 has no processes."""
    flat = [collections.Counter((r.tid, r.cpu, r.tsc, r.kind, r.what.strip() if r.kind == "!"
                                 else r.what) for rs in threads(p).values() for r in rs)
            for p in (one, other)]
    if flat[0] != flat[1]:
        raise Wrong(f"only in one: {list((flat[0] - flat[1]) | (flat[1] - flat[0]))[:5]}")


def ours(log, xraydump):
    text = subprocess.run([xraydump, log], check=True, capture_output=True, text=True).stdout
    if "\nend 0 0 0" not in text:
        raise Wrong("our reader is not content with it")
    kinds = {"function-enter": "+", "function-exit": "-", "custom-event": "!"}
    have = collections.defaultdict(list)
    for line in text.splitlines():
        if not line.startswith("record"):
            continue
        _, pid, tid, cpu, tsc, kind, function, _, *data = line.split()
        if kind in kinds:
            what = bytes.fromhex(data[1]).decode() if kinds[kind] == "!" else int(function)
            have[int(pid), int(tid)].append(Record(int(pid), int(tid), int(cpu), int(tsc),
                                                   kinds[kind], what))
    if have != threads(log):
        raise Wrong("our reader reads something else")


def events(said, logs):
    """Every record but those that are said by functions."""
    with open(said, encoding="utf-8") as f:
        text = f.read()
    unplaced = sum(map(int, re.findall(r"known thread, left out: (\d+)", text)))
    words = re.search(r" events? in .* CPUs?: (.*)", text)[1].split()
    read = collections.Counter(dict(zip(words[::2], map(int, words[1::2]))))
    for name in ("anchor", "dump_end", "sched_switch", "file_begin"):
        del read[name]
    written = collections.Counter(r.what.split()[0] for log in logs
                                  for rs in threads(log).values() for r in rs if r.kind == "!")
    del written["capture"], written["file_begin"]
    if written - read or sum((read - written).values()) != unplaced:
        raise Wrong(f"{written - read} more, {read - written} fewer, {unplaced} left out")


def marks(directory):
    here = os.path.dirname(os.path.realpath(__file__))
    text = subprocess.run([os.path.join(here, "ovnidump.py"), os.path.join(directory, "ovni")],
                          check=True, capture_output=True, text=True).stdout
    reasons, pushed = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        who, _, mcv, *payload = line.split()
        if mcv == "KCO" and payload:
            reasons[who, int(payload[0])] += 1
        if mcv == "OM[":
            pushed[who, int(payload[2]), int(payload[0])] += 1
    return reasons, pushed


def counts(directory, laplace, logs, names):
    runs = collections.Counter()
    with open(laplace, encoding="utf-8") as f:
        for line in f:
            letter, *rest = line.split()
            if letter == "s" and rest[1] != "0":
                runs[int(rest[1], 16)] += 1
    reasons, pushed = marks(directory)
    entered = collections.Counter()
    for log in logs:
        for who, records in threads(log).items():
            for r in records:
                if r.kind == "+":
                    entered["/".join(map(str, who)), names[r.what]] += 1
    mine = collections.Counter()
    for (who, name), n in entered.items():
        if name == "run":
            mine[int(who.split("/")[1])] += n
    if mine != runs:
        raise Wrong(f"runs: {mine - runs} more, {runs - mine} fewer")
    offcpu = {n: i for i, n in enumerate([x for x in names[1:] if x.startswith(("off-", "unk"))],
                                         1)}
    calls = names[names.index("off-CPU: Not seen on a CPU yet") + 2:]
    faults = {n: i for i, n in enumerate([c for c in calls if c.startswith("page")], 1)}
    calls = {n: i for i, n in enumerate([c for c in calls if not c.startswith("page")], 1)}
    calls["Another call"] = 99
    for (who, name), n in entered.items():
        # A thread that is not seen yet, or dead, has no event for it in ovni, or one of its own.
        if name in offcpu and offcpu[name] not in (6, 12, 13) and reasons[who, offcpu[name]] != n:
            raise Wrong(f"{who}: {name}: {n}, not {reasons[who, offcpu[name]]}")
        for table, mark in ((faults, 80), (calls, 84)):
            if name in table and pushed[who, mark, table[name]] != n:
                raise Wrong(f"{who}: {name}: {n}, not {pushed[who, mark, table[name]]}")
    for who, mark, value in pushed:
        table = {80: faults, 84: calls}.get(mark, {})
        name = [n for n, i in table.items() if i == value]
        if name and not entered[who, name[0]]:
            raise Wrong(f"{who}: {name[0]} is missing")


def dump(log, names, only):
    for who, records in sorted(threads(log).items()):
        for r in records:
            if only in (None, "/".join(map(str, who))):
                print("/".join(map(str, who)), r.cpu, r.tsc, r.kind,
                      r.what if r.kind == "!" else names[r.what])


def main():
    what, *args = sys.argv[1:]
    try:
        if what == "dump":
            dump(args[0], names_of(args[1]), args[2] if len(args) > 2 else None)
        elif what == "sound":
            for log in args:
                sound(log, names_of(os.path.join(os.path.dirname(log), "xray.elf")))
        elif what == "llvm":
            llvm(args[0], args[1], names_of(args[1]))
        elif what == "same":
            same(*args)
        elif what == "ours":
            ours(*args)
        elif what == "events":
            events(args[0], args[1:])
        else:
            counts(args[0], args[1], args[2:],
                   names_of(os.path.join(os.path.dirname(args[2]), "xray.elf")))
    except Wrong as error:
        sys.exit(f"fdrcheck: {what} {' '.join(args)}: {error}")


if __name__ == "__main__":
    main()

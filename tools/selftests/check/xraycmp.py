#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
xraycmp.py - do our reader and llvm-xray say the same of an FDR log, record by record?

        xraycmp.py DUMP YAML [WHAT]

DUMP is what xraydump wrote, YAML what llvm-xray convert -f yaml did. WHAT is a list of what
is not compared, see xraywrite.py. The order of threads is not, nor is that of records:
llvm-xray sorts by TSC.
"""

import re
import sys

ESCAPES = {"0": 0, "a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27,
           '"': 34, "\\": 92}


def unescape(text):
    def one(match):
        code = match.group(1)
        return chr(int(code[1:], 16)) if code[0] == "x" else chr(ESCAPES[code])

    return re.sub(r"\\(x[0-9A-Fa-f]{2}|.)", one, text)


def data_of(line):
    match = re.search(r", data: (.*) }$", line)
    text = match.group(1).strip()
    if text.startswith("'"):
        return text[1:-1].replace("''", "'").encode()
    if text.startswith('"'):
        return unescape(text[1:-1]).encode("latin-1", "replace")
    return text.encode()


def number(line, name, default=0):
    match = re.search(rf"[{{ ]{name}: (\d+)", line)
    return int(match.group(1)) if match else default


def read_yaml(path):
    records = []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line.startswith("  - {"):
                continue
            kind = re.search(r"kind: ([a-z-]+)", line).group(1)
            event = kind.endswith("event")
            args = re.search(r"args: \[ ([0-9, ]+) \]", line)
            records.append({
                "pid": number(line, "process"),
                "tid": number(line, "thread"),
                "cpu": number(line, "cpu"),
                "tsc": number(line, "tsc"),
                "kind": kind,
                "function": 0 if event else number(line, "func-id"),
                "args": tuple(map(int, args.group(1).split(", "))) if args else (),
                "type": number(line, "type") if kind == "typed-event" else 0,
                "data": data_of(line) if event else b"",
            })
    return records


def read_dump(path):
    records = []
    with open(path, encoding="ascii") as f:
        for line in f:
            word = line.split()
            if word[0] != "record" or word[5] in ("cpu", "wrap"):
                continue
            if word[5] == "argument":
                records[-1]["args"] += (int(word[8]),)
                # llvm-xray calls every entry with arguments so.
                if records[-1]["kind"] == "function-enter":
                    records[-1]["kind"] = "function-enter-arg"
                continue
            event = word[5].endswith("event")
            records.append({
                "pid": int(word[1]), "tid": int(word[2]), "cpu": int(word[3]),
                "tsc": int(word[4]), "kind": word[5], "function": int(word[6]), "args": (),
                "type": int(word[8]) if event else 0,
                "data": bytes.fromhex(word[9]) if event and len(word) > 9 else b"",
            })
    return records


def leave_out(records, what, version):
    for record in records:
        event = record["kind"].endswith("event")
        # Version 2 has none; llvm-xray then takes the thread's.
        if version < 3:
            record["pid"] = 0
        if "not-event-cpu" in what and event:
            record["cpu"] = 0
        for field in ("tsc", "data", "type"):
            if f"not-{field}" in what:
                record[field] = 0
    return sorted(tuple(record.values()) for record in records)


def main():
    with open(sys.argv[1], encoding="ascii") as f:
        version = int(f.readline().split()[1])
    what = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    ours = leave_out(read_dump(sys.argv[1]), what, version)
    theirs = leave_out(read_yaml(sys.argv[2]), what, version)
    if not theirs and not ours:
        return 0
    if len(ours) != len(theirs):
        print(f"{len(ours)} records, but {len(theirs)} by llvm-xray")
    for a, b in zip(ours, theirs):
        if a != b:
            print(f"ours:      {a}\nllvm-xray: {b}")
            return 1
    return len(ours) != len(theirs)


if __name__ == "__main__":
    sys.exit(main())

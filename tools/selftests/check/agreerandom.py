#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""agreerandom.py DECODE GENERATORS WORK FIRST COUNT - agree.py on captures that are made at random

Capture N is of a generator of the folder GENERATORS, with losses, most times damaged, and read in
part or whole; N decides all of it. GENERATORS has gen-activity, gen-capture and gen-memory. A
line for each capture whose outputs do not agree, by which it can be made again:

	agreerandom.py DECODE GENERATORS WORK N 1

keeps it in WORK. Status 1 if there was one, or if fewer than nine of ten had outputs to compare.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys

import agree

# What the decoder says then.
NOTHING = ("no task is known", "there is no such process", "there is no such CPU",
           "no valid sub-buffer", "is empty", "not one record of it can be read")
KINDS = "kind=thread|run|wait|unknown|call|fault"


def run(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          encoding="utf-8", errors="replace")


def make(rnd, generators, capture):
    seed = str(rnd.randrange(1, 1 << 30))
    kind = rnd.choice(("activity", "activity", "activity", "capture", "memory"))
    events = str(rnd.choice((300, 1500, 4000)))
    if kind == "activity":
        args = ["random", capture, events, seed, str(rnd.choice((0, 1, 4, 20, 60)))]
    elif kind == "capture":
        args = ["random", capture, "-n", events, "-c", str(rnd.randrange(1, 6)), "-t", "30",
                "-s", seed, "-l", str(rnd.choice((0, 2, 9))), "-b", "4096",
                *rnd.choice(([], ["-e"], ["-o"], ["-C"]))]
    else:
        args = [capture, "-n", str(int(events) // 3), "-c", str(rnd.randrange(1, 4)), "-s", seed,
                "-b", "4096"]
    subprocess.run([f"{generators}/gen-{kind}", *args], check=True, stdout=subprocess.DEVNULL)
    return kind


def damage(rnd, capture):
    """Zeros, other bytes, or an end too early; in words."""
    path = rnd.choice(sorted(glob.glob(f"{capture}/cpu*.ovk")))
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if len(data) < 4096:
        return ""
    at, size = rnd.randrange(len(data)), rnd.choice((1, 8, 100, 2000, 16384))
    how = rnd.choice(("zeros", "zeros", "noise", "cut"))
    if how == "cut":
        del data[at:]
    else:
        end = min(at + size, len(data))
        data[at:end] = bytes(end - at) if how == "zeros" else rnd.randbytes(end - at)
    with open(path, "wb") as f:
        f.write(data)
    return f"{how} at {at} of {os.path.basename(path)}"


def length(decode, capture):
    """How long the capture is, in seconds; of what has no report, nearly nothing."""
    made = subprocess.run([decode, "report", capture, "--json"], capture_output=True, check=False)
    return json.loads(made.stdout)[0]["length_ns"] / 1e9 if made.returncode in (0, 3) else 1e-6


def part(rnd, kind, seconds):
    """Options of which part is read."""
    def at(first, last):
        return f"{rnd.uniform(first, last) * seconds:.9f}"

    first = {"activity": 1001, "capture": 1000, "memory": 100}[kind]
    return rnd.choice((
        [], [], [],
        ["--from", at(0, 0.8)],
        ["--from", at(0, 0.4), "--until", at(0.4, 1)],
        ["--pid", str(first - first % 10 + rnd.randrange(7))],
        ["--cpu", str(rnd.randrange(2))],
        ["--cpu", "0", "--from", at(0, 0.8)],
    ))


def has_nothing(made):
    """Nothing of the capture is in the part, or it is no capture any more, as it says."""
    return made.returncode in (0, 1, 3) and any(what in made.stderr for what in NOTHING)


def is_broken(made):
    """A signal has ended it, or a sanitizer, or it takes the options for wrong."""
    return made.returncode not in (0, 1, 3, 4) or "Sanitizer" in made.stderr or \
        "runtime error" in made.stderr


def judge(decode, capture, work, options):
    """What the outputs of a capture do not agree in, or why they could not be made; None if there
    is nothing to compare."""
    out, table = f"{work}/out", f"{work}/tasks.csv"
    shutil.rmtree(out, ignore_errors=True)
    if os.path.exists(table):
        os.remove(table)
    made = [run(decode, capture, "-o", out, "--to", "ovni,prv,xray", *options),
            run(decode, capture, "--tracer", f"csv,{KINDS},file={table}", *options)]
    broken = [f"status {r.returncode}: {r.stderr}" for r in made if is_broken(r)]
    if broken:
        return broken
    if os.path.exists(f"{out}/thread.prv"):
        return agree.differences(out, table, made[0].stderr)
    said = [r.stderr or f"status {r.returncode}" for r in made if not has_nothing(r)]
    return said or None


def one(decode, generators, work, number):
    rnd = random.Random(number)
    capture = f"{work}/capture"
    shutil.rmtree(capture, ignore_errors=True)
    kind = make(rnd, generators, capture)
    hurt = [damage(rnd, capture) for _ in range(rnd.choice((0, 0, 1, 3)))]
    options = part(rnd, kind, length(decode, capture))
    wrong = judge(decode, capture, work, options)
    if wrong:
        print(f"{number}: {kind}, {', '.join(hurt) or 'intact'}, {' '.join(options) or 'whole'}: "
              f"{len(wrong)}: {wrong[0]}", flush=True)
    return None if wrong is None else not wrong


def main():
    decode, generators, work, first, count = sys.argv[1:]
    good = [one(decode, generators, work, n) for n in range(int(first), int(first) + int(count))]
    judged = [g for g in good if g is not None]
    print(f"{sum(judged)} of {len(judged)} captures agree, and {len(good) - len(judged)} have "
          "nothing to compare")
    return 0 if all(judged) and 10 * len(judged) >= 9 * len(good) else 1


if __name__ == "__main__":
    sys.exit(main())

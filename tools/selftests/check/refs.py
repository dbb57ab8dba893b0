#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""refs.py make N BASE [wide] | fuzz PROGRAM N [wide] | run N FILE [wide|data] |
logfuzz PROGRAM N DIR - raw references, for refs.sh

make writes N random references to BASE.bin and BASE.txt, from the format's
description alone. fuzz damages a few references in N ways, has PROGRAM convert
them in either direction, and compares what it does with the description.

run writes the references of N blocks of code that a machine executes: loops, faults, other
address spaces, idle times, long instructions; data: without fetches. logfuzz damages such, and
has PROGRAM make logs of them: what is accepted must come out as it was.
"""
import random
import re
import struct
import subprocess
import sys

LAYOUT = {False: struct.Struct("<cQBII"), True: struct.Struct("<cQBIQ")}
TYPES = {False: b"rwi", True: b"RWI"}
LINE = {
    wide: re.compile(rb"([%s]) ([0-9a-fA-F]{1,16}) (0?[1-8]) ([0-9a-fA-F]{1,8}) "
                     rb"([0-9a-fA-F]{1,%d})\n" % (TYPES[wide], 16 if wide else 8))
    for wide in (False, True)
}
rng = random.Random(20261121)


def number(bits):
    """Of every length, and often an extreme one."""
    bits = rng.choice((bits, rng.randrange(bits + 1)))
    return rng.choice((rng.getrandbits(bits) if bits else 0, rng.getrandbits(bits or 1),
                       (1 << bits) - 1))


def reference(wide):
    kind = rng.choice(TYPES[wide])
    return (bytes((kind,)), number(64), rng.randrange(1, 9), number(32),
            number(64 if wide else 32))


def text_of(ref):
    return b"%c %x %x %x %x\n" % ref


def make(count, base, wide):
    refs = [reference(wide) for _ in range(count)]
    with open(base + ".bin", "wb") as f:
        f.write(b"".join(LAYOUT[wide].pack(*ref) for ref in refs))
    with open(base + ".txt", "wb") as f:
        f.write(b"".join(map(text_of, refs)))


def expect_text(data, wide):
    """Output and how much of the input it is of."""
    out, at, layout = [], 0, LAYOUT[wide]
    while at + layout.size <= len(data):
        ref = layout.unpack_from(data, at)
        if ref[0] not in TYPES[wide] or not 1 <= ref[2] <= 8:
            break
        out.append(text_of(ref))
        at += layout.size
    return b"".join(out), at


def expect_binary(data, wide):
    out, at = [], 0
    while match := LINE[wide].match(data, at):
        kind, *numbers = match.groups()
        out.append(LAYOUT[wide].pack(kind, *(int(n, 16) for n in numbers)))
        at = match.end()
    return b"".join(out), at


def damage(data):
    """One byte, or a few, changed, inserted, removed, doubled or swapped."""
    data = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 5))):
        at = rng.randrange(len(data))
        new = rng.choice((rng.randrange(256), rng.choice(b" \n\r\t\0rwiRWI09afAFgG/:@`")))
        what = rng.randrange(5)
        if what < 2:
            data[at] = new
        elif what == 2:
            data.insert(at, new)
        elif what == 3:
            del data[at:at + rng.choice((1, 1, 1, 18, 22, 40))]
        else:
            data[at:at] = data[at:at + rng.randrange(60)]
        if not data:
            break
    return bytes(data)


def wrong(program, data, to_text, wide):
    """What is wrong with the conversion of data, or None."""
    want, at = (expect_text if to_text else expect_binary)(data, wide)
    run = subprocess.run([program, "--to-text" if to_text else "--to-binary"] +
                         ["--wide"] * wide, input=data, capture_output=True, check=False)
    message = run.stderr.decode("ascii")
    if run.stdout != want:
        return "output differs"
    if run.returncode != (at < len(data)):
        return f"status {run.returncode}"
    if at == len(data):
        return "a message without an error" if message else None
    where = f": offset {at}: "
    if not to_text:
        where += f"line {data.count(10, 0, at) + 1}: "
    if where not in message or message.count("\n") != 1:
        return f"message is not {where}"
    return None


def fuzz(program, count, wide):
    for _ in range(count):
        to_text = rng.random() < 0.3
        refs = [reference(wide) for _ in range(rng.choice((1, 1, 2, 5)))]
        data = b"".join(LAYOUT[wide].pack(*ref) if to_text else text_of(ref) for ref in refs)
        data = damage(data)
        fault = wrong(program, data, to_text, wide)
        if fault:
            sys.exit(f"{fault}: {'to text' if to_text else 'to binary'}: {data!r}")


class Machine:
    """Executes code that it makes up."""

    def __init__(self, wide, fetches):
        self.top = rng.choice((0, 0x7f0000000000, 0xffffffff80000000)) if wide else 0
        self.time, self.space, self.fetches = rng.getrandbits(40), 1, fetches
        self.types = b"IRW" if wide else b"irw"
        self.code = [self.block(wide) for _ in range(50)]
        self.refs = []

    def block(self, wide):
        at = (rng.choice((0, 0x7f0000000000, 0xffffffff80000000)) if wide else 0) + \
            rng.getrandbits(24)
        insns = []
        for _ in range(rng.randrange(1, 60)):
            length = rng.choice((1, 2, 3, 4, 5, 7, 8, 9, 12, 15))
            insns.append((at, length, [(rng.choice(self.types[1:]), rng.choice((1, 2, 4, 8)))
                                       for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 5)))]))
            at += length
        return insns

    def put(self, kind, length, address):
        self.refs.append((bytes((kind,)), self.time, length, self.space, address))

    def insn(self, at, length, accesses):
        for begin in range(0, length if self.fetches else 0, 8):
            self.put(self.types[0], min(8, length - begin), at + begin)
        for kind, size in accesses:
            self.put(kind, size, self.top + rng.getrandbits(rng.choice((12, 30))))

    def execute(self):
        insns = rng.choice(self.code)[rng.choice((0, 0, 0, 3)):]
        cut = rng.choice((len(insns), len(insns), len(insns), 2))
        for _ in range(rng.choice((1, 1, 1, 30))):
            for insn in insns[:cut]:
                self.insn(*insn)
                self.time += rng.random() > 0.01
        self.time += rng.choice((0,) * 20 + (5, 1000000, -100))
        if rng.random() < 0.1:
            self.space = rng.randrange(1, 5)


def run(count, path, wide, fetches):
    machine = Machine(wide, fetches)
    for _ in range(count):
        machine.execute()
    with open(path, "wb") as file:
        file.write(b"".join(LAYOUT[wide].pack(*ref) for ref in machine.refs))


def powers(data):
    """A log has lengths that are powers of two."""
    out = []
    for kind, time, length, space, address in LAYOUT[True].iter_unpack(data):
        while length:
            part = length if kind == b"I" else 1 << length.bit_length() - 1
            out.append(LAYOUT[True].pack(kind, time, part, space, address))
            length, address = length - part, (address + part) % (1 << 64)
    return b"".join(out)


def logfuzz(program, count, folder):
    accepted = 0
    for _ in range(count):
        run(rng.choice((1, 3, 10)), folder + "/in", True, rng.random() < 0.7)
        with open(folder + "/in", "rb") as file:
            data = bytearray(file.read()[:20000 // 22 * 22])
        for _ in range(rng.choice((0, 1, 2)) if data else 0):
            at = rng.randrange(len(data) // 22) * 22
            data[at:at + 22] = LAYOUT[True].pack(*reference(True))
        made = subprocess.run([program, "--to-log", "--wide", "-o", folder + "/log"],
                              input=data, capture_output=True, check=False)
        if made.returncode not in (0, 1) or made.returncode != (b"offset" in made.stderr):
            sys.exit(f"status {made.returncode}: {made.stderr.decode()}")
        if made.returncode:
            continue
        back = subprocess.run([program, "--to-binary", "--wide", folder + "/log"],
                              capture_output=True, check=True).stdout
        if back != powers(data):
            sys.exit("what came out is not what went in: " + folder)
        accepted += 1
    if accepted < count // 4:
        sys.exit(f"only {accepted} accepted")


def main():
    what, *args = sys.argv[1:]
    wide = args[2:] == ["wide"]
    if what == "run":
        run(int(args[0]), args[1], wide or args[2:] == ["data"], args[2:] != ["data"])
    elif what == "logfuzz":
        logfuzz(args[0], int(args[1]), args[2])
    elif what == "make":
        make(int(args[0]), args[1], wide)
    else:
        fuzz(args[0], int(args[1]), wide)


main()

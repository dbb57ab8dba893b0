#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""xraymake.py LOG - write the XRay FDR log that a program could have written.

From stdin, a line a record, all times as TSC:

    log VERSION [big] [HZ]          comes first
    buffer PID/TID TSC              a buffer begins, with a NewCPUId; PID counts from version 3
    cpu NUMBER TSC                  another NewCPUId
    TSC enter|exit|tail|args ID     a function
    TSC event TEXT                  a custom event; \\xNN for a byte
    TSC typed TYPE TEXT             a typed event
    raw HEX                         bytes as they are
    pad BYTES                       zeroes

Deltas and TSCWrap are put in by themselves. Empty lines and those with # are passed over.
Written from the format's document and what llvm-xray reads, not from our reader.
"""
import struct
import sys

ACTIONS = {"enter": 0, "exit": 1, "tail": 2, "args": 3}
NEW_BUFFER, END, CPU, WRAP, WALL, EVENT, _, EXTENTS, TYPED, PID = range(10)


class Log:
    """What is written so far, and the buffer that is open."""

    def __init__(self, version, big, hertz):
        self.version = version
        self.order = ">" if big else "<"
        self.big = big
        flags = 3 << 30 if big else 3
        self.done = struct.pack(self.order + "HHIQQ8x", version, 1, flags, hertz, 4096)
        self.head = b""
        self.body = bytearray()
        self.tsc = 0

    def meta(self, kind, fmt="", *values):
        data = struct.pack(self.order + fmt, *values)
        first = 0x80 | kind if self.big else kind << 1 | 1
        return bytes([first]) + data.ljust(15, b"\0")

    def close(self):
        if not self.head:
            return
        if self.version == 1:
            self.done += self.head + self.body + self.meta(END)
        else:
            size = len(self.head) + len(self.body)
            self.done += self.meta(EXTENTS, "Q", size) + self.head + self.body
        self.head = b""
        self.body = bytearray()

    def buffer(self, pid, tid, tsc):
        self.close()
        self.head = self.meta(NEW_BUFFER, "I", tid)
        self.head += self.meta(WALL, "QI", tsc // 10**9, tsc % 10**9)
        if self.version >= 3:
            self.head += self.meta(PID, "i", pid)
        self.cpu(0, tsc)

    def cpu(self, cpu, tsc):
        self.body += self.meta(CPU, "HQ", cpu, tsc)
        self.tsc = tsc

    def delta(self, tsc):
        if not 0 <= tsc - self.tsc < 1 << 32:
            self.body += self.meta(WRAP, "Q", tsc)
            self.tsc = tsc
        delta = tsc - self.tsc
        self.tsc = tsc
        return delta

    def function(self, tsc, action, number):
        delta = self.delta(tsc)
        word = ACTIONS[action] << 28 | number if self.big else ACTIONS[action] << 1 | number << 4
        self.body += struct.pack(self.order + "II", word, delta)

    def event(self, tsc, data):
        if self.version >= 5:
            delta = self.delta(tsc)
            self.body += self.meta(EVENT, "Ii", len(data), delta)
        elif self.version == 4:
            self.body += self.meta(EVENT, "IQH", len(data), tsc, 0)
        else:
            self.body += self.meta(EVENT, "IQ", len(data), tsc)
        self.body += data

    def typed(self, tsc, kind, data):
        delta = self.delta(tsc)
        self.body += self.meta(TYPED, "IiH", len(data), delta, kind) + data

    def take(self, words, rest):
        """One line."""
        if words[0] == "buffer":
            pid, tid = map(int, words[1].split("/"))
            self.buffer(pid, tid, int(words[2]))
        elif words[0] == "cpu":
            self.cpu(int(words[1]), int(words[2]))
        elif words[0] == "raw":
            self.body += bytes.fromhex(words[1])
        elif words[0] == "pad":
            self.close()
            self.done += bytes(int(words[1]))
        elif words[1] == "event":
            self.event(int(words[0]), text_of(rest))
        elif words[1] == "typed":
            self.typed(int(words[0]), int(words[2]), text_of(rest.split(" ", 1)[1]))
        else:
            self.function(int(words[0]), words[1], int(words[2]))


def text_of(text):
    return text.encode().decode("unicode_escape").encode("latin-1")


def main():
    log = None
    for line in sys.stdin:
        line = line.strip()
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "log":
            hertz = [int(word) for word in words[2:] if word != "big"]
            log = Log(int(words[1]), "big" in words, hertz[0] if hertz else 2 * 10**9)
            continue
        log.take(words, line.split(" ", 2)[2] if len(words) > 2 else "")
    log.close()
    with open(sys.argv[1], "wb") as f:
        f.write(log.done)


main()

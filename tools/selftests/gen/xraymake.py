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
"""
import sys

import fdrlog

ACTIONS = {"enter": fdrlog.ENTER, "exit": fdrlog.EXIT, "tail": fdrlog.TAIL_EXIT,
           "args": fdrlog.ENTER_ARGS}


class Log(fdrlog.Log):
    """A log whose records have times, not deltas."""

    def __init__(self, version, big, hertz):
        super().__init__(version, big, frequency=hertz, buffer_size=4096)
        self.open = False
        self.tsc = 0

    def close(self):
        if self.open and self.version == 1:
            self.end()
        self.open = False

    def begin(self, pid, tid, tsc):
        self.close()
        self.buffer(tid, tsc, tsc, pid=pid, cpu=0, second=10**9)
        self.open = True
        self.tsc = tsc

    def delta(self, tsc):
        if not 0 <= tsc - self.tsc < 1 << 32:
            self.wrap(tsc)
            self.tsc = tsc
        delta = tsc - self.tsc
        self.tsc = tsc
        return delta

    def take(self, words, rest):
        """One line."""
        if words[0] == "buffer":
            pid, tid = map(int, words[1].split("/"))
            self.begin(pid, tid, int(words[2]))
        elif words[0] == "cpu":
            self.tsc = int(words[2])
            self.cpu(int(words[1]), self.tsc)
        elif words[0] == "raw":
            self.raw(bytes.fromhex(words[1]))
        elif words[0] == "pad":
            self.close()
            self.raw(bytes(int(words[1])), new=True)
        elif words[1] == "event":
            tsc = int(words[0])
            self.custom(text_of(rest), self.delta(tsc) if self.version >= 5 else tsc, cpu=0)
        elif words[1] == "typed":
            data = text_of(rest.split(" ", 1)[1])
            self.typed(data, self.delta(int(words[0])), int(words[2]))
        else:
            self.function(ACTIONS[words[1]], int(words[2]), self.delta(int(words[0])))


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
        f.write(log.bytes())


main()

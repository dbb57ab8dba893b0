#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
xraywrite.py - write FDR logs by hand

        xraywrite.py DIR        one log of each shape below: DIR/SHAPE.xray, and DIR/shapes

A line of DIR/shapes: SHAPE LLVM OURS COMPARE. LLVM is yes or no: does llvm-xray-14 accept it;
OURS is how many breaks our reader tells, or no if it refuses the log. COMPARE names what
is not compared: "all" is compared, or "not-..." is not.
"""

import struct
import sys

NEW_BUFFER, END_OF_BUFFER, NEW_CPU_ID, TSC_WRAP, WALL_CLOCK = range(5)
CUSTOM_EVENT, CALL_ARGUMENT, BUFFER_EXTENTS, TYPED_EVENT, PID = range(5, 10)
ENTER, EXIT, TAIL_EXIT, ENTER_ARGS = range(4)


class Log:
    """A log; methods append records to the last buffer, and give the log back."""

    def __init__(self, version, big=False, frequency=2600000000, buffer_size=512):
        self.version = version
        self.big = big
        self.order = ">" if big else "<"
        self.header = self.pack("HH", version, 1)
        self.header += self.pack("I", 3 << 30 if big else 3)
        self.header += self.pack("QQQ", frequency, buffer_size, 0)
        self.buffer_size = buffer_size
        self.parts = []
        self.sized = []

    def pack(self, fields, *values):
        return struct.pack(self.order + fields, *values)

    def raw(self, data, new=False):
        """Bytes; of no buffer if new."""
        if new:
            self.parts.append(b"")
            self.sized.append(False)
        self.parts[-1] += data
        return self

    def metadata(self, kind, fields="", *values):
        first = 0x80 | kind if self.big else kind << 1 | 1
        return self.raw((bytes([first]) + self.pack(fields, *values)).ljust(16, b"\0"))

    def buffer(self, tid, clock, tsc, pid=4711, cpu=1, extents=True):
        """A buffer's head; clock in microseconds."""
        self.parts.append(b"")
        self.sized.append(extents and self.version > 1)
        self.metadata(NEW_BUFFER, "i", tid)
        self.metadata(WALL_CLOCK, "QI", clock // 1000000, clock % 1000000)
        if self.version >= 3 and pid is not None:
            self.metadata(PID, "i", pid)
        return self.cpu(cpu, tsc)

    def cpu(self, cpu, tsc):
        return self.metadata(NEW_CPU_ID, "HQ", cpu, tsc)

    def wrap(self, tsc):
        return self.metadata(TSC_WRAP, "Q", tsc)

    def function(self, action, number, delta):
        word = action << 28 | number if self.big else number << 4 | action << 1
        return self.raw(self.pack("II", word, delta))

    def call(self, number, delta=10):
        return self.function(ENTER, number, delta).function(EXIT, number, delta)

    def argument(self, value):
        return self.metadata(CALL_ARGUMENT, "Q", value)

    def custom(self, data, tsc, cpu=2):
        """tsc is a delta from version 5 on."""
        if self.version >= 5:
            self.metadata(CUSTOM_EVENT, "ii", len(data), tsc)
        elif self.version == 4:
            self.metadata(CUSTOM_EVENT, "iQH", len(data), tsc, cpu)
        else:
            self.metadata(CUSTOM_EVENT, "iQ", len(data), tsc)
        return self.raw(data)

    def typed(self, data, tsc, number):
        fields = "iiH" if self.version >= 5 else "iQH"
        return self.metadata(TYPED_EVENT, fields, len(data), tsc, number).raw(data)

    def end(self, padding=None):
        """EndOfBuffer; the rest up to the header's size is such bytes."""
        self.metadata(END_OF_BUFFER)
        if padding is not None:
            self.raw(padding * (self.buffer_size - len(self.parts[-1])))
        return self

    def bytes(self):
        out = self.header
        for part, sized in zip(self.parts, self.sized):
            if sized:
                first = 0x80 | BUFFER_EXTENTS if self.big else BUFFER_EXTENTS << 1 | 1
                out += bytes([first]) + self.pack("Q", len(part)).ljust(15, b"\0")
            out += part
        return out


def end(log):
    """As the version has it."""
    return log.end() if log.version == 1 else log


def fill(log, padding=None, data=b"some bytes of data"):
    """All that a log of its version may hold, in three threads."""
    for i in range(4):
        tsc = 1000000 * (i + 1)
        log.buffer((100, 70000, 4194304, 100)[i], 5000000 + i, tsc, cpu=i)
        log.call(1).call(2).function(ENTER, 3, 7).function(TAIL_EXIT, 3, 9)
        log.function(ENTER_ARGS, 4, 5).argument(17).argument(2**64 - 1).function(EXIT, 4, 5)
        log.cpu(i + 4, tsc + 5000).call(5)
        log.custom(data, 3 if log.version >= 5 else tsc + 6000)
        log.wrap(tsc + 2**33).call(6)
        if log.version == 1 and padding is not False:
            log.end(padding)
    return log


def buffers(log, number, step=1):
    """Many buffers of one thread, each a call."""
    for i in range(number):
        end(log.buffer(7, 1000000 * i, 1000 * (i + 1)).call(i + 1))
    return log


def ready(version, **more):
    return Log(version, **more).buffer(100, 5000000, 1000, cpu=3).call(1)


def zeros_between(version):
    log = ready(version)
    log.raw(bytes(24), new=True)
    return log.buffer(101, 5000001, 2000).call(2)


def with_pid():
    log = Log(2)
    log.version = 3
    log.buffer(8, 1, 1)
    log.version = 2
    return log.buffer(9, 2, 2)


def cut(log, size):
    data = log.bytes()[:-size]
    log.bytes = lambda: data
    return log


SHAPES = []


def shape(name, llvm, ours, log, compare="all"):
    SHAPES.append((name, llvm, str(ours), compare, log))


def all_versions():
    for version in range(1, 6):
        some = f"v{version}"
        # llvm-xray takes bytes that mean nothing before version 4 for a CPU.
        cpu = "all" if version >= 4 else "not-event-cpu"
        shape(f"{some}-all", "yes", 0, fill(Log(version)), cpu)
        shape(f"{some}-header-only", "no", 0, Log(version))
        shape(f"{some}-only-cpu", "yes", 0, end(Log(version).buffer(1, 1, 1)))
        shape(f"{some}-no-data", "no", 0, end(ready(version).custom(b"", 2000).call(2)))
        shape(f"{some}-ids", "yes", 0, ready(version).call(0).call(0x0fffffff))
        shape(f"{some}-back", "yes", 0, ready(version).cpu(0, 7).call(2).wrap(3).call(3))
        shape(f"{some}-frequency", "yes", 0, ready(version, frequency=0))
        shape(f"{some}-thread-0", "yes", 0, Log(version).buffer(0, 1, 1).function(EXIT, 1, 1))
        shape(f"{some}-data", "yes", 0, ready(version).custom(b"\0\1\xff\xc3\xa4'\"", 2000),
              cpu + ",not-data")
        shape(f"{some}-cut", "no", 1, cut(ready(version).call(2), 3))
        shape(f"{some}-buffers", "yes", 0, buffers(Log(version), 40))
        # llvm-xray reads typed events of all versions as those of version 5.
        shape(f"{some}-typed", "yes", 0, ready(version).typed(b"data", 10, 0).call(2),
              "all" if version >= 5 else "not-tsc,not-type")
        shape(f"{some}-big", "no", 0, fill(Log(version, big=True)))
        # Stricter than llvm-xray.
        shape(f"{some}-argument", "yes", 1, ready(version).argument(5), "not-compared")
        shape(f"{some}-negative", "yes", 1, end(ready(version)).buffer(-7, 6000000, 9),
              "not-compared")


def first_version():
    shape("v1-no-end", "yes", 0, fill(Log(1), padding=False), "not-event-cpu")
    shape("v1-zeros", "yes", 0, fill(Log(1), b"\0", b"8 bytes."), "not-event-cpu")
    shape("v1-zeros-odd", "no", 0, fill(Log(1), b"\0", b"odd"))
    shape("v1-0xff", "no", 0, fill(Log(1), b"\xff"))
    shape("v1-extents", "yes", 1, ready(1).metadata(BUFFER_EXTENTS, "Q", 100), "not-compared")


def later_versions():
    for version in range(2, 6):
        some = f"v{version}"
        log = ready(version).end().call(2)
        log.buffer(101, 5000001, 2000).call(2)
        shape(f"{some}-end-of-buffer", "no", 1, log)
    shape("v2-no-extents", "yes", 1, ready(2).buffer(8, 1, 1, extents=False).call(1),
          "not-compared")
    shape("v2-pid", "yes", 1, with_pid(), "not-compared")
    for version in range(3, 6):
        some = f"v{version}"
        log = ready(version)
        log.raw(b"\x11\x22\x33", new=True)
        log.buffer(101, 5000001, 2000).call(2)
        shape(f"{some}-garbage-between", "yes", 1, log)
        shape(f"{some}-zeros-between", "yes", 0, zeros_between(version))
        shape(f"{some}-zeros-behind", "no", 0, ready(version).raw(bytes(24), new=True))
        shape(f"{some}-no-pid", "yes", 0, Log(version).buffer(7, 1, 1, pid=None).call(1))
        log = ready(version)
        log.parts.append(b"")
        log.sized.append(True)
        log.buffer(101, 5000001, 2000).call(2)
        shape(f"{some}-empty", "yes", 0, log)


def main():
    all_versions()
    first_version()
    later_versions()
    with open(f"{sys.argv[1]}/shapes", "w", encoding="ascii") as shapes:
        for name, llvm, ours, compare, log in SHAPES:
            with open(f"{sys.argv[1]}/{name}.xray", "wb") as f:
                f.write(log.bytes())
            print(name, llvm, ours, compare, file=shapes)


if __name__ == "__main__":
    main()

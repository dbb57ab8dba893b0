# SPDX-License-Identifier: GPL-2.0-only
"""
fdrlog.py - write XRay FDR logs, record by record; for xraywrite.py and xraymake.py

Written from the format's document and what llvm-xray reads, not from our reader.
"""

import struct

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
            self.parts.append(bytearray())
            self.sized.append(False)
        self.parts[-1] += data
        return self

    def metadata(self, kind, fields="", *values):
        first = 0x80 | kind if self.big else kind << 1 | 1
        return self.raw((bytes([first]) + self.pack(fields, *values)).ljust(16, b"\0"))

    def buffer(self, tid, clock, tsc, pid=4711, cpu=1, extents=True, second=1000000):
        """A buffer's head; a second has so many units of clock."""
        self.parts.append(bytearray())
        self.sized.append(extents and self.version > 1)
        self.metadata(NEW_BUFFER, "i", tid)
        self.metadata(WALL_CLOCK, "QI", clock // second, clock % second)
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
        out = bytearray(self.header)
        for part, sized in zip(self.parts, self.sized):
            if sized:
                first = 0x80 | BUFFER_EXTENTS if self.big else BUFFER_EXTENTS << 1 | 1
                out += bytes([first]) + self.pack("Q", len(part)).ljust(15, b"\0")
            out += part
        return out

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
xraywrite.py - write FDR logs by hand

        xraywrite.py DIR        one log of each shape below: DIR/SHAPE.xray, and DIR/shapes

A line of DIR/shapes: SHAPE LLVM OURS COMPARE. LLVM is yes or no: does llvm-xray-14 accept it;
OURS is how many breaks our reader reports, or no if it refuses the log. COMPARE names what
is not compared: "all" is compared, or "not-..." is not.
"""

import sys

from fdrlog import BUFFER_EXTENTS, ENTER, ENTER_ARGS, EXIT, TAIL_EXIT, Log

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
        # Old runtimes write arguments after a plain entry.
        shape(f"{some}-argument", "yes", 0, ready(version).function(ENTER, 2, 7).argument(5)
              .function(EXIT, 2, 9), cpu)
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
        log.parts.append(bytearray())
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

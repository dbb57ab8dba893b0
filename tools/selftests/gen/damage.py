#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""damage.py FILE flip OFFSET BIT | put OFFSET HEX | cut LENGTH | insert OFFSET N |
remove OFFSET N | find HEX NUMBER | record OFFSET NUMBER - damage a file

find prints where HEX is found, record where a record of the sub-buffer at OFFSET
begins.
"""
import struct
import sys


def record(data, at, number):
    at += struct.unpack_from("<H", data, at + 10)[0]
    for _ in range(number):
        words, size = data[at + 5], struct.unpack_from("<H", data, at + 6)[0]
        at += 8 * words or (size & 0x7fff) + 7 & ~7
    return at


def main():
    path, what, *args = sys.argv[1:]
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if what == "flip":
        data[int(args[0])] ^= 1 << int(args[1])
    elif what == "put":
        new = bytes.fromhex(args[1])
        data[int(args[0]):int(args[0]) + len(new)] = new
    elif what == "cut":
        del data[int(args[0]):]
    elif what == "insert":
        data[int(args[0]):int(args[0])] = b"\xa5" * int(args[1])
    elif what == "remove":
        del data[int(args[0]):int(args[0]) + int(args[1])]
    elif what == "find":
        at = -1
        for _ in range(int(args[1]) + 1):
            at = data.find(bytes.fromhex(args[0]), at + 1)
        print(at)
        return
    elif what == "record":
        print(record(data, int(args[0]), int(args[1])))
        return
    with open(path, "wb") as f:
        f.write(data)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovnishift.py TRACE NS - make the clocks of an ovni trace wrong by NS, which may be negative."""
import os
import struct
import sys


def shift(path, by):
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        at = 8
        while at < len(data):
            (clock,) = struct.unpack_from("<Q", data, at + 4)
            struct.pack_into("<Q", data, at + 4, clock + by)
            size = data[at] & 15
            jumbo = data[at] & 16
            at += 12 + size + (size > 0)
            if jumbo:
                at += struct.unpack_from("<I", data, at - 4)[0]
        f.seek(0)
        f.write(data)


for where, _, names in os.walk(sys.argv[1]):
    if "stream.obs" in names:
        shift(os.path.join(where, "stream.obs"), int(sys.argv[2]))

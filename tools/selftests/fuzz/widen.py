#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""widen.py CAPTURE EVENT BYTES - records become so much longer, for a second name behind all fields

meta.json describes it; all is as a recorder would write it. BYTES is a multiple of 8, from 16 on.
"""
import json
import os
import struct
import sys
import zlib

# Where they are in a sub-buffer's header: its size, then size, flags, used, committed, crc.
HEADER_SIZE = 10
SIZES = 64
ALIGN = 8
NAME = 16


def describe(path, event, more):
    """Return: the event's number."""
    with open(path, encoding="utf-8") as f:
        meta = json.load(f)
    found = next(e for e in meta["events"] if e["name"] == event)
    found["size"] += more
    found["fields"].append({"name": "second", "type": "comm", "offset": found["size"] - NAME, "size": NAME})
    with open(path, "w", encoding="utf-8") as f:
        json.dump(meta, f, separators=(",", ":"))
    return found["number"]


def widen_records(data, number, more):
    out, at = b"", 0
    while at < len(data):
        words = data[at + 5]
        end = at + (ALIGN * words or struct.unpack_from("<H", data, at + 6)[0] + ALIGN - 1 & -ALIGN)
        rec = bytearray(data[at:end])
        if rec[4] == number:
            rec[5] += more // ALIGN
            rec += b"second".rjust(more - NAME + 6, b"x").ljust(more, b"\0")
        out += rec
        at = end
    return out


def widen(data, number, more):
    out, at = b"", 0
    while at < len(data):
        begin = at + struct.unpack_from("<H", data, at + HEADER_SIZE)[0]
        size, flags, used, _, _ = struct.unpack_from("<5I", data, at + SIZES)
        sub = bytearray(data[at:begin]) + widen_records(data[begin:at + used], number, more)
        sizes = max(size, len(sub)), flags, len(sub), len(sub)
        struct.pack_into("<5I", sub, SIZES, *sizes, 0)
        struct.pack_into("<5I", sub, SIZES, *sizes, zlib.crc32(sub))
        out += sub
        at += used
    return out


def main(capture, event, more):
    number = describe(f"{capture}/meta.json", event, int(more))
    for name in os.listdir(capture):
        if name.endswith(".ovk"):
            with open(f"{capture}/{name}", "rb") as f:
                data = f.read()
            with open(f"{capture}/{name}", "wb") as f:
                f.write(widen(data, number, int(more)))


main(*sys.argv[1:])

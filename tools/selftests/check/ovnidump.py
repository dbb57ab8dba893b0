#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovnidump.py TRACE - print the events of an ovni trace, stream by stream.

A line an event: PID/TID CLOCK MCV [PAYLOAD], the payload as signed 32-bit
numbers; of a jumbo event its data. Written from the format's document, to check what our writer makes.
"""
import json
import os
import struct
import sys


def events(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] != b"ovni" or struct.unpack_from("<I", data, 4) != (1,):
        sys.exit(f"{path}: bad header")
    at = 8
    while at < len(data):
        flags = data[at]
        size = flags & 15
        size += size > 0
        mcv = data[at + 1:at + 4].decode()
        (clock,) = struct.unpack_from("<Q", data, at + 4)
        payload = data[at + 12:at + 12 + size]
        if flags & 0xe0 or len(payload) != size:
            sys.exit(f"{path}: bad event at {at}")
        at += 12 + size
        if not flags & 0x10:
            yield clock, mcv, struct.unpack(f"<{size // 4}i", payload)
            continue
        (size,) = struct.unpack("<I", payload)
        if at + size > len(data):
            sys.exit(f"{path}: bad jumbo event at {at}")
        yield clock, mcv, ("jumbo", data[at:at + size].decode())
        at += size


def main():
    found = []
    for where, _, names in os.walk(sys.argv[1]):
        if "stream.json" not in names:
            continue
        with open(os.path.join(where, "stream.json"), encoding="utf-8") as f:
            meta = json.load(f)["ovni"]
        found.append((meta["pid"], meta["tid"], where))
    for pid, tid, where in sorted(found):
        for clock, mcv, payload in events(os.path.join(where, "stream.obs")):
            print(f"{pid}/{tid}", clock, mcv, *payload)


main()

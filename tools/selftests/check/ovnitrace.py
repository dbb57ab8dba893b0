# SPDX-License-Identifier: GPL-2.0-only
"""
ovnitrace.py - read ovni traces; for the other checkers

Written from the format's document, not from our reader.
"""

import collections
import json
import os
import struct
import sys

# at: its offset in the file. The payload of a jumbo event is its data.
Event = collections.namedtuple("Event", "at clock mcv payload jumbo")


def events(path):
    """The events of a stream.obs."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"ovni\1\0\0\0":
        sys.exit(f"{path}: bad header")
    end = 8
    while end < len(data):
        at = end
        flags, mcv, clock = struct.unpack_from("<B3sQ", data, at)
        size = flags & 15
        size += size > 0
        begin, end = at + 12, at + 12 + size
        jumbo = bool(flags & 0x10)
        if jumbo:
            begin, end = end, end + struct.unpack_from("<I", data, begin)[0]
        if flags & 0xe0 or end > len(data):
            sys.exit(f"{path}: bad event at {at}")
        yield Event(at, clock, mcv.decode(), data[begin:end], jumbo)


def streams(trace):
    """Of each stream its folder, and what its stream.json has about ovni; by pid and tid."""
    found = []
    for where, _, names in os.walk(trace):
        if "stream.json" in names:
            with open(os.path.join(where, "stream.json"), encoding="utf-8") as f:
                found.append((where, json.load(f)["ovni"]))
    return sorted(found, key=lambda s: (s[1]["pid"], s[1]["tid"], s[0]))


def stream_events(where):
    return events(os.path.join(where, "stream.obs"))

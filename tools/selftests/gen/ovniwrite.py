#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovniwrite.py DIR - write the trace that an application could have written.

From stdin, a line an event, as ovnidump.py prints them: PID/TID CLOCK MCV [PAYLOAD],
the payload as signed 32-bit numbers, or "jumbo TEXT". Events are written as they come,
sorted or not. Lines with "!" describe a stream, and must come before its events:

    ! PID/TID LOOM {JSON}

The members of JSON go into "ovni", over those that are there already; null removes one.
Empty lines and lines that begin with "#" are skipped.

encode(), folder() and save() are for other writers.
"""
import json
import os
import struct
import sys

HEADER = b"ovni\1\0\0\0"


def encode(clock, mcv, payload=b"", jumbo=False):
    """An event; the payload of a jumbo one is its data."""
    if jumbo:
        head, payload = 0x13, struct.pack("<I", len(payload)) + payload
    else:
        head = len(payload) - 1 if payload else 0
    return struct.pack("<B3sQ", head, mcv.encode(), clock) + payload


def folder(directory, loom, pid, tid):
    """Where a stream lies."""
    return f"{directory}/loom.{loom}/proc.{pid}/thread.{tid}"


def save(where, ovni, data, **others):
    """A stream; ovni and others are the members of its stream.json."""
    os.makedirs(where)
    with open(f"{where}/stream.json", "w", encoding="utf-8") as f:
        json.dump({"version": 3, "ovni": ovni, **others}, f)
    with open(f"{where}/stream.obs", "wb") as f:
        f.write(HEADER)
        f.write(data)


def describe(pid, tid, loom, more):
    ovni = {
        "lib": {"version": "1.14.0", "commit": "test"}, "part": "thread", "tid": tid,
        "pid": pid, "loom": loom, "app_id": 1, "require": {"ovni": "1.1.0"}, "finished": 1,
        "loom_cpus": [{"index": 0, "phyid": 0}, {"index": 1, "phyid": 1}],
    }
    ovni.update(more)
    return {key: value for key, value in ovni.items() if value is not None}


def event_of(clock, mcv, words):
    if words[:1] == ["jumbo"]:
        return encode(clock, mcv, " ".join(words[1:]).encode(), True)
    return encode(clock, mcv, struct.pack(f"<{len(words)}i", *map(int, words)))


def main():
    streams = {}
    for line in sys.stdin:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "!":
            pid, tid = map(int, words[1].split("/"))
            ovni = describe(pid, tid, words[2], json.loads(" ".join(words[3:]) or "{}"))
            where = folder(sys.argv[1], words[2], pid, tid)
            streams[words[1]] = where, ovni, bytearray()
            continue
        streams[words[0]][2].extend(event_of(int(words[1]), words[2], words[3:]))
    for where, ovni, data in streams.values():
        save(where, ovni, data, test={"kept": True})


if __name__ == "__main__":
    main()

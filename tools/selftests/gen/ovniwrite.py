#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovniwrite.py DIR - write the trace that an application could have written.

From stdin, a line an event, as ovnidump.py prints them: PID/TID CLOCK MCV [PAYLOAD],
the payload as signed 32-bit numbers, or "jumbo TEXT". Events are written as they come,
sorted or not. Lines with "!" describe a stream, and must come before its events:

    ! PID/TID LOOM {JSON}

The members of JSON go into "ovni", over those that are there already; null removes one.
Empty lines and what begins with "#" is passed over.
"""
import json
import os
import struct
import sys


def describe(where, pid, tid, loom, more):
    ovni = {
        "lib": {"version": "1.14.0", "commit": "test"}, "part": "thread", "tid": tid,
        "pid": pid, "loom": loom, "app_id": 1, "require": {"ovni": "1.1.0"}, "finished": 1,
        "loom_cpus": [{"index": 0, "phyid": 0}, {"index": 1, "phyid": 1}],
    }
    ovni.update(more)
    ovni = {key: value for key, value in ovni.items() if value is not None}
    os.makedirs(where)
    with open(os.path.join(where, "stream.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 3, "ovni": ovni, "test": {"kept": True}}, f)


def encode(clock, mcv, words):
    head = mcv.encode() + struct.pack("<Q", clock)
    if words[:1] == ["jumbo"]:
        data = " ".join(words[1:]).encode()
        return b"\x13" + head + struct.pack("<I", len(data)) + data
    payload = struct.pack(f"<{len(words)}i", *map(int, words))
    return bytes([len(payload) - 1 if payload else 0]) + head + payload


def main():
    streams = {}
    for line in sys.stdin:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "!":
            pid, tid = map(int, words[1].split("/"))
            where = f"{sys.argv[1]}/loom.{words[2]}/proc.{pid}/thread.{tid}"
            describe(where, pid, tid, words[2], json.loads(" ".join(words[3:]) or "{}"))
            streams[words[1]] = open(os.path.join(where, "stream.obs"), "wb")
            streams[words[1]].write(b"ovni\x01\0\0\0")
            continue
        streams[words[0]].write(encode(int(words[1]), words[2], words[3:]))
    for f in streams.values():
        f.close()


main()

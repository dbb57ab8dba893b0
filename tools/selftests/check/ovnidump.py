#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovnidump.py TRACE - print the events of an ovni trace, stream by stream.

A line an event: PID/TID CLOCK MCV [PAYLOAD], the payload as signed 32-bit
numbers; for a jumbo event, its data.
"""
import struct
import sys

from ovnitrace import stream_events, streams


def main():
    for where, ovni in streams(sys.argv[1]):
        for _, clock, mcv, payload, jumbo in stream_events(where):
            words = ("jumbo", payload.decode()) if jumbo else \
                struct.unpack(f"<{len(payload) // 4}i", payload)
            print(f"{ovni['pid']}/{ovni['tid']}", clock, mcv, *words)


main()

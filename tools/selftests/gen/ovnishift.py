#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ovnishift.py TRACE NS - make the clocks of an ovni trace wrong by NS, which may be negative."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from ovnitrace import events  # noqa: E402 pylint: disable=wrong-import-position


def shift(path, by):
    with open(path, "r+b") as f:
        for event in events(path):
            f.seek(event.at + 4)
            f.write(struct.pack("<Q", event.clock + by))


for where, _, names in os.walk(sys.argv[1]):
    if "stream.obs" in names:
        shift(os.path.join(where, "stream.obs"), int(sys.argv[2]))

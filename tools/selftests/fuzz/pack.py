#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""pack.py - a fuzzer's input of a directory, and back; pack.h has the format

    pack.py pack DIR INPUT [OPTION...]     the options are bytes
    pack.py capture DIR INPUT [OPTION...]  the same; meta.json has the events that occur only
    pack.py unpack INPUT DIR
"""

import json
import os
import struct
import sys

OPTIONS = 8


def files_of(top):
    for at, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                yield os.path.relpath(path, top), f.read()


def shorten(text):
    """What is not there costs the reader time, and the mutator chances."""
    meta = json.loads(text)
    used = {name for cpu in meta["cpus"] for name, n in cpu["events"].items()
            if n["recorded"] or n["lost"]}
    meta["events"] = [ev for ev in meta["events"] if ev["name"] in used]
    for ev in meta["events"]:
        for field in ev["fields"]:
            field.pop("unit", None)
    for cpu in meta["cpus"]:
        cpu["events"] = {name: n for name, n in cpu["events"].items() if name in used}
    return json.dumps(meta, separators=(",", ":")).encode()


def pack(top, path, options, capture):
    data = bytes(options).ljust(OPTIONS, b"\0")
    for name, content in files_of(top):
        if capture and os.path.basename(name) == "meta.json":
            content = shorten(content)
        data += struct.pack("B", len(name)) + name.encode()
        data += struct.pack("<I", len(content)) + content
    with open(path, "wb") as f:
        f.write(data)


def unpack(path, top):
    with open(path, "rb") as f:
        data = f.read()
    print("options:", *data[:OPTIONS])
    at = OPTIONS
    while at + 1 < len(data):
        n = data[at]
        name = data[at + 1:at + 1 + n].decode("utf-8", "replace")
        at += 1 + n
        if at + 4 > len(data):
            break
        size = struct.unpack_from("<I", data, at)[0]
        out = os.path.normpath(os.path.join(top, name))
        if not out.startswith(os.path.normpath(top) + os.sep):
            sys.exit(f"pack.py: {name}: not below the directory")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        with open(out, "wb") as f:
            f.write(data[at + 4:at + 4 + size])
        at += 4 + size


def main(args):
    if len(args) == 3 and args[0] == "unpack":
        unpack(args[1], args[2])
    elif len(args) >= 3 and args[0] in ("pack", "capture"):
        pack(args[1], args[2], [int(o, 0) for o in args[3:]], args[0] == "capture")
    else:
        sys.exit(__doc__)


main(sys.argv[1:])

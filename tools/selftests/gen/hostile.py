#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""hostile.py CAPTURE EDIT... - make a capture lie about itself

An edit of cpu1.ovk, of a capture without CRC:
  only EVENT SIZE [NUL]	one record is in it, with no NUL but in its padding and there
of all CPUs:
  many NUMBER		so many CPUs, with what is in the first
  anchors NS		what records say of the clock, not what headers say, is later by so much
  late			the clock is shortly before 2^64 ns
and of meta.json:
  twice EVENT FIELD OTHER	FIELD stands in OTHER's place, too
  overlap EVENT FIELD BYTES	FIELD begins so many bytes earlier
  move EVENT FIELD OFFSET SIZE	FIELD is there, and the record so long
  add EVENT FIELD TYPE OFFSET SIZE	one more field, and the record so long
  rename EVENT [FIELD] NAME	under another name
  seal				with a checksum
  set KEY... VALUE		a member, by the names or numbers on the way to it
"""
import glob
import json
import struct
import sys
import zlib

MAGIC = bytes.fromhex("894f564e494b5342")
SUBBUF = 88	# bytes of struct ovnik_subbuf


def many(capture, meta, number):
    cpu = meta["cpus"][0]
    with open(capture + "/" + cpu["file"], "rb") as file:
        data = bytearray(file.read())
    meta["cpus"] = [{**cpu, "cpu": nr, "file": f"cpu{nr}.ovk"} for nr in range(number)]
    for nr in range(number):
        struct.pack_into("<H", data, 12, nr)
        with open(f"{capture}/cpu{nr}.ovk", "wb") as file:
            file.write(data)


def event_of(meta, name):
    return next(e for e in meta["events"] if e["name"] == name)


def field_of(event, name):
    return next(f for f in event["fields"] if f["name"] == name)


def only(capture, number, size, nul=None):
    """The header of cpu1.ovk, and one record of task 10 without a NUL but in its padding and at NUL."""
    path = capture + "/cpu1.ovk"
    with open(path, "rb") as file:
        data = file.read()
    header_size, _, nr = struct.unpack_from("<3H", data, 10)
    head = bytearray(data[:header_size])
    used = header_size + (size + 7 & ~7)
    struct.pack_into("<2I", head, 72, used, used)
    counts = SUBBUF + 8 * nr
    head[SUBBUF:] = bytes(header_size - SUBBUF)
    struct.pack_into("<I", head, counts + 4 * number, 1)
    record = bytearray(b"\1" * size + bytes(-size % 8))
    words = 0 if size % 8 else size // 8
    struct.pack_into("<I2BH2I", record, 0, 0, number, words, len(record), 10, 10)
    if nul:
        record[nul] = 0
    with open(path, "wb") as file:
        file.write(head + record)


def late(capture):
    for path in glob.glob(capture + "/cpu*.ovk"):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        at = data.find(MAGIC)
        while at >= 0:
            ns = struct.unpack_from("<Q", data, at + 40)[0]
            struct.pack_into("<Q", data, at + 40, ns - 8000000000 + (1 << 64))
            at = data.find(MAGIC, at + 1)
        with open(path, "wb") as file:
            file.write(data)


def anchors(capture, number, later):
    """They are the records of that number whose time is on the header's line, of a TSC of 2 GHz."""
    for path in glob.glob(capture + "/cpu*.ovk"):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        tsc, ns = struct.unpack_from("<2Q", data, 32)
        for at in range(SUBBUF, len(data) - 24, 8):
            its_tsc, its_ns = struct.unpack_from("<2Q", data, at + 8)
            if data[at + 4] == number and abs(2 * (its_ns - ns) - (its_tsc - tsc)) < 2000000:
                struct.pack_into("<Q", data, at + 16, its_ns + later)
        with open(path, "wb") as file:
            file.write(data)


def edit_event(event, what, args):
    if what == "twice":
        other = field_of(event, args[1])
        event["fields"][event["fields"].index(other)] = dict(
            field_of(event, args[0]), offset=other["offset"], size=other["size"] or 2)
        if other["type"] == "str":
            event["fields"][-1]["type"] = "u16"
    elif what == "overlap":
        field_of(event, args[0])["offset"] -= int(args[1])
    elif what == "move":
        field_of(event, args[0])["offset"] = int(args[1])
        event["size"] = int(args[2])
    elif what == "add":
        sizes = {"u16": 2, "u32": 4, "u64": 8, "comm": 16, "str": 0}
        event["fields"].append({"name": args[0], "type": args[1], "offset": int(args[2]),
                                "size": sizes[args[1]], "unit": "text"})
        event["size"] = int(args[3])
    elif what == "rename":
        (field_of(event, args[0]) if args[1:] else event)["name"] = args[-1]


def put(meta, keys, value):
    for key in keys[:-1]:
        meta = meta[int(key) if isinstance(meta, list) else key]
    meta[int(keys[-1]) if isinstance(meta, list) else keys[-1]] = json.loads(value)


def seal(path, meta):
    """As the recorder does: what it is in front, the checksum of all before it at the end."""
    text = json.dumps({"checksum": "crc32", **meta}, indent=2)[:-2] + ",\n  "
    with open(path, "w") as file:
        file.write(text + '"crc":"%08x"\n}\n' % zlib.crc32(text.encode()))


def main():
    capture, what, *args = sys.argv[1:]
    with open(capture + "/meta.json") as file:
        meta = json.load(file)
    if what == "only":
        only(capture, event_of(meta, args[0])["number"], *map(int, args[1:]))
    elif what == "seal":
        return seal(capture + "/meta.json", meta)
    elif what == "anchors":
        anchors(capture, event_of(meta, "anchor")["number"], int(args[0]))
    elif what == "late":
        late(capture)
    elif what == "many":
        many(capture, meta, int(args[0]))
    elif what == "set":
        put(meta, args[:-1], args[-1])
    else:
        edit_event(event_of(meta, args[0]), what, args[1:])
    with open(capture + "/meta.json", "w") as file:
        json.dump(meta, file)


main()

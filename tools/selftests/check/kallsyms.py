# SPDX-License-Identifier: GPL-2.0-only
"""Symbols of a kernel's image that has no symbol table: those of kallsyms.

Linux keeps, one after the other: the number of symbols, their names as lists of tokens, a
marker for each 256th name, the text of the 256 tokens, and an index of that text. The
addresses are before (until 6.3) or after them.
"""
import struct

DIGITS = b"".join(b"%d\0" % i for i in range(10))


class NoSymbols(Exception):
    pass


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def find_tokens(data):
    """Where the text of the tokens begins, and the tokens. Each digit is one of its own."""
    at = data.find(DIGITS)
    while at >= 0:
        start = at
        for _ in range(ord("0")):
            start = data.rfind(b"\0", 0, start - 1) + 1
        for begin in (start, start - 1):
            tokens, end = [], begin
            for _ in range(256):
                stop = data.index(b"\0", end)
                tokens.append(data[end:stop])
                end = stop + 1
            for index in {(end + 7) & ~7, (end + 3) & ~3}:
                offsets = struct.unpack_from("<256H", data, index)
                if begin + offsets[ord("0")] == at and offsets[0] == 0:
                    return begin, tokens, index + 512
        at = data.find(DIGITS, at + 1)
    raise NoSymbols("no tokens")


def is_marker(markers, i):
    """Names of 256 symbols take thousands of bytes."""
    return 256 < markers[i + 1] - markers[i] < 1 << 17


def find_markers(data, tokens_at):
    """The first one is 0. Between them and the tokens 6.1 has a list of other numbers."""
    low = max(0, tokens_at - (4 << 20)) & ~3
    words = struct.unpack_from("<%dI" % ((tokens_at - low) // 4), data, low)
    for i in range(len(words) - 64):
        if words[i] or not all(is_marker(words, j) for j in range(i, i + 64)):
            continue
        end = i
        while end + 1 < len(words) and is_marker(words, end):
            end += 1
        return low + 4 * i, words[i:end + 1]
    raise NoSymbols("no markers")


def skip_name(data, at):
    length = data[at]
    if length & 0x80:
        return at + 2 + (length & 0x7f | data[at + 1] << 7)
    return at + 1 + length


def find_names(data, markers_at, markers):
    """The number of symbols is before them, padded to 8 bytes (until 6.x) or not."""
    low, high = (len(markers) - 1) * 256, len(markers) * 256
    first = (markers_at - markers[-1]) & ~3
    for at in range(first, first - 256 * 512, -4):
        if not any(low < u32(data, at - pad) <= high for pad in (4, 8)):
            continue
        number = next(u32(data, at - pad) for pad in (4, 8) if low < u32(data, at - pad) <= high)
        name = at
        for _ in range(256):
            name = skip_name(data, name)
        if name - at == markers[1]:
            return at, number
    raise NoSymbols("no names")


def read_names(data, at, number, tokens):
    for _ in range(number):
        end = skip_name(data, at)
        begin = at + (2 if data[at] & 0x80 else 1)
        yield b"".join(tokens[byte] for byte in data[begin:end]).decode("latin-1")
        at = end


def addresses(data, start, number, names_at, tokens_end):
    """Each way to read them: they moved in 6.4, all are relative to the base since 6.15, and
    each to its own place in 7.x."""
    size = (4 * number + 7) & ~7
    places = ((names_at - 16 - size, names_at - 16), (tokens_end, tokens_end + size))
    for at, base_at in places:
        base = struct.unpack_from("<Q", data, base_at)[0]
        raw = struct.unpack_from("<%di" % number, data, at)
        yield [base - 1 - one if one < 0 else one for one in raw]
        yield [base + (one & 0xffffffff) for one in raw]
        yield [start + at + 4 * i + one for i, one in enumerate(raw)]


def symbols(data, start, text):
    """Of the read-only data, which begins at the address start, of an image whose code
    begins at the address text: [(address, type, name)]."""
    tokens_at, tokens, tokens_end = find_tokens(data)
    names_at, number = find_names(data, *find_markers(data, tokens_at))
    names = list(read_names(data, names_at, number, tokens))
    for table in addresses(data, start, number, names_at, tokens_end):
        found = [(where, name[:1], name[1:]) for where, name in zip(table, names)]
        if any(where == text and name == "_text" for where, _, name in found):
            return sorted(found)
    raise NoSymbols("no addresses")

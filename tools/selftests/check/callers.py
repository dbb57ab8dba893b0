#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""callers.py VMLINUX TABLE - do all callers of hooked functions call them?

A hook sees only calls: where the compiler has put the function into its caller, events are
missing without a trace. TABLE says who calls each function in the sources of Linux:

    FUNCTION  KERNELS  CALLER...

KERNELS: "-" is all, "NAME" those that have this function, "!NAME" those that have not; more than
one, with commas between them, must all hold. Of two rows for a kernel the last one counts.
"CALLER|OTHER": one of them is enough; the second is for where the compiler has put the first into.
A caller that is missing is an error; one that is not in the table is printed.
"""
import bisect
import re
import struct
import subprocess
import sys

from kallsyms import NoSymbols, symbols


def section(vmlinux, name):
    """Its address and contents."""
    lines = subprocess.run(["readelf", "-SW", vmlinux], check=True, capture_output=True,
                           text=True).stdout
    match = re.search(r"\] %s +PROGBITS +(\w+) (\w+) (\w+)" % re.escape(name), lines)
    address, offset, size = (int(one, 16) for one in match.groups())
    with open(vmlinux, "rb") as file:
        file.seek(offset)
        return address, file.read(size)


def calls(text, base, targets):
    """Each call, or jump, to one of the targets: (from, to)."""
    for match in re.finditer(rb"[\xe8\xe9]|\x0f[\x80-\x8f]", text):
        at = match.end()
        if at + 4 > len(text):
            return
        to = base + at + 4 + struct.unpack_from("<i", text, at)[0]
        if to in targets:
            yield base + match.start(), to


def plain(name):
    """Without what the compiler appends to the name of a part or a variant."""
    return re.sub(r"\.(isra|constprop|part|cold)\b.*", "", name)


def find_code(vmlinux):
    """The text's address and bytes; its symbols, sorted: (address, type, name)."""
    base, text = section(vmlinux, ".text")
    start, data = section(vmlinux, ".rodata")
    return base, text, [one for one in symbols(data, start, base)
                        if one[1] in "tTwW" and base <= one[0] < base + len(text)]


def find_callers(base, text, code, wanted):
    """FUNCTION -> set of its callers, for each function that the kernel has."""
    starts = [one[0] for one in code]
    # A part or a variant has a name of its own: the hook does not see calls of it.
    targets = {where: name for where, _, name in code if name in wanted}
    callers = {name: set() for name in targets.values()}
    for source, to in calls(text, base, targets):
        name = plain(code[bisect.bisect_right(starts, source) - 1][2])
        if name != targets[to]:
            callers[targets[to]].add(name)
    return callers


def is_for(kernels, names):
    """Has the kernel what a row asks for?"""
    return kernels == "-" or all((one.lstrip("!") in names) != one.startswith("!")
                                 for one in kernels.split(","))


def read_table(path, names):
    table = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and is_for(words[1], names):
                table[words[0]] = words[2:]
    return table


def compare(function, expected, found):
    """Return: the number of callers that are missing."""
    missing = [one for one in expected if not set(one.split("|")) & found]
    for one in missing:
        print("%s: not called by %s" % (function, one))
    others = found - {name for one in expected for name in one.split("|")}
    if others:
        print("%s: also called by %s" % (function, " ".join(sorted(others))))
    return len(missing)


def main():
    vmlinux, path = sys.argv[1:]
    try:
        base, text, code = find_code(vmlinux)
    except NoSymbols as why:
        sys.exit("%s: %s" % (vmlinux, why))
    table = read_table(path, {plain(one[2]) for one in code})
    callers = find_callers(base, text, code, table)
    missing = 0
    for function, expected in sorted(table.items()):
        if function not in callers:
            print("%s: this kernel has no such function" % function)
            missing += 1
        else:
            missing += compare(function, expected, callers[function])
    print("%d functions" % len(table))
    return missing > 0 or not table


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""refscheck.py known|times EXPECTED REFS | spaces LAPLACE REFS | lackey EXPECTED PLAIN LACKEY REFS |
pace PACE PACE | kinds LAPLACE LAPLACE | tree LOAD LAPLACE REFS | drift LOG OVNIK_REFS

REFS is wide and binary. EXPECTED is what refsload has printed. LAPLACE is the kernel's
trace of a part of the same run: whenever user code begins to run, its address space
must be the one that was assigned to the task that was scheduled last.

PLAIN is what plain has printed, which ran after refsload, and LACKEY what Valgrind's tool of this name has written about
another run of it: both must have the same references in the same order, though it is
interrupted in the log's. PACE is what pace has printed with and without the log: the guest's clock
must not see it. Nor must its kernel, if both have done the same: it has as many records of each kind.

LOAD is what treeload has printed, whose processes alone are logged: all their stores are, nothing
that runs meanwhile is, and nothing is left out while one of them is scheduled.

LOG is what the plugin has written. Where the guest's TSC was another one than the log's time, it is
said in which block, by how much, and between which fetches that may have been.

Lackey has a load too many for each instruction with a lock prefix: Valgrind makes it a load,
and a comparison and exchange.
"""
import bisect
import collections
import struct
import subprocess
import sys

FILE, HEAD, BLOCK = 24, 104, struct.Struct("<4sIQQQ32xQ")
WIDE = struct.Struct("<cQBIQ")


def first_from(file, begin):
    """The number of the first reference at this time or later: they are in the order of time."""
    low, high = 0, file.seek(0, 2) // WIDE.size
    while low < high:
        middle = (low + high) // 2
        file.seek(middle * WIDE.size)
        if WIDE.unpack(file.read(WIDE.size))[1] < begin:
            low = middle + 1
        else:
            high = middle
    return low


def references(path, begin=0):
    with open(path, "rb") as file:
        file.seek(first_from(file, begin) * WIDE.size)
        while data := file.read(WIDE.size << 15):
            yield from WIDE.iter_unpack(data)


def expectation(path):
    ranges, refs, times = [], [], {}
    with open(path, encoding="ascii") as file:
        for line in file:
            what, *values = line.split()
            values = [int(value, 16) for value in values]
            if what == "range":
                ranges.append(range(*values))
            elif what == "T":
                times[values[1]] = values[0]
            else:
                refs.append((what, *values))
    return ranges, refs, times


def known(expected, path):
    ranges, want, stores = expectation(expected)
    end = max(stores.values())
    low, high = min(r.start for r in ranges), max(r.stop for r in ranges)
    got = []
    for kind, time, length, _, address in references(path):
        # Later, other processes have the same addresses.
        if time > end:
            break
        if low <= address < high and any(address in r for r in ranges):
            got.append((kind.decode(), length, address))
    for i, (left, right) in enumerate(zip(want, got)):
        if left != right:
            sys.exit(f"reference {i}: expected {left}, got {right}")
    if len(want) != len(got) or len(want) < 1000:
        sys.exit(f"expected {len(want)} references, got {len(got)}")


def times(expected, path):
    """A store may be later if the kernel has run since the program looked at its clock."""
    _, _, want = expectation(expected)
    got, kernel, end = {}, 0, max(want.values())
    for kind, time, length, _, address in references(path):
        # The last store may be late.
        if time > end and len(got) == len(want):
            break
        if kind == b"I" and address >> 63:
            kernel = time
        elif kind == b"W" and length == 8 and address in want:
            got.setdefault(address, (time, kernel))
    late = wrong = 0
    for address, time in want.items():
        stored, kernel = got.get(address, (0, 0))
        late += time <= kernel < stored
        wrong += stored != time and not time <= kernel < stored
    print(f"{len(want)} stores, {late} interrupted")
    if wrong or len(want) < 40000 or late > len(want) // 20:
        sys.exit(f"{wrong} are not at their time")


def schedule(path):
    """Times, and from each on the address space that user code must have."""
    spaces, task, when, what = {}, None, [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            kind, *rest = line.split(" ")
            if kind not in "sATF" or len(rest) < 2:
                continue
            time, who = int(rest[0], 16), int(rest[1], 16)
            if kind == "s":
                task = who
            elif kind == "A":
                spaces[who] = int(rest[2], 16)
            elif kind == "F":
                # A thread of its parent until it is told otherwise.
                child = int(rest[2], 16)
                spaces[child] = spaces.get(who)
            when.append(time)
            what.append(spaces.get(task))
    return when, what


def spaces(laplace, path):
    when, what = schedule(laplace)
    entries = wrong = unknown = 0
    was_user = True
    for kind, time, _, space, address in references(path, when[0]):
        if time > when[-1]:
            break
        if kind != b"I":
            continue
        user = address < 1 << 63
        if user and not was_user:
            want = what[bisect.bisect(when, time) - 1]
            entries += 1
            unknown += want is None
            if want is not None and want != space:
                wrong += 1
                if wrong < 5:
                    print(f"{time:x}: in {space:x} instead of {want:x}")
        was_user = user
    print(f"{entries} entries, {wrong} wrong, {unknown} before a task was known")
    if wrong or entries < 500 or unknown > entries // 20:
        sys.exit(1)


def in_pieces(kind, address, length):
    """References have 8 bytes at most."""
    return [(kind, address + i, min(8, length - i)) for i in range(0, length, 8)]


def by_lackey(path, begin, end):
    """Of the last time that the code was executed."""
    kinds = {"I": "I", "L": "R", "S": "W", "M": "RW"}
    refs, before = None, None
    with open(path, encoding="ascii") as file:
        for line in file:
            what, *where = line.split()
            if what not in kinds or len(where) != 1:
                continue
            address, length = where[0].split(",")
            address = int(address, 16)
            if what == "I" and address == begin:
                refs = []
            elif what == "I" and address == end and refs is not None:
                last, refs = refs, None
            if refs is None:
                continue
            for kind in kinds[what] if before != ("L", where) else "W":
                refs += in_pieces(kind, address, int(length))
            before = what, where
    return last


def by_log(path, after, begin, end):
    """And how often the code was interrupted: the kernel refers to user memory, too (rseq)."""
    refs, task, by_user, breaks = [], None, False, 0
    for kind, _, length, space, address in references(path, after):
        if kind == b"I":
            breaks += space == task and by_user and address >> 63
            by_user = not address >> 63
        if task is None and kind == b"I" and address == begin:
            task = space
        if task is None or space != task or not by_user:
            continue
        if kind == b"I" and address == end:
            return refs, breaks
        refs.append((kind.decode(), address, length))
    sys.exit("the code is not in the log")


def lackey(expected, plain, lackeys, path):
    after = max(expectation(expected)[2].values())
    with open(plain, encoding="ascii") as file:
        begin, end = (int(word, 16) for word in file.read().split())
    want, (got, breaks) = by_lackey(lackeys, begin, end), by_log(path, after, begin, end)
    for i, (left, right) in enumerate(zip(want, got)):
        if left != right:
            sys.exit(f"reference {i}: lackey has {left}, the log {right}")
    if len(want) != len(got) or len(want) < 500000:
        sys.exit(f"lackey has {len(want)} references, the log {len(got)}")
    if breaks < 3:
        sys.exit(f"interrupted {breaks} times only")
    print(len(want), "references, the same,", breaks, "times interrupted")


def paces(path):
    ticks = collections.defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            what, value = line.split()
            ticks[what].append(int(value))
    return {what: sorted(values) for what, values in ticks.items()}


def pace(one, other):
    """All but those that an interrupt has made longer."""
    one, other = paces(one), paces(other)
    if len(one) < 7 or one.keys() != other.keys():
        sys.exit("the same must be done in both")
    for what, values in one.items():
        for part in (10, 50, 70):
            i = len(values) * part // 100
            print(f"{what}, {part} %: {values[i]} and {other[what][i]} ticks")
            if abs(values[i] - other[what][i]) > 10 or len(values) != len(other[what]):
                sys.exit("the clock is another one with the log")


def kinds(one, other):
    """Threads of the kernel may run between those of the program."""
    counts = []
    for path in (one, other):
        with open(path, encoding="utf-8", errors="replace") as file:
            counts.append(collections.Counter(line[0] for line in file))
        switches = counts[-1].pop("s")
        if switches < 20 or len(counts[-1]) < 10:
            sys.exit("there is too little in the trace")
    print(dict(counts[0]))
    # Who writes first to a page that is shared since a fork may be another one in each run.
    copies = [count.pop("C") for count in counts]
    if counts[0] != counts[1] or abs(copies[0] - copies[1]) > 3:
        sys.exit(f"with the log it is {dict(counts[1])}")


NEAR = 100     # ticks from a record of a switch to where the log is switched


def tree_of(load):
    with open(load, encoding="ascii") as file:
        first, *lines = file.read().splitlines()
    counts = {}
    for line in lines:
        count, address = line.split()
        counts[int(address, 16)] = int(count)
    return int(first), counts


def switches(first, path):
    """Time and whether a task of the tree runs from then on, where that changes."""
    tasks, changes = {first}, []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            kind, *rest = line.split(" ")
            if kind == "F" and int(rest[1], 16) in tasks:
                tasks.add(int(rest[2], 16))
            elif kind == "s":
                runs = int(rest[1], 16) in tasks
                if runs != (changes[-1][1] if changes else False):
                    changes.append((int(rest[0], 16), runs))
    return changes


def runs_of(path):
    """Pieces of time in which each tick has its instruction, and stores to user memory."""
    pieces, stores = [], collections.Counter()
    for kind, time, _, _, address in references(path):
        if kind == b"I":
            if not pieces or time > pieces[-1][1] + 1:
                pieces.append([time, time])
            pieces[-1][1] = time
        elif kind == b"W" and not address >> 63:
            stores[address] += 1
    return pieces, stores


def tree(load, laplace, path):
    first, counts = tree_of(load)
    changes = switches(first, laplace)
    pieces, stores = runs_of(path)
    for address, count in counts.items():
        if stores[address] != count:
            sys.exit(f"{count} stores to {address:x}, {stores[address]} in the log")
    want = [time for time, _ in changes]
    got = [time for piece in pieces for time in piece][:len(want)]
    print(len(pieces), "pieces,", len(changes), "switches")
    if len(got) != len(want) or len(pieces) - len(want) // 2 > 1 or len(counts) < 7 or len(want) < 20:
        sys.exit("a piece for each time that the tree is scheduled was expected")
    for i, (left, right) in enumerate(zip(want, got)):
        if abs(left - right) > NEAR:
            sys.exit(f"switch {i} at {left:x}, in the log at {right:x}")


def blocks(path):
    """Begin, end and drift of each."""
    with open(path, "rb") as file:
        file.seek(FILE)
        while (head := file.read(HEAD)).startswith(b"RBLK"):
            _, size, _, begin, end, off = BLOCK.unpack_from(head)
            yield begin, end, off
            file.seek(size, 1)


def fetches(program, log, begin, end):
    """Time and address of each."""
    with subprocess.Popen([program, "--to-text", "--wide", "--kinds", "i", "--from", f"{begin:x}", "--until", f"{end:x}",
                           log], stdout=subprocess.PIPE, encoding="ascii") as text:
        for line in text.stdout:
            _, time, _, _, address = line.split()
            yield int(time, 16), int(address, 16)


def drift(log, program):
    before, bad = 0, False
    for begin, end, off in blocks(log):
        if off:
            bad = True
            print(f"{begin:x} to {end:x}: {off} ticks in sum", f"; {before - begin} back" if before > begin else "")
            last = None
            for time, address in fetches(program, log, begin, end):
                # An instruction is a tick; those that halt may take more.
                if last and 1 < time - last[0] <= off + 1:
                    print(f"  {time - last[0] - 1} at {time:x}: {last[1]:x}, then {address:x}")
                last = time, address
        before = end
    sys.exit(bad)


if __name__ == "__main__":
    {"known": known, "times": times, "spaces": spaces, "lackey": lackey, "pace": pace,
     "kinds": kinds, "tree": tree, "drift": drift}[sys.argv[1]](*sys.argv[2:])

# SPDX-License-Identifier: GPL-2.0-only
"""units.py - times and sizes as the decoder writes them: rounded down; a column has one unit"""

UNITS = {
    "ns": (("ns", 1, 0), ("us", 10**3, 3), ("ms", 10**6, 3), ("s", 10**9, 6)),
    "bytes": (("B", 1, 0), ("KiB", 1024, 1)) + tuple(
        (f"{c}iB", 1024**(i + 2), 3) for i, c in enumerate("MGTPE")),
}


def text(kind, value, unit):
    """A number in a unit, which is an index."""
    name, size, digits = UNITS[kind][unit]
    parts = value * 10**digits // size
    whole, part = divmod(parts or 1, 10**digits)
    less = "" if parts else "<"
    return f"{less}{whole}.{part:0{digits}} {name}" if digits and value else f"{value // size} {name}"


def unit_alone(kind, value):
    return max(i for i, (_, size, _) in enumerate(UNITS[kind]) if not i or value >= size)


def unit_of_column(kind, values):
    """That of the largest number."""
    return unit_alone(kind, max(values, default=0))


def column(kind, values):
    """Texts of a column; what is no number stays."""
    unit = unit_of_column(kind, [v for v in values if isinstance(v, int)])
    return [text(kind, v, unit) if isinstance(v, int) else v for v in values]


def like(cell, kind, value):
    """A number in the unit that a cell has."""
    names = [name for name, _, _ in UNITS[kind]]
    name = cell.rpartition(" ")[2]
    return text(kind, value, names.index(name)) if name in names else None

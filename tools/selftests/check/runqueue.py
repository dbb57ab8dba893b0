# SPDX-License-Identifier: GPL-2.0-only
"""Who had a CPU while a thread waited for it, for checkers: summed up again from all runs."""

KEPT = 1024  # runs of a CPU


def move_of(ns, tag):
    """(when, from, to) of the tag "migrated from CPU 0 to CPU 1"."""
    words = tag.split()
    return ns, int(words[3]), int(words[6])


def queue_of(start, end, got, moves):
    """In whose run queue a thread was for longest. got: the CPU that it gets; moves: of the thread."""
    since, best = start, (-1, None)
    for when, left, _ in sorted(moves, key=lambda move: move[0]):
        if start < when <= end:
            best = (when - since, left) if when - since >= best[0] else best
            since = when
    return got if end - since >= best[0] else best[1]


def who_ran(runs, start, end):
    """Whose the CPU was from start to end, how long each, in order; and since when that is known.

    runs: (who, start, end) of that CPU, in order.
    """
    ended = [run for run in runs if run[1] < run[2] <= end]
    kept = ended[-KEPT:]
    known = max(start, min((run[1] for run in runs), default=end))
    if len(ended) > KEPT and kept[0][2] > start:
        known = max(known, kept[0][1])
    parts = [(who, min(to, end) - max(since, start))
             for who, since, to in kept + [run for run in runs if run[1] < end < run[2]]]
    return [part for part in parts if part[1] > 0], min(known, end)

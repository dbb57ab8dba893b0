# SPDX-License-Identifier: GPL-2.0-only
"""Who had a CPU while a thread waited for it, for checkers: summed up again from all runs."""

KEPT = 1024  # runs of a CPU


def queue_of(start, end, got, been):
    """In whose run queue a thread was for longest: where it ran, or was moved to, last.

    got: the CPU that it gets. been: (when, CPU) of its runs and of where it was moved to.
    """
    inside = sorted(place for place in been if start < place[0] <= end and place != (end, got))
    if not inside:
        return got
    before = [place for place in been if place[0] <= start]
    stays = [(start, max(before)[1] if before else None)] + inside + [(end, got)]
    return max(((to - since, since, cpu) for (since, cpu), (to, _) in zip(stays, stays[1:])))[2]


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

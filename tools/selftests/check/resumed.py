# SPDX-License-Identifier: GPL-2.0-only
"""Calls and faults that are the end of one that was counted, as tasks.rst has it."""

# Calls that end at any time, in any thread.
ANY_TIME = "aio", "io_uring"


def is_resumed(last, thread, kind, what, early, doubt):
    """Is it the end of the thread's call or fault before it, which ended in doubt?"""
    if kind not in ("call", "fault") or (early and what in ANY_TIME):
        return False
    before, in_doubt = last.get((thread, kind), ("", False))
    last[thread, kind] = what, doubt
    return early and in_doubt and (kind == "fault" or before == what)

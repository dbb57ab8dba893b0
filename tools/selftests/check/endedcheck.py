#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""endedcheck.py PAGE TASKS [PID=ANSWER...] - who ended waits, and where faults are, as a page has them

TASKS is what the tracer jsonl writes of the same capture; each wait alone in the page must have the
waker that its request there has. ANSWERs are of "ovnik-decode why --pid --json"; the page must have
the same faults in the same files and memory. Prints how many it compared.
"""
import base64
import json
import sys
from collections import Counter, defaultdict

from htmlcheck import items, script

INTERRUPT, QUEUE_LAST = 1, 6


def read_tasks(path):
    """By thread and end of the wait: who ended it, a number and when it began; None: the page cache."""
    requests, ended, began = {}, defaultdict(list), {0: 0}
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            task = json.loads(line)
            if task["kind"] == "req_out":
                requests[task["id"]] = task
            elif task["kind"] == "req_in":
                ended[task["parent"]].append(task)
            elif task["kind"] == "thread":
                began[task["id"]] = task["start_ns"]
    by = {}
    for number, request in requests.items():
        for task in ended.get(number, []):
            cache = task["where"].startswith("pagecache")
            by[request["tid"], task["end_ns"]] = None if cache else (task["tid"], began[task["thread"]])
    return by


def check_wakers(page, data, by):
    compared = 0
    for thread in page["threads"]:
        for _, end, mix, parts in items(data, *thread[11:13]):
            state, waker = parts[0][0] & 31, parts[0][0] >> 5
            if mix or not QUEUE_LAST < state < QUEUE_LAST + 8:
                continue
            want = by.get((thread[1], end), ...)
            if want is None:
                continue
            have = (0, 0) if waker == INTERRUPT else tuple(page["threads"][waker - 2][1:3]) if waker else ...
            assert have == want, f"wait of {thread[1]} to {end}: ended by {have}, should be {want}"
            compared += want is not ...
    return compared


def check_faults(page, data, answers):
    names = page["memory"] + [file[0] for file in page["files"]]
    compared = 0
    for pid, path in (pair.split("=", 1) for pair in answers):
        with open(path, encoding="utf-8") as f:
            answer = json.load(f)[0]
        have, want = Counter(), Counter()
        for thread in page["threads"]:
            if not thread[0] or page["processes"][thread[0] - 1][0] != int(pid):
                continue
            for _, _, mix, parts in items(data, *thread[15:17]):
                assert not mix, "each fault is alone"
                have[names[parts[0][0] >> 6]] += parts[0][2]
                compared += 1
        for row in answer["page_faults_by_file_or_memory"]:
            name = row["path"] if "path" in row else row["file"]
            want[name] += row["time_ns"]
        assert have == want, f"{have}, should be {want}"
    return compared


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    page = json.loads(script(text, "data"))
    data = base64.b64decode(script(text, "lanes"), validate=True)
    waits = check_wakers(page, data, read_tasks(sys.argv[2]))
    print(f"waits={waits} faults={check_faults(page, data, sys.argv[3:])}")


main()

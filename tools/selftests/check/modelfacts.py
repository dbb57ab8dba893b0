#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""modelfacts.py JSON - what the reference says of the models of user runtimes, as lines

	model LETTER NAME VERSION NEED OUT_OF_CPU
	chan NAME TYPE KIND DUP THREAD CPU FLAGS LINT
	label TYPE thread|cpu TEXT
	value TYPE VALUE TEXT			in the order of the PCF
	event MCV push|pop|set TYPE STATE
	event MCV ignore|special SIZE
	breakdown NAME TYPE TRACE TEXT
	gid VALUE TEXT

Lines of a model follow its model line. The result is kept in ovni-models.txt, which
tests of the emulator read.
"""
import json
import re
import sys

RUNTIMES = ("nosv", "nanos6", "nodes", "openmp", "mpi", "tampi")


def need(text):
    return "active" if text.startswith("active") else "running"


def size(check):
    if check in (None, "none"):
        return "any"
    if check.startswith("jumbo"):
        return "jumbo"
    op, n = re.match(r"size (==|>=) (\d+)$", check).groups()
    return f"{'exact' if op == '==' else 'min'}:{n}"


def channel(model, chan):
    kind = "stack" if chan["stack"] else "single"
    dup = "allow" if chan["allow_dup"] else "error"
    linted = model["accepts"]["lint"].split(" stack")[0]
    yield (f"chan {chan['name'].replace(' ', '_')} {chan['prv_type']} {kind} {dup} "
           f"{chan['thread_tracking']} {chan['cpu_tracking']} {','.join(chan['flags'])} "
           f"{'lint' if chan['name'] == linted else '-'}")
    for file in "thread", "cpu":
        yield f"label {chan['prv_type']} {file} {chan['pcf_label_' + file]}"
    for value in chan["pcf_value_order"]:
        yield f"value {chan['prv_type']} {value} {chan['values'][str(value)]}"


def event(model, ev):
    action = ev["action"]
    if action["op"] in ("push", "pop", "set"):
        kind = next(c["prv_type"] for c in model["channels"] if c["name"] == action["channel"])
        return f"event {ev['mcv']} {action['op']} {kind} {action['state']}"
    return f"event {ev['mcv']} {action['op']} {size(ev.get('payload_check'))}"


def facts(reference):
    for model in reference["models"]:
        if model["name"] not in RUNTIMES:
            continue
        accepts = model["accepts"]
        yield (f"model {model['letter']} {model['name']} {model['version']} "
               f"{need(accepts['thread_state'])} {accepts['out_of_cpu']}")
        for chan in model["channels"]:
            yield from channel(model, chan)
        for ev in model["events"]:
            yield event(model, ev)
        if "breakdown" in model:
            b = model["breakdown"]
            yield f"breakdown {model['name']} {b['prv_type']} {b['trace']} {b['pcf_label']}"
    for text, gid in reference["core"]["gid_test_vectors"].items():
        yield f"gid {gid} {'' if text == '(empty string)' else text}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    with open(sys.argv[1], encoding="utf-8") as f:
        reference = json.load(f)
    print("# SPDX-License-Identifier: GPL-2.0-only")
    print("# Written by modelfacts.py.")
    for line in facts(reference):
        print(line)


if __name__ == "__main__":
    main()

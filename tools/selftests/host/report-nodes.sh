#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-nodes.sh - ovnik-decode report of several nodes
#
# What it says is made again from the reports of each node alone.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

for program in gen-capture gen-report; do
	check "$program is built" build $program
done

mkdir "$work/captures"
rename()
{
	sed -i "s/\"host\":\"[a-z]*\"/\"host\":\"$1\"/" "$work/captures/$1/meta.json"
}

seed=1
for node in first secnd third; do
	"$work/gen-capture" random "$work/captures/$node" -n 20000 -s $seed -c $((seed + 1)) \
		-t $((seed * 7)) -C
	rename $node
	seed=$((seed + 1))
done
# A name of its own, once.
sed -i 's/initial/rare\x00\x00\x00/' "$work/captures/third/cpu0.ovk"
"$work/gen-report" known "$work/captures/known"
rename known

run()
{
	"$decode" report "$@" >"$work/text" 2>"$work/log"
}

says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

# is_made_of NODE... - the report in $work/text is that of the nodes' own in $work/NODE.json
is_made_of()
{
	python3 - "$work" "$@" <<'END'
import collections
import json
import sys

work, *nodes = sys.argv[1:]
got = json.load(open(f"{work}/text"))[0]
alone = {node: json.load(open(f"{work}/{node}.json"))[0] for node in nodes}

programs = collections.defaultdict(dict)
waits = []
for node, report in alone.items():
    for program in report["programs"]:
        programs[program.get("program")][node] = program
    waits += [dict(wait, node=node) for wait in report["worst_waits"]]

assert [row["node"] for row in got["nodes"]] == nodes, got["nodes"]
for row in got["nodes"]:
    report = alone[row["node"]]
    total = report["all_processes"][0]
    want = {"length_ns": report["length_ns"], "CPUs": report["number_of_CPUs"],
            "events": report["events"], "lost": report["events_lost"],
            "on_cpu_ns": total["on_cpu_ns"], "run_queue_ns": total["run_queue_ns"],
            "disk_ns": total["disk_ns"], "preempted": total["preempted"]}
    assert {key: row[key] for key in want} == want, (row, want)
    share = total["on_cpu_ns"] / (report["length_ns"] * report["number_of_CPUs"])
    assert abs(row["of_CPUs"] - share) < 1e-9, row

assert {row.get("program") for row in got["programs"]} == set(programs)
for row in got["programs"]:
    on = programs[row.get("program")]
    times = {node: p["on_cpu_ns"] for node, p in on.items()}
    assert row["nodes"] == len(on), row
    for key in "processes", "on_cpu_ns", "run_queue_ns", "disk_ns", "preempted":
        assert row[key] == sum(p[key] for p in on.values()), (key, row)
    assert row["least_ns"] == min(times.values()) == times[row["least_on"]], row
    assert row["most_ns"] == max(times.values()) == times[row["most_on"]], row
order = [row["on_cpu_ns"] for row in got["programs"]]
assert order == sorted(order, reverse=True)

waits.sort(key=lambda w: -w["wait_ns"])
assert [w["wait_ns"] for w in got["worst_waits"]] == [w["wait_ns"] for w in waits[:100]]
key = lambda w: [w.get(k) for k in ("wait_ns", "node", "at_ns", "process", "pid", "tid", "why", "cpu")]
known = [key(w) for w in waits]
assert all(key(w) in known for w in got["worst_waits"])
END
}

all=(first known secnd third)
for node in "${all[@]}"; do
	"$decode" report --json "$work/captures/$node" >"$work/$node.json" 2>/dev/null
done
check "a report of four nodes" run --json "$work/captures"
check "nothing else is printed" test ! -s "$work/log"
check "it is what the nodes' own say" is_made_of "${all[@]}"
check_status 1 "a node that is missing is noticed" is_made_of first secnd third
check "in another order" run --json "$work"/captures/{third,first}
check "it is what those say" is_made_of third first

check "as text" run "$work/captures" --rows 2
check "two programs" test "$(sed -n '/^  programs by/,/^$/p' "$work/text" | grep -c .)" -eq 4
check "two waits" test "$(sed -n '/^  worst waits/,/^$/p' "$work/text" | grep -c .)" -eq 4
check "four nodes" test "$(sed -n '/^  nodes:/,/^$/p' "$work/text" | grep -c .)" -eq 6
check "one in a directory is one" run "$work/captures/first/.."/first
check "and has the summary" grep -q "run queues" "$work/text"

cp -r "$work/captures/first" "$work/again"
check_status 3 "a node twice" run --json "$work"/captures/{first,secnd} "$work/again"
says "it is named" 'again: was recorded on host "first", as was an earlier capture'
says "and left out" 'again: left out'
check "the others are there" is_made_of first secnd
check_status 3 "a capture that is lost" run --json "$work"/captures/{first,none,secnd}
says "is named" "captures/none: left out"
check "the others are there" is_made_of first secnd
check_status 1 "none can be decoded" run "$work/none" "$work/other"
says "that is said" "no capture could be decoded"
check "nothing is printed" test ! -s "$work/text"

# Only meta.json says what was lost at the end.
cp -r "$work/captures/first" "$work/unsaid"
rm "$work/unsaid/meta.json"
run --json "$work/unsaid" "$work/captures/secnd"
check "what is not known is not 0" test "$(grep -c '"lost":' "$work/text")" -eq 1

# refused TEXT ARGUMENT...
refused()
{
	check_status 2 "${*:2} is refused" run "${@:2}" "$work/captures"
	says "for that reason" "$1"
}

refused "several captures: --tables and --all take a single capture" --all
refused "several captures: --tables and --all take a single capture" --tables cpu
refused "several captures: --from, --until and --cpu are of one" --from 1ms
refused "several captures: each node has another process 100: use --comm" --pid 100
check "processes by name" run --json "$work/captures" --comm child
check_status 2 "no capture" run

mkdir "$work/partial"
cp -r "$work/captures/first" "$work/captures/known" "$work/partial"
rm "$work/partial/known/cpu1.ovk"
check_status 3 "a node of one of whose CPUs nothing is known" run "$work/partial"
check "its waits are not 0, and it is said why" grep -Eq '^    known  .* [mu]?s  +(9[0-9]|100)\.[0-9] %  +-  +-  CPU 1$' "$work/text"

finish

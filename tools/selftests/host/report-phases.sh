#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-phases.sh - the phases that an application marked, in the report of one and of several nodes

# shellcheck disable=SC2016,SC2317 # sh expands it; called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"

mkdir "$work/captures"
for node in first secnd third; do
	"$work/gen-merge" known "$work/captures/$node"
	sed -i "s/\"host\":\"gen\"/\"host\":\"$node\"/" "$work/captures/$node/meta.json"
done

marks='"mark": {"3": {"title": "Phase", "chan_type": "stack", "labels": {"1": "solve", "2": "exchange"}}, "4": {"title": "Step", "chan_type": "single"}}'

# loom NODE MORE - what is written there: the node solves for MORE ns longer; a phase within itself; one
# that does not end; one node has a step of its own
loom()
{
	cat <<-END
	! 100/100 $1.100 {"rank": 0, "nranks": 1, $marks}
	100/100 4999990000 OHx 0 -1 0 0
	100/100 4999995000 OM[ 1 0 3
	100/100 5000032000 OM[ 2 0 3
	100/100 5000033000 OM[ 2 0 3
	100/100 5000034000 OM] 2 0 3
	100/100 5000101000 OM] 2 0 3
	100/100 $((5000150000 + $2)) OM] 1 0 3
	100/100 $((5000160000 + $2)) OM[ 1 0 3
	100/100 $((5000160000 + 2 * $2)) OM] 1 0 3
	100/100 5000250000 OM[ 2 0 3
	100/100 5000260000 OHe
	! 100/101 $1.100 {"rank": 0, "nranks": 1, $marks}
	100/101 5000010500 OHx 0 100 0 0
	100/101 5000013000 OM= ${3:-1} 0 4
	100/101 5000014000 OM[ 1 0 3
	100/101 5000016000 OM= 7 0 4
	100/101 5000019000 OM= 0 0 4
	100/101 5000049000 OHe
	END
}

loom first 30000 | app app-first
loom secnd 40000 9 | app app-secnd
loom third 10 | app app-third
mkdir "$work/app"
cp -r "$work"/app-*/loom.* "$work/app"

report()
{
	"$decode" report "$@" >"$work/text" 2>"$work/log"
}

says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

agree()	# LOOM...
{
	"$checkers/phasescheck.py" "$work/text" "$work/out/ovni" "$@"
}

check "the trace of the three" "$decode" "$work/captures" -o "$work/out" --merge "$work/app" --to ovni
check "a report of three nodes" report --json "$work/captures" --merge "$work/app"
check "its phases are those of the trace" agree first secnd third
check_status 1 "a node that is missing is noticed" agree first secnd
sed -i 's/"least_ns": *[0-9]/&1/' "$work/text"
check_status 1 "a wrong figure is noticed" agree first secnd third
check "as text" report "$work/captures" --merge "$work/app" --rows 2
sed -n '/^  phases:/,/^$/p' "$work/text" >"$work/phases"
check "two phases" test "$(grep -c . "$work/phases")" -eq 4
check "the slowest node is named" grep -Eq '^ +Phase +solve .* secnd$' "$work/phases"
check "a report of one node" report --json "$work/captures/secnd" --merge "$work/app-secnd"
rm -r "$work/out"
"$decode" "$work/captures/secnd" -o "$work/out" --merge "$work/app-secnd" --to ovni 2>"$work/log"
check "its phases are those of its trace" agree secnd
check "of one node and the trace of all" report --json "$work/captures/secnd" --merge "$work/app"
check "its phases are the same" agree secnd
check "without a trace there are none" report --json "$work/captures"
check "none at all" sh -c '! grep -q phases "$0"' "$work/text"

rm -r "$work/app/loom.third.100"
check "a node where nothing was written" report --json "$work/captures" --merge "$work/app"
says "is named" "third: nothing in .*/app was written on node third"
rm -r "$work/out"
"$decode" "$work/captures" -o "$work/out" --merge "$work/app" --to ovni 2>"$work/log"
check "the phases are the others'" agree first secnd
check "a node without a capture" report --json "$work/captures/first" "$work/captures/third" \
	--merge "$work/app"
says "is named" "app: there is no capture of node secnd.100: what that node wrote is left out"
check_status 1 "a trace of other nodes" report "$work/captures/third" "$work/captures/third" \
	--merge "$work/app"
check_status 1 "an XRay log has no marks" report "$work/captures/first" --merge "$work/text"
says "that is said" "text: is a file: an ovni trace is a directory"
check_status 2 "a time cuts phases" report "$work/captures/first" --merge "$work/app" --from 1us
check_status 2 "other commands merge nothing" "$decode" top "$work/captures/first" --merge "$work/app"
mkdir "$work/empty"
check_status 1 "a trace without streams" report "$work/captures" --merge "$work/empty"

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cluster.sh - make demo-cluster: a job of Slurm whose nodes are guests, as one timeline
#
# Compared with what is made of each node's capture alone.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

for program in slurmctld slurmd srun munged; do
	if ! command -v $program >/dev/null; then
		skip "the demo of many nodes" "there is no $program"
		finish
	fi
done
if [ "$(id -u)" != 0 ]; then
	skip "the demo of many nodes" "Slurm's daemons need root here"
	finish
fi

decode=$PWD/build/ovnik-decode
checkers=$PWD/tools/selftests/check
mkdir -p build/selftests
out=$(mktemp -d build/selftests/cluster.XXXXXX)
work=$(mktemp -d)
trap 'rm -rf "$out" "$work"' EXIT
# The demo's Slurm is below it: what is left of it can be told from others.
export TMPDIR=$work

guests()
{
	pgrep -f "^qemu-system-x86_64 .*$out/console-node"
}

ended()
{
	# grep's own status tells of files that it could not read, too.
	! grep -lzs "^SLURM_CONF=$work/" /proc/[0-9]*/environ | grep . && ! guests &&
		[ -z "$(ls -A "$work")" ]
}

# Where it is ended from outside, when a guest of each node runs.
interrupted()
{
	local demo status=0 i=0

	setsid tools/demo/cluster "$out" >"$out.log" 2>&1 &
	demo=$!
	until [ "$(guests | wc -l)" -ge 3 ] || ! kill -0 "$demo" 2>/dev/null; do
		sleep 0.2
	done
	kill -"$1" "$demo"
	wait "$demo" || status=$?
	# A process that was killed goes a little later.
	until ended || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done >/dev/null
	[ "$status" = "$2" ] || cat "$out.log"
	rm -f "$out.log"
	[ "$status" = "$2" ] && ended
}

# alone NODE - what is made of its capture by itself
alone()
{
	"$decode" "$out/captures/$1" -o "$work/$1" --to ovni,prv
}

# offset NODE - that the capture's times of day say, by the first node's clock
offset()
{
	awk -v node="$1" '$2 == node { print $3 }' "$work/all/ovni/clock-offsets.txt"
}

is_union()
{
	local node args=()

	for node in node1 node2 node3; do
		args+=("$node=$work/$node:$(($(offset "$node") + ${1:-0} * (${#args[@]} == 1)))")
	done
	"$checkers/nodescheck.py" "$out" "${args[@]}"
}

check "it is ended by TERM" interrupted TERM 143
check "the demo" tools/demo/cluster "$out"
check "nothing is left of Slurm and of the guests" ended
check "three captures" test "$(cd "$out/captures" && echo *)" = "node1 node2 node3"
for node in node1 node2 node3; do
	check "$node: its capture has its name" grep -q "\"host\": *\"$node\"" "$out/captures/$node/meta.json"
	check "$node: alone" alone $node
	check "$node: what was recorded is in the report" grep -q "^ *$node " "$out/report.txt"
done
check "all captures at once" "$decode" "$out/captures" -o "$work/all" --to ovni
check "each record, row and label is that of its node" is_union
check_status 1 "if a clock were another one, that would be noticed" is_union 1
check "the trace is by upstream's rules" "$checkers/ovnirules.py" "$work/all/ovni"
# shellcheck disable=SC2016 # for that shell
check "a report with more rows" sh -c '"$1" report "$2" --rows 50 >"$3"' sh "$decode" "$out/captures" "$work/report"
# shellcheck disable=SC2016 # for awk
check "the program ran on all nodes" awk '($1 == "sort" || $1 == "gzip") && $2 == 3 { n++ } END { exit n != 2 }' \
	"$work/report"
rm -rf "${work:?}"/*
finish

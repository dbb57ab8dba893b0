#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slurm.sh - the plugin for Slurm records: Slurm, the plugin and the installed ovnik run in a guest
#
# The guest has this machine's files, so that it has Slurm. host/slurm.sh has what can go wrong.
#
# It takes over a minute: only a real Slurm calls the plugin as Slurm does.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

for program in slurmctld slurmd srun munged; do
	if ! command -v $program >/dev/null; then
		skip "the plugin for Slurm records" "there is no $program"
		finish
	fi
done
if [ "$(id -u)" != 0 ] || [ ! -e build/ovnik_spank.so ]; then
	skip "the plugin for Slurm records" "this needs root, and slurm/spank.h when it is built"
	finish
fi

mkdir -p build/selftests
out=$PWD/$(mktemp -d build/selftests/slurm.XXXXXX)
trap 'rm -rf "$out"' EXIT
# For the user of Slurm, who loads the plugin.
chmod 755 "$out"
got=$out/shared

in_guest()
{
	tools/vm/run --single --mem 1500 --timeout 1800 --log "$out/console" --hostname node1 --share / -- \
		sh "/host$PWD/tools/selftests/vm-guest/slurm.sh" "$PWD" "$out/prefix" "$out"
}

# processes NAME CAPTURE - how many of that name were on a CPU
processes()
{
	build/ovnik-decode top "$2" --by process --rows 1000 2>/dev/null | awk -v name="$1" '$1 == name { n++ } END { print n + 0 }'
}

owned()
{
	grep -qxe "drwx------ daemon $1" "$out/owners" && grep -qxe "-rw------- daemon $1/meta.json" "$out/owners"
}

check "it is installed" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory install PREFIX="$out/prefix"
check "Slurm runs in a guest" in_guest
check "a step has run" test "$(cat "$got/one.status")" = 0
check "its capture is the user's" owned one/node1
check "it has the node's name" grep -q '"host": *"node1"' "$got/one/node1/meta.json"
for name in seq sort md5sum; do
	check "it has both tasks' $name" test "$(processes $name "$got/one/node1")" = 2
done
check "nothing is said but warnings" sh -c "! grep ovnik: '$got/one.out' | grep -v warning:"
check "a step on two nodes that are one kernel has run" test "$(cat "$got/two.status")" = 0
two=$(cd "$got/two" && echo node*)
check "one of them was recorded" owned "two/$two"
check "why the other one was not, is said" grep -Eq 'ovnik: node[12]: (a capture is already running|the back end [a-z]* is already in use)' \
	"$got/two.out"
check "and which" grep -q "ovnik: node$((3 - ${two#node})): not recorded" "$got/two.out"
check "it has the events that were asked for" sh -c "build/ovnik-decode '$got/two/$two' -o '$out/x' --to ovni 2>&1 |
	grep -q ' sched_switch ' && ! build/ovnik-decode '$got/two/$two' -o '$out/x' --to ovni 2>&1 | grep -q page_fault"
check "nothing records afterwards" grep -Eq "^recording +no$" "$got/status.out"
cat "$got"/*.out | explain
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# jobs.sh - --jobs changes nothing: the same files, to the byte, the same messages and the same
# status, also of captures with losses and damage, and if a file cannot be written

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

limit=unlimited	# KiB of a file

# run N PROGRAM ARGUMENT... - with so many jobs, in a folder of that name; what it says and its
# status are files, too
run()
{
	rm -rf "${work:?}/run"
	mkdir -p "$work/run/out"
	(
		cd "$work/run" || exit
		(ulimit -f "$limit" && exec "$2" -j "$1" "${@:3}" >said 2>&1)
		echo "status $?" >>said
	)
	rm -rf "${work:?}/jobs$1"
	mv "$work/run" "$work/jobs$1"
}

# same PROGRAM ARGUMENT... - whatever the number of jobs?
same()
{
	local n

	run 1 "$@"
	for n in $(amount 2 "2 4"); do
		run $n "$@"
		diff -r "$work/jobs1" "$work/jobs$n" || return
	done
	[ -n "$(find "$work/jobs1/out" -type f)" ] && grep -q "^status [034]$" "$work/jobs1/said"
}

# refused PROGRAM ARGUMENT... - does it fail at once with one job and with two, and leave nothing?
# The cause comes first; which file it is depends on whose thread was faster.
refused()
{
	local n

	for n in 1 2; do
		run $n "$@"
		cat "$work/jobs$n/said"
		[ -z "$(find "$work/jobs$n/out" -type f)" ] || return
		grep -q "^status 1$" "$work/jobs$n/said" || return
	done
	diff <(sed '3,$d; s/cpu\.prv\|thread\.prv/FILE/' "$work/jobs1/said") \
		<(sed '3,$d; s/cpu\.prv\|thread\.prv/FILE/' "$work/jobs2/said")
}

for generator in gen-capture gen-activity; do
	check "$generator is built" build $generator
done
"$work/gen-capture" random "$work/whole" -n 60000 -c 4 -t 60 -s 3
"$work/gen-capture" random "$work/lossy" -n 60000 -c 4 -t 60 -s 4 -l 9
"$work/gen-activity" random "$work/activity" 30000 2 60
cp -r "$work/lossy" "$work/damaged"
python3 "$gen/damage.py" "$work/damaged/cpu0.ovk" flip 9000 3
python3 "$gen/damage.py" "$work/damaged/cpu1.ovk" cut 70000

for capture in $(amount "activity damaged" "whole lossy activity damaged"); do
	check "$capture: ovni, laplace, prv" same "$decode" "$work/$capture" -o out \
		--to ovni,laplace,prv
	check "$capture: all outputs, compressed" same "$decode" "$work/$capture" -o out -z \
		--to ovni,laplace,prv,xray,perfetto
done
"$decode" "$work/activity" -o "$work/traced" --to ovni 2>"$work/log"
check "the emulator alone" same "$emu" -o out "$work/traced/ovni"
check "the emulator alone, compressed" same "$emu" -z -o out "$work/traced/ovni"

check_status 2 "no jobs at all" "$decode" -j 0 "$work/whole" -o "$work/out"
check_status 2 "the emulator with no jobs at all" "$emu" -j 0 "$work/traced/ovni"
limit=100
check "a file that cannot be written" refused "$decode" "$work/whole" -o out --to prv
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Interrupts within records, at the ends of tiny sub-buffers, under the
# eyes of readers: every sub-buffer that is handed out is whole.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

# Sub-buffers a CPU.
least=$(amount 10 50)
workers=$(amount "timer cross futex hack fork" "timer cross cross futex hack fork thread")

enough()
{
	[ "$(seen sched_switch)" -ge "$1" ]
}

# enough_read DIR BYTES - the files are large enough for what is asked of them below
enough_read()
{
	for cpu in $(possible_cpus); do
		[ -n "$(find "$1/$cpu.ovk" -size "+$2c" 2>/dev/null)" ] || return
	done
}

# Readers of the map on each CPU all the time.
read_maps()
{
	readers=
	start
	for cpu in $(possible_cpus); do
		start_reader mmap "/dev/ovnik/$cpu" "$work/map/$cpu.ovk"
		readers="$readers $reader"
	done
	wait_until enough_read "$work/map" $((least * 4500))
	stop
	trace_pause
	failed=0
	for pid in $readers; do
		wait "$pid" || failed=1
	done
}

# With BPF ovnik itself reads the map.
record_maps()
{
	record_start
	# shellcheck disable=SC2086 # words
	start_load $workers
	wait_until enough_read "$bpf/parts/0000" $((least * 18000))
	record_stop >"$work/log"
	failed=$?
	trace_pause
	read_all "$work/map"
}

# by_map SIZE NAME
by_map()
{
	configure "$1" 4K discard
	rm -rf "$work/map"
	mkdir "$work/map"
	# Before the load, among which each of ftrace's switches takes seconds.
	trace_on
	case $backend in
	module)
		# shellcheck disable=SC2086 # words
		start_load $workers
		read_maps
		;;
	bpf) record_maps ;;
	esac
	stop_loads
	check "$2: the readers of the map" test "$failed" = 0
	check "$2: every sub-buffer is whole" examine -n "$least" "$work"/map/*.ovk
	check "$2: nothing but what is counted is missing" \
		compare_with_trace "$work"/map/*.ovk
	echo "$tap_output"
	trace_off
}

# There is always something to read.
read_snapshots()
{
	if [ "$backend" = module ]; then
		reader snapshots /dev/ovnik/cpu0 4
		return
	fi
	for _ in 1 2 3; do
		set_file snapshot 1 && read_all "$work/rounds" && [ -s "$work/rounds/cpu0.ovk" ] ||
			return
	done
}

# Two sub-buffers: the oldest is always the next to go.
overwritten()
{
	configure "$1" 4K overwrite
	# shellcheck disable=SC2086 # words
	start_under_load $workers
	wait_until enough 2000
	check "snapshots of $1: there is always something to read" \
		read_snapshots
	echo "$tap_output"
	failed=0
	rounds="1 2 3 4 5"
	# It takes seconds among such a load.
	[ "$backend$LONG" = moduley ] || rounds="1 2 3"
	for round in $rounds; do
		set_file snapshot 1
		read_all "$work/rounds"
		examine -o "$work"/rounds/*.ovk >>"$work/log" 2>&1 || failed=$round
	done
	check "snapshots of $1: every sub-buffer is whole" test "$failed" = 0
	[ "$failed" = 0 ] || explain <"$work/log"
	stop
	stop_loads
}

load_module
record_compared
by_map 8K "map of 2 sub-buffers"
overwritten 32K
if [ "$backend" = module ] && [ -n "$LONG" ]; then
	by_map 64K "map of 16 sub-buffers"
	overwritten 8K
fi
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Captures over which a CPU goes and comes: not an event more or less than ftrace has.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# Events of a CPU that goes and comes: as many as ftrace has, in the same order.
exact_across_hotplug()
{
	load_module
	configure "$1" "$2" "$3"
	trace_on 16384
	start_load pipe cross futex sleep
	start
	for round in 1 2 3; do
		echo 0 >"$cpu1_online"
		load fork=3 exec=2 pipe=30
		echo 1 >"$cpu1_online"
		load fork=3 exec=2 cross=30
		[ "$3" = discard ] || [ "$round" != 2 ] || echo 1 >"$ovnik/snapshot"
	done
	[ "$4" = online ] || echo 0 >"$cpu1_online"
	stop
	trace_pause
	stop_loads
	echo 1 >"$cpu1_online" 2>/dev/null
	mkdir -p "$work/hotplug"
	read_all "$work/hotplug"
	option=
	[ "$3" = discard ] || option=-o
	# shellcheck disable=SC2086 # or nothing
	examine $option "$work"/hotplug/*.ovk && compare_with_trace "$work"/hotplug/*.ovk
	result=$?
	hotplugs=$(seen cpu_hotplug)
	trace_off
	rmmod ovnik || return
	[ "$hotplugs" -ge 6 ] || return
	return "$result"
}

# The CPU is off line when the capture starts and comes while it runs.
comes_late()
{
	load_module
	configure 1M 16K discard
	echo 0 >"$cpu1_online"
	trace_on 8192
	start_load pipe cross futex
	start
	load fork=3
	echo 1 >"$cpu1_online"
	load fork=3 cross=50
	stop
	trace_pause
	stop_loads
	read_all "$work/late"
	examine -a -n 1 "$work"/late/*.ovk && compare_with_trace "$work"/late/*.ovk
	result=$?
	trace_off
	rmmod ovnik && return "$result"
}

check "a CPU goes and comes" exact_across_hotplug 8M 16K discard online
echo "$tap_output"
check "a CPU goes and stays away" exact_across_hotplug 8M 16K discard offline
check "a CPU goes and comes, with losses" exact_across_hotplug 64K 4K discard online
check "a CPU goes and comes, overwrite mode" exact_across_hotplug 64K 4K overwrite online
check "a CPU goes and stays away, overwrite mode" exact_across_hotplug 64K 4K overwrite offline
check "a CPU comes late" comes_late
finish

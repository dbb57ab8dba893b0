#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# races.sh - in the guest of soak/race-kernel-1-of-2.sh, before its other tests: the kernel looks for
# data races from now on, and all that can be done to the module is done at once

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

kcsan=/sys/kernel/debug/kcsan

watchpoints()
{
	awk '$1 == "setup_watchpoints:" { print $2 }' "$kcsan"
}

looks_for_races()
{
	before=$(watchpoints)
	echo on >"$kcsan" || return
	find /proc >/dev/null 2>&1
	after=$(watchpoints)
	echo "watchpoints: $before before, $after after"
	[ "$after" -gt "$before" ]
}

# Files, mappings and programs, again and again.
work_on_files()
{
	while :; do
		mkdir -p "$work/tree"
		for name in a b c; do
			cat /proc/self/maps >"$work/tree/$name"
			mv "$work/tree/$name" "$work/tree/$name.old"
		done
		rm -r "$work/tree"
	done >/dev/null 2>&1 &
	echo $! >>"$loads"
}

read_statistics()
{
	while :; do
		cat "$ovnik/recorded" "$ovnik/lost" "$ovnik"/cpus/*/stats "$ovnik"/events/*/lost
	done >/dev/null 2>&1 &
	echo $! >>"$loads"
}

# capture MODE ARGUMENT... - of a reader, which reads while the file is being written
capture()
{
	mode=$1
	configure 256K 16K "$mode"
	shift
	start
	start_load hack fork pipe timer
	start_reader "$@"
	work_on_files
	read_statistics
	for _ in 1 2 3 4; do
		set_file snapshot 1 || return
		# In the other mode that would wait for more.
		[ "$mode" = discard ] || cat /dev/ovnik/dump /dev/ovnik/cpu0 >/dev/null
	done
	start_hotplug
	for _ in 1 2 3 4; do
		set_file snapshot 1 || return
		usleep 200000
	done
	stop_hotplug
	stop
	stop_loads
	[ "$(get_file recorded)" -gt 0 ]
}

all_at_once()
{
	load_module
	capture overwrite snapshots /dev/ovnik/cpu1 60 &&
		capture discard mmap /dev/ovnik/cpu1 "$work/copy" &&
		capture discard poll /dev/ovnik/cpu1 "$work/copy" 5000
	status=$?
	unload
	return "$status"
}

check "the kernel looks for data races" looks_for_races
echo "$tap_output" | explain
check "all at once" all_at_once
echo "watchpoints: $(watchpoints)" | explain
finish

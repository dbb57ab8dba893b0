#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Calls whose return cannot be seen, because as many tasks as can be are inside the function: each
# event that such a call would have been is counted as lost, on its CPU, at once.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

instances=$(awk '$2 == "OVNIK_RETURN_INSTANCES" { print $3 }' /host/kmod/returns.h)
calls=$(amount 300 3000)

# Each is inside one of the two functions, and no other task is.
fill_functions()
{
	insideload "$instances" "$calls" "$work" >"$work/inside" 2>&1 &
	echo $! >>"$loads"
	wait_until grep -q ready "$work/inside" || return
	set_file filter_children 1
	set_file filter_pid $!
	start
	touch "$work/go"
	wait_until grep -q "done" "$work/inside"
}

# of_each_cpu - "CPU EVENT NUMBER" that are lost, as the load prints it
of_each_cpu()
{
	for cpu in 0 1; do
		awk -v cpu="$cpu" '/^file_(begin|read|write) / { print cpu, $1, $3 }' \
			"$stats/cpu$cpu/stats"
	done | sort
}

lost_exactly()
{
	grep '^[0-9]' "$work/inside" | sort >"$work/expected"
	of_each_cpu | diff "$work/expected" -
}

# Nobody records these.
calls_of_others()
{
	insideload 0 "$calls" "$work" >"$work/others" && lost_exactly
}

# save COMMAND - what a flight recorder has, and what it says about it
save()
{
	/host/build/ovnik "$1" -o "$work/$1" >"$work/log" 2>&1
	cat "$work/log"
	grep -q " 0 overwritten, $(get_file lost) lost" "$work/log"
}

decoded_exactly()
{
	examine -o -f "$work/$1/cpu0.ovk" "$work/$1/cpu1.ovk" &&
		metacheck "$work/$1" >"$work/counts" &&
		[ "$(cut -d " " -f 2 "$work/counts")" = "$(get_file lost)" ]
}

[ "$instances" -gt 0 ] || bail "how many tasks can be inside is not known"
load_module
configure 4M 64K overwrite
record_only file_begin file_read file_write
check "a function is full of tasks" fill_functions
check "what the others call is lost, each event on its CPU, at once" lost_exactly
check "but not what the filter leaves out" calls_of_others
check "a snapshot says it, and that nothing was overwritten" save snapshot
check "and its meta.json" decoded_exactly snapshot
check "so does the stop" save stop
check "and its meta.json, in the end" decoded_exactly stop
stop_loads
finish

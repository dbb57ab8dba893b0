#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Captures over which a CPU goes and comes: not an event more or less than ftrace has.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# As much as ftrace has room for, and we: to plug a CPU may take a second or a minute.
rounds=$(amount 3000 15000)
plugs=$(amount 2 3)

# Events of a CPU that goes and comes: as many as ftrace has, in the same order.
exact_across_hotplug()
{
	load_module
	record_compared
	configure "$1" "$2" "$3"
	trace_on
	start
	start_load "pipe=$rounds" "cross=$rounds" "futex=$rounds" "sleep=$rounds"
	for round in $(seq "$plugs"); do
		echo 0 >"$cpu1_online"
		load fork=3 exec=2 pipe=30
		echo 1 >"$cpu1_online"
		load fork=3 exec=2 cross=30
		[ "$3" = discard ] || [ "$round" != 2 ] || set_file snapshot 1
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
	examine $bpf_option $option "$work"/hotplug/*.ovk && compare_with_trace "$work"/hotplug/*.ovk
	result=$?
	hotplugs=$(seen cpu_hotplug)
	losses=$(lost sched_switch)
	trace_off
	unload || return
	[ "$hotplugs" -ge $((2 * plugs)) ] || return
	# A small ring is to lose something; those of BPF are not as small.
	[ "$1$backend" != 64Kmodule ] || [ "$losses" -gt 0 ] || { echo "nothing was lost"; return 1; }
	return "$result"
}

# The CPU is off line when the capture starts and comes while it runs. With BPF only
# the reader can give it a ring, and there is none: all it records is lost, and counted.
comes_late()
{
	load_module
	record_compared
	configure 8M 16K discard
	echo 0 >"$cpu1_online"
	trace_on
	start
	start_load "pipe=$rounds" "cross=$rounds" "futex=$rounds"
	load fork=3
	echo 1 >"$cpu1_online"
	load fork=3 cross=50
	stop
	trace_pause
	stop_loads
	read_all "$work/late"
	case $backend in
	module) examine -a -n 1 "$work"/late/*.ovk ;;
	bpf) examine -b -a -n 1 "$work"/late/*.ovk ;;
	esac && compare_with_trace "$work"/late/*.ovk
	result=$?
	trace_off
	unload && return "$result"
}

# never_comes MODE [OPTION] - while a CPU has no ring, because it is off line, all works
never_comes()
{
	load_module
	configure 64K 4K "$1"
	echo 0 >"$cpu1_online"
	captures_alone && captures_alone && read_all "$work/never" &&
		[ ! -s "$work/never/cpu1.ovk" ] && examine ${2:+"$2"} "$work/never/cpu0.ovk"
	result=$?
	echo 1 >"$cpu1_online"
	unload && return "$result"
}

captures_alone()
{
	start
	load fork=3 pipe=30
	set_file snapshot 1 && stop || return
	find "$ovnik" -type f -perm -a=r -exec cat {} + >"$work/files" &&
		[ "$(seen sched_switch)" -ge 30 ]
}

# start_recorder OPTION... - "ovnik record" in the background
start_recorder()
{
	/host/build/ovnik record --no-selftest -o "$work/recorder" "$@" >"$work/recorder.log" 2>&1 &
	recorder=$!
	wait_until grep -q 1 "$ovnik/enable"
}

# It ends, and nothing of what the kernel recorded or lost is missing.
stop_recorder()
{
	kill -TERM "$recorder"
	wait "$recorder"
	result=$?
	cat "$work/recorder.log"
	# The ring may be full before the recorder, which runs elsewhere, gets the other CPU.
	[ "$result" = 0 ] || [ "$result" = 4 ] || return
	grep -q ": $(get_file recorded) events, .* $(get_file lost) lost" "$work/recorder.log"
}

has_size()
{
	[ -n "$(find "$1" -size "+$2" 2>/dev/null)" ]
}

# The recorder was there before the CPU, whose ring is too small for all it does.
recorder_follows()
{
	load_module
	echo 0 >"$cpu1_online"
	start_recorder -b 256K || return
	[ ! -e "$work/recorder/cpu1.ovk" ] || return
	start_load pipe cross futex
	echo 1 >"$cpu1_online"
	wait_until has_size "$work/recorder/cpu1.ovk" 512k || return
	stop_recorder
	result=$?
	stop_loads
	rmmod ovnik && return "$result"
}

# The reader looks now and then; the CPU is gone again when it does.
recorder_gets_rest()
{
	load_module
	echo 0 >"$cpu1_online"
	start_recorder -b 1M || return
	kill -STOP "$recorder"
	echo 1 >"$cpu1_online"
	load cross=50
	echo 0 >"$cpu1_online"
	kill -CONT "$recorder"
	stop_recorder && [ "$(get_file lost)" = 0 ]
	result=$?
	echo 1 >"$cpu1_online"
	[ -s "$work/recorder/cpu1.ovk" ] || return
	rmmod ovnik && return "$result"
}

# With BPF what the CPU does until the recorder sees it is lost. All else is there.
bpf_recorder_follows()
{
	load_module
	record_compared
	configure 256K 16K discard
	echo 0 >"$cpu1_online"
	trace_on
	record_start
	[ ! -e "$bpf/parts/0000/cpu1.ovk" ] || return
	start_load pipe cross futex
	echo 1 >"$cpu1_online"
	wait_until has_size "$bpf/parts/0000/cpu1.ovk" 512k || return
	record_stop
	result=$?
	trace_pause
	stop_loads
	[ "$result" = 4 ] || [ "$result" = 0 ] && read_all "$work/follows" &&
		examine -b -a "$work/follows/cpu0.ovk" && lost_first "$work/follows/cpu1.ovk" &&
		compare_with_trace "$work"/follows/*.ovk
	result=$?
	trace_off
	unload && return "$result"
}

# What is lost is lost before the first sub-buffer, and little.
lost_first()
{
	examine -b "$1" || return
	[ "$(lost sched_switch)" -lt "$(($(recorded sched_switch) / 2))" ]
}

# The CPU gets no ring before it is gone again: all is counted as lost.
bpf_recorder_counts_rest()
{
	load_module
	record_compared
	configure 1M 64K discard
	echo 0 >"$cpu1_online"
	trace_on
	record_start
	kill -STOP "$recorder"
	echo 1 >"$cpu1_online"
	load cross=50
	echo 0 >"$cpu1_online"
	kill -CONT "$recorder"
	record_stop || return
	trace_pause
	echo 1 >"$cpu1_online"
	read_all "$work/rest"
	[ "$(lost sched_switch)" -gt 0 ] && compare_with_trace "$work"/rest/*.ovk
	result=$?
	trace_off
	unload && return "$result"
}

if [ -n "$LONG" ]; then
	check "a CPU goes and comes" exact_across_hotplug 8M 16K discard online
	echo "$tap_output"
fi
what=", with losses"
# The rings of BPF are too large for that.
[ "$backend" = module ] || what=
check "a CPU goes and comes$what" exact_across_hotplug 64K 4K discard online
# BPF takes its time, and each of these is in two of the others.
if [ "$backend" = module ] && [ -n "$LONG" ]; then
	check "a CPU goes and stays away" exact_across_hotplug 8M 16K discard offline
	check "a CPU goes and comes, overwrite mode" \
		exact_across_hotplug 64K 4K overwrite online
fi
if [ "$backend" = module ] || [ -n "$LONG" ]; then
	check "a CPU goes and stays away, overwrite mode" \
		exact_across_hotplug 64K 4K overwrite offline
fi
check "a CPU comes late" comes_late
case $backend in
module)
	check "a CPU never comes" never_comes discard
	check "a CPU never comes, overwrite mode" never_comes overwrite -o
	check "a CPU comes late, and the recorder follows" recorder_follows
	check "a CPU comes and goes, and the recorder gets what it left" recorder_gets_rest
	;;
bpf)
	check "a CPU comes late, and the recorder follows" bpf_recorder_follows
	echo "$tap_output"
	check "a CPU comes and goes, and what it left is counted" bpf_recorder_counts_rest
	echo "$tap_output"
	;;
esac
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A ring that is far too small: what is lost is counted, exactly and where it was.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

# The sum of the CPUs' tables is what events/ says, and that of the events what
# the root directory says.
statistics_agree()
{
	cat "$stats"/*/stats | awk '
		{ recorded[$1] += $2; lost[$1] += $3 }
		END { for (name in recorded) print name, recorded[name], lost[name] }' |
		while read -r name in_table lost_in_table; do
			if [ "$in_table" != "$(recorded "$name")" ] ||
				[ "$lost_in_table" != "$(lost "$name")" ]; then
				echo "$name: $in_table $lost_in_table in cpus/"
				exit 1
			fi
		done || return
	awk '{ recorded += $2; lost += $3 } END { print recorded; print lost }' \
		"$stats"/*/stats >"$work/sum"
	{ get_file recorded && get_file lost; } | cmp - "$work/sum"
}

# The bytes of the statistics are those of the files, as long as all was read, and
# nothing was written over.
bytes_agree()
{
	[ "$(get_file bytes)" = "$(cat "$1"/*.ovk | wc -c)" ]
}

each=$(amount "fork=3 exec=2 thread=3 spawn=2" "fork=20 exec=10 thread=20 spawn=10")

# capture_too_much [COMMAND]... - record a load; COMMAND runs meanwhile
#
# Where there is no sub-buffer from the start or the stop, their moments are known
# only roughly: it is quiet then, so that there is next to nothing to be unsure of.
capture_too_much()
{
	trace_on
	start
	start_load pipe cross futex sleep move timer
	# shellcheck disable=SC2086 # words
	load $each
	"$@"
	wait_until enough_seen
	# shellcheck disable=SC2086 # words
	load $each
	stop_loads
	usleep 200000
	stop
	trace_pause
}

enough_seen()
{
	[ "$(seen sched_switch)" -ge "$(amount 3000 20000)" ]
}

# However slow the host is.
too_much_seen()
{
	enough_seen && loss_happened sched_switch sched_wakeup
}

loss_happened()
{
	for kind in "$@"; do
		[ "$(lost "$kind")" -gt 0 ] && [ "$(recorded "$kind")" -gt 0 ] || return
	done
}

# compared NAME OPTION... FILE...
compared()
{
	name=$1
	shift
	check "$name" compare_with_trace "$@"
	echo "$tap_output"
}

# Without a reader until the end.
no_reader()
{
	label="$1, sub-buffers of $2"
	configure 64K "$2" "$1"
	capture_too_much wait_until too_much_seen
	read_all "$work/capture"
	check "$label: something was lost" loss_happened sched_switch sched_wakeup
	check "$label: the statistics agree" statistics_agree
	if [ "$1" = discard ]; then
		check "$label: the files are right" examine "$work"/capture/*.ovk
		check "$label: bytes" bytes_agree "$work/capture"
	else
		check "$label: the files are right" examine -o "$work"/capture/*.ovk
	fi
	compared "$label: recorded and lost are what ftrace has" "$work"/capture/*.ovk
	trace_off
}

# lost_since NUMBER - or the capture has stopped
lost_since()
{
	[ "$(lost sched_switch)" -gt "$1" ] || [ "$(get_file enable)" = 0 ]
}

# Takes what is there, leaves it alone until something is lost, takes again: losses lie
# within the file. With BPF a snapshot takes so long that something always is.
read_now_and_then()
{
	if [ "$backend" = bpf ]; then
		for _ in 1 2 3 4 5 6; do
			set_file snapshot 1
			usleep 300000
		done
		return
	fi
	for cpu in $(possible_cpus); do
		{
			for _ in 1 2 3 4 5 6; do
				dd bs=16384 count=5 2>/dev/null
				wait_until lost_since "$(lost sched_switch)"
			done
			# Till the capture stops.
			cat
		} <"/dev/ovnik/$cpu" >"$work/slow/$cpu.ovk" 2>/dev/null &
		readers="$readers $!"
	done
}

lost_in_the_midst()
{
	examine -v "$1" >/dev/null && [ "$(lost sched_switch)" -gt 0 ]
}

slow_reader()
{
	mkdir "$work/slow"
	readers=
	configure 64K 16K discard
	capture_too_much read_now_and_then
	# shellcheck disable=SC2086 # a list
	[ -z "$readers" ] || wait $readers
	[ "$backend" = module ] || read_all "$work/slow"
	check "slow reader: the files are right" examine "$work"/slow/*.ovk
	check "slow reader: something was lost" lost_in_the_midst "$work/slow/cpu0.ovk"
	check "slow reader: bytes" bytes_agree "$work/slow"
	compared "slow reader: recorded and lost are what ftrace has" "$work"/slow/*.ovk
	trace_off
}

# While the capture goes on.
take_snapshot()
{
	usleep 300000
	reaches=$(clock_now)
	set_file snapshot 1
	read_all "$work/snapshot"
}

# In the files of a snapshot, everything up to it that was not overwritten.
snapshot()
{
	configure 64K "$1" overwrite
	capture_too_much take_snapshot
	read_all "$work/capture"
	label="snapshot, sub-buffers of $1"
	check "$label: the files are right" examine -o -n 1 "$work"/snapshot/*.ovk
	check "$label: reaches to where it was asked for" \
		examine -o -r "$reaches" "$work"/snapshot/*.ovk
	compared "$label: it and the rest are what ftrace has" -p \
		-w "$work/capture/cpu0.ovk" -w "$work/capture/cpu1.ovk" "$work"/snapshot/*.ovk
	trace_off
}

load_module
record_compared
no_reader discard 4K
slow_reader
# A start of the probes takes seconds.
if [ "$backend" = module ] || [ -n "$LONG" ]; then
	no_reader overwrite 16K
	snapshot 4K
fi
# To BPF either is 16 KiB: there are 16 of them, or 4.
if [ "$backend" = module ] && [ -n "$LONG" ]; then
	no_reader discard 16K
	no_reader overwrite 4K
	snapshot 16K
fi
finish

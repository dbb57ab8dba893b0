#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What BPF loses after the last sub-buffer was opened is in no header: each snapshot counts it,
# exactly, and so does the stop. The module's is in missed.sh.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

calls=300
pid_max=/proc/sys/kernel/pid_max

both_inside()
{
	# shellcheck disable=SC2046 # words
	set -- $(cat "/proc/$late/task/$late/children")
	[ $# = 2 ] && asleep "$1" && asleep "$2"
}

# step N
step()
{
	touch "$work/$1"
	wait_until test -e "$work/done$1"
}

# begin MODE - two tasks are inside, of which a third one has no room
begin()
{
	rm -f "$work"/[0-9] "$work"/done[0-9]
	lateload "$calls" "$work" >"$work/late.log" 2>&1 &
	late=$!
	echo "$late" >>"$loads"
	configure 4M 256K "$1"
	set_file filter_pid "$late"
	start
	step 1
	wait_until both_inside
}

# lost_of DIR - "CPU EVENT NUMBER", as meta.json has them
lost_of()
{
	awk '
		/^  "cpus":/ { inside = 1 }
		/^  "events":/ { inside = 0 }
		{ value = $1; gsub(/[^0-9]/, "", value) }
		!inside { next }
		/"cpu":/ { cpu = value }
		/^        "[a-z_]*":\{/ { event = $1; gsub(/[^a-z_]/, "", event) }
		/^          "lost":/ && value > 0 { print cpu, event, value }' "$1/meta.json"
}

# each call is two events
expected()
{
	for cpu in 0 1; do
		once=$((calls * (cpu + 1) * $1))
		echo "$cpu file_begin $((2 * once))"
		echo "$cpu file_read $once"
		echo "$cpu file_write $once"
	done
}

# saved COMMAND DIR TIMES - all that was lost in so many steps
saved()
{
	ovnik "$1" --backend bpf -o "$work/$2" >"$work/log" 2>&1
	cat "$work/log"
	expected "$3" >"$work/expected"
	lost_of "$work/$2" | diff "$work/expected" - && metacheck "$work/$2" || return
	[ "$mode" = discard ] || grep -q " 0 overwritten, " "$work/log" || return
	grep -q " $((calls * 12 * $3)) lost" "$work/log"
}

# Nothing is left to be saved.
stopped()
{
	ovnik stop --backend bpf >"$work/log" 2>&1
	cat "$work/log"
	grep -q " $((calls * 12 * $1)) lost" "$work/log"
}

most=$(cat "$pid_max")
echo 4194304 >"$pid_max"
load_module
record_only file_begin file_read file_write
for mode in overwrite discard; do
	check "$mode: two tasks are inside" begin "$mode"
	step 2
	check "$mode: a snapshot has what was lost since its last sub-buffer was opened" \
		saved snapshot "$mode-one" 1
	step 3
	check "$mode: the next one has all" saved snapshot "$mode-two" 2
	check "$mode: one right after it has the same" saved snapshot "$mode-three" 2
	step 4
	case $mode in
	overwrite) check "$mode: so does the stop, in the end" saved stop "$mode-end" 3 ;;
	discard) check "$mode: so does the stop, in the end" stopped 3 ;;
	esac
	stop_loads
done
echo "$most" >"$pid_max"
finish

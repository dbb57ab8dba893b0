#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A live patch of functions that are hooked around, at their return, and at their entry: it
# works and is taken back, and nothing is missing in the capture, whichever came first.
#
# It takes over a minute on a slow machine: the kernel takes half of that to change from one function to the other.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

patch=/sys/kernel/livepatch/ovnik_patch

fetch_patch()
{
	for dir in build "build/$release"; do
		grep -q "vermagic=$release " "/host/$dir/livepatch/ovnik_patch.ko" 2>/dev/null &&
			cp "/host/$dir/livepatch/ovnik_patch.ko" "$work/" && return
	done
	return 1
}

is_patched()
{
	[ "$(cat "$patch/transition")" = 0 ]
}

is_restored()
{
	[ ! -e "$patch" ]
}

apply()
{
	insmod "$work/ovnik_patch.ko" && wait_until is_patched
}

take_back()
{
	echo 0 >"$patch/enabled" && wait_until is_restored && wait_until rmmod ovnik_patch 2>/dev/null
}

patched_calls()
{
	cat "/sys/module/ovnik_patch/parameters/$1"
}

# The patch is in use: its functions are called by what follows.
patch_works()
{
	before=$(patched_calls faults)
	echo >"$work/name" && mv "$work/name" "$work/another" && cat "$work/another" >/dev/null
	echo "$((before)) faults before, $(patched_calls faults) now; $(patched_calls renames)" \
		"renames, $(patched_calls opens) opens"
	for kind in renames opens reads writes; do
		[ "$(patched_calls "$kind")" -gt 0 ] || return
	done
	[ "$(patched_calls faults)" -gt "$before" ]
}

# renames_and_opens - 20 of each, and as many reads and writes
renames_and_opens()
{
	for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
		echo >"$work/a-$i" && mv "$work/a-$i" "$work/file-$i" && read -r _ <"$work/file-$i"
	done
	rm "$work"/file-*
}

all_recorded()
{
	read_all "$work/capture"
	opened=$(cat "$work"/capture/*.ovk | tr '\0' '\n' | grep -a "^$work/file-..\$" | sort -u |
		wc -l)
	echo "$(recorded file_rename) of $1 renames, $opened of 20 names, $(recorded file_read)" \
		"reads, $(recorded file_write) writes"
	nothing_lost && [ "$(recorded file_rename)" = "$1" ] && [ "$opened" = 20 ] &&
		[ "$(recorded file_read)" -ge "$1" ] && [ "$(recorded file_write)" -ge "$1" ]
}

patch_first()
{
	apply && start || return
	patch_works && renames_and_opens
	result=$?
	stop
	[ "$result" = 0 ] && all_recorded 21 && patch_works && take_back
}

hook_first()
{
	start
	apply && patch_works && renames_and_opens && take_back && renames_and_opens
	result=$?
	stop
	[ "$result" = 0 ] && all_recorded 41
}

start_patching()
{
	while [ ! -e "$work/enough" ]; do
		apply && take_back && echo patched >>"$work/patched"
	done >"$work/patching" 2>&1 &
	patcher=$!
}

stop_patching()
{
	: >"$work/enough"
	wait "$patcher"
	cat "$work/patching"
	[ -s "$work/patched" ] && [ ! -s "$work/patching" ]
}

same_faults()
{
	trace_prepare 16384
	trace_events exceptions/page_fault_user exceptions/page_fault_kernel
	start
	start_patching
	faultload "$work/load" "$work/load/data"
	result=$?
	stop_patching || result=1
	wc -l <"$work/patched"
	stop
	trace_pause
	nothing_lost || result=1
	read_all "$work/capture"
	[ "$result" = 0 ] && faultcheck "$instance" "$(possible_cpus | wc -l)" "$work/load/log" \
		"$work"/capture/*.ovk
	result=$?
	trace_off
	return "$result"
}

fetch_patch || bail "no live patch for $release, see make livepatch"
mkdir "$work/load"
load_module
configure 16M 256K discard
record_only task_fork page_fault page_fault_end file_open file_rename file_read file_write
check "a function is patched, then hooked" patch_first
# The next one has that, too, of page faults.
[ -z "$LONG" ] || check "a function is hooked, then patched" hook_first
check "page faults are those of ftrace while it is patched again and again" same_faults
echo "$tap_output" | explain
check "nothing is left of the patch" is_restored
finish

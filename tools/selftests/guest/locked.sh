#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Address spaces that stay locked: the statedump does not wait long for all of them, counts what
# it could not read, and who waits for the capture meanwhile can be killed.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

stuck=12
trap '[ ! -p "$work/thaw" ] || timeout 1 sh -c "echo >$work/thaw"; usleep 500000; clean_up_files' EXIT

# How often this shell, which need not be $$, has slept: sets slept.
count_sleeps()
{
	while read -r name slept; do
		[ "$name" != voluntary_ctxt_switches: ] || return 0
	done </proc/self/status
	return 1
}

freeze()
{
	make_disk
	mount_disk
	mkfifo "$work/thaw"
	frozen "$mnt" "$stuck" <>"$work/thaw" >"$work/frozen" 2>&1 &
	wait_until test -s "$work/frozen" && cat "$work/frozen" && grep -q ready "$work/frozen"
}

# A thousand short sleeps at most for all, however long each is on this host; not half as many for each.
soon_started()
{
	count_sleeps || return
	before=$slept
	start
	count_sleeps || return
	stop
	slept=$((slept - before))
	echo "started after $slept sleeps, $(lost dump_mm) address spaces lost"
	[ "$slept" -lt $((stuck * 500)) ] && [ "$(lost dump_mm)" = "$stuck" ]
}

# sleeps_in_module PID - not by its stack: the kernel warns where the task runs in a hooked function
sleeps_in_module()
{
	where=$(cat "/proc/$1/wchan") && grep -qx "$where" "$work/symbols"
} 2>/dev/null

# The starter has the lock while its statedump waits for those that are stuck. Also fails where this
# shell came to look only when the lock was free.
died_while_locked()
{
	poke "$ovnik/enable" 1 &
	starter=$!
	until sleeps_in_module "$starter"; do
		[ -d "/proc/$starter" ] || return
	done
	cat "$ovnik/lost" >/dev/null &
	waiter=$!
	until sleeps_in_module "$waiter"; do
		[ -d "/proc/$waiter" ] || return
	done
	kill -KILL "$waiter"
	wait "$waiter" 2>/dev/null
	sleeps_in_module "$starter"
}

# Once is enough: a wait that cannot be killed ends with the lock, each time.
can_be_killed()
{
	# But for the wait for hooks, which is without the lock.
	awk '$4 == "[ovnik]" && $3 != "wait_while" { print $3 }' /proc/kallsyms >"$work/symbols"
	for try in $(seq 10); do
		died_while_locked
		result=$?
		wait "$starter"
		stop
		[ "$result" != 0 ] || return 0
	done
	echo "in none of $try tries it died before the lock was free"
	return 1
}

thaw()
{
	echo >"$work/thaw"
	wait_until umount "$mnt" 2>/dev/null
}

load_module
configure 8M 256K discard
check "address spaces are locked" freeze
check "a capture starts soon" soon_started
check "who waits for the lock can be killed" can_be_killed
check "they go on" thaw
finish

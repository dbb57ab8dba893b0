#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# memory.sh - in the guest of soak/debug-refused.sh: memory that the module is refused,
# and memory without references

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

debug=/sys/kernel/debug
leaks=$debug/kmemleak

# Which allocation is for failing.c to say; any kind of one, and not a word about it.
refuse_memory()
{
	for kind in failslab fail_page_alloc; do
		echo 0 >$debug/$kind/ignore-gfp-wait || return
		echo 0 >$debug/$kind/verbose || return
	done
	echo 0 >$debug/fail_page_alloc/ignore-gfp-highmem
	echo 0 >$debug/fail_page_alloc/min-order
}

# silently COMMAND... - its warnings are what it is about: refused memory; but not these
silently()
{
	read -r level _ </proc/sys/kernel/printk
	echo 4 >/proc/sys/kernel/printk
	dmesg -c >/dev/null
	"$@"
	status=$?
	dmesg -c >"$work/dmesg"
	echo "$level" >/proc/sys/kernel/printk
	if grep -E 'WARNING:|BUG:|INFO:|possible|refcount_t|list_(add|del)' "$work/dmesg" \
		>"$work/bad"; then
		cat "$work/dmesg"
		return 1
	fi
	return "$status"
}

refused_load()
{
	silently failing load "$work/ovnik.ko" \
		"buffer_size=16K subbuf_size=4K events=sched,file filter_pid=1 enable=1"
}

# With a capture that it ends.
refused_unload()
{
	set -- buffer_size=16K subbuf_size=4K events=sched,task enable=1
	load_with "$@"
	silently failing unload "$work/ovnik.ko" "$*"
	status=$?
	unload && return "$status"
}

# Each family, for each has hooks of its own.
refused_start()
{
	load_with buffer_size=64K subbuf_size=4K
	silently failing write "$ovnik/enable" 1 0
	status=$?
	unload && return "$status"
}

# Memory that is lacking costs events, or a dump; a capture stops all the same. To open and write
# the file takes memory, too. Without hooks of returns, see unhook.sh.
refused_stop()
{
	load_with buffer_size=64K subbuf_size=4K mode="$1" events=sched,task,cow,pagecache
	start
	silently failing write "$ovnik/enable" 0 1 >"$work/said"
	status=$?
	cat "$work/said"
	grep -Eq 'refused: [1-9][0-9]*(, Cannot allocate memory: [0-9]+)?$' "$work/said" || status=1
	unload && return "$status"
}

# With the copy that a reader has.
refused_read()
{
	load_with buffer_size=16K subbuf_size=4K
	start
	load fork=3
	stop
	silently failing read /dev/ovnik/cpu0 && silently failing read "$ovnik/cpus/cpu0/stats" &&
		silently failing read "$ovnik/recorded"
	status=$?
	unload && return "$status"
}

refused_settings()
{
	load_module
	silently failing write "$ovnik/filter_pid" "1 $$" "" &&
		silently failing write "$ovnik/buffer_size" 8M 4M
	status=$?
	unload && return "$status"
}

refused_snapshot()
{
	load_with buffer_size=64K subbuf_size=4K mode="$1" events=sched,task
	start
	silently failing write "$ovnik/snapshot" 1 1
	status=$?
	unload && return "$status"
}

locks_are_watched()
{
	grep -Eq 'debug_locks: *1$' /proc/lockdep_stats
}

# What is younger than 5 s is not looked at, and what is found once may be on its way.
nothing_leaked()
{
	for _ in 1 2 3; do
		sleep 6
		echo scan >"$leaks" || return
	done
	cat "$leaks" >"$work/leaks"
	cat "$work/leaks"
	[ ! -s "$work/leaks" ]
}

if [ ! -e /proc/self/fail-nth ]; then
	echo "1..0 # SKIP this kernel refuses no memory"
	exit
fi
refuse_memory || bail "no fault injection"
# Waiting for RCU is most of an attempt.
echo 1 >/sys/kernel/rcu_expedited
check "the module is loaded, one allocation refused at a time" refused_load
echo "$tap_output" | explain
check "the module is unloaded, one allocation refused at a time" refused_unload
echo "$tap_output" | explain
check "a capture starts, one allocation refused at a time" refused_start
echo "$tap_output" | explain
for mode in discard overwrite; do
	check "a capture stops, one allocation refused at a time, $mode" refused_stop $mode
	echo "$tap_output" | explain
	check "a snapshot, one allocation refused at a time, $mode" refused_snapshot $mode
	echo "$tap_output" | explain
done
check "files are read, one allocation refused at a time" refused_read
check "settings change, one allocation refused at a time" refused_settings
check "locks were watched to the end" locks_are_watched
if [ -e $leaks ]; then
	check "no memory is lost" nothing_leaked
else
	skip "no memory is lost" "this kernel has no kmemleak"
fi
finish

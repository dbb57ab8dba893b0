#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# "ovnik selftest" finds nothing wrong on this kernel, by either back end, and leaves no event out; the
# first recording on a kernel runs it. That it finds what is wrong, mutants show (mutants/selftest-*).

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317,SC2034 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

result=/var/cache/ovnik/selftest-module.json
groups=/sys/fs/cgroup

leave()
{
	umount "$work/disk" "$groups" 2>/dev/null
	rm -rf "${result%/*}"
}

# A file system that has a block device, and cgroups: the guest has neither.
prepare_machine()
{
	mkdir -p "$work/disk" "${result%/*}" "$groups" &&
		cp /host/build/ovnik "$work/bin/" && modprobe loop && modprobe ext4 &&
		dd if=/dev/zero of="$work/image" bs=1M count=16 2>/dev/null &&
		mke2fs -q -F "$work/image" >/dev/null 2>&1 &&
		mount -t ext4 -o loop "$work/image" "$work/disk" &&
		mount -t cgroup2 none "$groups"
}

# finds_nothing ARGUMENT... - all that was tried is recorded, and all that can be is tried
finds_nothing()
{
	TMPDIR=$work/disk ovnik selftest "$@" >"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" -eq 0 ] &&
		[ "$(grep '^not tried' "$work/log" | cut -d : -f 2)" = " anchor
 cpu_hotplug" ]
}

# In the order of the table.
names_each_event()
{
	TMPDIR=$work/disk ovnik selftest --json >"$work/json" || return
	sed -n 's/.*"event":"\([a-z_]*\)".*/\1/p' "$work/json" | sort >"$work/named"
	find /sys/kernel/ovnik/events -mindepth 1 -maxdepth 1 -type d | sed 's/.*\///' | sort |
		diff - "$work/named"
}

# Does the next recording test first? ARGUMENTs for it.
tests_first()
{
	ovnik record -e task_exit,mremap -o "$work/capture" "$@" -- true >"$work/log" 2>&1 || return
	cat "$work/log"
	grep -q "first recording by module on this kernel" "$work/log"
}

once()
{
	rm -f "$result"
	tests_first && ! tests_first && ovnik start -e task_exit && ovnik stop
}

not_if_told()
{
	rm -f "$result"
	! tests_first --no-selftest && [ ! -e "$result" ]
}

before_a_flight_recorder()
{
	ovnik start -e task_exit >"$work/log" 2>&1 && ovnik stop &&
		grep -q "first recording by module" "$work/log" && [ -s "$result" ]
}

# What is kept of another kernel, or cannot be read, is as nothing.
again_if_it_is_of()
{
	case $1 in
	another) sed -i 's/"kernel":"/&1/' "$result" ;;
	nothing) echo '{"backend":' >"$result" ;;
	list) echo '[]' >"$result" ;;
	esac
	tests_first && ! tests_first
}

# A sentence as a kernel that lacks something makes it.
is_in_the_capture()
{
	awk '/"event":"mremap"/ { inside = 1 }
		inside && sub(/"says":""/, "\"says\":\"not recorded: a move\"") { inside = 0 }
		{ print }' "$result" >"$work/changed" && cp "$work/changed" "$result"
	! tests_first && tr -d '\n ' <"$work/capture/meta.json" |
		grep -q '"lack":\[{"events":\["mremap"\],"reason":"bytheselftest:notrecorded:amove"}\]'
}

# Entries of which nothing can be told are none.
nulls_are_nothing()
{
	sed -i 's/"says":"[^"]*"/"says":null/; s/"event":"page_add"/"event":7/' "$result"
	! tests_first && [ -s "$work/capture/meta.json" ] && [ ! -e "$work/capture/meta.json.new" ]
}

# What the command of a recording has of signals, as the second one's.
command_is_as_ever()
{
	rm -f "$result"
	for i in 1 2; do
		ovnik record -e task_exit -o "$work/capture" -- grep '^Sig[BIC]' /proc/self/status \
			>"$work/signals$i" 2>"$work/log$i" || return
	done
	grep -q "first recording" "$work/log1" && ! grep -q "first recording" "$work/log2" &&
		diff "$work/signals1" "$work/signals2"
}

# A user who ends it does not get a recording, nor one without a test.
can_be_ended()
{
	rm -rf "$result" "$work/ran" "$work/capture"
	ovnik record -e task_exit -o "$work/capture" -- touch "$work/ran" 2>"$work/log" &
	echo $! >>"$loads"
	wait_until grep -q "first recording" "$work/log"
	kill -TERM $!
	wait $!
	status=$?
	cat "$work/log"
	[ "$status" -eq 1 ] && [ ! -e "$work/ran" ] && [ ! -e "$work/capture" ] && ovnik status
}

# A disk without room is none, and there are others.
without_room()
{
	dd if=/dev/zero of="$work/disk/all" bs=4k 2>/dev/null
	TMPDIR=$work/disk ovnik selftest >"$work/log" 2>&1
	status=$?
	rm "$work/disk/all"
	cat "$work/log"
	[ "$status" -eq 0 ] && grep -q "^not tried: page_add: a file of a disk" "$work/log"
}

waits_for_another()
{
	ovnik start -e sched >"$work/log" 2>&1 || return
	ovnik selftest >"$work/refused" 2>&1
	status=$?
	ovnik status | grep -q "^recording *yes"
	running=$?
	ovnik stop
	[ "$status" -eq 1 ] && [ "$running" -eq 0 ] && grep -q "already running" "$work/refused"
}

# With one CPU it says what it cannot try.
on_one_cpu()
{
	TMPDIR=$work/disk taskset 1 ovnik selftest >"$work/log" 2>&1 &&
		grep -q "not tried: sched_migrate: there is one CPU only" "$work/log"
}

# While others wake, fork and map, what it did is still recorded once.
beside_a_load()
{
	load pipe=3000 fork=200 exec=100 &
	echo $! >>"$loads"
	TMPDIR=$work/disk ovnik selftest >"$work/log" 2>&1
	found=$?
	cat "$work/log"
	kill $! 2>/dev/null
	wait $!
	return "$found"
}

nothing_is_left()
{
	! find /run /tmp "$work/disk" "$groups" -maxdepth 1 -name 'ovnik-selftest*' | grep .
}

trap 'leave; clean_up' EXIT
check "a disk and cgroups" prepare_machine
# Without the module its stamps are ns; with it, they are those of the module.
check "by BPF, nothing is missing, doubled or wrong" finds_nothing --backend bpf
echo "$tap_output"
load_module
check "by the module, nothing is missing, doubled or wrong" finds_nothing --backend module
echo "$tap_output"
check "each event is tried, or named as one that was not" names_each_event
echo "$tap_output"
check "nor beside a load" beside_a_load
check "what cannot be tried on one CPU is said" on_one_cpu
check "the first recording tests, the next one does not" once
check "nor does one that is told not to" not_if_told
check "a flight recorder tests, too" before_a_flight_recorder
for of in another nothing list; do
	check "a result of $of kernel does not count" again_if_it_is_of "$of"
done
check "what is wrong is in each capture's description" is_in_the_capture
check "what is damaged there is nothing" nulls_are_nothing
check "the command of the first recording is run as ever" command_is_as_ever
check "a signal ends the test, and the recording" can_be_ended
check "a full disk is no fault of the kernel" without_room
check "a capture that runs is left alone" waits_for_another
check "nothing is left behind" nothing_is_left
echo "$tap_output"
finish

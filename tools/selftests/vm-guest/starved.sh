#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# starved.sh - in the guest of vm/starved.sh: the kernel waits for each CPU before a hook is there or gone.
# Whoever starts or stops meanwhile can go, counts can be read, and what was recorded can be saved.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

programs=/host/build/selftests/guest
ovnik=/sys/kernel/ovnik
work=$(mktemp -d)
# So that nothing is read from 9p beside the hog.
cp "$programs/hogload" "$programs/poke" "$programs/examine" /host/build/ovnik "$work"
PATH=$work:$PATH

start_hog()
{
	hogload >"$work/ready" &
	echo $! >"$work/hog"
	until grep -q ready "$work/ready"; do usleep 10000; done
}

hog_runs()
{
	[ -d "/proc/$(cat "$work/hog")" ]
}

stop_hog()
{
	kill -KILL "$(cat "$work/hog")"
}

counts_can_be_read()
{
	cat "$ovnik/recorded" && cat "$ovnik/cpus/cpu1/stats" >/dev/null
}

# waits_for_hooks PID - a thread of it
waits_for_hooks()
{
	cat "/proc/$1"/task/*/wchan | grep -q wait_while
} 2>/dev/null

# until_waiting PID
until_waiting()
{
	until waits_for_hooks "$1"; do
		[ -d "/proc/$1" ] || return
		usleep 10000
	done
}

start_can_be_given_up()
{
	poke "$ovnik/enable" 1 &
	until_waiting $! && counts_can_be_read && [ "$(cat "$ovnik/enable")" = 0 ] || return
	kill -TERM $!
	wait $!
	hog_runs
}

# It blocks signals. Its start waits for the hooks of the one before, which still go.
record_can_be_interrupted()
{
	ovnik record --no-selftest -o "$work/none" -- true >"$work/log" 2>&1 &
	until_waiting $! || return
	kill -INT $!
	wait $!
	status=$?
	cat "$work/log"
	[ "$status" = 1 ] && grep -q "interrupted before anything was recorded" "$work/log" && hog_runs
}

goes_on()
{
	ovnik record --no-selftest -o "$work/after" -- cat /proc/self/status
}

# now - in microseconds
now()
{
	awk '{ printf "%d", $1 * 1000000 }' /proc/uptime
}

# killed VALUE SEED LONGEST - writes to "enable" that are killed at any time, or are not
killed()
{
	awk -v seed="$2" -v longest="$3" 'BEGIN { srand(seed); for (i = 0; i < 12; i++) print int(rand() * longest) }' \
		>"$work/times.$2"
	while read -r time; do
		poke "$ovnik/enable" "$1" 2>/dev/null &
		usleep "$time"
		kill -TERM $! 2>/dev/null
		! wait $! || echo "$1" >>"$work/ended"
	done <"$work/times.$2"
	true
}

starts_and_stops_are_killed()
{
	before=$(now)
	echo 1 >"$ovnik/enable" && echo 0 >"$ovnik/enable" || return
	took=$(($(now) - before))
	: >"$work/ended"
	until grep -q 1 "$work/ended" && grep -q 0 "$work/ended"; do
		killed 1 1 "$took" &
		first=$!
		killed 1 2 $((2 * took)) &
		second=$!
		killed 0 3 "$took"
		wait "$first" "$second"
	done
	echo 0 >"$ovnik/enable" && goes_on &&
		[ "$(cat "$ovnik/enable")" = 0 ]
}

# What was recorded is saved, whole, while the hooks still go. A signal ends the wait for them.
recording_ends()
{
	ovnik record --no-selftest -o "$work/capture" -- sh "$0" hog "$work" >"$work/log" 2>&1 &
	until grep -q "still removing the hooks" "$work/log"; do
		[ -d "/proc/$!" ] || { cat "$work/log"; return 1; }
		usleep 10000
	done
	[ -s "$work/capture/meta.json" ] && examine -f "$work"/capture/*.ovk && counts_can_be_read || return
	[ "$(cat "$ovnik/enable")" = 0 ] || return
	kill -INT $!
	wait $! && hog_runs
}

is_unloaded()
{
	stop_hog
	until rmmod ovnik 2>/dev/null; do usleep 100000; done
}

if [ "${1-}" = hog ]; then
	work=$2
	start_hog
	exit
fi
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
module=/host/build/$(uname -r)/kmod/ovnik.ko
[ -e "$module" ] || module=/host/build/kmod/ovnik.ko
insmod "$module"
start_hog
check "a start that waits can be given up, and counts be read" start_can_be_given_up
check "so can ovnik record" record_can_be_interrupted
stop_hog
check "when all CPUs run others, it records" goes_on
check "starts and stops that are killed leave nothing behind" starts_and_stops_are_killed
check "a recording ends although its hooks cannot go" recording_ends
check "the module goes after them" is_unloaded
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refused.sh [ROUNDS] - in the guest of soak/debug-refused.sh: a recorder that the kernel refuses
# memory and system calls now and then. It says so, or records; no capture stays that cannot be
# stopped; what it calls whole is whole.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

rounds=${1:-10}
debug=/sys/kernel/debug
most=1000000

# refuse KIND INTERVAL - one of so many, to tasks that say make-it-fail
refuse()
{
	echo Y >"$debug/$1/task-filter" && echo 0 >"$debug/$1/verbose" &&
		echo "$most" >"$debug/$1/times" && echo "$2" >"$debug/$1/interval" &&
		echo 100 >"$debug/$1/probability" || return
	for file in ignore-gfp-wait ignore-gfp-highmem min-order; do
		[ ! -e "$debug/$1/$file" ] || echo 0 >"$debug/$1/$file"
	done
}

refuse_nothing()
{
	for kind in failslab fail_page_alloc fail_function; do
		echo 0 >"$debug/$kind/probability"
	done
	echo >"$debug/fail_function/inject"
}

ended()
{
	! kill -0 "$recorder" 2>/dev/null
}

runs_or_ended()
{
	[ "$(get_file enable)" = 1 ] || ended
}

# Not with a COMMAND, which would inherit it.
record()
{
	rm -rf "$work/capture"
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo 1 >/proc/self/make-it-fail; exec /host/build/ovnik record --no-selftest "$@"' \
		sh -b 64K -o "$work/capture" -e sched,task,file >"$work/log" 2>&1 &
	recorder=$!
	wait_until runs_or_ended || return
	load fork=3
	kill -TERM "$recorder" 2>/dev/null
	wait_until ended || return
	wait "$recorder"
	status=$?
	echo "status $status" >>"$work/counts"
}

# right STATUS - is that the end that it had?
right()
{
	case $1 in
	0 | 4) [ -s "$work/capture/meta.json" ] && examine -f "$work"/capture/*.ovk >/dev/null ;;
	1) grep -q error "$work/log" ;;
	*) [ "$1" -ge 126 ] ;; # execve() or a page fault was refused
	esac
}

# flight COMMAND... - of ovnik, which is refused something
flight()
{
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo 1 >/proc/self/make-it-fail; exec /host/build/ovnik "$@"' sh "$@" >"$work/log" 2>&1
	status=$?
	echo "$1: status $status" >>"$work/counts"
}

# saved - one that says nothing is wrong has all
saved()
{
	case $status in
	0 | 4) [ -s "$work/capture/meta.json" ] && examine -fo "$work"/capture/*.ovk >/dev/null ;;
	*) right "$status" ;;
	esac
}

# A flight recorder: each step may fail, and the next one is tried all the same.
flight_some()
{
	for round in $(seq "$rounds"); do
		flight start -m overwrite -b 64K -e sched,task,file
		[ "$status" != 0 ] || [ "$(get_file enable)" = 1 ] || return
		[ "$status" = 0 ] || right "$status" || return
		load fork=3
		for command in snapshot stop; do
			rm -rf "$work/capture"
			flight "$command" -o "$work/capture"
			saved && continue
			echo "round $round, $command, status $status:"
			cat "$work/log"
			return 1
		done
		clean || return
	done
}

# Nobody refuses the next one anything.
clean()
{
	if [ "$(get_file enable)" = 1 ]; then
		/host/build/ovnik stop || return
	fi
	[ "$(get_file enable)" = 0 ]
}

record_some()
{
	for round in $(seq "$rounds"); do
		if record && right "$status" && clean; then
			continue
		fi
		echo "round $round, status $status:"
		cat "$work/log"
		return 1
	done
}

# refused KIND INTERVAL WHAT
refused()
{
	: >"$work/counts"
	read -r level _ </proc/sys/kernel/printk
	echo 4 >/proc/sys/kernel/printk
	dmesg -c >/dev/null
	refuse "$1" "$2" && "$3"
	result=$?
	nr=$((most - $(cat "$debug/$1/times")))
	refuse_nothing
	dmesg -c >"$work/dmesg"
	echo "$level" >/proc/sys/kernel/printk
	if grep -E 'WARNING:|BUG:|possible|refcount_t|list_(add|del)' "$work/dmesg"; then
		return 1
	fi
	echo "$nr refused"
	sort "$work/counts" | uniq -c
	[ "$nr" -gt 0 ] && return "$result"
}

# call_refused NAME INTERVAL WHAT - a system call
call_refused()
{
	echo "__x64_sys_$1" >"$debug/fail_function/inject" || return
	printf '%#x' -5 >"$debug/fail_function/__x64_sys_$1/retval" || return
	refused fail_function "$2" "$3"
}

if [ ! -e $debug/fail_function/injectable ]; then
	echo "1..0 # SKIP this kernel refuses nothing"
	exit
fi
load_module
for interval in 100 1000; do
	for kind in failslab fail_page_alloc; do
		check "a recorder, one in $interval: $kind" refused $kind $interval record_some
		echo "$tap_output" | explain
		check "a flight recorder, one in $interval: $kind" refused $kind $interval flight_some
		echo "$tap_output" | explain
	done
done
# Some are seldom called.
for call in openat:40 read:40 write:40 pwritev:3 mmap:7 poll:3 ftruncate:3 renameat:2 close:40; do
	interval=${call#*:}
	call=${call%:*}
	check "a recorder, one in $interval: $call() fails" call_refused "$call" "$interval" record_some
	echo "$tap_output" | explain
	# It does not wait for anything.
	[ "$call" != poll ] || continue
	check "a flight recorder, one in $interval: $call() fails" call_refused "$call" "$interval" flight_some
	echo "$tap_output" | explain
done
check "then a capture is whole" /host/build/ovnik record --no-selftest -o "$work/whole" -e sched -- load fork=3
finish

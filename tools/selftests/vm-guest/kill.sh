#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kill.sh [TIMES] - in the guest of soak/kill.sh: SIGKILL at any moment from the start of a
# program that records to its end. What it has written can be decoded, what it has not can be
# saved, and the next one starts. Every other time it is a flight recorder.
# bpf-kill.sh is a link: the same with BPF.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

times=${1:-200}
seed=${SEED:-1}
few="--backend $backend -e sched,task -b 256K"
used_at=72	# in struct ovnik_subbuf
cp /host/build/ovnik "$work/bin/" || bail "no ovnik, see make tools"

# run NUMBER - all that a recorder does, in a session of its own
run()
{
	rm -rf "$work/capture" "$work/stopped" "$work/rest"
	# shellcheck disable=SC2086,SC2016 # several words; for the inner shell
	if [ $(($1 % 2)) = 0 ]; then
		setsid ovnik record --no-selftest $few -o "$work/capture" -- load pipe=200 fork=20
	else
		setsid sh -c 'ovnik start --no-selftest $1 && load pipe=200 fork=20 &&
			{ ovnik snapshot --backend "$2" -o "$3/capture"; [ $? != 1 ]; } &&
			ovnik stop --backend "$2" -o "$3/stopped"' sh "$few" "$backend" "$work"
	fi >"$work/run.log" 2>&1 &
	running=$!
}

# Microseconds.
now()
{
	awk '{ printf "%d", $1 * 1000000 }' /proc/uptime
}

# Until its command runs: then it records. Or until it has ended.
await_load()
{
	until pidof load >/dev/null || ! kill -0 "$running" 2>/dev/null; do
		usleep 10000
	done
}

# lengths NUMBER - what it takes from its start, and from its command's, once all is in memory
lengths()
{
	run "$1"
	wait "$running"
	started=$(now)
	run "$1"
	await_load
	loaded=$(now)
	wait "$running"
	ended=$(now)
	echo $(((ended - started) * 11 / 10)) $(((ended - loaded) * 11 / 10))
}

# moments - from when, and a number from 0 to 1. From its start alone most would be while BPF is
# loaded, and all of them on a host that has become busier.
moments()
{
	awk -v seed="$seed" -v nr="$times" 'BEGIN {
		srand(seed)
		for (i = 0; i < nr; i++)
			print i % 4 < 2 ? "start" : "load", rand()
	}'
}

# has_whole FILE... - a whole sub-buffer, in any of them
has_whole()
{
	for file; do
		[ -s "$file" ] || continue
		used=$(od -A n -t u4 -j "$used_at" -N 4 "$file")
		[ -n "$used" ] && [ "$(stat -c %s "$file")" -ge "$used" ] && return
	done
	return 1
}

count()
{
	echo "$1" >>"$work/counts"
}

# decodable DIR - if there is anything
decodable()
{
	if ! has_whole "$1"/*.ovk; then
		count "nothing-written"
		return 0
	fi
	ovnik-decode "$1" -o "$work/decoded" --to ovni >"$work/decode.log" 2>&1
	status=$?
	rm -rf "$work/decoded"
	if [ -e "$1/meta.json" ]; then
		count "described"
		[ "$status" = 0 ] || [ "$status" = 4 ] && return
	else
		count "without-meta.json"
		[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 4 ] && return
	fi
	echo "$1: status $status"
	cat "$work/decode.log"
	return 1
}

gone()
{
	! pidof ovnik >/dev/null
}

left_over()
{
	if [ "$backend" = module ]; then
		[ "$(get_file enable)" = 1 ]
	else
		[ -e /sys/fs/bpf/ovnik ]
	fi
}

# Pins that were not all made are of no use: then it fails, but removes them.
save_rest()
{
	left_over || return 0
	ovnik stop --backend "$backend" -o "$work/rest" >"$work/rest.log" 2>&1
	status=$?
	if left_over; then
		cat "$work/rest.log"
		return 1
	fi
	[ "$status" != 1 ] || count "incomplete-pins-or-read-already"
	decodable "$work/rest"
}

# kill_one NUMBER start|load MICROSECONDS - so long after that
kill_one()
{
	run "$1"
	[ "$2" = start ] || await_load
	usleep "$3"
	kill -KILL "-$running" 2>/dev/null || count "at-its-end"
	wait "$running" 2>/dev/null
	# One that was in the kernel may be a while.
	wait_until gone || return
	if grep error "$work/run.log"; then
		return 1	# it did not start
	fi
	decodable "$work/capture" && decodable "$work/stopped" && save_rest
}

# most NUMBER start|load - what is left then, of what $work/lengths has
most()
{
	awk -v nr="$1" -v from="$2" 'NR == nr % 2 + 1 { print $(from == "start" ? 1 : 2) }' \
		"$work/lengths"
}

kill_all()
{
	{ lengths 0 && lengths 1; } >"$work/lengths"
	echo "us of a recording and of a flight recorder, from start and load: $(xargs <"$work/lengths")"
	moments >"$work/moments"
	number=0
	while read -r from part; do
		moment=$(echo "$part $(most "$number" "$from")" | awk '{ printf "%d", $1 * $2 }')
		if ! kill_one "$number" "$from" "$moment"; then
			echo "number $number failed"
			return 1
		fi
		number=$((number + 1))
	done <"$work/moments"
	sort "$work/counts" | uniq -c
	# Captures that had something in them: without any, nothing was tried.
	[ "$(grep -c -e described -e without "$work/counts")" -ge $((times / 5)) ]
}

record_whole()
{
	# shellcheck disable=SC2086 # several words
	ovnik record --no-selftest $few -o "$work/whole" -- load pipe=200 fork=20
	status=$?
	[ "$status" = 0 ] || [ "$status" = 4 ] && decodable "$work/whole"
}

[ "$backend" = bpf ] || load_module
check "$backend: SIGKILL at $times moments" kill_all
echo "$tap_output" | explain
check "$backend: then a capture is whole" record_whole
finish

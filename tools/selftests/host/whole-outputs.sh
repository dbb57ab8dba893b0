#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# whole-outputs.sh - whatever ends the decoder, the emulator or ovnik-refs: an output is whole or not there
#
# It takes over a minute on a slow machine: each of them is killed at many moments, and runs again.
#
# RUNS in the environment is how often they are killed, with each signal.

here=$(dirname "$(realpath "$0")")
: "${RUNS:=12}"
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

good=$work/good
out=$work/out

check "the generator is built" build gen-capture
"$work/gen-capture" random "$work/cap" -n 60000 -c 4 -t 60 -s 6

# compare DIR - is each file in DIR as in a run that was not disturbed?
compare()
{
	local file bad=

	while read -r file; do
		cmp -s "$1/$file" "$good/$file" || bad+=" $file"
	done < <(cd "$1" && find . -path ./.ovnik.part -prune -o -type f -print)
	[ -z "$bad" ] || echo "not whole:$bad"
	[ -z "$bad" ]
}

# disturb SIGNAL SECONDS COMMAND...
disturb()
{
	# Of a shell without a terminal, what runs in the background ignores SIGINT.
	env --default-signal=INT "${@:3}" 2>"$work/log" &
	sleep "$2"
	kill "-$1" $! 2>/dev/null
	wait $! 2>/dev/null
}

# at NUMBER OF - a moment, in seconds, of a run of so many ms
at()
{
	awk -v i="$1" -v n="$RUNS" -v ms="$2" 'BEGIN { printf "%.4f", ms / 1000 * (i + 0.5) / n }'
}

# times NAME COMMAND... - kill it at moments all over its run
times()
{
	local name=$1 begin ms signal i bad

	shift
	begin=$(date +%s%N)
	"$@" 2>"$work/log"
	ms=$((($(date +%s%N) - begin) / 1000000))
	rm -rf "$good"
	mv "$out" "$good"
	for signal in INT KILL; do
		bad=
		for ((i = 0; i < RUNS; i++)); do
			rm -rf "$out"
			disturb "$signal" "$(at "$i" "$ms")" "$@"
			[ ! -d "$out" ] || compare "$out" >>"$work/said" || bad+=" $i"
			[ "$signal" = KILL ] || [ ! -e "$out/.ovnik.part" ] || bad+=" $i(part)"
		done
		check "$name: $RUNS times SIG$signal in $ms ms:$bad" test -z "$bad"
	done
	check "$name: what a killed run has left is no hindrance" "$@"
	check "$name: and is gone" test ! -e "$out/.ovnik.part"
	check "$name: the outputs are whole" compare "$out"
}

times "decoder" "$decode" "$work/cap" -o "$out"
cp -r "$out/ovni" "$work/trace"
rm -rf "$out"
times "emulator" "$emu" "$work/trace" -o "$out"

# converted SIGNAL - end ovnik-refs by it in the middle of its input; sets status
converted()
{
	local input

	echo old >"$work/refs"
	rm -f "$work/refs.part"
	env --default-signal=INT "$refs" --to-text "$work/fifo" -o "$work/refs" 2>"$work/log" &
	input=$!
	exec 8>"$work/fifo"
	printf 'r12345678\1abcdefgh' >&8
	# Old versions have none.
	for _ in {1..100}; do
		[ -s "$work/refs.part" ] && break
		sleep 0.02
	done
	kill "-$1" "$input"
	wait "$input" 2>/dev/null
	status=$?
	exec 8>&-
}

refs=$top/build/ovnik-refs
mkfifo "$work/fifo"
for signal in INT TERM HUP KILL; do
	converted "$signal"
	check "ovnik-refs, ended by SIG$signal: its status" \
		test "$status" = $((128 + $(kill -l "$signal")))
	check "the file that was there stays" test "$(cat "$work/refs")" = old
	[ "$signal" = KILL ] || check "and nothing else" test ! -e "$work/refs.part"
done
printf 'r12345678\1abcdefgh' >"$work/one"
check "what a killed one has left is no hindrance" \
	"$refs" --to-text "$work/one" -o "$work/refs"
check "and is gone" test ! -e "$work/refs.part"
check "the file is whole" grep -q ^r "$work/refs"

# send FILE SIGNAL... - send them to the decoder once FILE is there; sets status
send()
{
	local file=$1 signal

	"$decode" "$work/cap" -o "$out" 2>"$work/log" &
	until [ -e "$file" ] || ! kill -0 $! 2>/dev/null; do
		:
	done
	shift
	for signal; do
		kill "-$signal" $! 2>/dev/null
	done
	wait $! 2>/dev/null
	status=$?
}

# interrupted FILE SIGNAL NUMBER - is the status that of the signal, and nothing of the run left?
#
# A run that was over before the signal came says nothing: what it made is removed, and there is another.
interrupted()
{
	for _ in {1..50}; do
		send "$1" "$2"
		[ "$status" = 0 ] || break
		find "$out" -mindepth 1 ! -name mine -delete
		rmdir "$out" 2>/dev/null
	done
	[ "$status" = $((128 + $3)) ] && [ ! -e "$out/.ovnik.part" ]
}

rm -rf "$out"
check "ended at its beginning, a run says so by its status" interrupted "$out" HUP 1
check "and leaves no directory that it made" test ! -e "$out"
check "nor later" interrupted "$out/.ovnik.part/laplace.txt" TERM 15
check "with a directory that it made" test ! -e "$out"
mkdir "$out"
echo mine >"$out/mine"
check "in a directory that was there" interrupted "$out/.ovnik.part/laplace.txt" TERM 15
check "the files in it stay" test "$(ls -A "$out")" = mine

# While the outputs of an earlier run are removed, which begins with the files, there are only whole ones.
"$decode" "$work/cap" -o "$out" 2>"$work/log"
rm -rf "$good"
cp -r "$out" "$good"
bad=
for ((i = 0, late = 0; i < RUNS; i++)); do
	rm -rf "$out"
	cp -r "$good" "$out"
	"$decode" "$work/cap" -o "$out" 2>"$work/log" &
	while [ -e "$out/laplace.txt" ] && kill -0 $! 2>/dev/null; do
		:
	done
	kill -TERM $! 2>/dev/null
	wait $! 2>/dev/null
	status=$?
	if [ "$status" = 0 ] && [ $((late += 1)) -le 50 ]; then
		i=$((i - 1))
		continue
	fi
	[ "$status" = 143 ] || bad+=" $i(status)"
	[ ! -e "$out/ovni" ] || diff -rq "$good/ovni" "$out/ovni" >>"$work/said" || bad+=" $i"
done
check "ended while it removes an old trace, it leaves no part of it:$bad" test -z "$bad"
rm -rf "$out"

# Of a large one two threads remove the same files at the same time.
bad=
for i in 1 2 3; do
	mkdir -p "$out"/ovni/loom.gen/proc.{1..3000}/thread.1
	send "$out/.ovnik.part/.old" TERM
	[ ! -e "$out/.ovnik.part" ] && [ ! -s "$work/log" ] || bad+=" $i"
	rm -rf "$out"
done
check "nor of a large one, and says nothing:$bad" test -z "$bad"

# Root may empty every directory, unless it has given that up.
powerless()
{
	setpriv --bounding-set=-dac_override,-dac_read_search "$decode" "$work/cap" -o "$out" "$@" 2>"$work/log"
}

"$decode" "$work/cap" -o "$out" 2>"$work/log"
rm -rf "$good"
cp -r "$out" "$good"
chmod a-w "$out"/ovni/loom.*/proc.*
check_status 1 "an old trace that cannot be removed" powerless
check "is reported" grep -q "$out/ovni: cannot empty this directory: Permission denied" "$work/log"
check "and stays, with all else" diff -r "$good" "$out"
check "other outputs can be made" powerless --to laplace
chmod -R u+w "$out"
mkdir "$out/ovni/loom.empty"
chmod a-w "$out/ovni/loom.empty"
check "a folder with nothing in it is in nobody's way" powerless --to ovni
rm -rf "$out"

# As by nohup, or in the background of a script.
trap '' HUP INT
send "$out/.ovnik.part" HUP INT
trap - HUP INT
check "signals that are ignored do not end it" test "$status" = 0
check "and the outputs are there" test -s "$out/laplace.txt"

# Two runs do not write into each other's files.
mkdir -m 700 "$out/.ovnik.part"
exec 9<"$out/.ovnik.part"
flock -x 9
echo old >"$out/laplace.txt"
check_status 1 "another run writes there" "$decode" "$work/cap" -o "$out"
check "and its place is not touched" grep -q old "$out/laplace.txt"
exec 9<&-
check "until it has ended" "$decode" "$work/cap" -o "$out"

mkdir -m 700 "$work/locked" "$work/locked/.ovnik.part"
exec 9<"$work/locked/.ovnik.part"
flock -x 9
echo old >"$work/locked/thread.prv"
check_status 1 "another emulator writes there" "$emu" "$work/trace" -o "$work/locked"
check "and its outputs stay" grep -q old "$work/locked/thread.prv"
exec 9<&-

# The application's own trace is not the place for the merged one.
cp -r "$work/trace" "$work/app"
check_status 1 "the trace to merge is not the output directory" \
	"$decode" "$work/cap" -o "$work/app" --merge "$work/app"
check "nothing was written there" test ! -e "$work/app/ovni"
# A file system that is full: what the emulator has then is no trace, and the streams are innocent.
rm -rf "$out"
"$decode" "$work/cap" -o "$out" --to ovni 2>"$work/log"
mkdir "$work/full"
if mount -t tmpfs -o size=200k none "$work/full" 2>/dev/null; then
	check_status 1 "an emulator without room" "$emu" "$out/ovni" -o "$work/full"
	check "leaves nothing" test -z "$(ls -A "$work/full")"
	"$emu" "$out/ovni" -o "$work/full" 2>"$work/log"
	check "and says what it could not write" grep -q "thread.prv: cannot write: No space left" "$work/log"
	check_status 1 "but of no stream" grep stream.obs "$work/log"
	umount "$work/full"
else
	skip "an emulator without room" "cannot mount"
fi
finish

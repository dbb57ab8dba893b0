#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-hostile.sh - captures that are made to harm the decoder
#
# The decoder has gcc's sanitizers, so that bytes read or written outside of an object end it.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

decode=$top/build/sanitized/ovnik-decode
good=$work/good
cap=$work/cap
out=$work/out
all=ovni,laplace,prv,xray,html,svg,perfetto
# Two pages of a path are smaller than a stack with redzones.
export ASAN_OPTIONS=detect_leaks=0

check "the sanitized decoder is built" test -x "$decode"
check "the generator is built" build gen-memory
check "and another one" build gen-capture
"$work/gen-memory" "$good" -n 2000 -c 2 -s 3 -C
"$work/gen-memory" "$work/short" -n 200 -c 2 -s 3 -C

# hostile EDIT... - one more edit of the copy
hostile()
{
	python3 "$gen/hostile.py" "$cap" "$@"
}

# fresh [CAPTURE] - a new copy
fresh()
{
	rm -rf "$cap" "$out"
	cp -r "${1:-$good}" "$cap"
}

# decodes STATUS NAME PATTERN - and the messages match the pattern
decodes()
{
	status=0
	timeout 100 "$decode" "$cap" -o "$out" --to "$all" >"$work/said" 2>"$work/log" || status=$?
	if [ "$status" -eq "$1" ] && grep -Eq "$3" "$work/log"; then
		ok "$2"
	else
		not_ok "$2"
		echo "status $status instead of $1, or no message matches $3:" | explain
		head -n 60 "$work/log" | explain
	fi
}

# What the description of an event can be used for.

fresh
hostile twice task_exec tid filename
hostile only task_exec 2040
decodes 3 "a field listed twice, and the string left out" \
	"meta.json: two fields have the same name; going on without it"

fresh
hostile add task_comm other comm 2008 2024
hostile only task_comm 2024 2010
decodes 3 "a second task name" "cpu1.ovk: offset [0-9]*: a record's task name does not end in it"

fresh
hostile add task_comm more str 32 33
hostile only task_comm 4001
decodes 3 "a string after a task name" \
	"cpu1.ovk: offset [0-9]*: a record's task name does not end in it"

fresh
hostile move mmap_file path 8 72
hostile only mmap_file 16
decodes 3 "a string in front of other fields" "meta.json: two fields overlap; going on without it"

fresh
hostile rename mmap_file path q
hostile add mmap_file path str 72 73
decodes 3 "two strings" "meta.json: a string is not the last field; going on without it"

fresh
hostile overlap sched_switch next_tid 2
decodes 3 "fields that overlap" "meta.json: two fields overlap; going on without it"

fresh
hostile rename sched_switch sched_witch
decodes 0 "one letter of an event's name" "meta.json: it does not describe sched_switch, so"

fresh
hostile rename mmap_file start startx
decodes 0 "one letter of a field's name" "meta.json: it does not describe mmap_file.start, so"

# A clock that cannot be.

fresh "$work/short"
hostile set clock tsc_khz 4611686018427387904
decodes 3 "a rate that no clock has" "meta.json: its clock's rate is not from 4000 to 100000000 kHz; going on without it"

fresh
hostile set clock tsc_khz 3000
decodes 3 "a rate too low to convert" "meta.json: its clock's rate is not from 4000 to 100000000 kHz; going on without it"

fresh
hostile set clock tsc_khz 2600000
hostile set clock anchors '[{"tsc": 1101511628776, "ns": 6000000510, "width": 100}]'
decodes 0 "a rate that the readings of the clock deny" \
	"meta.json: its clock's rate is 2600000 kHz, but the capture's clock has 2000000 kHz"

fresh
hostile set clock tsc_khz 7000000
hostile set clock anchors '[{"tsc": 1099511827776, "ns": 5000100025, "width": 100}]'
decodes 0 "a rate that readings 100 us apart deny" \
	"meta.json: its clock's rate is 7000000 kHz, but the capture's clock has 2000[0-9]{3} kHz"
check "and the time is by theirs" grep -q ' events in 0.000152 s on ' "$work/log"

fresh
hostile set clock anchors '[{"tsc": 3000000000, "ns": 6000000000, "width": 100}]'
decodes 0 "a reading of the clock that the others deny" " events in 0.000152 s on 2 CPUs"

# A CPU pauses for 2.5 s, so that there are records of the clock, which the second pass knows.
"$work/gen-capture" random "$work/pauses" -n 300 -c 2 -t 20 -l 1 -s 9 -p 5000000000
fresh "$work/pauses"
hostile set clock anchors '[{"tsc": 1098895315007, "ns": 6615302769, "width": 100}]'
decodes 3 "anchors that contradict each other" \
	"the sub-buffer's clock contradicts the rest of the capture"
check "each pass has the same records" sh -c "! grep -q 'changed while' '$work/log'"
check "all threads end, in the ovni trace, too" "$emu" "$out/ovni" -o "$work/emu"

# What records say, which only the second pass knows, is 3 s later than what the first one has believed.
"$work/gen-capture" random "$work/torn" -n 300 -c 2 -t 20 -s 9 -p 5000000000 -C
fresh "$work/torn"
hostile anchors 3000000000
decodes 3 "records that contradict the headers" \
	"warning: .*: anchors of its clock contradict each other: times may be wrong by 3\.000 s"
check "nothing else is wrong with it" grep -q "damaged in 1 place" "$work/log"
check "all threads end" "$emu" "$out/ovni" -o "$work/emu"
check "and the timelines are there" test -s "$out/thread.prv"

fresh
hostile late
decodes 1 "CLOCK_MONOTONIC near its end" "the sub-buffer's clock is impossible"

# A checksum.

"$work/gen-memory" "$work/whole" -n 200 -c 2 -s 3
fresh "$work/whole"
hostile seal
cp -r "$cap" "$work/sealed"
decodes 0 "a checksum" " events in "
check "that is right is not mentioned" sh -c "! grep -q 'checksum\|warning' '$work/log'"

fresh "$work/short"
hostile seal
decodes 3 "a checksum, but no CRC" "cpu0.ovk: offset 0: the sub-buffer does not say that it has a CRC"

fresh "$work/sealed"
hostile rename sched_switch sched_witch
decodes 3 "an edited meta.json" "remove the lines \"checksum\" and \"crc\""

fresh "$work/sealed"
sed -i '/"checksum"/d; /"crc"/d; s/"host": "gen"/"host": "another"/' "$cap/meta.json"
decodes 0 "an edited meta.json without the lines" " events in "

# All of the text is covered: what is at both ends says that there is a checksum.
fresh "$work/sealed"
size=$(stat -c %s "$cap/meta.json")
silent=
for at in $(seq 0 24) $(seq 25 $((size / $(amount 10 20))) "$size") $(seq $((size - 19)) $((size - 2))); do
	cp "$work/sealed/meta.json" "$cap/"
	python3 "$gen/damage.py" "$cap/meta.json" flip "$at" 0
	if "$top/build/ovnik-decode" report --all "$cap" >"$work/said" 2>"$work/log"; then
		silent="$silent $at"
	fi
done
check "no flipped bit is silent:$silent" test -z "$silent"

# A process for each capture, forked beside a thread: what that has locked stays locked in them.

mkdir "$work/two"
for node in first secnd; do
	cp -r "$work/short" "$work/two/$node"
	sed -i "s/\"host\": *\"gen\"/\"host\": \"$node\"/" "$work/two/$node/meta.json"
done

# Ten times: there are not always locks.
two_captures()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rm -rf "$out"
		timeout 600 "$decode" "$work/two" -o "$out" --to ovni --jobs 2 || return
	done
}
check "two captures at the same time" two_captures

# What costs more than it is.

fresh
hostile set cpus 1 file '"cpu0.ovk"'
decodes 3 "two CPUs that share a file" "meta.json: two CPUs have the same file; going on without it"

fresh
truncate -s 100G "$cap/cpu0.ovk"
check "a sparse file of 100 GB is read in a moment" \
	sh -c "timeout 300 '$top/build/ovnik-decode' report '$cap' >'$work/said' 2>'$work/log'; [ \$? -eq 3 ]"

# kib_of OPTION... - what the decoder needs for the Laplace trace
kib_of()
{
	rm -rf "$out"
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
		"$top/build/ovnik-decode" "$cap" -o "$out" --to laplace "$@"
}

# Larger than the largest buffer, which 1000 of them would not get.
"$work/gen-memory" "$work/tiny" -n 10 -c 1 -s 3
fresh "$work/tiny"
hostile many 1000
whole=$(kib_of)
split=$(kib_of --laplace-split cpu)
size=$(stat -c %s "$out/laplace.cpu999.txt")
check "each of 1000 CPUs has a Laplace trace of $size bytes" test "$size" -gt $((256 << 10))
check "they take 64 MiB, and not 256 KiB each: $((split - whole)) KiB" \
	test $((split - whole)) -lt 100000
finish

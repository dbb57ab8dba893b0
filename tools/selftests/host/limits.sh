#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# limits.sh - inputs at each limit of Documentation/limits.rst, and one above
#
# What is at the limit is read; what is one above is refused as the page says, by programs that gcc's
# sanitizers watch. The values are those of the page, which host/docs compares with the sources.

# shellcheck disable=SC2317 # called through check
here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"

decode=$top/build/sanitized/ovnik-decode
emu=$top/build/sanitized/ovnik-emu
export ASAN_OPTIONS=detect_leaks=0

check "the sanitized decoder is built" test -x "$decode"
check "and the emulator" test -x "$emu"
check "a generator is built" build gen-memory
"$work/gen-memory" "$work/good" -n 200 -c 2 -s 3 -C
"$work/gen-merge" known "$work/known"
python3 "$checkers/limitcheck.py" -v "$top/Documentation/limits.rst" >"$work/values"

# What is done with the input; $work/known is a capture.
emulate()
{
	"$emu" "$work/input" -o "$work/out"
}

decode()
{
	"$decode" "$work/input" -o "$work/out" --to ovni,perfetto
}

merge_it()
{
	"$decode" "$work/known" -o "$work/out" --merge "$work/input" --to ovni
}

to_log()
{
	"$top/build/ovnik-refs" --to-log --wide "$work/input" -o "$work/out/log"
}

# With a title that is short.
merge_label()
{
	find "$work/input" -name stream.json -exec sed -i 's/"title": "x*"/"title": "T"/' {} +
	merge_it
}

# What the values of the merged marks are called.
label()
{
	"$decode" "$work/known" -o "$work/out" --merge "$work/input" --to perfetto || return
	grep -ao "other values" "$work/out/trace.perfetto-trace" || [ $? = 1 ]
}

# The page says whether it has all of the file.
draw()
{
	"$decode" "$work/known" -o "$work/out" --to html --memory "$work/input" || return
	grep -ao '"cut":[a-z]*' "$work/out/timeline.html"
}

# run NAME VALUE HOW - status and messages are in $status and $work/said
run()
{
	rm -rf "$work/out" "$work/input"
	mkdir "$work/out"
	status=0
	if ! "$gen/limits.py" "$work" "$1" "$2" >"$work/said" 2>&1; then
		status=-1
		return
	fi
	"$3" >"$work/said" 2>&1 || status=$?
}

# is STATUS TEXT - the last run
is()
{
	echo "status $status, expected $1 and: $2"
	head -n 20 "$work/said"
	[ "$status" = "$1" ] || return
	[ -z "$2" ] || grep -qF -e "$2" "$work/said"
}

# is_not TEXT
is_not()
{
	head -n 20 "$work/said"
	! grep -qF -e "$1" "$work/said"
}

# limit NAME HOW STATUS TEXT [STATUS TEXT] - one above; and at the limit, where that is not "0"
limit()
{
	value=$(sed -n "s/^$1 //p" "$work/values")
	run "$1" "${value:-0}" "$2"
	check "$1: ${value:-no value} is read" is "${5:-0}" "${6:-}"
	check "$1: the limit is not mentioned then" is_not "$4"
	run "$1" $((value + 1)) "$2"
	check "$1: $((value + 1)) is not" is "$3" "$4"
	echo "$1" >>"$work/tested"
}

without="going on without it"
limit META_MAX_BYTES decode 3 "meta.json: 67108865 bytes are too much, the limit is 67108864; $without"
limit JSON_VALUES emulate 1 "stream.json: has 1048576 values or more, which is the limit"
limit JSON_DEPTH emulate 1 "no valid JSON: nesting too deep"
limit META_CPUS_MAX decode 3 "meta.json: a CPU's number is not below 65536; $without"
limit META_PIDS_MAX decode 3 "meta.json: more than 4096 processes are in its filter; $without"
limit EVENT_NUMBERS decode 3 "meta.json: an event's number is not below 256, or its record has more than 4224 bytes; $without"
limit EVENT_FIELDS_MAX decode 3 "meta.json: an event has no fields, or more than 32; $without"
limit OVNIK_REC_MAX decode 3 "meta.json: an event's number is not below 256, or its record has more than 4224 bytes; $without"
limit OVNIK_SUBBUF_MAX decode 3 "cpu1.ovk: offset 0: the sub-buffer's size is impossible"
# Of this one, a CPU keeps one record.
limit KNOWN_TID_MAX decode 3 "1 record with an impossible task number" 3 "8 tasks in 8 processes"
limit EMPTY_DEPTH_MAX decode 1 "out/ovni: not replaced: directories in it are more than 16 deep"
limit STAT_TEXT_MAX draw 0 '"cut":true' 0 '"cut":false'
limit JSON_FILE_MAX emulate 1 "stream.json: 16777217 bytes are too much, the limit is 16777216"
limit OVNI_STREAM_JUMBO_MAX emulate 1 "stream.obs: offset 36: event Zab at clock 20: the jumbo data is larger than 64 MiB"
limit OVNI_STACK_MAX emulate 1 "stack is full"
limit OVNI_LABEL_MAX emulate 1 "a title has 512 bytes, the limit is 511"
limit OVNI_LABEL_MAX merge_it 1 "mark 5: a title has 512 bytes, the limit is 511"
limit OVNI_LABEL_MAX merge_label 1 "mark 5: a label has 512 bytes, the limit is 511"
limit OFFSETS_MAX emulate 1 "clock-offsets.txt: line 4098: more than 4096 hosts" 1 "line 3: no loom runs on host h1"
limit OFFSETS_LINE_MAX emulate 1 "clock-offsets.txt: line 2: the line is too long"
limit NOSV_MAX_COUNTERS emulate 1 "stream.json: 101 hardware counters, at most 100 are supported"
limit OVNI_MARK_TYPES emulate 1 "stream.json: mark type 100 is not in 0..99"
limit OVNI_MARK_TYPES merge_it 1 "stream.json: mark \"100\" is no number from 0 to 99"
limit MARKS_UNNAMED label 0 "other values"
limit MERGE_REGIONS_AHEAD merge_it 1 "event OB. at clock 9999: an unsorted region goes back over more than 256 others: sort the stream with ovnisort first"
limit MERGE_SORT_BYTES merge_it 1 "more than 64 MiB of events would have to be sorted"
limit INSN_ACCESSES_MAX to_log 1 "input: offset 720918: too many accesses of one instruction"
limit BUNDLE_CPUS_MAX decode 0 "Perfetto reads no CPU after 1023: 1 left out"

sort -u "$work/tested" >"$work/done"
cut -d ' ' -f 1 "$work/values" | sort >"$work/rows"
check "each limit that the page has is here" cmp "$work/rows" "$work/done"
finish

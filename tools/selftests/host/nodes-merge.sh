#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nodes-merge.sh - an application's trace of several nodes joins their captures
#
# Each loom must be what a merge with its node's capture alone gives.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"

mkdir "$work/captures"
for node in first secnd third; do
	"$work/gen-merge" known "$work/captures/$node"
	sed -i "s/\"host\":\"gen\"/\"host\":\"$node\"/" "$work/captures/$node/meta.json"
done

# loom NODE APP RANK EVENT - what one process writes there
loom()
{
	cat <<-END
	! 100/100 $1.100 {"app_id": $2, "rank": $3, "nranks": 3, "mark": {"3": {"title": "Phase", "chan_type": "stack"}, "4": {"title": "Step", "chan_type": "single"}}}
	100/100 4999990000 OHx 0 -1 0 0
	100/100 4999995000 OM[ $4 0 3
	100/100 5000032000 OM[ 9 0 3
	100/100 5000101000 OM] 9 0 3
	100/100 5000250000 OM] $4 0 3
	100/100 5000260000 OHe
	! 100/101 $1.100 {"app_id": $2, "rank": $3, "nranks": 3}
	100/101 5000010500 OHx 0 100 0 0
	100/101 5000013000 OM= 1 0 4
	100/101 5000049000 OHe
	END
}

# join NAME LOOM... - traces become one
join()
{
	local name=$1 one

	shift
	rm -rf "${work:?}/$name"
	mkdir "$work/$name"
	for one; do
		cp -r "$work/app-$one"/loom.* "$work/$name"
	done
}

says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

number=0
for node in first secnd third; do
	loom $node 1 $number $((number + 5)) | app "app-$node"
	check "$node alone" merge "captures/$node" "app-$node" --to ovni
	mv "$work/out" "$work/alone-$node"
	number=$((number + 1))
done

# same NODE... - each loom's streams are those of the merge with it alone
same()
{
	local node

	for node; do
		diff -r -x stream.json "$work/alone-$node/ovni/loom.$node" \
			"$work/out/ovni/loom.$node" || return
	done
	test "$(find "$work/out/ovni" -maxdepth 1 -name 'loom.*' | wc -l)" -eq $#
}

# numbers - applications keep theirs; other processes have their own, on all nodes
numbers()
{
	python3 - "$work/out/ovni" <<'END'
import json
import pathlib
import sys

apps, ranks = {}, {}
for path in pathlib.Path(sys.argv[1]).glob("**/stream.json"):
    ovni = json.loads(path.read_text())["ovni"]
    if ovni["part"] != "thread":
        continue
    who = ovni["loom"], ovni["pid"]
    assert apps.setdefault(who, ovni["app_id"]) == ovni["app_id"], who
    if "rank" in ovni:
        ranks[who] = ovni["rank"]
ours = [app for (_, pid), app in apps.items() if pid == 100]
others = [app for (_, pid), app in apps.items() if pid != 100]
assert set(ours) == {1}, apps
assert len(set(others)) == len(others) and 1 not in others, apps
assert len(set(ranks.values())) == len(ranks), ranks
END
}

join app first secnd third
check "three captures and a trace of three looms" merge captures app
check "each loom is that of its node alone" same first secnd third
check "numbers are distinct" numbers
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check "ovnik-emu accepts it" "$emu" -l "$work/out/ovni" -o "$work/emulated"
check "a strict reader takes the timeline" "$top/build/selftests/prvcheck" "$work/out"
check "a trace for Perfetto" merge captures app --to perfetto
check "each of its machines has its marks" test \
	"$(grep -ao Phase "$work/out/trace.perfetto-trace" | wc -l)" -eq 3
rm "$work/out/trace.perfetto-trace"
check "which has the marks of all" test "$(grep -c '"title": "Phase"\|Phase' "$work/out/thread.pcf")" -gt 0
for node in first secnd third; do
	check "$node's rows name it" grep -q " $node " "$work/out/thread.row"
done

for n in 1 3; do
	merge captures app -j $n
	rm -rf "$work/jobs-$n"
	mv "$work/out" "$work/jobs-$n"
	mv "$work/log" "$work/jobs-$n.log"
done
check "three at a time make the same" diff -r "$work/jobs-1" "$work/jobs-3"
check "and say the same" diff "$work/jobs-1.log" "$work/jobs-3.log"

join app first secnd
check "a node without the application" merge captures app --to ovni
says "that is a warning" "captures/third: nothing in .*/app was written on node third"
"$decode" "$work/captures/third" -o "$work/kernel" --to ovni 2>/dev/null
check "its loom is the kernel's" diff -r -x stream.json "$work"/{kernel,out}/ovni/loom.third

join app first secnd third
rm -rf "$work/out"
"$decode" "$work/captures/first" "$work/captures/secnd" -o "$work/out" --merge "$work/app" \
	--to ovni 2>"$work/log"
check "a loom without a capture" test $? -eq 0
says "that is a warning" "there is no capture of node third: the streams of that node are copied without changes"
check "it is copied" cmp "$work/app/loom.third.100/proc.100/thread.100/stream.obs" \
	"$work/out/ovni/loom.third.100/proc.100/thread.100/stream.obs"
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"

# A program that was killed: its threads ended where each node's capture says.
cp -r "$work/app" "$work/killed"
sed -i 's/"finished": 1, *//; s/, *"finished": 1//' "$work"/killed/*/*/*/stream.json
check "a killed program" merge captures killed --to ovni
says "it is said" "warning: merged: [0-9]* streams\? w[a-z]* not finished"
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check_status 1 "not where a capture is missing" "$decode" "$work/captures/first" "$work/captures/secnd" \
	-o "$work/short" --merge "$work/killed" --to ovni

# The trace's own table; and drift, which is taken out of what the application wrote, too.

# table FILE FIRST SECND THIRD HEADER
table()
{
	printf 'rank hostname offset_median offset_mean offset_std%s\n0 first %d 0 1\n1 secnd %d 0 1\n2 third %d 0 1\n' \
		"$5" "$2" "$3" "$4" >"$1"
}

table "$work/app/clock-offsets.txt" 0 5000 -7000
check "the trace's table" merge captures app --to ovni
says "is used" "clocks: aligned by .*/app/clock-offsets.txt, whose standard deviation is at most 1 ns"
check "the result has it" grep -q '^2 third -7000 ' "$work/out/ovni/clock-offsets.txt"
"$decode" "$work/captures/first" "$work/captures/third" -o "$work/out" --merge "$work/app" \
	--to ovni 2>"$work/log"
check "also of a node without a capture" grep -q ' secnd 5000 ' "$work/out/ovni/clock-offsets.txt"
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"

# drifts - is a mark of the application where the line between both tables has it?
drifts()
{
	PYTHONPATH=$checkers python3 - "$work/out/ovni" "$work/app" <<'END'
import sys
from ovnitrace import stream_events

def marks(path):
    return [e.clock for e in stream_events(path + "/proc.100/thread.100") if e.mcv[:2] == "OM" and e.payload[8:] == b"\3\0\0\0"]

# Offsets of secnd: 0 at 4 s, 1 ms at 6 s by the first clock.
out, app = sys.argv[1:]
want = [t + (t - 4000000000) * 1000000 // (2000000000 - 1000000)
        for t in marks(app + "/loom.secnd.100")]
got = marks(out + "/loom.secnd")
assert len(want) == len(got) == 4, got
# The third one was moved to where its thread was on a CPU.
for i in 0, 1, 3:
    assert abs(want[i] - got[i]) <= 2, (i, want[i], got[i])
END
}
table "$work/before" 0 0 0 " at=4000000000 within=10"
table "$work/after" 0 1000000 0 " at=6000000000 within=10"
check "two tables" merge captures app --to ovni -c "$work/before" -c "$work/after"
check "bend the application's clocks as the kernel's" drifts
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"

# What cannot be merged.

run()
{
	"$decode" "$@" 2>"$work/log"
}

# refused STATUS TEXT ARGUMENT...
refused()
{
	local status=$1 text=$2

	shift 2
	rm -rf "$work/out"
	check_status "$status" "refused: $text" run "$@"
	says "it says so" "$text"
	check "nothing was made" test ! -e "$work/out"
}

two=("$work/captures/first" "$work/captures/secnd")
cp -r "$work/app-third" "$work/other"
refused 1 "other: none of the captures was recorded on a node that wrote it" "${two[@]}" -o "$work/out" \
	--merge "$work/other"
"$decode" "$work/captures/first" -o "$work/made" --to ovni 2>/dev/null
refused 1 "was made from a capture" "${two[@]}" -o "$work/out" --merge "$work/made/ovni"
touch "$work/log.xray"
refused 2 "several captures: XRay logs can be merged with a single capture only" "${two[@]}" -o "$work/out" --merge "$work/log.xray"

finish

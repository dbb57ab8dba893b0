#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# narrow.sh - --from, --until, --pid, --comm, --tree, --cpu: a part of a capture is what the whole has there
#
# It takes over a minute on a slow machine: each option has each output, which Python compares with the whole's.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
export TZ=UTC

check "generators are built" eval "build gen-capture && build gen-report && build gen-memory &&
	build gen-activity"
"$work/gen-capture" random "$work/random" -n 40000 -c 4 -t 60 -s 6
"$work/gen-capture" random "$work/lossy" -n 40000 -c 4 -t 60 -s 7 -l 12
"$work/gen-report" busy "$work/busy" 20000
"$work/gen-memory" "$work/memory" -n 20000 -c 3 -s 4

# table CAPTURE TO [OPTION...] - all tasks as CSV
table()
{
	rm -f "$2"
	"$decode" "$1" "${@:3}" --tracer "csv,file=$2" >"$work/log" 2>&1
	[ -s "$2" ]
}

# same CAPTURE FROM TO [PID] - in us
same()
{
	local only=()

	[ $# -lt 4 ] || only=(--pid "$4")
	table "$work/$1" "$work/part" --from "$2us" --until "$3us" "${only[@]}" &&
		"$checkers/narrowcheck.py" "$work/all" "$work/part" "$2"000 "$3"000 "${@:4}"
}

for capture in random lossy busy memory; do
	table "$work/$capture" "$work/all"
	case $capture in
	memory) times="100:101 300:900 0:1000 1000:1100" ;;
	*) times="0:3000 2000:5000 2000:2100 15000:20000" ;;
	esac
	for one in $times; do
		check "$capture, $one us" same "$capture" "${one%:*}" "${one#*:}"
	done
done

# The checker: a part is not another part.
table "$work/random" "$work/all"
table "$work/random" "$work/part" --from 2ms --until 3ms
check_status 1 "the checker sees another part" \
	"$checkers/narrowcheck.py" "$work/all" "$work/part" 2100000 3100000

# Laplace text: the lines of that time, behind the statedump of its beginning.
lines()
{
	local low high

	"$decode" "$work/$1" -o "$work/whole" --to laplace 2>/dev/null
	"$decode" "$work/$1" -o "$work/some" --to laplace --from "$2us" --until "$3us" 2>/dev/null
	low=$(sed -n '/^s /{p;q}' "$work/some/laplace.txt" | cut -d ' ' -f 2)
	high=$(grep '^s ' "$work/some/laplace.txt" | tail -n 1 | cut -d ' ' -f 2)
	cmp <(sed -n "/^s $low /,/^s $high /p" "$work/whole/laplace.txt") \
		<(sed -n "/^s $low /,/^s $high /p" "$work/some/laplace.txt")
}
check "Laplace's lines are the same" lines random 2000 5000

# One process: its own runs, waits and calls, and nobody else's.
most='$3 == "run" { n[$12]++ } END { for (p in n) if (n[p] > max) { max = n[p]; pid = p } print pid }'
pid=$(awk -F , "$most" "$work/all")
check "a process has what it had" same random 1000 20000 "$pid"
table "$work/random" "$work/part" --pid "$pid"
check "and nobody else" test -z "$(awk -F , -v p="$pid" '$3 == "run" && $12 != p' "$work/part")"
comm=$(awk -F , -v p="$pid" '$3 == "process" && $12 == p { print $4 }' "$work/all" | head -n 1)
check "also by its name" table "$work/random" "$work/named" --comm "$comm"
check "which may be that of others" grep -q ",run,.*,$pid," "$work/named"

"$work/gen-report" known "$work/renamed"
check_status 1 "not by a name that it no longer has" "$decode" "$work/renamed" --comm shell \
	--tracer total
check "but by its last one" table "$work/renamed" "$work/named" --comm renamed
check_status 2 "nor by none" "$decode" "$work/renamed" --comm '' --tracer total

# A process, its children, and theirs.
"$work/gen-capture" known "$work/known"
table "$work/known" "$work/all"
check "a tree has parent and child" table "$work/known" "$work/part" --tree 100
check "with the child's runs" grep -q ',run,.*,102,102,' "$work/part"
check "a process has no child" table "$work/known" "$work/part" --pid 100
check "so its runs are left out" test -z "$(grep ',run,.*,102,102,' "$work/part")"

# has_switch OPTION... - the one to thread 102, which is 8 us after the beginning
has_switch()
{
	"$decode" "$work/exact" -o "$work/out" --to laplace "$@" 2>"$work/log" &&
		grep -qx 's 3b9af110 66' "$work/out/laplace.txt"
}
"$work/gen-capture" known "$work/exact" -m
check "what is at the very beginning of a part" has_switch --from 8us
check "and what is at its very end" has_switch --until 8us
check_status 1 "what is before is not" has_switch --from 8001ns
check_status 1 "nor what is behind" has_switch --until 7999ns

# The emulator takes the streams of a part.
check "streams of a part" "$decode" "$work/random" -o "$work/out" --to ovni --from 2ms --until 5ms
check "are accepted" "$emu" "$work/out/ovni" -o "$work/prv"

# cpus CAPTURE NR - one CPU after another: together they are the whole, and nobody waits otherwise
cpus()
{
	local cpu parts=()

	table "$work/$1" "$work/all"
	for ((cpu = 0; cpu < $2; cpu++)); do
		table "$work/$1" "$work/part$cpu" --cpu "$cpu" || return 1
		parts+=("$work/part$cpu")
	done
	"$checkers/narrowcpus.py" parts "$work/all" "${parts[@]}"
}

# traces CAPTURE CPU... - traces of a part say what its tasks say
traces()
{
	local list=${*:2}

	rm -rf "$work/out" "$work/lines"
	table "$work/$1" "$work/part" --cpu "${list// /,}" -o "$work/out" --to prv,xray,perfetto \
		--tracer "jsonl,file=$work/lines" &&
		"$checkers/narrowcpus.py" prv "$work/part" "$work/out" &&
		"$checkers/fdrcheck.py" sound "$work/out/xray.fdr" &&
		python3 "$checkers/perfettocheck.py" "$work/out/trace.perfetto-trace" "$work/lines" \
			"${@:2}"
}

"$work/gen-capture" random "$work/small" -n 8000 -c 4 -t 60 -s 6
"$work/gen-capture" random "$work/gaps" -n 8000 -c 4 -t 60 -s 7 -l 12
"$work/gen-activity" random "$work/calls" 10000 3 0
check "CPU by CPU" cpus small 4
check_status 1 "the checker sees a CPU that is missing" \
	"$checkers/narrowcpus.py" parts "$work/all" "$work/part0" "$work/part1" "$work/part2"
check_status 1 "and one that is there twice" \
	"$checkers/narrowcpus.py" parts "$work/all" "$work"/part[0123] "$work/part0"
check "with gaps, CPU by CPU" cpus gaps 4
check "calls, CPU by CPU" cpus calls 3
check "memory, CPU by CPU" cpus memory 3
check "traces of some CPUs" traces small 1 3
check "traces of calls on a CPU" traces calls 1
check "two CPUs, a time and a process" table "$work/random" "$work/part" --cpu 0,2-2 --from 2ms \
	--until 9ms --pid "$pid"
check "are no other's" test -z "$(awk -F , -v p="$pid" \
	'$3 == "run" && ($12 != p || ($14 != 0 && $14 != 2))' "$work/part")"
for list in 1x 2-1 "" "," "1," -1; do
	check_status 2 "\"$list\" is no list of CPUs" \
		"$decode" "$work/random" -o "$work/out" --cpu="$list"
done
check_status 1 "a CPU that is not there" "$decode" "$work/random" -o "$work/out" --cpu 99

# What lies behind the time is not read, so the damage there is not seen.
cp -r "$work/random" "$work/damaged"
printf '\377\377\377\377' | dd of="$work/damaged/cpu0.ovk" bs=1 conv=notrunc \
	seek=$(($(stat -c %s "$work/damaged/cpu0.ovk") - 64)) 2>/dev/null
table "$work/damaged" "$work/part" --until 2ms
check_status 1 "nothing behind the time is read" grep -q "CRC is wrong" "$work/log"
table "$work/damaged" "$work/part" --from=-2ms
check "but all until its end" grep -q "CRC is wrong" "$work/log"

# Times.
check "more than four seconds, in ns" table "$work/random" "$work/part" --from=-5000000000ns
check "the end" table "$work/random" "$work/part" --from=-2ms
begins=$(sed -n 's/^.* in \([0-9.]*\) s on .*/\1/p' "$work/log")
check "is as long as asked" awk -v s="${begins:-0.002}" 'BEGIN { exit s != 0.002 }'
for time in 1x 1.5.2 "" @ 12:00 -; do
	check_status 2 "\"$time\" is no time" "$decode" "$work/random" -o "$work/out" --from="$time"
done
check_status 1 "a time behind the end" "$decode" "$work/random" -o "$work/out" --from 100
table "$work/random" "$work/part" --from 100
check "is said" grep -q -- '--from is at 100.000000000 s, but the capture ends at [0-9.]* s$' "$work/log"
check_status 1 "a time before the beginning" "$decode" "$work/random" -o "$work/out" --until @1
table "$work/random" "$work/part" --until @1
check "is said, by the clock" grep -Eq -- '--until is [0-9.]+ s before the capture begins \(it begins at 20[-0-9]+ [0-9:]+ ' "$work/log"
TZ=XYZ-5 table "$work/random" "$work/part" --from @1
check "to begin there is warned of" grep -Eq 'warning: .* --from is [0-9.]+ s before .* \(it begins at 20[-0-9]+ [0-9:]+ XYZ\)' "$work/log"
check_status 1 "an end before the beginning" "$decode" "$work/random" -o "$work/out" --from 2ms --until 1ms
table "$work/random" "$work/part" --from 2ms --until 1ms
check "is said" grep -q -- '--until is before --from: from 0.002000000 s to 0.001000000 s' "$work/log"
check_status 1 "a process that is not there" "$decode" "$work/random" -o "$work/out" --pid 4000000
table "$work/random" "$work/part" --pid 4000000
check "is said" grep -q 'there is no such process in the capture: 4000000' "$work/log"
check_status 2 "--merge needs all of the time" \
	"$decode" "$work/random" -o "$work/out" --from 1ms --merge "$work/out/ovni"
check "the report of a part" "$decode" report "$work/random" --from 2ms --until 5ms --pid "$pid"

# The first lines of a report: the share is of the CPUs that are chosen, which are named.
# share CPU... - as the whole capture's report has it
share()
{
	"$decode" report "$work/random" --json | python3 -c '
import json, sys
report = json.load(sys.stdin)[0]
cpus = [cpu for cpu in report["CPUs"] if str(cpu["cpu"]) in sys.argv[1:]]
print("%.1f %% busy" % (100 * sum(cpu["busy_ns"] for cpu in cpus) / len(cpus) / report["length_ns"]))
' "$@"
}
# says FIRST WORDS [OPTION...] - a line of the report of random
says()
{
	"$decode" report "$work/random" "${@:3}" >"$work/log"
	grep -qE "^  $1  +$2" "$work/log" || { cat "$work/log"; return 1; }
}
check "busy is of one CPU" says "CPU time" "$(share 1) on CPU 1: " --cpu 1
check "or of two" says "CPU time" "$(share 0 2) on CPUs 0,2: " --cpu 0,2
"$decode" report "$work/random" --cpu 1 --json >"$work/json"
check "the others are in no table" python3 -c '
import json, sys
assert [cpu["cpu"] for cpu in json.load(open(sys.argv[1]))[0]["CPUs"]] == [1]' "$work/json"
check "CPUs that are not there are said" says "CPU time" \
	"$(share 0 3) on CPUs 0,3-7,9 \(not in the capture: 4-7,9\): " --cpu 0,3-7,9
warns()
{
	"$decode" "$work/random" "$@" --tracer "csv,file=$work/part" 2>"$work/log"
	rm "$work/part"
	grep -q 'warning: .*/random: only on CPUs 0,3-7 (not in the capture: 4-7)$' "$work/log"
}
check "also where no output would" warns --cpu 0,3-7
check_status 1 "but not if all are there" warns --cpu 0,3
check "which processes is said" says only "$comm, PID $pid and its descendants$" --comm "$comm" \
	--tree "$pid"
check "since when is said" says length "3.000 ms from 2.000 ms, " --from 2ms --until 5ms

# The same capture, but it begins 1 ms before a full second. Without CRC, so that it can be changed.
"$work/gen-capture" random "$work/later" -n 40000 -c 4 -t 60 -s 6 -C
python3 - "$work/later" <<'END'
import glob
import sys
was, now = 1700000000000000000, 1700000000999000000
for path in glob.glob(sys.argv[1] + "/*"):
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        for code in (lambda n: str(n).encode(), lambda n: n.to_bytes(8, "little")):
            data = data.replace(code(was), code(now))
        f.write(data)
END
began()
{
	"$decode" report "$work/later" "$@" | sed -n 's/^  began  *//p'
}
check "a part begins when it does" test "$(began) $(began --from 2ms)" = \
	"2023-11-14 22:13:20 UTC 2023-11-14 22:13:21 UTC"

# Times of day are local, those that are printed and those that are read; and read as they are printed.
export TZ=XYZ-5
check "a report has local times" test "$(began)" = "2023-11-15 03:13:20 XYZ"
check "which are read" test "$(began --from "2023-11-15 03:13:21 XYZ")" = "2023-11-15 03:13:21 XYZ"
check "without the zone, too" test "$(began --from "2023-11-15 03:13:21")" = "2023-11-15 03:13:21 XYZ"
check "and with a fraction" test "$(began --from "2023-11-15 03:13:21.001 XYZ")" = "2023-11-15 03:13:21 XYZ"
check "or with UTC" test "$(began --from "2023-11-14 22:13:21 UTC")" = "2023-11-15 03:13:21 XYZ"
check "the report's own time is the beginning" eval "'$decode' report '$work/later' --from '$(began)' 2>&1 |
	grep '  length  *[0-9.]* ms, '"
for zone in CET "" "XYZ " "XYZ 1"; do
	check_status 2 "another zone: \"$zone\"" "$decode" report "$work/later" --from "2023-11-15 03:13:21 $zone"
done
export TZ=UTC

# A flight recorder has little of the time since its start: what it has begins later.
sed -i 's/"anchors":\[/"walls":[{"realtime":1700000100000000000,"monotonic":0,"width":0}],&/' "$work/later/meta.json"
check "what a flight recorder has begins when it does" test "$(began) $(began --from 2ms)" = \
	"2023-11-14 22:15:05 UTC 2023-11-14 22:15:05 UTC"
"$decode" "$work/later" -o "$work/out" --to html 2>/dev/null
ns=$(sed -n 's/.*"began":"1700000105\([0-9]*\)".*/\1/p' "$work/out/timeline.html")
check "in the page, too" test -n "$ns"
table "$work/later" "$work/all"
table "$work/later" "$work/part" --from "22:15:05.$(printf %09d $((10#$ns + 2000000)))" \
	--until "@1700000105.$(printf %09d $((10#$ns + 5000000)))"
check "the time of day is that of its events" "$checkers/narrowcheck.py" "$work/all" "$work/part" 2000000 5000000
finish

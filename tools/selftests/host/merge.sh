#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge.sh - a capture, and the trace that an application wrote meanwhile, become one
#
# What comes of it is compared event by event; upstream's rules (ovnirules.py) and our
# emulator must take it. Captures are those of gen-merge.c.
#
# It takes over a minute on a slow machine: each event of each merge is compared, and each merge is drawn.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"

for kind in known aged late lossy reuse; do
	"$work/gen-merge" $kind "$work/$kind"
done

# dump PID/TID - what the merged trace has of a thread
dump()
{
	"$checkers/ovnidump.py" "$work/out/ovni" | grep "^$1 " | cut -d ' ' -f 2-
}

# accepted NAME - by upstream's rules, and by our emulator
accepted()
{
	check "$1: upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
	rm -rf "$work/emulated"
	mkdir "$work/emulated"
	check "$1: ovnik-emu accepts it" "$emu" -l "$work/out/ovni" -o "$work/emulated"
}

# says NAME TEXT - on stderr, in one line
says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

# refused NAME CAPTURE TRACE TEXT - with status 1 and this reason, and nothing is left
refused()
{
	rm -rf "$work/out"
	merge "$2" "$3" --to ovni
	check "$1 is refused" test $? -eq 1
	says "$1: for that reason" "error: .*$4"
	check "$1: no trace is left" test ! -e "$work/out/ovni"
	check "$1: its absence is no error" \
		sh -c '! grep -q "cannot use this directory" "$0"' "$work/log"
}

# meta PID/TID EXPRESSION - of the JSON object "ovni" of a stream, as m
meta()
{
	python3 - "$work/out/ovni/loom.gen/proc.${1%/*}/thread.${1#*/}/stream.json" "$2" <<-'END'
		import json, sys
		root = json.load(open(sys.argv[1]))
		m = root["ovni"]
		sys.exit(not eval(sys.argv[2]))
	END
}

marks='{"3": {"title": "Phase", "chan_type": "stack", "labels": {"5": "five", "6": "six"}}'
marks="$marks, \"4\": {\"title\": \"St/e\\\"p\", \"chan_type\": \"single\"}"
marks="$marks, \"80\": {\"title\": \"Mine\", \"chan_type\": \"single\"}}"

app app <<END
! 100/100 gen.1 {"app_id": 2, "mark": $marks}
100/100 4999990000 OHx 0 -1 0 0
100/100 4999995000 OM[ 5 0 3
100/100 5000005000 OM[ 6 0 3
100/100 5000010300 OM] 6 0 3
100/100 5000029900 OM= 7 0 4
100/100 5000032000 OM= 1 0 80
100/100 5000069000 OHp
100/100 5000069900 OB.
100/100 5000070000 OB.
100/100 5000081000 OHr
100/100 5000090000 OF[
100/100 5000091000 OF]
100/100 5000100500 OM= 8 0 4
100/100 5000250000 OM] 5 0 3
100/100 5000260000 OHe
! 100/101 gen.1 {"app_id": null, "loom_cpus": null}
100/101 5000010500 OHx 0 100 0 0
100/101 5000013000 OM= 1 0 4
100/101 5000015000 OU[
100/101 5000012000 OM= 2 0 4
100/101 5000011500 OM= 3 0 4
100/101 5000014000 OM= 4 0 4
100/101 5000015500 OU]
100/101 5000016000 OM= 5 0 4
100/101 5000049000 OHe
! 100/102 gen.2 {"app_id": 2}
100/102 5000050500 OHx 1 100 0 0
100/102 5000051000 OAs 0
100/102 5000055000 OM= 6 0 4
100/102 5000060050 OM= 7 0 4
100/102 5000060100 OHe
! 400/400 gen.2 {"app_id": 1}
400/400 5000020000 OHx 1 -1 0 0
400/400 5000020500 KCO
400/400 5000020600 KCI
400/400 5000030000 OM= 9 0 4
400/400 5000120000 OHe
END
check "two looms of the captured host" merge known app
"$decode" "$work/known" --tracer total --tracer top,by=what >"$work/alone" 2>/dev/null
check "tracers, along with a merge" sh -c '"$0" "$1/known" -o "$1/out" --merge "$1/app" \
	--tracer total --tracer top,by=what >"$1/along" 2>"$1/log"' "$decode" "$work"
check "report of the capture what they do without" diff "$work/alone" "$work/along"
check "and there is something to report" grep -q "run" "$work/along"

# Before the capture, moved back, moved on, moved back again, after the capture.
cat >"$work/want" <<'END'
4999990000 OHx -1 -1 0 0
4999995000 OM[ 5 0 3
5000001000 OHp
5000001000 KCO 12
5000001000 KCI
5000001000 OHr
5000001000 OAs 0
5000005000 OM[ 6 0 3
5000010000 OM] 6 0 3
5000010000 OAs -1
5000010000 OHp
5000010000 KCO 1
5000030001 KCI
5000030001 OHr
5000030001 OAs 0
5000030001 OM= 7 0 4
5000032000 OM[ 1 0 0
5000032000 OM= 1 0 80
5000033000 OM= 1 0 81
5000033000 OM] 1 0 0
5000069900 OB.
5000070000 OB.
5000070000 OAs -1
5000070000 OHp
5000070000 KCO 2
5000080000 KCI
5000080000 OHr
5000080000 OAs 0
5000090000 OF[
5000091000 OF]
5000100000 OM= 8 0 4
5000100000 OAs -1
5000100000 OHp
5000100000 KCO 2
5000200000 KCI
5000200000 OHr
5000200000 OAs -1
5000250000 OM] 5 0 3
5000260000 OHe
END
dump 100/100 >"$work/got"
check "a thread that was there before and goes on after" diff "$work/want" "$work/got"

# view TRACE FILE TYPE
view()
{
	grep -qx "window_filter_module evt_type 1 $3" "$work/out/cfg/$1/ovni/$2" &&
		grep -q "^2:.*:$3:" "$work/out/$1.prv"
}

check "the application's own marks have a view" view thread mark-3-Phase.cfg 103
check "by CPU, too" view cpu mark-3-Phase.cfg 103
check "whatever their title" view thread mark-4-St_e_p.cfg 104
check "those of the capture have none like that" test "$(find "$work/out/cfg/thread/ovni" -type f | wc -l)" -eq 3

cat >"$work/want" <<'END'
5000011500 OM= 3 0 4
5000012000 OM= 2 0 4
5000013000 OM= 1 0 4
5000014000 OM= 4 0 4
5000016000 OM= 5 0 4
END
dump 100/101 | grep OM >"$work/got"
check "an unsorted region is sorted" diff "$work/want" "$work/got"
check "and its marks are gone" test "$(dump 100/101 | grep -c OU)" = 0

cat >"$work/want" <<'END'
5000045000 OHx -1 100 0 0
5000045000 OHp
5000045000 KCO 9
5000050001 KCI
5000050001 OHr
5000050001 OAs 1
5000055000 OM= 6 0 4
5000060000 OM= 7 0 4
5000060000 OHe
END
dump 100/102 >"$work/got"
check "a thread that is made and ends" diff "$work/want" "$work/got"

cat >"$work/want" <<'END'
5000020000 OHx -1 -1 0 0
5000030000 OM= 9 0 4
5000120000 OHe
END
dump 400/400 >"$work/got"
check "a process that the capture does not have" diff "$work/want" "$work/got"

says "what was merged" "merged: .*/app: 19 events of 4 threads$"
says "what is left out" "left out, .*: OHx 4 OHe 4 OHp 1 OHr 1 OAs 1 KCO 1 KCI 1$"
says "what was moved" "4 events moved .* at most 500 ns (thread 100 of process 100, at 5000100500)$"
says "regions" "1 unsorted region was sorted$"
says "what the capture cannot know" "warning: merged: 3 events at times when the capture does not"
says "threads that are not in it" "warning: merged: 1 thread of the application is not in the capture$"
check "metadata are kept" meta 100/100 'root["test"]["kept"] and m["mark"]["3"]["labels"]["6"] == "six"'
check "the loom is the capture's" meta 400/400 'm["loom"] == "gen" and "loom_cpus" not in m'
check "a mark whose number is in use gets another one" \
	meta 100/100 'm["mark"]["80"]["title"] == "Mine" and m["mark"]["0"]["ovnik"] == "page_fault"'
check "the process's number, where the stream does not say it" meta 100/101 'm["app_id"] == 2'
check "other processes have numbers of their own" \
	sh -c "grep -h app_id '$work/out/ovni/loom.gen/proc.200/thread.200/stream.json' \
		'$work/out/ovni/loom.gen/proc.300/thread.300/stream.json' | tr -d '\t,' |
		diff - - <<END
\"app_id\": 3
\"app_id\": 4
END"
accepted "known"
check "the views are those of the emulator" \
	sh -c "cp '$work'/out/*.pcf '$work/emulated' &&
		'$checkers/prvcmp.py' '$work/emulated' '$work/out'"

# ROW:TIME:TYPE:VALUE of the application's phases; the trace begins 11 us early.
cat >"$work/want" <<'END'
1:0:103:0
1:5000:103:5
1:11000:103:0
1:11000:103:5
1:15000:103:6
1:20000:103:5
1:20000:103:0
1:40001:103:5
1:80000:103:0
1:90000:103:5
1:110000:103:0
1:210000:103:5
1:260000:103:0
END
sed -n 's/^2:0:1:1:\(1:[0-9]*:103:\)/\1/p' "$work/out/thread.prv" >"$work/got"
check "phases and CPU in one view" diff "$work/want" "$work/got"
check "with the names of tasks" grep -q "^100 *100 app\$" "$work/out/thread.pcf"

# All others are as without the application.
for who in 200/200 300/300; do
	dump $who
done >"$work/merged"
"$decode" "$work/known" -o "$work/out" 2>/dev/null
for who in 200/200 300/300; do
	dump $who
done >"$work/plain"
check "other tasks are as they were" diff "$work/plain" "$work/merged"

# Some processes have what they have in the whole, from where it is known who they are.
threads()
{
	for who in 100/100 100/101 100/102; do
		dump $who | awk '$1 > 5000030001'
	done
}
merge known app
threads >"$work/merged"
for picked in "--comm worker" "--pid 100"; do
	# shellcheck disable=SC2086 # two words
	check "$picked" merge known app $picked
	threads >"$work/got"
	check "$picked: its threads have what they had" diff "$work/merged" "$work/got"
	check "$picked: no other stream is there" test ! -e "$work/out/ovni/loom.gen/proc.400"
	says "$picked: others are left out" "merged: 1 stream of other processes or hosts left out$"
	says "$picked: what was merged" "merged: .*: 18 events of 3 threads$"
done
accepted "$picked"
rm -rf "$work/out"
merge known app --to ovni --pid 200
check "a process without a stream" test $? -eq 1
says "is no part to merge" "has no thread of the wanted processes"
for part in --from=1us --until=1ms --cpu=0; do
	merge known app --to ovni $part
	check "$part" test $? -eq 2
	says "$part: why not" "--merge cannot be combined with --from, --until or --cpu"
done

# With jumbo events, other models, another host, clock offsets, ranks.
long=$(printf '%0400d' 7)
app ranks <<END
! 100/100 gen.1 {"rank": 1, "nranks": 4, "require": {"ovni": "1.0.0", "nosv": "2.7.0"}}
100/100 5000002000 OHx 0 -1 0 0
100/100 5000003000 VYc jumbo small
100/100 5000004000 VYc jumbo $long
100/100 5000010100 V@@ 1 2 3
100/100 5000099000 OHe
! 500/500 far.1 {"rank": 0, "nranks": 4, "app_id": 7}
500/500 1000 OHx 0 -1 0 0
500/500 2000 OAs 1
500/500 2500 OU[
500/500 2200 OF]
500/500 2100 OF[
500/500 2600 OU]
500/500 3000 OHe
END
printf 'rank hostname offset_median offset_mean offset_std\n0 gen 0 0 0\n1 far 5e9 0 0\n' \
	>"$work/ranks/clock-offsets.txt"
check "other hosts, ranks" merge known ranks --to ovni
check "a small and a large jumbo event" \
	test "$(dump 100/100 | grep VYc)" = "5000003000 VYc jumbo small
5000004000 VYc jumbo $long"
check "an event of another model is moved, too" \
	test "$(dump 100/100 | grep V@@)" = "5000010000 V@@ 1 2 3"
cat >"$work/want" <<'END'
1000 OHx 0 -1 0 0
2000 OAs 1
2100 OF[
2200 OF]
3000 OHe
END
dump 500/500 >"$work/got"
check "another host's stream is as it was, but sorted" diff "$work/want" "$work/got"
check "and reported" grep -q "merged: 1 stream of other hosts, as it was$" "$work/log"
check "clock offsets are kept" \
	cmp "$work/ranks/clock-offsets.txt" "$work/out/ovni/clock-offsets.txt"
check "the application's rank stays" \
	meta 100/100 'm["rank"] == 1 and m["nranks"] == 4 and m["require"]["nosv"] == "2.7.0"'
check "others have later ranks" meta 200/200 'm["rank"] == 4 and m["nranks"] == 6'
check "and still later ones" meta 300/300 'm["rank"] == 5 and m["nranks"] == 6'
check "and numbers of applications above all" meta 200/200 'm["app_id"] == 8'
sed '/V@@\|VYc\|^100.*OHe/d' <<END | app ranks
! 100/100 gen.1 {"rank": 1, "nranks": 4}
100/100 5000002000 OHx 0 -1 0 0
100/100 5000003000 OF[
100/100 5000003500 OF]
! 500/500 far.1 {"rank": 0, "nranks": 4, "app_id": 7}
500/500 1000 OHx 0 -1 0 0
500/500 3000 OHe
END
printf 'rank hostname offset_median offset_mean offset_std\n0 gen 0 0 0\n1 far 5e9 0 0\n' \
	>"$work/ranks/clock-offsets.txt"
check "ranks, and rendered" merge known ranks
accepted "ranks"
check "ranks of a process" merge known ranks --pid 100 --to ovni
check "without another host and its clock" \
	test ! -e "$work/out/ovni/clock-offsets.txt" -a ! -e "$work/out/ovni/loom.far.1"
accepted "ranks of a process"
check "ranks, and rendered" merge known ranks
check "rows are in the order of ranks" \
	test "$(sed -n '/^TH/p' "$work/out/thread.row" | tr '\n' ' ')" = \
	"TH 7.500 far TH 1.100 gen app TH 1.101 gen app/worker TH 1.102 gen app/young TH 8.200 gen other TH 9.300 gen sleeper "
rm -rf "$work/out"

# Where the capture speaks, and where it cannot.
app away <<'END'
! 100/100 gen.1
100/100 5000002000 OHx 0 -1 0 0
100/100 5004000000 OF[
100/100 5010015000 OHe
END
refused "an event while its thread slept for long" late away \
	"offset 36: event OF\[ at clock 5004000000: thread 100 of process 100 was on no CPU"
app away <<'END'
! 100/100 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
100/100 5000002000 OHx 0 -1 0 0
100/100 5000018000 OM= 1 0 5
100/100 5000021000 OM= 2 0 5
100/100 5004000000 OM= 3 0 5
100/100 5010009000 OM= 4 0 5
100/100 5010015000 OHe
! 100/101 gen.1
100/101 5000011000 OM= 1 0 5
100/101 5000015100 OM= 2 0 5
100/101 5003500000 OM= 3 0 5
100/101 5008000000 OM= 4 0 5
100/101 5009000000 OHe
END
merge lossy away
check "events while records are missing" test $? -eq 4
cat >"$work/want" <<'END'
5000020001 OAs -1
5000020001 OHp
5000020001 KCO 13
5000021000 KCI
5000021000 OHr
5000021000 OM= 2 0 5
5004000000 OM= 3 0 5
5010000000 OAs 0
5010000000 OAs -1
5010000000 OHp
5010000000 KCO 2
5010010001 KCI
5010010001 OHr
5010010001 OAs 0
5010010001 OM= 4 0 5
END
dump 100/100 | sed -n '/^5000020001/,/OM= 4/p' >"$work/got"
check "come on the virtual CPU" diff "$work/want" "$work/got"
cat >"$work/want" <<'END'
5000011000 OM= 1 0 5
5000015000 OM= 2 0 5
5000015000 OAs -1
5000015000 OHp
5000015000 KCO 2
5003500000 KCI
5003500000 OHr
5003500000 OM= 3 0 5
5005000000 OAs 1
5005002000 OAs -1
5005002000 OHp
5005002000 KCO 2
5008000000 KCI
5008000000 OHr
5008000000 OM= 4 0 5
5010022000 OAs 1
END
dump 100/101 | sed -n '/OM= 1/,/5010022000/p' >"$work/got"
check "also for a thread that had left another CPU before, or meanwhile" diff "$work/want" "$work/got"
accepted "lossy"
app away <<'END'
! 100/100 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
100/100 5000002000 OHx 0 -1 0 0
100/100 5010020500 OM= 1 0 5
100/100 5015000000 OM= 2 0 5
100/100 5020029900 OM= 3 0 5
100/100 5020040000 OHe
END
check "an event while the capture's last word is sleep" merge late away
cat >"$work/want" <<'END'
5010020000 OM= 1 0 5
5010020000 OAs -1
5010020000 OHp
5010020000 KCO 2
5015000000 KCI
5015000000 OHr
5015000000 OM= 2 0 5
5020029900 OM= 3 0 5
5020030000 OAs -1
5020040000 OHe
END
dump 100/100 | sed -n '/OM= 1/,$p' >"$work/got"
check "comes on the virtual CPU, too" diff "$work/want" "$work/got"
accepted "late"

# Anything at any time, many switches, by clocks that are wrong: nothing is lost, moved
# farther than they are wrong, or after what came later.
build gen-activity
"$work/gen-activity" random "$work/random" 30000 3 0
"$decode" "$work/random" -o "$work/without" 2>"$work/log"
for shift in 0 700 -700; do
	"$checkers/ovnidump.py" "$work/without/ovni" | "$gen/genapp.py" 5 $shift | app made
	merge random made
	check "clocks wrong by $shift ns" test $? -eq 0
	moved=$(sed -n 's/.* merged: \([0-9]*\) events* moved to .*/\1/p' "$work/log")
	farthest=$(sed -n 's/.*, by at most \([0-9]*\) ns (thread .*/\1/p' "$work/log")
	check "clocks wrong by $shift ns: both are in it, and nothing else" \
		"$checkers/mergecheck.py" "$work/made" "$work/without" "$work/out" "${moved:-0}" \
		"${farthest:-0}" --views
	check "clocks wrong by $shift ns: ${moved:-0} are moved, by up to ${farthest:-0} ns" \
		test "${farthest:-0}" -le ${shift#-}
	accepted "clocks wrong by $shift ns"
done

# Numbers that are used again.
app again <<'END'
! 100/102 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
100/102 5003011000 OHx 1 100 0 0
100/102 5003012000 OM= 1 0 5
100/102 5003020040 OHe
END
check "a number that is used again" merge reuse again
accepted "the second of two lives"
check "the second of two lives" \
	test "$(dump 100/102 | sed -n '/OAs 1/{n;p}' | tail -n 1)" = "5003012000 OM= 1 0 5"
app again <<'END'
! 100/102 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
100/102 5000011000 OHx 1 100 0 0
100/102 5000012000 OM= 1 0 5
100/102 5000020040 OM= 2 0 5
100/102 5000020050 OHe
END
check "the first of two lives" merge reuse again
accepted "the first of two lives"
check "its last event comes before its end" \
	test "$(dump 100/102 | sed -n '/OM= 2/{p;n;p}' | tr '\n' ' ')" = \
	"5000020000 OM= 2 0 5 5000020000 OHe "
app again <<'END'
! 100/102 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
100/102 4000000000 OHx 1 100 0 0
100/102 4000012000 OM= 1 0 5
100/102 4000020050 OHe
END
check "a life from before the capture" merge reuse again
another="warning: merged: .*again was written from 4.000000 s to 4.000020 s of .*no time in common"
says "that it has no time in common is said" "$another"
check "in a report, too" sh -c '"$0" report "$1/reuse" --merge "$1/again" 2>&1 | grep -q "$2"' \
	"$decode" "$work" "$another"
accepted "a life from before the capture"
app again <<'END'
! 100/102 gen.1
100/102 4000000000 OHx 1 100 0 0
100/102 5000015000 OF[
100/102 5000020050 OHe
END
refused "a thread that is older than it can be" reuse again \
	"offset 36: .*before the thread was made"
app again <<'END'
! 100/102 gen.1
100/102 5003012000 OHx 1 100 0 0
100/102 5009000000 OF[
END
refused "an event of a thread that had ended" reuse again "offset 36: .*the thread had ended"

# An application that began hours before; one that sleeps all the time of the capture.
app old <<'END'
! 100/100 gen.1
100/100 1000 OHx 0 -1 0 0
100/100 2000 OF[
100/100 3000 OF]
100/100 10000000260000 OHe
! 300/300 gen.1
300/300 5000 OHx 0 -1 0 0
300/300 19000000000000 OHe
END
check "an old application" merge aged old
accepted "an old application"
app old <<'END'
! 100/100 gen.1
100/100 1000 OHx 0 -1 0 0
100/100 2000 OHe
! 400/400 gen.1
400/400 4000000000000 OHx 0 -1 0 0
400/400 4000000000001 OHe
END
check "with a thread that comes more than an hour later" merge known old
accepted "an hour later"
app old <<'END'
! 300/300 gen.1
300/300 5000 OHx 0 -1 0 0
300/300 10000000900000 OHe
END
check "an old one that the capture comes to last" merge aged old
accepted "the last one"

# Regions: two that overlap, and what is wrong.
app region <<'END'
! 300/300 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}
300/300 1000 OM= 1 0 5
300/300 2000 OM= 2 0 5
300/300 3000 OU[
300/300 1000 OM= 3 0 5
300/300 2500 OM= 4 0 5
300/300 3000 OU]
300/300 3100 OM= 5 0 5
300/300 3200 OU[
300/300 3200 OU]
300/300 3300 OU[
300/300 2200 OM= 6 0 5
300/300 3300 OU]
300/300 3400 OM= 7 0 5
END
check "regions that overlap" merge known region
check "all is sorted, and equal clocks stay in order" \
	test "$(dump 300/300 | sed -n 's/OM= \(.\).*/\1/p' | tr '\n' ' ')" = \
	"1000 1 1000 3 2000 2 2200 6 2500 4 3100 5 3400 7 "
accepted "regions"

# random_regions SEED - regions that go back over any number of others; $work/want gets the marks in order
random_regions()
{
	python3 - "$1" "$work/want" <<'END'
import random, sys
rng = random.Random(int(sys.argv[1]))
marks, now = [], 10000
print('! 300/300 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}')
def mark(clock):
    marks.append((clock, len(marks) + 1))
    print(f"300/300 {clock} OM= {len(marks)} 0 5")
for _ in range(300):
    now += rng.randint(1, 100)
    if rng.random() < 0.7:
        mark(now)
        continue
    print(f"300/300 {now} OU[")
    far = rng.choice((50, 500, 5000))
    for _ in range(rng.randint(0, 4)):
        mark(max(1000, now - rng.randint(0, far)))
    print(f"300/300 {now} OU]")
marks.sort(key=lambda mark: mark[0])
open(sys.argv[2], "w").write(" ".join(str(number) for _, number in marks) + " ")
END
}

for seed in 1 2 3 4; do
	random_regions $seed | app region
	merge known region
	check "regions that go back over others, $seed: all is sorted" test \
		"$(dump 300/300 | sed -n 's/.* OM= \([0-9]*\).*/\1/p' | tr '\n' ' ')" = "$(cat "$work/want")"
done
{
	echo '! 300/300 gen.1 {"mark": {"5": {"title": "x", "chan_type": "single"}}}'
	for at in $(seq 10000 10 13000); do
		printf '300/300 %d OU[\n300/300 %d OM= 1 0 5\n300/300 %d OU]\n' "$at" "$at" "$at"
	done
	printf '300/300 13010 OU[\n300/300 10005 OM= 2 0 5\n300/300 13010 OU]\n'
} | app region
refused "a region that goes back over 300" known region \
	"an unsorted region goes back over more than 256 others: sort the stream with ovnisort first"
for bad in "3100 OU[" "2900 OU]" "3100 OF]"; do
	app region <<-END
		! 300/300 gen.1
		300/300 1000 OHx 0 -1 0 0
		300/300 3000 OU[
		300/300 2000 OF[
		300/300 $bad
	END
	refused "a region with $bad" known region "region"
done
app region <<'END'
! 300/300 gen.1
300/300 3000 OF[
300/300 2000 OF]
END
refused "a clock that goes back" known region "thread.300/stream.obs: offset 20: .*goes back"

# A program that was killed: no "finished", and the last write may have been cut off.
app killed <<'END'
! 300/300 gen.1 {"finished": null, "mark": {"5": {"title": "x", "chan_type": "single"}}}
300/300 1000 OHx 0 -1 0 0
300/300 2000 OM= 1 0 5
300/300 3000 OU[
300/300 1500 OM= 2 0 5
300/300 2500 OM= 3 0 5
END
killed=$(echo "$work"/killed/*/*/*)
truncate -s -7 "$killed/stream.obs"
check "the trace of a program that was killed within an unsorted region" merge known killed
says "it is said" "warning: merged: 1 stream was not finished: was the program killed?"
says "and what is left out" "warning: merged: 17 bytes of events that were cut off are left out"
check "what is whole is there, and sorted" test \
	"$(dump 300/300 | sed -n 's/OM= \(.\).*/\1/p' | tr '\n' ' ')" = "1500 2 2000 1 "
accepted "a killed program"
for at in 8 15 30 44; do
	head -c $at "$killed/stream.obs" >"$work/part" && cp -r "$work/killed" "$work/short" &&
		mv "$work/part" "$(echo "$work"/short/*/*/*)/stream.obs"
	check "cut off at $at" merge known short
	rm -rf "$work/emulated" && mkdir "$work/emulated"
	check "cut off at $at: ovnik-emu accepts it" "$emu" -l "$work/out/ovni" -o "$work/emulated"
	rm -rf "$work/short"
done
app absent <<'END'
! 300/300 gen.1 {"finished": null}
! 900/900 gen.1 {"finished": 0}
300/300 1000 OF[
300/300 1001 OF]
900/900 1000 OF[
900/900 1001 OF]
END
check "a killed program whose thread is not in the capture" merge known absent
says "both are said" "warning: merged: 2 streams were not finished"
accepted "one that is not in the capture"
: >"$killed/stream.obs"
refused "a stream without a header" known killed "the header is not complete"
app elsewhere <<'END'
! 100/100 gen.1
! 400/400 other.1 {"finished": null}
100/100 1000 OHx 0 -1 0 0
400/400 1000 OHx 0 -1 0 0
END
refused "one of a host without a capture" known elsewhere \
	"stream.json: \"finished\" is not 1: .*was its program killed?"

# What cannot be read, or cannot be.
app bad <<'END'
! 100/100 gen.1
100/100 5000002000 OHx 0 -1 0 0
100/100 5000004000 OF[
END
obs=$work/bad/loom.gen.1/proc.100/thread.100/stream.obs
json=${obs%obs}json
cp "$json" "$work/good.json"
cp "$obs" "$work/good.obs"
truncate -s -3 "$obs"
refused "a stream that is cut off" known bad "stream.obs: offset 36: .*truncated"
cp "$work/good.obs" "$obs"
printf '\377' | dd of="$obs" bs=1 seek=47 conv=notrunc 2>/dev/null
refused "a clock beyond 2^63" known bad "offset 36: .*out of range"
cp "$work/good.obs" "$obs"
printf x | dd of="$obs" bs=1 conv=notrunc 2>/dev/null
refused "another file" known bad "offset 0: wrong magic"
rm "$obs"
refused "no events at all" known bad "cannot open"
cp "$work/good.obs" "$obs"

# bad_json NAME EXPRESSION REASON - EXPRESSION changes m
bad_json()
{
	python3 - "$work/good.json" "$json" "$2" <<-'END'
		import json, sys
		root = json.load(open(sys.argv[1]))
		m = root["ovni"]
		exec(sys.argv[3])
		json.dump(root, open(sys.argv[2], "w"))
	END
	refused "$1" known bad "stream.json: $3"
}

bad_json "another version" 'root["version"] = 2' "version 2, expected 3"
bad_json "no metadata" 'del root["ovni"]' '"ovni" is missing'
bad_json "an end that is none" 'm["finished"] = "x"' '"finished" is string'
bad_json "a pid of 0" 'm["pid"] = 0' '"pid" or "tid"'
bad_json "a tid that is text" 'm["tid"] = "x"' '"tid" is string'
bad_json "no loom" 'del m["loom"]' '"loom" is missing'
bad_json "no models" 'del m["require"]' '"require" is missing'
bad_json "CPUs that are none" 'm["loom_cpus"] = 4' '"loom_cpus" is not an array'
bad_json "marks that are none" 'm["mark"] = 4' '"mark" is not an object'
bad_json "a mark beyond 99" 'm["mark"] = {"100": {}}' 'mark "100" is no number'
bad_json "a rank that is none" 'm["rank"] = 4; m["nranks"] = 4' '"rank" is not from 0'
bad_json "a negative number of an application" 'm["app_id"] = -1' '"app_id" is not'
bad_json "a library that is none" 'm["lib"]["commit"] = 1' '"commit" is int'
printf '{' >"$json"
refused "metadata that are cut off" known bad "stream.json: offset 1: no valid JSON"
cp "$work/good.json" "$json"

sed -i 's/"app_id": 1/"app_id": 2147483647/' "$json"
refused "no number left for others" known bad "leave none for the other processes"
cp "$work/good.json" "$json"

mkdir "$work/bad/loom.gen.2"
cp -r "$work/bad/loom.gen.1/proc.100" "$work/bad/loom.gen.2/"
refused "a thread with two streams" known bad "thread 100 of process 100 has another stream"
sed -i 's/"tid": 100/"tid": 101/; s/"app_id": 1/"app_id": 2/' \
	"$work/bad/loom.gen.2/proc.100/thread.100/stream.json"
refused "a process with two numbers" known bad '"app_id" of process 100 is another one'
rm -r "$work/bad/loom.gen.2"
sed -i 's/"gen.1"/"elsewhere.1"/' "$json"
refused "another host" known bad "was written on elsewhere, the capture on gen"
cp "$work/good.json" "$json"
printf 'rank hostname a b c\n0 nobody x 0 0\n' >"$work/bad/clock-offsets.txt"
refused "offsets that cannot be read" known bad "clock-offsets.txt: line 2"
rm "$work/bad/clock-offsets.txt"
ln -s .. "$work/bad/loom.gen.1/again"
check "a link in a circle" merge known bad --to ovni
rm "$work/bad/loom.gen.1/again"
refused "a trace that is not there" known missing "missing"

# What would be read and replaced.
"$decode" "$work/known" -o "$work/out" 2>/dev/null
check_status 1 "a trace of ours" "$decode" "$work/known" -o "$work/other" --merge "$work/out/ovni"
check "no trace is made" test ! -e "$work/other/ovni"
rm -rf "$work/out"
mkdir "$work/out"
cp -r "$work/bad" "$work/out/ovni"
check_status 1 "the output's own directory" \
	"$decode" "$work/known" -o "$work/out" --merge "$work/out/ovni"
check "is not touched" diff -r "$work/bad" "$work/out/ovni"
ln -s out/ovni "$work/link"
check_status 1 "nor by another name" \
	"$decode" "$work/known" -o "$work/out/../out" --merge "$work/link"
check "that is not touched either" diff -r "$work/bad" "$work/out/ovni"
check_status 2 "without an ovni trace there is nothing to merge into" \
	"$decode" "$work/known" -o "$work/out" --merge "$work/bad" --to prv

# 100 numbers of marks, all taken.
marks=$(seq 0 99 | sed 's/.*/"&": {"title": "m&", "chan_type": "single"}/' | paste -sd,)
app full <<END
! 100/100 gen.1 {"mark": {$marks}}
100/100 5000002000 OHx 0 -1 0 0
100/100 5000004000 OM= 1 0 5
100/100 5000099000 OHe
END
rm -rf "$work/out"
check "all marks are in use" merge known full
says "which is reported" "uses all numbers of marks: \"Page fault\" is left out"
check "ours are left out" test "$(dump 100/100 | grep -c OM)" = 1
rm -rf "$work/emulated"
mkdir "$work/emulated"
check "and the rest is accepted" "$emu" "$work/out/ovni" -o "$work/emulated"
finish

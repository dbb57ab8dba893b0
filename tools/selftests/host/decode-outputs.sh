#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-outputs.sh - what ovnik-decode makes of captures whose content is known
#
# It takes over a minute on a slow machine: all outputs, of each of the captures.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generator is built" build gen-capture

"$work/gen-capture" known "$work/known"
check "a complete capture gives status 0" "$decode" "$work/known" -o "$work/out"
check "the page is there without being asked for" test -s "$work/out/timeline.html"

cat >"$work/laplace" <<'END'
A 3b9ad1d0 64 1a2b3
A 3b9ad9a0 65 1a2b3
F 3b9ae940 64 66
A 3b9ae94a 66 2b3c4
s 3b9af110 66
A 3b9af8e0 66 3c4d5
u 3b9afad4 2b3c4
X 3b9b00b0 66 1a2b 103 2 /bin/odd\x0ana\x5cme
s 3b9b0880 65
s 3b9b1050 0
u 3b9b1438 3c4d5
T 3b9b1820 66
s 3b9b1ff0 64
s 3b9b1ff0 65
s 3b9b27c0 0
c
END
check "the Laplace trace is the one expected" diff "$work/laplace" "$work/out/laplace.txt"
check "nothing is lost, so there is no sidecar" test ! -e "$work/out/laplace.txt.lost"

# PID/TID CLOCK EVENT PAYLOAD; 1 preempted, 2 sleeping, 3 disk, 8 idle, 9 new, 12 not seen
cat >"$work/events" <<'END'
2/2 5000003000 OHx -1 -1 0 0
2/2 5000003000 OHp
2/2 5000003000 KCO 8
2/2 5000012000 KCI
2/2 5000012000 OHr
2/2 5000012000 OHe
100/100 5000001000 OHx -1 -1 0 0
100/100 5000001000 OHp
100/100 5000001000 KCO 12
100/100 5000001000 KCI
100/100 5000001000 OHr
100/100 5000001000 OAs 0
100/100 5000008000 OAs -1
100/100 5000008000 OHp
100/100 5000008000 KCO 2
100/100 5000011000 KCI
100/100 5000011000 OHr
100/100 5000011000 OAs 0
100/100 5000012000 OHe
100/101 5000002000 OHx -1 -1 0 0
100/101 5000002000 OHp
100/101 5000002000 KCO 2
100/101 5000008001 KCI
100/101 5000008001 OHr
100/101 5000008001 OAs 0
100/101 5000009000 OAs -1
100/101 5000009000 OHp
100/101 5000009000 KCO 1
100/101 5000011001 KCI
100/101 5000011001 OHr
100/101 5000011001 OAs 1
100/101 5000012000 OAs -1
100/101 5000012000 OHp
100/101 5000012000 KCO 3
100/101 5000012000 KCI
100/101 5000012000 OHr
100/101 5000012000 OHe
102/102 5000004000 OHx -1 100 0 0
102/102 5000004000 OHp
102/102 5000004000 KCO 9
102/102 5000005000 KCI
102/102 5000005000 OHr
102/102 5000005000 OAs 1
102/102 5000011000 OHe
END
python3 "$checkers/ovnidump.py" "$work/out/ovni" >"$work/got"
check "the ovni events are the ones expected" diff "$work/events" "$work/got"

# Rows have names: of a thread in its process; alone where that has the same one.
cat >"$work/rows" <<'END'
TH 1.2 kthreadd
TH 2.100 sh
TH 2.101 sh/sh-helper
TH 3.102 true
END
sed -n '/^TH/p' "$work/out/thread.row" >"$work/got"
check "the rows' names are the ones expected" diff "$work/rows" "$work/got"

# 101 leaves CPU 0 runnable and gets CPU 1; 100 is woken for CPU 0. Then both have one.
cat >"$work/waits" <<'END'
cpu 1:8000:314:1
cpu 1:9500:314:2
cpu 1:10000:314:1
cpu 1:10001:314:0
thread 3:8000:313:3
thread 2:9500:313:1
thread 2:10000:313:0
thread 3:10001:313:0
END
for trace in cpu thread; do
	sed -n "s/^2:0:1:1:\(.*:31[34]:.*\)/$trace \1/p" "$work/out/$trace.prv"
done >"$work/got"
check "the waits are as expected" diff "$work/waits" "$work/got"

# Stamped with CLOCK_MONOTONIC: the same stamps are ns, so half of the TSC's rate.
"$work/gen-capture" known "$work/monotonic" -m
"$decode" "$work/monotonic" -o "$work/out2" 2>"$work/log"
check "stamps of CLOCK_MONOTONIC give status 0" test $? -eq 0
check "the summary names the clock" \
	grep -q "^ovnik-decode: clock: CLOCK_MONOTONIC in ns, not the TSC; 2 anchors" "$work/log"
check "nothing is said of an untrusted TSC" sh -c "! grep -q 'warning' '$work/log'"
check "Laplace's times are the stamps as they are" \
	diff "$work/laplace" "$work/out2/laplace.txt"
awk '{
	ns = $2 - 5000000000
	$2 = sprintf("%.0f", 1000000000 + 2 * (ns - ns % 500) + ns % 500)
	print
}' "$work/events" >"$work/events2"
python3 "$checkers/ovnidump.py" "$work/out2/ovni" >"$work/got"
check "ovni's clocks are the stamps as they are" diff "$work/events2" "$work/got"
"$decode" "$work/known" -o "$work/out2" --to laplace 2>"$work/log"
check "the summary has the rate of the TSC" \
	grep -q "^ovnik-decode: clock: TSC, 2000.000 MHz; 2 anchors" "$work/log"
rm -r "$work/out2"

loom=$work/out/ovni/loom.gen
check "one process, one app_id" \
	sh -c "cat '$loom'/proc.*/thread.*/stream.json | grep -c app_id | grep -qx 4"
check "the loom's CPUs are in one stream" \
	sh -c "test \$(grep -l loom_cpus '$loom'/proc.*/thread.*/stream.json | wc -l) -eq 1"

# same_views NAME - what we draw and what the emulator draws of our ovni trace
same_views()
{
	mkdir -p "$work/emulated"
	check "$1: ovnik-emu accepts the ovni trace" \
		"$emu" -l "$work/out/ovni" -o "$work/emulated"
	check "$1: the views are the same" "$checkers/prvcmp.py" "$work/emulated" "$work/out"
}

same_views "known"

# All of a capture is in its Laplace trace, and decoding twice gives the same.
"$work/gen-capture" random "$work/random" -n 20000 -c 4 -t 60 -s 3
check "again into the same directory" "$decode" "$work/random" -o "$work/out"
same_views "random"
check "compressed" "$decode" "$work/random" -o "$work/zipped" --to prv --gzip
for trace in thread cpu; do
	check "gzip reads $trace.prv.gz" gzip -t "$work/zipped/$trace.prv.gz"
	check "and gives $trace.prv" sh -c "zcat '$work/zipped/$trace.prv.gz' | cmp - '$work/out/$trace.prv'"
done
check "rendered from the ovni trace" "$emu" -o "$work/plain" "$work/out/ovni"
check "and compressed" "$emu" -z -o "$work/zipped" "$work/out/ovni"
check "gives the same" sh -c "zcat '$work/zipped/cpu.prv.gz' | cmp - '$work/plain/cpu.prv'"
touch "$work/zipped/thread-7.prv" "$work/zipped/notes.prv"
check "and not compressed" "$decode" "$work/random" -o "$work/zipped" --to prv
check "replaces what was rendered before" test "$(cd "$work/zipped" && echo *)" = \
	"cfg cpu.pcf cpu.prv cpu.row notes.prv thread.pcf thread.prv thread.row"
switches=$("$decode" "$work/random" -o "$work/out2" --to laplace 2>&1 |
	sed -n 's/.* sched_switch \([0-9]*\).*/\1/p')
check "as many s lines as switches" \
	test "$switches" -eq "$(grep -c '^s ' "$work/out/laplace.txt")"
check "Laplace alone is the same" cmp "$work/out/laplace.txt" "$work/out2/laplace.txt"
check "only what is asked for is made" test ! -e "$work/out2/ovni"

# What is reported about views that differ.
cp "$work/out/"* "$work/emulated" 2>/dev/null
sed -i 's/Sleeping/Snoring/' "$work/emulated/thread.pcf"
sed -i 's/:4:1$/:4:2/' "$work/emulated/thread.prv"
"$checkers/prvcmp.py" "$work/emulated" "$work/out" >"$work/differences"
check "views that differ are reported" test $? -eq 1
check "in 20 lines and one" test "$(wc -l <"$work/differences")" -eq 21
cp "$work/out/thread.prv" "$work/emulated"
check_status 1 "one label differs" "$checkers/prvcmp.py" "$work/emulated" "$work/out"
check "and nothing else is reported" test "$tap_output" = \
	"thread.pcf: type 300 value 2 is 'Sleeping (interruptible)' \
instead of 'Snoring (interruptible)'"

# Lost events, all of them wakeups: who sleeps may have been woken; who waits for a CPU does.
"$work/gen-capture" random "$work/lossy" -n 20000 -c 4 -t 60 -s 4 -l 5
"$decode" "$work/lossy" -o "$work/out" 2>"$work/log"
check "losses give status 4" test $? -eq 4
check "a trace with losses has no end marker" sh -c "! grep -qx c '$work/out/laplace.txt'"
check "each gap has its line" test "$(wc -l <"$work/out/laplace.txt.lost")" -eq 5
check "nothing is inconsistent" sh -c "! grep -q inconsistent '$work/log'"
same_views "lossy"
check "each gap is rendered on its CPU" test "$(grep -c ':301:1$' "$work/out/cpu.prv")" -eq 5
check "and ends" test "$(grep -c ':301:0$' "$work/out/cpu.prv")" -eq 5
check "the sum of several gaps is reported" \
	grep -Eq "^ovnik-decode: warning: lost, in 5 gaps: sched_wakeup [0-9]+ " "$work/log"
check "no thread is in doubt but those that slept" python3 - "$checkers" "$work/out/thread.prv" <<'END'
import sys

sys.path.insert(0, sys.argv[1])
from prvcmp import read_prv

steps = [steps for (_, kind), steps in read_prv(sys.argv[2])[2].items() if kind == 300]
before = {row[i - 1][1] for row in steps for i in range(1, len(row)) if row[i][1] == 13}
sys.exit(not before or bool(before & {1, 11}))
END
"$decode" "$work/known" -o "$work/out" 2>/dev/null
check "a sidecar of another run is removed" test ! -e "$work/out/laplace.txt.lost"

# Rings that were full 1 ms before the stop: until then it is unknown which task runs.
"$work/gen-capture" random "$work/full" -n 2000 -c 3 -t 20 -s 6 -e
"$decode" "$work/full" -o "$work/out" 2>"$work/log"
check "losses at the end give status 4" test $? -eq 4
same_views "losses at the end"
stop=$(sed -n '1s/.*:0*\([0-9]*\)_ns.*/\1/p' "$work/out/cpu.prv")
check "both timelines end with the stop" \
	grep -q ":0*${stop}_ns:" "$work/out/thread.prv"
check "every CPU's gap lasts until then" \
	test "$(grep -c "^2:0:1:1:[123]:$stop:301:0$" "$work/out/cpu.prv")" -eq 3
check "which is a millisecond" awk -F: -v stop="$stop" '
	$7 == 301 && $8 == 1 { n += stop - $6 > 999000 }
	END { exit n != 3 }' "$work/out/cpu.prv"
check "the thread that ran then is off for that reason" grep -q ':300:13$' "$work/out/thread.prv"
for label in '300 .*Off-CPU reason' '12 .*Not seen on a CPU yet' '13 .*events missing'; do
	check "thread.pcf has a label: $label" grep -Eq "^(0 )?$label" "$work/out/thread.pcf"
done
check "cpu.pcf has a label" grep -q '^1    Events lost$' "$work/out/cpu.pcf"
check "a CPU's stream is there" \
	test -s "$work/out/ovni/loom.gen/cpu.2/cpu.events"

# A flight recorder: nothing was lost by accident.
"$work/gen-capture" random "$work/flight" -n 2000 -c 2 -t 20 -s 7 -o
"$decode" "$work/flight" -o "$work/out" 2>"$work/log"
check "a flight recorder's capture gives status 4" test $? -eq 4
check "it is reported as what it is" grep -q "^ovnik-decode: overwritten by newer events, \
as a flight recorder does, in 2 gaps: sched_switch 2001$" "$work/log"
check "without a warning" sh -c "! grep -Eq 'warning|lost' '$work/log'"
check "the sidecar says so, too" \
	test "$(grep -c ' overwritten sched_switch=' "$work/out/laplace.txt.lost")" -eq 2
same_views "flight recorder"

# Without a CPU that was never online the others keep their numbers.
"$work/gen-capture" random "$work/offline" -n 2000 -c 3 -t 20 -s 3
rm "$work/offline/cpu1.ovk"
python3 - "$work/offline/meta.json" <<'END'
import json, sys
meta = json.load(open(sys.argv[1], encoding="utf-8"))
del meta["cpus"][1]
json.dump(meta, open(sys.argv[1], "w", encoding="utf-8"))
END
check "a CPU is not there" "$decode" "$work/offline" -o "$work/out"
check "the others have their numbers" test "$(grep ' CPU ' "$work/out/cpu.row" | xargs)" = "CPU 0.0 CPU 0.2"
same_views "a CPU is not there"

# One of each: no plurals, no sum of one gap.
"$work/gen-capture" random "$work/one" -n 0 -c 1 -t 1 -e
"$decode" "$work/one" -o "$work/out" 2>"$work/log"
check "one event on one CPU" grep -q "^ovnik-decode: 1 event in .* on 1 CPU: dump_task 1$" \
	"$work/log"
check "one task in one process" grep -q "^ovnik-decode: 1 task in 1 process$" "$work/log"
check "one gap is reported once" test "$(grep -c 'sched_switch 10$' "$work/log")" -eq 1

check "the hook positions are listed" "$decode" --list-hooks

# wrong WORD PROGRAM [OPTION]... - status 2, and the word is in the message
wrong()
{
	word=$1
	shift
	status=0
	"$@" >"$work/log" 2>&1 || status=$?
	check "wrong usage: ${1##*/} ..., $word is named" \
		sh -c "test $status -eq 2 && head -n 1 '$work/log' | grep -qF -e '$word'"
}

wrong "no capture" "$decode" -o "$work/out"
wrong "no output directory" "$decode" "$work/one"
wrong "no output directory" "$decode" none/such "$work/one"
wrong '"pdf"' "$decode" x -o "$work/out" --to ovni,pdf
wrong '""' "$decode" x -o "$work/out" --to ""
wrong "xray takes a single capture" "$decode" x y -o "$work/out" --to xray
wrong '"x"' "$decode" top x y
wrong "--bogus" "$decode" x -o "$work/out" --bogus
wrong "'y'" "$decode" -y x -o "$work/out"
wrong "'--to'" "$decode" x -o "$work/out" --to
wrong 'no option --ofsets; did you mean --offsets?' "$decode" x -o "$work/out" --ofsets y
wrong 'no option --rows' "$decode" x --rows 3
check "it is no option misspelt" sh -c "! head -n 1 '$work/log' | grep 'did you mean'"
wrong 'no option --rosw; did you mean --rows?' "$decode" top x --rosw 3
wrong 'did you mean "report"?' "$decode" reprot x
wrong 'did you mean "pagecache"?' "$decode" page x
cp -r "$work/one" "$work/summary"
cd "$work" || exit
wrong '"sumary", and no capture of that name; commands are report, top, why, pagecache, diff' \
	"$decode" sumary one
"$decode" sumary one -o "$work/out" --to prv >"$work/log" 2>&1
check "with a directory, it is a capture that is not there" grep -q 'sumary: left out' "$work/log"
wrong '"html" is an output, not a command: ovnik-decode one --to html -o DIR' "$decode" html one
wrong '"html" is an output, not a command: ovnik-decode CAPTURE --to html' "$decode" html
wrong 'there is no capture "tick"; a program is named by --comm: ovnik-decode why one --comm tick' "$decode" why tick one
wrong 'there is no capture "125"; a process is named by --pid: ovnik-decode why one --pid 125' "$decode" why one 125
wrong '"summary" is one capture too many, after "one"' "$decode" why one summary
"$decode" summary -o "$work/out" --to laplace >"$work/log" 2>&1
check "a capture of that name is a capture" grep -q '^ovnik-decode: 1 event in ' "$work/log"
"$decode" -o "$work/out" one --to laplace >"$work/log" 2>&1
check "an option is no command" grep -q '^ovnik-decode: 1 event in ' "$work/log"
cd "$OLDPWD" || exit
wrong "a trace directory is required" "$emu"
wrong "-o DIR" "$emu" x y
wrong "--bogus" "$emu" x --bogus
wrong "'y'" "$emu" -y x
wrong "'o'" "$emu" x -o
wrong "did you mean --gzip?" "$emu" x --gipz
for program in "$decode" "$emu" build/ovnik-refs build/ovnik-merge "$decode top"; do
	# shellcheck disable=SC2086 # two words
	$program -h >"$work/help" 2>"$work/log"
	check "${program##*/} -h is help" sh -c "head -n 1 '$work/help' | grep -q '^Usage: ' && ! [ -s '$work/log' ]"
done
# A terminal is shown how far it has come; a file is not.
"$work/gen-capture" random "$work/long" -n 200000 -c 4 -t 60 -s 3
script -qec "'$decode' '$work/long' -o '$work/shown' --to laplace" /dev/null </dev/null >"$work/text"
check "a terminal is shown how far it has come" sh -c "tr '\\r' '\\n' <'$work/text' |
	grep -a '^writing: *[1-9][0-9]* %' | sort -u | wc -l | grep -qvx '[01]'"
for command in report top "why --comm child" pagecache "diff '$work/long'"; do
	script -qec "'$decode' $command '$work/long'" /dev/null </dev/null >"$work/text"
	check "${command%% *} reads, and writes nothing" sh -c "tr '\\r' '\\n' <'$work/text' |
		grep -a '^[a-z]*: *[0-9]* %' >'$work/said' && ! grep -v '^reading:' '$work/said'"
done
"$decode" "$work/long" -o "$work/shown" --to laplace >"$work/text" 2>&1
check "a file is not" sh -c "[ -s '$work/text' ] && ! grep -q ing: '$work/text'"

finish

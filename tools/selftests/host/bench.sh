#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh - tables of `make bench`: aims beside figures of decoding, and which are worse than before

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top" || exit

# decoded INSTRUCTIONS - make tables as if an event to ovni took so many
decoded()
{
	{
		printf '2 CPUs, 8 tasks\tcapture -> ovni\t1000\t%d\t0.5\t2048\n' "$(($1 * 1000))"
		printf '2 CPUs, 8 tasks\tcapture -> perfetto\t1000\t70000\t0.5\t2048\n'
		printf 'large\tcapture -> ovni\t1000\t-\t0.5\t2048\n'
		printf 'ovni,laplace,prv by the clock\t%b\n' "--jobs 1\t1000\t-\t3.4\t2048" \
			"--jobs 2\t1000\t-\t$2\t2048" "two decoders at once\t2000\t-\t4\t-"
		printf 'the emulator alone\t2 threads, 2 CPUs, without startup\t1000\t650000\t-\t-\n'
	} | awk -v json="$work/decode.json" -f tools/bench/tables/decode.awk >"$work/table"
	tools/bench/history decode "$work/decode.json" "$work/history" >"$work/said"
}

decoded 350 2
check "an aim that is reached" grep -q "capture -> ovni .* 350 .* 350 reached$" "$work/table"
check "a row without an aim" grep -q "capture -> perfetto .* 70 .* 2.0$" "$work/table"
check "a row without instructions" grep -q "capture -> ovni .* - .* 2.0$" "$work/table"
check "a heading for each table" test "$(grep -c insn/event "$work/table")" -eq 4
check "how many times as fast" grep -q "jobs 2 .* 2.0  1.70 times, 1.7 reached$" "$work/table"
check "and without an aim" grep -q "two decoders at once .* -  1.70 times$" "$work/table"
check "a row without seconds" grep -q "without startup .* 650 .* -  650 reached$" "$work/table"
check "figures are valid JSON" python3 -m json.tool "$work/decode.json" "$work/out.json"
check "figures are kept" grep -q "decode	capture -> ovni	2 CPUs, 8 tasks	350.00	0$" "$work/history"
check "only those of instructions" test "$(wc -l <"$work/history")" -eq 3
check "the first run is compared with nothing" test ! -s "$work/said"
decoded 356 2.01
check "2 % more is not worse" grep -q "No figure is worse" "$work/said"
check "what is not fast enough" grep -q "jobs 2 .* times, 1.7 missed$" "$work/table"
check "an aim that is missed" grep -q "350 missed$" "$work/table"
decoded 364 2
check "3 % more is worse" grep -q "capture -> ovni .* 364.0 .* 356.0" "$work/said"
check "and only that is shown" test "$(grep -c -- '->' "$work/said")" -eq 1

# compiled WINDOW TOTALS - make the table of compiles from what a tracer's window and its end say
compiled()
{
	awk -v json="$work/compile.json" -f tools/bench/tables/windows.awk \
		-f tools/bench/tables/compile.awk >"$work/table" 2>"$work/said" <<-END
		kernel=6.1
		ovnik: recording: what a program says for users
		tracer=none workload=WC repetition=0 rounds=8 insn=1000 idle=0 switches=10 forks=30
		tracer=ovnik_all workload=WC repetition=0 rounds=8 insn=1010 idle=0 switches=10 forks=30 $1
		$2
	END
}
# complains WHAT WINDOW TOTALS
complains()
{
	! compiled "$2" "$3" && grep -q "$1" "$work/said" && grep -q "^FAILED" "$work/table"
}

counts="recorded=90 lost=0 rec_switches=10 rec_forks=30 rec_execs=24"
totals="tracer=ovnik_all workload=WC total=90 buffer_bytes=1800"
check "a compile of which nothing is missing" compiled "$counts" "$totals total_lost=0"
check "its added instructions" grep -q "ovnik, all events  .* 1.00  .* 90 " "$work/table"
check "its figures are valid JSON" python3 -m json.tool "$work/compile.json" "$work/out.json"
check "events lost" complains "WC: 5 events lost" "$counts" "$totals total_lost=5"
check "lost in the window" complains "WC: lost is 5, not 0" "recorded=90 lost=5" "$totals total_lost=0"
check "an event too few" complains "rec_forks is 30, not 31" "$counts forks=31" "$totals total_lost=0"
check "nothing says what was lost" complains "WC: nothing says how many events were lost$" "$counts" "$totals"
check "nor in the window" complains "nothing .* lost in the window" "recorded=90" "$totals total_lost=0"
check "nor what there was" complains "all events: nothing says how many events there were" "$counts" ""

cat >"$work/capture.json" <<-'END'
	    {"tracer": "none", "workload": "W1", "added_median": 0.00, "noise": 0.10},
	    {"tracer": "perf", "workload": "W1", "added_median": 900.00, "noise": 0.10}
END
tools/bench/history capture "$work/capture.json" "$work/history" >/dev/null
check "figures of recording are kept" grep -q "capture	perf	W1	900.00	0.10$" "$work/history"
check "but not those of nothing" test "$(grep -c "	none	" "$work/history")" -eq 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - is a report true? A load whose answer is known is recorded in a guest;
# it is compared with what the kernel has counted itself, and with perf of the same run
#
# On one CPU whose clock are instructions, where time goes to who it belongs to; and on
# two, which wait for each other.
#
# It takes over a minute on a slow machine: three guests, one of which counts its instructions.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

# What the guest shall reach must lie in the repository.
runs=$(mktemp -d "$top/build/report.XXXXXX")
trap 'rm -rf "$work" "$runs"' EXIT

perf=$(command -v perf)

# in_guest OPTION
in_guest()
{
	rm -rf "$out"
	mkdir "$out"
	# Before other processes: a virtual CPU that stops makes the guest's own counts wrong.
	nice -n -10 "$top/tools/vm/run" "$1" --quiet --log "$work/console.log" \
		${perf:+--with "$perf"} -- \
		sh /host/tools/selftests/vm-guest/report.sh "/host/${out#"$top/"}"
}

# made_of BACKEND - the report, and the tasks it is of
made_of()
{
	rm -f "$work/db"
	"$decode" report --json --self "$out/$1/capture" >"$work/json" &&
		"$decode" "$out/$1/capture" --tracer "database,file=$work/db" \
			-o "$work/out" --to laplace >/dev/null
}

# as_counted BACKEND EXACT
as_counted()
{
	"$checkers/reportguest.py" "$out/$1/log" "$work/json" "$work/db" "$2"
}

# as_perf EXACT - of the module's report
as_perf()
{
	perf sched latency -p -i "$out/module/perf.data" >"$work/perf" 2>"$work/log" &&
		"$checkers/reportguest.py" "$out/module/log" "$work/json" "$work/db" "$1" "$work/perf"
}

all_as_counted()
{
	made_of bpf && as_counted bpf 0 && made_of module && as_counted module 0 &&
		{ [ -z "$perf" ] || as_perf 0; }
}

# recorded NAME TEXT OPTION EXACT - in a guest; sets out
#
# Two emulated CPUs take turns, up to 0.1 s each, and wait for the host besides. When one
# has to stop between the kernel's reading of its clock and ours, that time is one task's
# here and another's there. It is rare; what is wrong with the report is so every time.
recorded()
{
	out=$runs/$1
	check "$2: the load is recorded, by module and BPF" in_guest "$3"
	[ "$4" = 0 ] || return 0
	last=$(($(date +%s) + 600))
	while ! all_as_counted >"$work/said" 2>&1 && [ "$(date +%s)" -lt "$last" ]; do
		{
			echo "another run, for an emulated CPU may have had to stop:"
			cat "$work/said"
		} | explain
		in_guest "$3" >"$work/said" 2>&1
	done
}

# folded CAPTURE - whose report with --self is in $work/json
folded()
{
	pid=$(tr -d ' \n\t' <"$1/meta.json" | grep -o '"recorder":{"pid":[0-9]*' | grep -o '[0-9]*$') &&
		number=$(python3 -c 'import json, sys
print([row["number"] for row in json.load(sys.stdin)[0]["processes"] if row["pid"] == int(sys.argv[1])][-1])' \
			"$pid" <"$work/json") &&
		"$decode" report --json "$1" >"$work/folded" &&
		"$checkers/selfcheck.py" "$pid" "$work/json" "$work/folded" "$number"
}

# reported TEXT BACKEND EXACT
reported()
{
	check "$1: $2: a report" made_of "$2"
	"$decode" report --all --self "$out/$2/capture" >"$work/text"
	check "$1: $2: it is what the kernel has counted" as_counted "$2" "$3"
	check "$1: $2: each sum is that of the tasks" \
		"$checkers/reportcheck.py" tasks "$work/json" "$work/db"
	check "$1: $2: each file's bytes are those of the Laplace trace" \
		"$checkers/reportcheck.py" bytes "$work/json" "$work/out/laplace.txt"
	check "$1: $2: text and JSON say the same" \
		"$checkers/reportcheck.py" text "$work/json" "$work/text"
	check "$1: $2: without --self the recorder is one row, and nothing else is different" \
		folded "$out/$2/capture"
}

# like_perf TEXT EXACT - of the last report
like_perf()
{
	if [ -z "$perf" ]; then
		skip "$1: as perf sched latency" "no perf, see linux-perf"
		return
	fi
	check "$1: as perf sched latency" as_perf "$2"
}

# both NAME TEXT OPTION EXACT
both()
{
	recorded "$@"
	reported "$2" bpf "$4"
	reported "$2" module "$4"
	like_perf "$2" "$4"
}

both icount "by instructions" --icount 1
# Whose counts may differ by chance: then it takes another run, or ten.
[ -z "$LONG" ] || both single "two CPUs" --single 0
finish

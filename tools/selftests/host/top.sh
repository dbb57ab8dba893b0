#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# top.sh - ovnik-decode top: sums that topcheck.py makes again from tasks, tags and Laplace's text
#
# It takes over a minute on a slow machine: each table, of each capture, is summed up again by Python.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "generators are built" eval "build gen-capture && build gen-report && build gen-memory &&
	build gen-activity"

# facts CAPTURE [OPTION...] - what topcheck.py sums up
facts()
{
	rm -rf "$work/tasks" "$work/tags" "$work/out"
	"$decode" "$1" -o "$work/out" --to laplace --tracer "jsonl,file=$work/tasks" \
		--tracer "database,file=$work/tags" "${@:2}" >"$work/log" 2>&1
	[ -s "$work/tasks" ] && [ -s "$work/tags" ]
}

# agrees BY CAPTURE [OPTION...] - after facts
agrees()
{
	local by=$1 capture=$2 sort=

	case "${*:3}" in
	*--sort=migrations*) sort=migrations ;;
	*--sort=run-queue*) sort=run_queue_ns ;;
	*--sort=pages-added*) sort=pages_added ;;
	esac
	"$decode" top --by "$by" "$capture" "${@:3}" >"$work/text" 2>"$work/log"
	"$decode" top --by "$by" "$capture" --json "${@:3}" >"$work/json" 2>"$work/log"
	"$checkers/topcheck.py" ${only:+--only "$only"} "$by" "$work/json" "$work/text" "$work/tasks" "$work/tags" \
		"$work/out/laplace.txt" ${sort:+"$sort"}
}

# ask NAME QUESTIONS CAPTURE [OPTION...]
ask()
{
	local by

	check "$1: facts" facts "${@:3}"
	for by in $2; do
		check "$1: by $by" agrees "$by" "${@:3}"
	done
}

# last_row BY - of $work/text: only moves to other CPUs are not recorded
last_row()
{
	local n want=1

	[ "$1" = reason ] && want=0
	n=$(grep -E '(^ +|  )all [0-9]+( |$)' "$work/text" | grep -oE '  -( |$)' | wc -l)
	[ "$n" -eq "$want" ]
}

all="process comm thread file cpu reason"

# Calls and faults in doubt that end later count once.
"$work/gen-activity" random "$work/gaps" 20000 5 90
ask gaps "process comm thread" "$work/gaps"
"$work/gen-report" known "$work/known"
"$work/gen-capture" random "$work/random" -n 6000 -c 3 -t 60 -s 6
"$work/gen-capture" random "$work/lossy" -n 6000 -c 3 -t 60 -s 7 -l 12
"$work/gen-memory" "$work/memory" -n 3000 -c 3 -s 4
ask "known" "$all" "$work/known"
ask "random" "$all" "$work/random"
check "sorted by another column" agrees thread "$work/random" --sort=migrations
check "and with a space in its name" agrees cpu "$work/random" --sort=run-queue
"$decode" top "$work/random" >"$work/text" 2>"$work/log"
check_status 1 "a wide column is not in a table of text" grep -q preempted "$work/text"
"$decode" top --sort=preempted "$work/random" >"$work/text" 2>"$work/log"
check "but for who sorts by it" grep -Eq '^ +process .* preempted ' "$work/text"
check "and in capitals" "$decode" top --sort="OF-CPUs" "$work/random"
ask "pages" "file comm" "$work/memory"
check "files by pages" agrees file "$work/memory" --sort=pages-added
ask "a window" "$all" "$work/random" --from=1ms --until=3ms
ask "a window of pages" file "$work/memory" --from=50us --until=200us
pid=$(grep -o '"pid":[1-9][0-9]*' "$work/tasks" | sort | uniq -c | sort -rn | sed -n 's/.*://p;q')
ask "one process" "process file cpu" "$work/memory" --pid="$pid"
# Of others it is not recorded what they do: that is nothing that is not known of those.
only=100
ask "one process alone" reason "$work/known" --pid=100
"$work/gen-report" family "$work/family"
only=200,400
ask "a recorded filter with children" reason "$work/family"
only=400
ask "a child of it" reason "$work/family" --pid=400
only=
"$work/gen-report" files "$work/files" 90000
ask "more files than are told apart" file "$work/files"
check "the rest is a row" grep -Eq '^ .*  given up for lack of room$' "$work/text"
[ -z "$LONG" ] || check "with the most pages" agrees file "$work/files" --sort=pages-added
rm -rf "$work/files"
ask "losses" "$all" "$work/lossy"
check "they are said" grep -Eq '^  events lost +[1-9]' "$work/text"
check "and in JSON" grep -Eq '"events_lost": *[1-9]' "$work/json"

# Names that hurt a terminal.
"$work/gen-capture" random "$work/names" -n 2000 -c 2 -t 20 -C
cp -r "$work/names" "$work/plain"
hurt_names "$work/names"
facts "$work/names"
for by in process comm thread; do
	check "hostile names: by $by" agrees $by "$work/names"
	check_status 1 "they are escaped" grep -Pq '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$work/text"
done
check "nor is a line more" test "$(grep -c '^    ' "$work/text")" -eq \
	"$("$decode" top --by thread "$work/plain" 2>"$work/log" | grep -c '^    ')"

# Several processes have no number. "-" is what was not recorded.
for by in process comm thread reason; do
	"$decode" top --by $by "$work/known" >"$work/text" 2>"$work/log"
	check "by $by: the last row has no - but for what is not recorded" last_row $by
done

# Wrong questions.
mkdir "$work/several" && ln -s ../known ../random "$work/several"
check_status 2 "a directory of several captures" "$decode" top "$work/several"
check "one is to be named" sh -c '"$1" top "$2" 2>&1 | grep -q "several captures are in it: name one, such as $2/known"' \
	- "$decode" "$work/several"
for wrong in --by=cgroup --sort=process --rows=0; do
	check_status 2 "$wrong" "$decode" top "$work/known" $wrong
done
check "columns are named" sh -c '"$1" top "$2" --sort=process 2>&1 | grep -q "run queue"' - "$decode" \
	"$work/known"
"$decode" top "$work/random" --rows 3 >"$work/text" 2>"$work/log"
check "--rows: so many, and the sum" test "$(grep -c '^    ' "$work/text")" -eq 5
# alone_as_in_all CAPTURE - each process that is picked has the times that it has among all, except that of
# one that never runs no times may be known
alone_as_in_all()
{
	python3 - "$decode" "$1" <<'END'
import json, subprocess, sys
def rows(*options):
    args = [sys.argv[1], "top", "--json", *options, sys.argv[2]]
    text = subprocess.run(args, capture_output=True, check=True).stdout
    return {row["pid"]: row for row in json.loads(text)[0]["processes"] if "pid" in row}
whole = rows()
keys = ("on_cpu_ns", "runs", "run_queue_ns", "sleep_ns", "disk_ns")
wrong = 0
for pid, of_all in whole.items():
    alone = rows("--pid", str(pid))[pid]
    for key in keys:
        if alone.get(key, of_all[key] if not of_all["runs"] else None) != of_all[key]:
            print(f"process {pid}: {key} is {alone.get(key)}, of all {of_all[key]}")
            wrong += 1
print(len(whole))
sys.exit(wrong != 0)
END
}

tar -xzf "$top/tools/selftests/captures/0.1/module.tar.gz" -C "$work"
check "a process alone has the times that it has among all" alone_as_in_all "$work/module"
"$work/gen-report" threads "$work/threads"
check "so has one whose thread runs before its process is named" alone_as_in_all "$work/threads"

# The recorder's threads are one row behind the others, and no sum changes.
# folds BY PID CAPTURE - after recorded_by
folds()
{
	"$decode" top --by "$1" --json --self "$3" >"$work/whole" 2>/dev/null
	"$decode" top --by "$1" --json "$3" >"$work/json" 2>/dev/null
	"$checkers/selfcheck.py" "$2" "$work/whole" "$work/json"
}

# The process with most threads.
pid=$("$decode" top --by thread --json "$work/module" | grep -o '"pid": *[1-9][0-9]*' | sort | uniq -c |
	sort -rn | sed -n 's/.*: *//p;q')
recorded_by "{\"pid\": $pid}" "$work/module"
for by in process comm thread; do
	check "the recorder: by $by" folds $by "$pid" "$work/module"
	"$decode" top --by $by --rows 2 "$work/module" >"$work/text"
	check "by $by: a row after those of --rows" test \
		"$(grep '^    ' "$work/text" | grep -n 'recorder (ovnik)' | cut -d : -f 1)" = 4
done
for by in file cpu reason; do
	"$decode" top --by $by --rows 40 "$work/module" | sed 's/recorder (ovnik)/ovnik/' | tr -s ' ' >"$work/text"
	"$decode" top --by $by --rows 40 --self "$work/module" | tr -s ' ' >"$work/whole"
	check "by $by: nothing changes but its name" diff "$work/whole" "$work/text"
done
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# why.sh - ovnik-decode why: sums that whycheck.py makes again from the tasks, wrong questions

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

for program in gen-report gen-capture gen-memory gen-activity; do
	check "$program is built" build $program
done

# agrees CAPTURE PID|--comm=NAME|--tree=PID [OPTION]... - the answer is what the tasks say
agrees()
{
	capture=$1
	which=$2
	case $which in
	--*) pick=$which ;;
	*) pick=--pid=$which ;;
	esac
	shift 2
	rm -f "$work/tasks" "$work/tags"
	"$decode" "$capture" --tracer "jsonl,file=$work/tasks,tags=$work/tags" "$@" >"$work/log" 2>&1
	"$decode" why "$capture" "$pick" --json "$@" >"$work/why" 2>>"$work/log"
	"$decode" why "$capture" "$pick" --rows 3 "$@" >"$work/text" 2>>"$work/log"
	cat "$work/log"
	/usr/bin/python3 "$checkers/whycheck.py" "$work/why" "$work/text" 3 "$work/tasks" "$work/tags" "$which"
}

# names_are_rows OPTION - of $work/names: each wait of the longest is a line of $work/text
names_are_rows()
{
	"$decode" why "$work/names" "$1" --json >"$work/why" 2>"$work/log"
	python3 - "$work/why" "$work/text" <<'END'
import json, sys
answer = json.load(open(sys.argv[1], encoding="utf-8"))[0]
lines = open(sys.argv[2], encoding="utf-8").read().split("\n")
title = "longest waits and the wakeups behind them"
at = lines.index(f"  {title}:")
rows = answer[title.replace(" ", "_")]
sys.exit(not rows or lines.index("", at) - at - 2 != len(rows))
END
}

"$work/gen-report" known "$work/known"
for pid in 100 200 300; do
	check "process $pid" agrees "$work/known" $pid
	check "process $pid, of a part" agrees "$work/known" $pid --from=20us --until=150us
done
"$work/gen-capture" random "$work/random" -n 6000 -c 3 -t 60 -s 6
"$work/gen-capture" random "$work/lossy" -n 6000 -c 3 -t 60 -s 7 -l 12
for capture in random lossy; do
	rm -f "$work/all"
	"$decode" "$work/$capture" --tracer "jsonl,file=$work/all" >"$work/log" 2>&1
	sed -n 's/.*"kind":"process".*"pid":\([0-9]*\).*/\1/p' "$work/all" | sort -nu >"$work/pids"
	for line in 1 7 20; do
		pid=$(sed -n "${line}p" "$work/pids")
		check "$capture capture, process $pid" agrees "$work/$capture" "$pid"
	done
done
# Many calls and faults of which only the end was recorded, after the first part had ended in doubt.
"$work/gen-activity" random "$work/gaps" 20000 5 90
for pid in 1000 1001 1005; do
	check "calls that are resumed count once, process $pid" agrees "$work/gaps" $pid
done
"$decode" why --comm initial --json "$work/gaps" >"$work/why.json"
"$decode" report --all --json "$work/gaps" >"$work/report.json"
check "a file has as many calls as in the report" python3 - "$work/why.json" "$work/report.json" <<'END'
import json, sys
why, report = (json.load(open(path))[0] for path in sys.argv[1:])
mine = {row["inode"]: row["times"] for row in why["system_calls_on_files"] if "inode" in row}
print(mine)
sys.exit(not mine or mine != {row["inode"]: row["io_calls"] for row in report["files"] if row["io_calls"]})
END
# Another CPU than the waker's records its wakeup: by then it waits again, has ended, or is nobody we know.
"$work/gen-report" late "$work/late"
check "wakeups that come late" agrees "$work/late" 100
"$decode" why --pid 100 "$work/late" | sed -n '/^  longest waits/,/^$/p' | sed 's/  */ /g' >"$work/got"
cat >"$work/want" <<'END'
 longest waits and the wakeups behind them:
 step time until begun reason tid waited ended by
 1 16.000 us 21.000 us seen sleep 100 shell other
 2 2.000 us 10.000 us seen disk sleep 200 other (an interrupt)
 1 12.000 us 42.000 us seen sleep 100 shell other
 2 12.000 us 32.000 us seen sleep 200 other (an interrupt)
 1 10.000 us 60.000 us seen sleep 100 shell not known

END
check "are the waker's, with what it has waited for" diff "$work/want" "$work/got"
# By then its number is another's, who has not run yet.
"$work/gen-report" successor "$work/successor"
check "wakeups that come when the number is another's" agrees "$work/successor" 100
"$decode" why --pid 100 "$work/successor" | sed -n '/^  longest waits/,/^$/p' | sed 's/  */ /g' >"$work/got"
cat >"$work/want" <<'END'
 longest waits and the wakeups behind them:
 step time until begun reason tid waited ended by
 1 18.000 us 23.000 us seen sleep 100 shell first
 2 3.000 us 9.000 us seen disk sleep 400 first third
 1 10.000 us 40.000 us seen sleep 100 shell second

END
check "are of who had it" diff "$work/want" "$work/got"
"$decode" "$work/successor" --tracer chain,tid=100,at=24us --json >"$work/got"
check "so is the chain" python3 - "$work/got" <<'END'
import json, sys
chain = json.load(open(sys.argv[1]))[0]["chain"]
print(chain)
sys.exit([row["process"] for row in chain] != ["shell", "first", "third"])
END
# It is moved to the CPU that it gets just before that.
"$work/gen-report" moved "$work/moved"
check "a thread that is moved while it waits for a CPU" agrees "$work/moved" 100
"$decode" why --pid 100 "$work/moved" | sed -n '/^  waits for a CPU/,/^$/p' | sed 's/  */ /g' >"$work/got"
cat >"$work/want" <<'END'
 waits for a CPU and who had it:
 time times longest processes who
 20.000 us 1 20.000 us 1 other

END
check "waited behind who had the first one" diff "$work/want" "$work/got"
# Two processes with one number, and a name each.
"$work/gen-report" reused "$work/reused"
for which in 400 --comm=child --comm=heir --comm=renamed --tree=200; do
	check "numbers that are used again: $which" agrees "$work/reused" "$which"
done
check "a tree has its root and the children" grep -q '"processes": *3' "$work/why"
"$work/gen-capture" known "$work/parents"
check "a tree" agrees "$work/parents" --tree=100
check "with a child of another number" grep -q '"processes": *[2-9]' "$work/why"
check_status 1 "a name that it no longer has" "$decode" why "$work/known" --comm shell
# Where page faults are.
"$work/gen-report" memory "$work/memory"
check "faults in memory" agrees "$work/memory" 100
"$decode" why --pid 100 "$work/memory" | sed -n '/^  page faults by file or memory:$/,/^$/p' |
	grep . >"$work/got"
cat >"$work/want" <<'END'
  page faults by file or memory:
         time  times   longest  file
    12.000 us      3  7.000 us  anonymous
    10.000 us      3  8.000 us  not known
     7.000 us      1  7.000 us  (nothing is mapped there)
     6.000 us      1  6.000 us  stack
     5.000 us      1  5.000 us  heap
     4.000 us      2  3.000 us  /lib/one
     1.000 us      1  1.000 us  /lib/\x1b[31mtwo
END
check "and in which" diff "$work/want" "$work/got"
"$work/gen-memory" "$work/forks" -n 3000 -c 3 -s 4
for pid in 1000 1001 1002; do
	check "faults of process $pid" agrees "$work/forks" $pid
done
# Names that hurt a terminal.
"$work/gen-capture" random "$work/names" -n 2000 -c 2 -t 20 -C
hurt_names "$work/names"
"$decode" why "$work/names" --comm=initial --rows 100 >"$work/text" 2>"$work/log"
check "names that hurt a terminal are there" grep -q 'x80.xaeevil' "$work/text"
for which in --pid=1013 --pid=1015 --pid=1016 --comm=initial; do
	"$decode" why "$work/names" "$which" --rows 100 >"$work/text" 2>"$work/log"
	check "hostile names: $which" grep -q '^  processes  *[1-9]' "$work/text"
	check_status 1 "they are escaped" \
		grep -Pq '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$work/text"
	check "and each row is a line" names_are_rows "$which"
done
# It waits behind who ran before the first switch of that CPU, and then behind one that is known.
"$work/gen-report" begun "$work/begun"
check "one ran there before the first switch, one after it" agrees "$work/begun" 100
check "who ran before the first switch is not known" grep -q ' 17.000 us .*  (not known: who ran' "$work/text"
# More runs than are kept, while it waits: the oldest ones are not lost silently.
"$work/gen-report" busy "$work/busy" 1500
check "more runs than are kept" agrees "$work/busy" 200
check "the rest is a row" grep -q ' 476.000 us .*  (not known: who ran is not recorded, or no longer kept)$' "$work/text"
"$work/gen-report" busy "$work/kept" 1024
check "as many as are kept" agrees "$work/kept" 200
check_status 1 "then there is no rest" grep -q 'no longer kept' "$work/text"
# More files than are told apart.
"$work/gen-report" files "$work/files" 90000
check "files that are given up" agrees "$work/files" 100
check "some are" grep -q '"number_of_files_given_up": *[1-9]' "$work/why"
"$decode" why "$work/files" --pid 100 >"$work/text"
check "and it is said" grep -Eq '^ +[0-9.]+ m?s +[0-9]+ .*  given up for lack of room$' "$work/text"
rm -rf "$work/files"
# Of a guest: what is behind a wait had not ended when the wait began.
tar -xzf "$top/tools/selftests/captures/0.1/module.tar.gz" -C "$work"
rm -f "$work/all"
"$decode" "$work/module" --tracer "jsonl,file=$work/all" >"$work/log" 2>&1
sed -n 's/.*"kind":"process".*"pid":\([0-9]*\).*/\1/p' "$work/all" | sort -nu | tail -n 15 >"$work/pids"
while read -r pid; do
	check "a guest's process $pid" agrees "$work/module" "$pid"
done <"$work/pids"
# It does not name wakers.
pid=$(tail -n 1 "$work/pids")
"$decode" why "$work/module" --pid "$pid" >"$work/text"
check "an older capture: the answer says of whom it knows" \
	grep -q '^ *who ended a wait  *whoever ran where it ended' "$work/text"
"$decode" "$work/module" --tracer "chain,tid=$pid" >"$work/text" 2>"$work/log"
check "so does a tracer" grep -q 'does not name wakers' "$work/log"
"$decode" why "$work/known" --pid 100 --json >"$work/by-pid"
"$decode" why "$work/known" --pid 100 >"$work/text"
check "but not of one that names them" test -z "$(grep 'who ended a wait' "$work/text")"
"$decode" why "$work/known" --comm renamed --json >"$work/by-name"
check "there is an answer" test -s "$work/by-pid"
check "by name as by number" cmp "$work/by-pid" "$work/by-name"
"$decode" why "$work/known" --pid 100 >"$work/text"
"$decode" why --json --comm renamed --comm other "$work/known" >"$work/json"
check "JSON has each one" python3 -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))[0]["about"] != [{"pid": 100, "process": "renamed"}, {"pid": 200, "process": "other"}])' \
	"$work/json"
check "the head names the process" grep -q '^  about  *renamed 100$' "$work/text"
check "and the window" grep -q '^  window  *0 us to 100.000 us, all of the capture$' "$work/text"
"$decode" why "$work/known" --pid 100 --from 20us --until 70us >"$work/part"
check "of a part, too" grep -q '^  window  *20.000 us to 70.000 us of the capture$' "$work/part"
check "no line has more than 100 columns" test -z "$(grep -E '^.{101}' "$work/text")"

"$decode" why "$work/known" >"$work/text" 2>"$work/log"
check "without a process: wrong usage" test $? -eq 2
check "and says so" grep -q 'known: no command was recorded with it: name a process by --comm' "$work/log"
# 100, 200 and 300 are children of process 1.
cp -r "$work/known" "$work/command"
recorded_by '{"pid": 1}' "$work/command"
check_status 2 "there is a recorder, but no command" "$decode" why "$work/command"
sed -i 's/"host":/"command": ["third", "-x"], &/' "$work/command/meta.json"
"$decode" why "$work/command" >"$work/text" 2>"$work/log"
check "without a process: it is about the recorded command" \
	grep -q '^ovnik-decode: about the recorded command, process 300, and its descendants: third -x$' "$work/log"
"$decode" why "$work/command" --tree 300 >"$work/want"
check "the answer is that of the process with those that it made" cmp "$work/want" "$work/text"
"$decode" why "$work/command" --pid 100 >"$work/text" 2>"$work/log"
check "not with a process" sh -c "grep -q 100 '$work/text' && ! grep about '$work/log'"
sed 's/"pids":\[\]/"pids":[200]/' "$work/command/meta.json" >"$work/meta"
check "there is a filter" test "$(grep -c '"pids":\[200\]' "$work/meta")" -eq 1
cp -r "$work/command" "$work/filtered"
cp "$work/meta" "$work/filtered/meta.json"
check_status 1 "a command of which only the time is recorded" "$decode" why "$work/filtered"
sed -i 's/"pids":\[200/&,300/' "$work/filtered/meta.json"
check "one that is recorded among others" "$decode" why "$work/filtered"
sed -i 's/"pid": 1/"pid": 9/' "$work/command/meta.json"
"$decode" why "$work/command" >"$work/text" 2>"$work/log"
check "a command that was not recorded: status 1" test $? -eq 1
check "and it is said" grep -q 'the recorded command is not in it: name a process by --comm' "$work/log"
for command in why top report; do
	check_status 2 "$command: an empty name" "$decode" $command "$work/known" --comm ''
done
"$decode" why "$work/known" --comm '' >"$work/text" 2>"$work/log"
check "and says so" grep -q -- '--comm: the name is empty' "$work/log"
"$decode" why "$work/known" --pid 4999 >"$work/text" 2>"$work/log"
check "a process that is not there: status 1" test $? -eq 1
check "and says so" grep -q 'no such process in the capture: 4999$' "$work/log"
check "and prints nothing else" test ! -s "$work/text"
# A name may be among what is missing.
for capture in known early; do
	[ -e "$work/$capture" ] || "$work/gen-report" $capture "$work/$capture"
	cp -r "$work/$capture" "$work/nameless-$capture"
	rm "$work/nameless-$capture/cpu0.ovk"
done
for command in why report; do
	"$decode" $command "$work/nameless-known" --comm other >"$work/text" 2>"$work/log"
	check "$command: some processes have no name" \
		grep -q ' in the capture: "other", but 2 processes have no name there$' "$work/log"
	"$decode" $command "$work/nameless-early" --comm other >"$work/text" 2>"$work/log"
	check "$command: or one has none" grep -q '"other", but 1 process has no name there$' "$work/log"
done
"$decode" why "$work/nameless-known" --pid 200 >"$work/text" 2>"$work/log"
check "it is named as such" grep -q '^  about  *(name not known) 200$' "$work/text"
"$decode" report "$work/nameless-known" --pid 200 >"$work/text" 2>"$work/log"
check "in a report, too" grep -q '^  look at  *(name not known) 200 ' "$work/text"
"$decode" why "$work/known" --comm renmaed >"$work/text" 2>"$work/log"
check "nor a program: the nearest is named" grep -q '"renmaed"; did you mean "renamed"?$' "$work/log"
finish

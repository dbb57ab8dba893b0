#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - ovnik-decode report: sums that are known, sums that are made again by
# reportcheck.py from the tasks, losses, damage, and what was not recorded

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
export TZ=UTC

for program in gen-report gen-activity gen-capture gen-memory; do
	check "$program is built" build $program
done

# The head of a table, its rows up to the empty line.
table()
{
	sed -n "/^  $1:\$/,/^\$/p" "$work/text" | grep .
}

# has NAME TABLE - its text is on stdin
has()
{
	cat >"$work/want"
	table "$2" >"$work/got"
	check "known: $1" diff "$work/want" "$work/got"
}

"$work/gen-report" known "$work/known"
"$decode" report --all "$work/known" >"$work/text" 2>"$work/log"
check "a complete capture gives status 0" test $? -eq 0
check "nothing else is printed" test ! -s "$work/log"
has "programs, one that ran twice" "programs by time on a CPU" <<'END'
  programs by time on a CPU:
    program  processes      on cpu  of CPUs  run queue  in faults   in calls
    renamed          1   83.000 us   41.5 %   2.000 us   5.000 us  17.000 us
    other            1   58.000 us   29.0 %  12.000 us       0 us       0 us
    child            2   30.000 us   15.0 %  14.000 us       0 us       0 us
    third            1   11.000 us    5.5 %   4.000 us       0 us       0 us
    all 4            5  182.000 us   91.0 %  32.000 us   5.000 us  17.000 us
END
has "who was on a CPU, with a number that was used twice" "processes by time on a CPU" <<'END'
  processes by time on a CPU:
    process  pid  threads      on cpu  of CPUs  runs  preempted    average    longest  not known
    renamed  100        1   83.000 us   41.5 %     2          0  41.500 us  60.000 us       0 us
    other    200        1   58.000 us   29.0 %     2          1  29.000 us  48.000 us   1.000 us
    child    400        1   20.000 us   10.0 %     1          1  20.000 us  20.000 us       0 us
    third    300        1   11.000 us    5.5 %     2          0   5.500 us   7.000 us   1.000 us
    child    400        1   10.000 us    5.0 %     1          0  10.000 us  10.000 us       0 us
    all 5      -        5  182.000 us   91.0 %     8          2  22.750 us  60.000 us   2.000 us
END
has "who waited for one" "processes by time in run queues, waiting for a CPU" <<'END'
  processes by time in run queues, waiting for a CPU:
    process  pid  run queue  waits   average    longest
    other    200  12.000 us      2  6.000 us  10.000 us
    child    400   7.000 us      1  7.000 us   7.000 us
    child    400   7.000 us      2  3.500 us   7.000 us
    third    300   4.000 us      1  4.000 us   4.000 us
    renamed  100   2.000 us      1  2.000 us   2.000 us
    all 5      -  32.000 us      7  4.571 us  10.000 us
END
has "who slept for a disk" "processes by disk sleep" <<'END'
  processes by disk sleep:
    process  pid      disk  waits   average   longest
    renamed  100  5.000 us      1  5.000 us  5.000 us
    all 5      -  5.000 us      1  5.000 us  5.000 us
END
has "who slept" "processes by sleep" <<'END'
  processes by sleep:
    process  pid       sleep  waits    average    longest
    third    300   84.000 us      3  28.000 us  70.000 us
    other    200   29.000 us      2  14.500 us  20.000 us
    renamed  100   10.000 us      1  10.000 us  10.000 us
    all 5      -  123.000 us      6  20.500 us  70.000 us
END
has "page faults" "processes by time in page faults" <<'END'
  processes by time in page faults:
    process  pid  in faults  faults   average   longest  major  failed  COW breaks
    renamed  100   5.000 us       2  2.500 us  3.000 us      1       0           1
    all 5      -   5.000 us       2  2.500 us  3.000 us      1       0           1
END
has "system calls on files" "processes by time in system calls on files" <<'END'
  processes by time in system calls on files:
    process  pid   in calls  calls    longest     read  written  errors    hits
    renamed  100  17.000 us      8  10.000 us  8.0 KiB  1.5 KiB       1  50.0 %
    all 5      -  17.000 us      8  10.000 us  8.0 KiB  1.5 KiB       1  50.0 %
END
has "the worst waits, and who ran" "worst waits in run queues" <<'END'
  worst waits in run queues:
         wait         at  process  pid  tid  why        cpu  ran there meanwhile
    10.000 us  60.000 us  other    200  200  preempted    1  child 400: 100 %
     7.000 us  53.000 us  child    400  400  new          1  other 200: 100 %
     7.000 us  73.000 us  child    400  400  new          1  other 200: 100 %
     4.000 us  19.000 us  third    300  300  woken        0  renamed 100: 100 %
     2.000 us  10.000 us  other    200  200  woken        1  nobody
     2.000 us  28.000 us  renamed  100  100  woken        0  third 300: 100 %
END
has "files by time" "files by time in system calls on them" <<'END'
  files by time in system calls on them:
     in calls  calls     read  written    hits  file
    15.000 us      5  8.0 KiB    0 KiB  50.0 %  /data/a
     2.000 us      3    0 KiB  1.5 KiB       -  /var/log/early
END
has "files by bytes" "files by bytes read and written" <<'END'
  files by bytes read and written:
     in calls  calls     read  written    hits  file
    15.000 us      5  8.0 KiB    0 KiB  50.0 %  /data/a
     2.000 us      3    0 KiB  1.5 KiB       -  /var/log/early
END
has "hits" "reads of the page cache" <<'END'
  reads of the page cache:
    reads  of all  result   meaning
        1  20.0 %  hit      read() or the like got data, added no page, and never slept for a disk
        1  20.0 %  miss     it added pages of that file itself
        3  60.0 %  neither  no data, direct, by other calls, or unknown
END
check "known: the hit ratio" grep -q '^  hit ratio  50.0 %$' "$work/text"
has "pages" "pages of the cache" <<'END'
  pages of the cache:
    pages of       added  removed
    files              4        2
    block devices      1        0
END
has "CPUs" "CPUs" <<'END'
  CPUs:
    cpu       busy  share busy  runs  longest run  gaps  blind  share blind
      0  90.000 us      90.0 %     3    60.000 us     0   0 ns        0.0 %
      1  92.000 us      92.0 %     5    48.000 us     0   0 ns        0.0 %
END
check "known: the clock" grep -q '^  clock residual rms  *0 ns$' "$work/text"

"$decode" report "$work/known" >"$work/text"
cat >"$work/want" <<END
$work/known
  host          gen, 2 CPUs, recorded by the module
  began         2023-11-14 22:13:20 UTC
  length        100.000 us, 48 events, none lost
  CPU time      91.0 % busy: renamed 41.5 %, other 29.0 %, child 15.0 %
  run queues    32.000 us; worst 10.000 us: other 200; ran meanwhile: child 400
  disk sleep    5.000 us in 1 wait; most 5.000 us: renamed 100
  page faults   5.000 us in 2 faults; most 5.000 us: renamed 100
  file calls    17.000 us in 8 calls, 20.0 % of reads hit, 20.0 % missed, 60.0 % neither
  hottest file  15.000 us in 5 calls: /data/a
  look at       child, 2 processes, waited most for a CPU
  next          $decode why --comm child $work/known
  tables        --all, or --tables cpu,queue,waits,files,...: see report --help
END
check "without options: the first things to know" diff "$work/want" "$work/text"
# That pages are recorded, and switches, is seen outside of the part, too.
"$decode" report --from 31500ns --until 34us --tables cache "$work/known" >"$work/text"
check "reads of a part hit in which no page was added" grep -q '^  *1  100.0 %  hit ' "$work/text"
check "who ran is known in a part without a switch" grep -q '^  CPU time  *100.0 % busy' "$work/text"
"$decode" report --cpu 1 "$work/known" >"$work/text"
check "waits are those of all CPUs with --cpu, too, and it is said" \
	test "$(grep -c '^  \(run queues\|disk sleep\) .* on all CPUs' "$work/text")" = 2
# What is to be asked next is a command for a shell, about the same part of the capture.
ask_next()
{
	cp -r "$work/known" "$work/two words" &&
		"$decode" report --from 10us --until 90us --cpu 1 "$work/two words" |
		sed -n 's/^  next *//p' >"$work/command" &&
		cat "$work/command" && sh -e "$work/command" >"$work/answer" &&
		grep -q "^  window  *10.000 us to 90.000 us of the capture" "$work/answer" &&
		grep -q -- " --until 90us --cpu 1 '$work/two words'\$" "$work/command"
}
check "the next command is of the same part, and a shell can read it" ask_next
"$decode" report --tables waits,cpus "$work/known" >"$work/text"
check "--tables: these" test "$(grep -c '^  [^ ].*:$' "$work/text")" -eq 2 -a \
	"$(table CPUs | wc -l)" -eq 4 -a "$(table "worst waits in run queues" | wc -l)" -eq 8
# Only some processes: others are known, too, but have no row and no time.
# alone CAPTURE PIDS [OPTION]... - of each table and of the sums
alone()
{
	capture=$1
	pids=$2
	shift 2
	"$decode" report --json "$capture" "$@" >"$work/json" && python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))[0]
processes, (of_all,) = report["processes"], report["all_processes"]
print(processes)
assert sorted(p["pid"] for p in processes) == json.loads(sys.argv[2])
assert of_all["process"] == f"all {len(processes)}"
assert sum(p["processes"] for p in report["programs"]) == len(processes)
for key in of_all:
    if key not in ("process", "start_ns", "end_ns") and not key.startswith("longest"):
        assert of_all[key] == sum(p[key] for p in processes), key' "$work/json" "$pids"
}
check "one process has one row" alone "$work/known" "[100]" --pid 100
check "two have two" alone "$work/known" "[100, 300]" --pid 100 --pid 300
# first_lines COMMAND [OPTION]... - those about process 100, up to the line "only"
first_lines()
{
	"$decode" "$@" --pid 100 "$work/known" | awk 'NR > 1 { print $1 } $1 == "only" { exit }' | tr '\n' ' '
}
check "report: the process is said in the first lines" test "$(first_lines report)" = "host began length only "
check "top: too" test "$(first_lines top)" = "length only "
check "pagecache: too" test "$(first_lines pagecache)" = "length only "
"$decode" report --pid 100 "$work/known" >"$work/text"
check "and whose share of the CPUs' time it is" grep -q \
	'^  CPU time  *41.5 % busy with these: renamed 41.5 %$' "$work/text"
check "and nowhere else" test "$(grep -c '^  only ' "$work/text")" -eq 1
"$decode" why --pid 100 --cpu 1 "$work/known" >"$work/text"
check "why says of which CPU it is" grep -q '^  only on  *CPU 1$' "$work/text"

# A terminal has bold headings, unless it or its user does not want them.
for how in "TERM=xterm:1" "TERM=dumb:0" "TERM=xterm NO_COLOR=1:0"; do
	script -qec "env ${how%:*} '$decode' report --tables cpus '$work/known'" /dev/null >"$work/text" </dev/null
	check "a terminal, ${how%:*}" test "$(grep -c "$(printf '\033')\[1mCPUs:" "$work/text")" -eq "${how#*:}"
done

# fits CAPTURE - no line of a table is wider than it may be, all rows are there, and what is cut or left
# out says so; without tables nothing changes, for commands must stay whole
fits()
{
	"$decode" report --all "$1" >"$work/whole" || [ $? = 4 ] || return
	sed '/^$/q' "$work/whole" >"$work/first"
	for width in 120 80 60; do
		COLUMNS=$width "$decode" report --all "$1" >"$work/cut" || [ $? = 4 ] || return
		awk -v width="$width" '/^    / && !/^    not shown/ && length($0) > width { print; bad = 1 }
			END { exit bad }' "$work/cut" || return
		[ "$(grep -vc '^    not shown' "$work/cut")" = "$(wc -l <"$work/whole")" ] || return
		sed '/^$/q' "$work/cut" | diff "$work/first" - || return
	done
	grep '^    not shown, for lack of room: ' "$work/cut" && grep -F '..' "$work/cut"
}

numbers()
{
	sed -n '/^    not shown/d; /^    /p' | tr -s ' ' '\n' | grep -xE '[0-9]+(\.[0-9]+)?' | sort -u
}

# Numbers are whole: each that is in the narrow one is in the wide one's table.
numbers_are_whole()
{
	COLUMNS=60 "$decode" report --all "$1" | numbers >"$work/few"
	"$decode" report --all "$1" | numbers >"$work/all"
	[ "$(wc -l <"$work/few")" -gt 20 ] && [ -z "$(comm -23 "$work/few" "$work/all")" ]
}

tar -C "$work" -xzf "$top/tools/selftests/captures/0.1/module.tar.gz"
check "the lines of tables fit into COLUMNS" fits "$work/module"
check "and numbers are not cut" numbers_are_whole "$work/module"
script -qec "stty cols 70; env -u COLUMNS TERM=dumb '$decode' report --all '$work/module'" /dev/null </dev/null |
	tr -d '\r' >"$work/text"
check "or into the terminal" sh -c "[ -s '$work/text' ] && ! grep -v 'not shown' '$work/text' | grep '^    ' |
	grep -E '^.{71}'"

# The head's figures are those of the tables, in the same units: of the worst wait, and of all.
# same_figure NAME TABLE BEFORE LINE - the time behind BEFORE in the line NAME is in that line of the table
same_figure()
{
	head=$(sed -n "s/^  $1 .*$3\([0-9][0-9.]* [a-z]*s\)\>.*/\1/p" "$work/text")
	[ "$head" ] && table "$2" | sed -n "$4p" | grep -F " $head "
}
"$decode" report --all "$work/module" >"$work/text"
check "the worst wait is the same in both" same_figure "run queues" "worst waits in run queues" "; worst " 3
check "disk sleep is" same_figure "disk sleep" "processes by disk sleep" "  " '$'
check "and who slept most" same_figure "disk sleep" "processes by disk sleep" "; most " 3
check "no column has a unit of more than three digits" sh -c "! grep -E ' [0-9]{4,}\.[0-9]+ (us|ms)' '$work/text'"

for by in comm thread reason; do
	COLUMNS=80 "$decode" top --by $by "$work/module" >"$work/cut"
	check "names of each $by are whole, without spaces at the end" \
		sh -c "[ -s '$work/cut' ] && ! grep -E '^    .*(\.\.| \$)' '$work/cut' | grep -v '  all '"
done

"$decode" report --rows 2 "$work/known" >"$work/text"
check "--rows: so many rows, and all together" test "$(table "processes by sleep" | wc -l)" -eq 5

# sound STATUS CAPTURE NAME [OPTION]... - the report agrees with the tasks and with itself
sound()
{
	status=$1
	cap=$2
	what=$3
	shift 3
	rm -f "$work/db"
	check_status "$status" "$what: JSON" \
		sh -c "'$decode' report --json '$cap' >'$work/json' 2>'$work/log'"
	check_status "$status" "$what: text" \
		sh -c "'$decode' report --all $* '$cap' >'$work/text' 2>'$work/log'"
	check_status "$status" "$what: tasks and a Laplace trace" sh -c "'$decode' '$cap' \
		--tracer 'database,file=$work/db' -o '$work/out' --to laplace >'$work/log' 2>&1"
	check "$what: each sum is that of the tasks" \
		"$checkers/reportcheck.py" tasks "$work/json" "$work/db"
	check "$what: each file's bytes are those of the Laplace trace" \
		"$checkers/reportcheck.py" bytes "$work/json" "$work/out/laplace.txt"
	check "$what: text and JSON say the same" \
		"$checkers/reportcheck.py" text "$work/json" "$work/text"
}

sound 0 "$work/known" "known"
"$work/gen-activity" random "$work/random" 30000 1 0
sound 0 "$work/random" "anything at any time"
# Some of its calls begin as reads and end as writes: those are two, and no write hits the cache.
"$work/gen-memory" "$work/mixed" -n 3000 -c 3 -s 4
sound 0 "$work/mixed" "ends of other calls"
check "ends of other calls: no more hits than reads" python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))[0]
sys.exit(any(row["of_all"] > 1 for row in report["reads_of_the_page_cache"]))' "$work/json"
"$work/gen-activity" random "$work/lost" 30000 2 60
sound 4 "$work/lost" "with gaps" --rows 40
"$work/gen-capture" random "$work/sched" -n 30000 -c 4 -t 60 -s 3 -l 20
sound 4 "$work/sched" "the scheduler alone"
check "what was not recorded is said, and has no table" sh -c "
	grep -q '^  processes by time in page faults  *no page_fault in the capture\$' '$work/text' &&
	grep -q '^  files  *no file_read, file_write in the capture\$' '$work/text' &&
	! grep -q '^  files by' '$work/text'"
check "nor zeros in JSON" sh -c \
	"! grep -q 'page_faults\|read_bytes\|\"files\"\|cache_hits' '$work/json'"
# The program whose processes waited most, all together.
proposed()
{
	"$decode" report --json "$1" 2>/dev/null | python3 -c '
import collections, json, sys
waits, processes = collections.Counter(), collections.Counter()
for p in json.load(sys.stdin)[0]["processes"]:
    waits[p.get("process")] += p["run_queue_ns"]
    processes[p.get("process")] += 1
name = waits.most_common(1)[0][0]
print(f"  look at       {name}, {processes[name]} processes, waited most for a CPU")
print(f"  next          {sys.argv[2]} why --comm {name} {sys.argv[1]}")' "$1" "$decode" >"$work/want"
	"$decode" report "$1" 2>/dev/null | grep -E '^  (look at|next) ' | diff -b "$work/want" -
}
check "the program to look at is the one that waited most" proposed "$work/sched"
# next_is CAPTURE WHO OPTION - what a report proposes
next_is()
{
	printf '  look at  %s\n  next  %s why %s %s\n' "$2" "$decode" "$3" "$1" >"$work/want"
	"$decode" report "$1" 2>/dev/null | grep -E '^  (look at|next) ' | diff -b "$work/want" -
}
"$work/gen-report" kernel "$work/kernel"
check "a kernel thread works for others, also one that has ended" next_is "$work/kernel" "shell 200 waited most for a CPU" "--pid 200"
cp -r "$work/known" "$work/ran"
recorded_by '{"pid": 1}' "$work/ran"
sed -i 's/"host":/"command": ["third", "-x"], &/' "$work/ran/meta.json"
"$work/gen-report" kernel "$work/idle"
recorded_by '{"pid": 1}' "$work/idle"
sed -i 's/"host":/"command": ["sleep", "10"], &/' "$work/idle/meta.json"
check "a command that only waits says how long" next_is "$work/idle" "shell 200 waited most for a CPU" "--pid 200"
check "else the recorded command is what to look at" next_is "$work/ran" "third 300, the recorded command" \
	"--tree 300"
"$work/gen-capture" random "$work/flight" -n 30000 -c 2 -t 60 -s 4 -o -b 4096
sound 4 "$work/flight" "a flight recorder's"

"$work/gen-report" lossy "$work/lossy"
sound 4 "$work/lossy" "known, with a gap"
has "for how long it is blind" "CPUs" <<'END'
  CPUs:
    cpu       busy  share busy  runs  longest run  gaps      blind  share blind
      0  90.000 us      90.0 %     3    60.000 us     1  16.000 us       16.0 %
      1  92.000 us      92.0 %     5    48.000 us     0       0 us        0.0 %
END
"$decode" report --all "$work/lossy" >"$work/text" 2>/dev/null
check "the first lines say so" grep -Eq '^  length .* [1-9][0-9]* LOST, [1-9][0-9]* GAPS?: see --tables losses,cpus$' \
	"$work/text"
cp -r "$work/known" "$work/damaged"
rm "$work/damaged/meta.json"
"$decode" report "$work/damaged" >"$work/damage" 2>/dev/null
check "or that it is damaged and nothing is known to be lost" \
	grep -Eq '^  length .*, none known to be lost, [1-9][0-9]* DAMAGED places?: see the messages$' "$work/damage"
sed -n '/^  events lost by CPU:$/,$p' "$work/text" >"$work/got"
cat >"$work/want" <<'END'
  events lost by CPU:
    cpu  event       lost  why
      0  page_fault     2  lost
      0  file_write     7  lost
END
check "what is lost" diff "$work/want" "$work/got"

"$work/gen-report" wakeups "$work/wakeups"
sound 0 "$work/wakeups" "without wakeups"
check "what sleep is then is said" grep -q \
	'^  wakeups  *not in the capture: a sleep lasts until the thread runs$' "$work/text"

# Without their beginnings calls have no time, but they have a number: in all tables.
"$work/gen-report" ends "$work/ends"
sound 0 "$work/ends" "ends of calls alone"
check "a number of calls needs no beginnings" test "$(grep -o '"io_calls"' "$work/json" | wc -l)" -eq 12
check "but their time does" test "$(grep -c '"io_ns"' "$work/json")" -eq 0

"$work/gen-report" filter "$work/filter"
sound 0 "$work/filter" "a filter"
check "who only met those is left out" grep -Eq '^ +all 2 +- +2 ' "$work/text"
check "that there was one is said" grep -q '^  recorded only  *1 process and its descendants$' \
	"$work/text"

# A kernel that does not let all be recorded: the report and each question say it.
cp -r "$work/filter" "$work/lacking"
sed -i 's/"host":/"lack":[{"events":["mremap"],"reason":"by the selftest: a move"}],&/' "$work/lacking/meta.json"
sound 0 "$work/lacking" "not all recorded"
lack='mremap (by the selftest: a move)'
check "that not all was recorded is said" grep -qx "  not all recorded  *$lack" "$work/text"
says_what_lacks()
{
	"$decode" "$@" "$work/lacking" 2>/dev/null | grep -q "^ *not all recorded  *$lack$" &&
		"$decode" "$@" --json "$work/lacking" 2>/dev/null | grep -q "\"not_all_recorded\": *\"$lack\""
}
check "the report says it" says_what_lacks report
check "top says it" says_what_lacks top
check "pagecache says it" says_what_lacks pagecache
check "why says it" says_what_lacks why --pid 100

# What a private capture leaves out is first, and said where that is.
sed -i 's/"lack":/"private":{"owner":1000},&/' "$work/lacking/meta.json"
lack="addresses and mappings of processes that are not of user 1000, and all frames (record --private); $lack"
says_it_is_private()
{
	says_what_lacks report && says_what_lacks top && says_what_lacks pagecache &&
		says_what_lacks why --pid 100
}
check "what a private capture leaves out is said there, too" says_it_is_private

sound 0 "$work/filter" "a filter again"
table "worst waits in run queues" >"$work/got"
cat >"$work/want" <<'END'
  worst waits in run queues:
        wait         at  process  pid  tid  why    cpu
    3.000 us  92.000 us  renamed  100  100  woken    0
    2.000 us  28.000 us  renamed  100  100  woken    0
END
check "what ran meanwhile has no column then" diff "$work/want" "$work/got"
check "which is said" grep -q '^  ran there meanwhile  *not known: other processes are left out$' "$work/text"
check "nor said in JSON" sh -c "! grep -q 'others_ran' '$work/json'"

"$work/gen-report" early "$work/early"
sound 0 "$work/early" "begun in the middle"
check "the task that ran before the first switch is unknown" sh -c \
	"grep -q '^  *18.000 us .* 200  woken  *1  not known\$' '$work/text'"
"$work/gen-report" begun "$work/begun"
sound 0 "$work/begun" "one ran there before the first switch, one after it"
check "the first of them is not known" \
	grep -q '^  *22.000 us .* 100  woken  *1  not known$' "$work/text"
"$work/gen-report" moved "$work/moved"
sound 0 "$work/moved" "moved to another CPU just before it gets that"
check "it waited behind who had the first one" \
	grep -q '^  *20.000 us .* 100  preempted  *0  other 200: 100 %$' "$work/text"
"$work/gen-report" busy "$work/busy" 1024
sound 0 "$work/busy" "1024 runs while one waits"
check "the first lines have the longest one's share, too" sh -c \
	"'$decode' report '$work/busy' | grep -q '; worst 1.024 ms: other 200; ran meanwhile: third 300: 50 %, and 1 more$'"
check "all are known" grep -q '^  *1.024 ms .* 200  woken  *0  third 300: 50 %, and 1 more$' \
	"$work/text"
"$work/gen-report" busy "$work/busier" 1025
sound 0 "$work/busier" "1025 runs while one waits"
check "they are too many" grep -q '^  *1.025 ms .* 200  woken  *0  not known$' "$work/text"

"$work/gen-report" files "$work/files" 90000
check "more files than can be kept" \
	sh -c "'$decode' report --json '$work/files' >'$work/json'"
check "what may be missing of them is true" "$checkers/reportcheck.py" lack "$work/json" 90000

"$work/gen-report" empty "$work/empty"
check_status 0 "a capture of nothing" \
	sh -c "'$decode' report --all '$work/empty' >'$work/text' 2>'$work/log'"
check "it has no events" grep -q '^  length .*, 0 events, none lost$' "$work/text"
check "and no table of tasks on CPUs" grep -q \
	'^  processes by time on a CPU  *no sched_switch in the capture$' "$work/text"

# A bit of the last record: all but that is there.
cp -r "$work/random" "$work/damaged"
python3 "$gen/damage.py" "$work/damaged/cpu1.ovk" flip \
	$(($(stat -c %s "$work/damaged/cpu1.ovk") - 100)) 3
sound 3 "$work/damaged" "damaged"
check "damaged places are counted" grep -q '^  damaged places  *[1-9]' "$work/text"
rm "$work/damaged/cpu0.ovk"
sound 3 "$work/damaged" "with a CPU less"

# Of a CPU nothing is known: no figure of it is 0, and sums say of which CPUs they are.
header=$(python3 -c 'import struct, sys
print(struct.unpack_from("<H", open(sys.argv[1], "rb").read(), 10)[0])' "$work/random/cpu1.ovk")
for how in missing empty header; do
	for cap in random known; do
		rm -rf "$work/less-$cap"
		cp -r "$work/$cap" "$work/less-$cap"
		case $how in
		missing) rm "$work/less-$cap/cpu1.ovk" ;;
		empty) : >"$work/less-$cap/cpu1.ovk" ;;
		header) truncate -s "$header" "$work/less-$cap/cpu1.ovk" ;;
		esac
	done
	sound 3 "$work/less-random" "a CPU less, $how"
	"$decode" report "$work/less-known" >"$work/text" 2>/dev/null
	sed -n 's/[0-9.]* %/N %/g; /^  not known /,/^  disk sleep /p' "$work/text" >"$work/got"
	cat >"$work/want" <<-'END'
	  not known    CPU 1 is missing; sums are of CPU 0 only, and "-" marks what may be more than 0
	  CPU time     N % busy on CPU 0: renamed N %, third N %
	  run queues   not known
	  disk sleep   not known
	END
	check "$how: the first lines say what is not known" diff -b "$work/want" "$work/got"
	check "$how: and of which CPU the sums are" grep -q '^  page faults  *[0-9.]* us in . faults on CPU 0' \
		"$work/text"
	"$decode" report --all "$work/less-known" >"$work/text" 2>/dev/null
	table CPUs | tail -n 1 >"$work/got"
	check "$how: it is not idle" grep -Eq '^ +1 +- +- +- +- +1 ' "$work/got"
	"$decode" report --cpu 1 "$work/less-known" >"$work/text" 2>/dev/null
	check "$how: of it alone nothing is 0" sh -c "! grep -E ' 0(\.0)? (ns|%)' '$work/text'"
	"$decode" why --pid 100 "$work/less-known" >"$work/text" 2>/dev/null
	check "$how: why says so" grep -q '^  not known  *CPU 1 is missing; sums are of CPU 0' "$work/text"
	check "$how: a file's zeros are not known there" grep -Eq \
		'^ +[0-9.]+ us +5 +10.000 us +8.0 KiB +-  /data/a$' "$work/text"
	"$decode" pagecache "$work/less-known" >"$work/text" 2>/dev/null
	check "$how: so does pagecache" grep -q '^  not known  *CPU 1 is missing' "$work/text"
	check "$how: which compares with no 0" grep -q '^  pages added again  *not known$' "$work/text"
	"$decode" report --json "$work/less-known" >"$work/json" 2>/dev/null
	check "$how: a program can read which CPU" python3 -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))[0]["unknown_CPUs"] != [{"cpu": 1}])' "$work/json"
	"$decode" diff "$work/known" "$work/less-known" >"$work/text" 2>/dev/null
	check "$how: so does diff" grep -q '^ *B .* CPU 1  *[^ ]*less-known$' "$work/text"
	check "$how: which computes no change" grep -Eq '^ +182.000 us +90.000 us +- +-  all 4$' "$work/text"
	check "$how: and has no 0" grep -Eq '^ +14.000 us +- +- +-  child$' "$work/text"
	check "$how: and says why" grep -q '^  not known  *a capture lacks a CPU' "$work/text"
	sed -i 's/"host":"gen"/"host":"other"/' "$work/less-known/meta.json"
	"$decode" report "$work/less-known" "$work/known" >"$work/text" 2>/dev/null
	check "$how: a program of two nodes has no 0 of it" grep -Eq \
		'^ +other +2 +2 +58.000 us +-  other +58.000 us  gen +12.000 us +-$' "$work/text"
	sed -i 's/"host":"other"/"host":"gen"/' "$work/less-known/meta.json"
	"$decode" top "$work/less-known" >"$work/text" 2>/dev/null
	check "$how: so does top" grep -q '^  not known  *CPU 1 is missing; sums are of CPU 0' "$work/text"
done
"$decode" report --all "$work/known" >"$work/text"
check "nothing of that is said of a whole one" sh -c "! grep -E '^  not known|on CPU 0' '$work/text'"

# The recorder: one row behind the others, and no sum changes. Its number may have been another's before.
# folds PID NUMBER CAPTURE - after recorded_by
folds()
{
	"$decode" report --json --self "$3" >"$work/whole" 2>/dev/null
	"$decode" report --json "$3" >"$work/json" 2>/dev/null
	"$checkers/selfcheck.py" "$1" "$work/whole" "$work/json" "$2"
}

cp -r "$work/known" "$work/self"
recorded_by '{"pid": 400}' "$work/self"
check "the recorder, with a number that was used twice" folds 400 5 "$work/self"
cp -r "$work/known" "$work/busiest"
recorded_by '{"pid": 100}' "$work/busiest"
check "the recorder, which ran most" folds 100 1 "$work/busiest"
"$decode" report --rows 1 --no-self "$work/busiest" >"$work/text"
has "its row is not one of --rows's" "processes by time on a CPU" <<'END'
  processes by time on a CPU:
    process           pid  threads      on cpu  of CPUs  runs  preempted    average    longest  not known
    other             200        1   58.000 us   29.0 %     2          1  29.000 us  48.000 us   1.000 us
    recorder (ovnik)  100        1   83.000 us   41.5 %     2          0  41.500 us  60.000 us       0 us
    all 5               -        5  182.000 us   91.0 %     8          2  22.750 us  60.000 us   2.000 us
END
has "nor of the programs'" "programs by time on a CPU" <<'END'
  programs by time on a CPU:
    program           processes      on cpu  of CPUs  run queue  in faults   in calls
    other                     1   58.000 us   29.0 %  12.000 us       0 us       0 us
    recorder (ovnik)          1   83.000 us   41.5 %   2.000 us   5.000 us  17.000 us
    all 4                     5  182.000 us   91.0 %  32.000 us   5.000 us  17.000 us
END
"$decode" report --tables disk "$work/self" >"$work/text"
check "it has no row where it did nothing" sh -c "grep -q renamed '$work/text' && ! grep recorder '$work/text'"
"$decode" report "$work/busiest" >"$work/text"
check "the first lines name others" grep -q \
	'^  CPU time *91.0 % busy: other 29.0 %, child 15.0 %, third 5.5 %$' "$work/text"
"$decode" report --all "$work/known" | sed "s|$work/known|$work/busiest|" >"$work/want"
"$decode" report --self --all "$work/busiest" >"$work/text"
check "--self: it is as any other" diff "$work/want" "$work/text"
for option in --pid=100 --tree=100; do
	"$decode" report --all --self "$option" "$work/busiest" >"$work/all"
	"$decode" report --all "$option" "$work/busiest" >"$work/text"
	check "$option: it was asked for" diff "$work/all" "$work/text"
done
for who in '{"pid": 99999}' '{"pid": 4294967396}' '{"pid": -1}' '{"pid": 0}' '{}' 100; do
	rm -rf "$work/busiest"
	cp -r "$work/known" "$work/busiest"
	recorded_by "$who" "$work/busiest"
	"$decode" report --all "$work/busiest" >"$work/text"
	check "a recorder that is not there: $who" diff "$work/want" "$work/text"
done

"$work/gen-report" alone "$work/alone"
recorded_by '{"pid": 100}' "$work/alone"
"$decode" report "$work/alone" >"$work/text"
check "the first lines do not name it, even if it is alone" sh -c \
	"grep '^  disk sleep  *5.000 us in 1 wait$' '$work/text' && ! grep shell '$work/text'"
# Of two waits, the worst is that of a thread of the recorder, before its leader is seen.
"$work/gen-report" threads "$work/threads"
recorded_by '{"pid": 100}' "$work/threads"
"$decode" report --rows 1 "$work/threads" >"$work/text"
has "its waits take no other's place" "worst waits in run queues" <<'END'
  worst waits in run queues:
        wait         at  process  pid  tid  why        cpu  ran there meanwhile
    2.000 us  11.000 us  third    300  300  preempted    0  recorder (ovnik) 100: 100 %
END

# The recorder's file.
rm -rf "$work/busiest"
cp -r "$work/known" "$work/busiest"
recorded_by '{"pid": 100}' "$work/busiest"
"$decode" report "$work/busiest" >"$work/text"
check "the recorder's file is named as such" grep -q \
	'^  hottest file  *15.000 us in 5 calls by the recorder itself: /data/a$' "$work/text"
"$decode" report --self "$work/busiest" >"$work/text"
check "not with --self" sh -c "! grep 'the recorder itself' '$work/text'"

# refused STATUS PATTERN ARGUMENT... - and the message matches
refused()
{
	want=$1
	pattern=$2
	shift 2
	check_status "$want" "refused: $*" sh -c '"$@" >"$0/text" 2>"$0/log"' "$work" "$decode" "$@"
	check "it is said why: $pattern" grep -q -e "$pattern" "$work/log"
}
refused 1 "there is no such CPU: the capture has 2, from 0 to 1$" report --cpu 7 "$work/known"
refused 2 '"100,200" is not the number of a process: of several, each has an option' report --pid 100,200 "$work/known"
refused 2 "the command comes first: ovnik-decode report $work/known$" "$work/known" report
refused 2 'kind=sleep: "sleep" is no kind of task; there are: .*wait' "$work/known" --tracer busy,kind=sleep
refused 1 "known/meta.json: is a file: name a directory for the outputs (-o)$" "$work/random" -o "$work/known/meta.json"
check_status 1 "a program can be called as a table is" "$decode" report --tables cpu --comm queue "$work/known"
refused 2 '"queue" is no capture: tables are separated by commas: --tables cpu,queue' \
	report --tables cpu queue "$work/known"
check "an option's argument is no command" sh -c \
	"cd '$work' && '$decode' -o report known --to laplace"
chmod 755 "$work"
chmod 700 "$work/known"
if [ "$(id -u)" = 0 ]; then
	cp "$decode" "$work/decode"
	check "a capture of another user: whose it is" sh -c "setpriv --reuid=65534 --clear-groups '$work/decode' report \
		'$work/known' 2>&1 | grep 'known: no permission to read it: it belongs to user 0, and you are user 65534: use sudo, or'"
fi
rm -rf "$work/gone"
cp -r "$work/known" "$work/gone"
rm "$work/gone/cpu1.ovk"
"$decode" report "$work/gone" >"$work/text" 2>"$work/log"
check "a file that is missing: one message" test "$(grep -c cpu1.ovk "$work/log")" -eq 1

check_status 1 "no capture" "$decode" report "$work/none"
check_status 2 "none named" "$decode" report
check_status 2 "no such table" "$decode" report --tables cpu,bogus "$work/known"
check_status 2 "no rows" "$decode" report --rows 0 "$work/known"
check_status 2 "too many" "$decode" report --rows 10001 "$work/known"
check_status 2 "not a number" "$decode" report --rows 1x "$work/known"
check_status 1 "it cannot be written" sh -c "'$decode' report '$work/known' 2>'$work/log' >/dev/full"
check "that says why" grep -q "cannot be written: No space left" "$work/log"
check "its help names it" sh -c "'$decode' report --help | grep -q '^Usage: ovnik-decode report '"
cd "$work" || exit
rm -rf report
mv known report
check "a capture of that name has another one, too" sh -c \
	"'$decode' report ./report >text && '$decode' ./report --to laplace -o out"
finish

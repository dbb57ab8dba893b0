#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tracers.sh - ovnik-decode --tracer: answers, files, tracers that are loaded

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

for program in gen-capture gen-report; do
	check "$program is built" build $program
done
"$work/gen-capture" known "$work/known"
"$work/gen-capture" random "$work/random" -n 20000 -c 3 -t 60
"$work/gen-capture" random "$work/lossy" -n 20000 -c 3 -t 60 -l 9
"$work/gen-report" nested "$work/nested"
"$work/gen-report" known "$work/calls"
"$work/gen-report" lossy "$work/gaps"
cd "$work" || exit

# ask CAPTURE TRACER... - the answers; other messages are in the file log
ask()
{
	capture=$1
	shift
	for tracer; do
		shift
		set -- "$@" --tracer "$tracer"
	done
	"$decode" "$capture" "$@" 2>log
}

# The life of the capture "known" is in decode-outputs.sh.
cat >expected <<'END'
busy,kind=run
  tasks                 5
  busy          11.000 us
  window        11.000 us
  share           100.0 %
  most at once          2
busy,kind=run,pid=100,from=8us
  tasks                2
  busy          1.000 us
  window        3.000 us
  share           33.3 %
  most at once         2
total,kind=run,tid=101
  tasks            2
  open             0
  in doubt         0
  total     2.000 us
top,by=what,kind=wait
  groups  5
  top:
    what                  tasks     total   average       max
    idle kernel thread        1  7.000 us  7.000 us  7.000 us
    sleep                     2  5.500 us  2.750 us  3.000 us
    run queue: preempted      1  2.000 us  2.000 us  2.000 us
    run queue: woken          1  0.500 us  0.500 us  0.500 us
    disk sleep                1      0 us      0 us      0 us
tags,kind=process|thread,tree=102
  tasks       2
  with a tag  2
  tags:
    tag                     tags  tasks
    comm true                  1      1
    exec /bin/odd\x0ana\me     1      1
    exit code 0                1      1
END
ask known busy,kind=run busy,kind=run,pid=100,from=8us total,kind=run,tid=101 \
	top,by=what,kind=wait 'tags,kind=process|thread,tree=102' >got
check "the answers are the ones expected" diff expected got
check "without outputs, none is made" sh -c '[ "$(ls)" = "$(ls | grep -v "^out")" ]'
check "nothing else is printed" test ! -s log
check "--json is JSON" sh -c '"$0" known --json --tracer busy --tracer tags 2>log |
	python3 -m json.tool >got' "$decode"
check "of both tracers, in order" sh -c \
	'[ "$(grep "\"tracer\"" got | tr -dc "a-z\n" | tr "\n" " ")" = "tracerbusy tracertags " ]'
check "times are ns" grep -q '"busy_ns": 11000' got

# Along with outputs, which do not change by it.
"$decode" known -o out1 2>/dev/null
"$decode" known -o out2 --tracer busy,kind=run >got 2>/dev/null
check "outputs stay what they are" diff -r out1 out2
check "and so do answers" sh -c 'head -n 6 expected | diff - got'
check "of Laplace alone, too" sh -c '"$0" known -o out2 --to laplace --tracer busy,kind=run \
	2>/dev/null | diff got -' "$decode"

for name in busy total average tags concurrency top unfinished chain csv jsonl database; do
	check "--list-tracers has $name" sh -c '"$0" --list-tracers | grep -q "^$1 " ' \
		"$decode" $name
done
for list in tracers hooks; do
	check_status 1 "--list-$list reports a failed write" \
		sh -c '"$0" --list-"$1" 2>log >/dev/full' "$decode" $list
done

# An answer without tasks: the question may have been meant otherwise.
warned()	# TRACER MESSAGE
{
	ask known "$1" >/dev/null
	check "a warning about $1" grep -q "warning: tracer \"$1\": $2" log
}
warned busy,from=100s "from= is not before the capture's end"
for lack in "pid=4242 process" "tree=4242 process" "tid=4242,to=1us thread" "pid=102,tid=4242 thread"; do
	check_status 1 "${lack% *} is not in the capture" "$decode" known --tracer "busy,${lack% *}" 2>log
	check "and it is said: ${lack% *}" sh -c "'$decode' known --tracer 'busy,${lack% *}' 2>&1 |
		grep 'error: known: there is no such ${lack#* } in the capture: 4242\$'"
done
"$decode" known --from 1us --tracer busy,pid=4242 2>log
check "nor in a part of it" grep -q 'error: known: there is no such process in the part that is read: 4242$' log
ask known busy,pid=102 busy,pid=4242 >answers
check "another tracer's answer is not withheld" grep -qx 'busy,pid=102' answers
check "of the empty one is warned" grep -q 'warning: tracer "busy,pid=4242": the capture has no such task' log
for tracer in busy busy,from=1us busy,pid=102,to=1ns busy,tree=102 busy,tid=101; do
	ask known $tracer >/dev/null
	check "no warning about $tracer" sh -c '! grep -q warning: log'
done
check "--list-hooks has those of tasks" sh -c '"$0" --list-hooks | grep -q "^task_start "' \
	"$decode"

# What is wrong is refused, and named.
refused()	# STATUS MESSAGE ARGUMENT...
{
	status=$1
	message=$2
	shift 2
	check_status "$status" "status $status: $*" "$decode" "$@"
	"$decode" "$@" 2>&1 | grep -q -- "$message" ||
		not_ok "\"$message\" is not what is said of: $*"
}
refused 2 '"runn" is no kind' known --tracer busy,kind=runn
refused 2 'from=5: not a time' known --tracer busy,from=5
refused 2 'no tracer of this name' known --tracer nobody
refused 2 'cannot open shared object' known --tracer ./none.so
refused 2 '--json without' known --json -o out3
refused 2 'no output directory' known
refused 2 'no output directory' known --to laplace --tracer busy
refused 2 'by=x: not one of' known --tracer top,by=x
refused 2 'by=x: not one of' known -o out2 --tracer top,by=x
refused 2 '"knd" is neither a key of this tracer nor of a filter; did you mean "kind"?' known --tracer busy,knd=run
refused 2 '"fiel" is neither a key of this tracer nor of a filter; did you mean "file"?' known --tracer csv,fiel=x
refused 2 'comm is no filter of tracers: use --comm' known --tracer csv,comm=xz
refused 2 'did you mean "run"?' known --tracer busy,kind=rnu
refused 2 'comm is no filter of tracers: use --comm' known --tracer busy,comm=xz
refused 2 '"kind" is not of the form' known --tracer top,by=pid,kind
refused 2 'steps=0: not a number' known --tracer concurrency,steps=0
for name in total average; do
	check "$name of all kinds together warns" sh -c "'$decode' known --tracer $name 2>&1 |
		grep -q 'warning: .*: choose with kind='"
	check "$name of one kind does not" sh -c "! '$decode' known --tracer $name,kind=run 2>&1 | grep warning"
done
refused 2 'needs a thread' known --tracer chain
refused 2 'at=5: not a time' known --tracer chain,tid=100,at=5
refused 2 'needs a file: file=PATH' known --tracer csv
refused 2 'needs a file of its own' known --tracer jsonl,file=-
refused 2 '"kind" is there twice' known --tracer total,kind=run,kind=wait
refused 2 '"by" is there twice' known --tracer top,by=pid,by=tid
refused 2 'takes no filter, but "kind" is one' known --tracer chain,tid=100,kind=run
refused 2 'what=\[: no pattern' known --tracer 'busy,what=['
refused 2 'min= is more than max=' known --tracer busy,min=2s,max=1s
refused 2 'from= is not before to=' known --tracer busy,from=1s,to=1s
refused 1 'File exists' known --tracer csv,file=expected
refused 1 'File exists' known -o out2 --tracer csv,file=expected
check "old outputs are there still" test -e out2/laplace.txt
refused 1 'same.part: is being written' known --tracer csv,file=same --tracer jsonl,file=same
check "neither of two that want one file has it" sh -c '! ls same* 2>/dev/null'
refused 1 'No such file' none --tracer busy
check "no output of what was refused" test ! -e out3

# A tracer that is loaded.
plugin()	# NAME FLAG...
{
	name=$1
	shift
	"$CC" -shared -fPIC -I"$top/user" -I"$top/kmod/include/uapi" -o "$name.so" \
		-Wall -Werror "$@" -x c -
}
check "the example compiles as it says" \
	"$CC" -shared -fPIC -I "$top/user" -I "$top/kmod/include/uapi" -Wall -Wextra -Werror -o example.so \
	"$fixtures/tracer-example.c"
cat >expected <<'END'
./example.so,pid=100
  cpus:
    cpu  runs      time
      0     3  9.000 us
      1     1  1.000 us
  runs  4
END
ask known ./example.so,pid=100 >got
check "it is loaded, and answers" diff expected got
check "without a slash, it is looked for here" sh -c \
	'"$0" known --tracer example.so,pid=100 2>/dev/null | tail -n 1 | grep -qx "  runs  4"' \
	"$decode"
refused 2 'takes no arguments but filters' known --tracer ./example.so,x=y
plugin names <<'END'
#include "output/tracers/tracer.h"
static int end(void *data, const struct trace_task *task)
{
	u64 *nr = data;

	*nr += task->kind == TASKS_CALL && task->code == OVNIK_OP_READ;
	*nr += task->kind == TASKS_FAULT && task->code == OVNI_FAULT_WRITE &&
	       task->result == OVNIK_FAULT_MAJOR;
	return 0;
}
static int answer(void *data, struct tracer_answer *to)
{
	answer_u64(to, tasks_kind_names[TASKS_CALL], *(u64 *)data);
	answer_text(to, "wait", tasks_wait_texts[TASKS_WAIT_DISK]);
	return 0;
}
const struct tracer_class ovnik_tracer = {
	.abi = TRACER_ABI, .name = "names", .sentence = "goes by codes", .size = sizeof(u64),
	.end = end, .answer = answer,
};
END
printf './names.so\n  call  2\n  wait  disk sleep\n' >expected
check "it can go by codes and names" sh -c '"$0" nested --tracer ./names.so 2>log | diff expected -' \
	"$decode"
echo 'int nothing;' | plugin empty
refused 2 'does not define ovnik_tracer' known --tracer ./empty.so
cat >plugin.c <<'END'
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "output/tracers/tracer.h"
#ifndef ABI
#define ABI TRACER_ABI
#endif
static int init(void *data, const struct tracer_run *run)
{
	(void)data;
	(void)run;
	return RET;
}
static int end(void *data, const struct trace_task *task)
{
	(void)data;
	if (task->kind == TASKS_PROCESS)
		AT_END;
	return 0;
}
const struct tracer_class ovnik_tracer = {
	.abi = ABI, .name = "plugin", .sentence = "fails", .init = init, .end = end,
};
END
plugin old -DABI=1 -DRET=0 -DAT_END= <plugin.c
refused 2 'version 1 of tracer.h' known --tracer ./old.so
# It uses a function that the program no longer has, so it cannot be loaded.
plugin gone -DABI=1 -DRET=0 '-DAT_END={ extern int gone(void); return gone(); }' <plugin.c
refused 2 'version 1 of tracer.h' known --tracer ./gone.so
plugin misses -DRET=0 '-DAT_END={ extern int gone(void); return gone(); }' <plugin.c
refused 2 'cannot be loaded.*undefined symbol: gone' known --tracer ./misses.so
plugin failing -DRET=-ENOSPC -DAT_END= <plugin.c
refused 1 'No space left' known --tracer ./failing.so
plugin late -DRET=0 '-DAT_END=return -EDOM' <plugin.c
refused 1 'late.so.*Numerical argument' known --tracer ./late.so
plugin talker -DRET=0 '-DAT_END=return tracer_report_error("too much"), -EDOM' <plugin.c
refused 1 'tracer "./talker.so": too much' known --tracer busy --tracer ./talker.so --tracer total
check_status 1 "a tracer that fails ends the run" "$decode" known -o out3 --tracer ./late.so
check "no output stays then" test ! -e out3/laplace.txt
check_status 1 "nor a file of another tracer" \
	"$decode" known --tracer database,file=broken.db --tracer ./late.so
check "there is none" sh -c '! ls broken.db* 2>/dev/null'

# A tracer with a wrong answer is named, and no answer is printed.
cat >maker.c <<'EOF'
#include "output/tracers/tracer.h"
static int answer(void *data, struct tracer_answer *to)
{
	(void)data;
	answer_table(to, "table", "a,b");
	answer_row(to);
	answer_u64(to, "b", 1);
	return 0;
}
const struct tracer_class ovnik_tracer = {
	.abi = TRACER_ABI, .name = "maker", .sentence = "ends no table", .answer = answer,
};
EOF
plugin maker <maker.c
refused 1 'maker.so.*"table" is not ended' known --tracer total --tracer ./maker.so
refused 1 'maker.so.*"table" is not ended' known --json --tracer ./maker.so --tracer total
check "no answer is printed then" sh -c \
	'[ -z "$("$0" known --json --tracer total --tracer ./maker.so 2>/dev/null)" ]' "$decode"

# A run that is killed leaves no half database under its name.
plugin killer -DRET=0 '-DAT_END=kill(getpid(), SIGKILL)' <plugin.c
"$decode" random --tracer database,file=killed.db --tracer ./killer.so >/dev/null 2>&1
check "a killed run leaves no database" test ! -e killed.db
check "but it was writing one" test -e killed.db.part
check "the next one is not in its way" ask random database,file=killed.db
check "and cleans up" test ! -e killed.db.part

# If its answers cannot be written, a run leaves nothing.
for out in '>/dev/full' '>&-'; do
	check_status 1 "answers that cannot be written, $out" sh -c \
		"\"\$0\" known --tracer database,file=full.db --tracer csv,file=full.csv 2>log $out" \
		"$decode"
	check "are reported" grep -q "answers cannot be written" log
	check "and there are no files" sh -c '! ls full.* 2>/dev/null'
done

# SQLite takes some names for more than that.
sqlite3 victim.db.part 'CREATE TABLE mine(a)'
for name in file:victim.db 'file::memory:?' 'file:x.db?mode=memory' :memory:; do
	check "a database called $name" ask known "database,file=$name"
	check "is a file of that name" sh -c \
		'[ "$(sqlite3 "./$0" "SELECT count(*) > 0 FROM trace")" = 1 ]' "$name"
done
check "a foreign file is as it was" test "$(sqlite3 victim.db.part .tables)" = mine
rm -f file:* :memory: victim.db.part

# Each query gets the same.
sql()	# DATABASE QUERY
{
	sqlite3 -batch -bail "$1" "$2"
}
json_value()	# TRACER NAME
{
	"$decode" random --json --tracer "$1" 2>/dev/null |
		python3 -c 'import json, sys; print(json.load(sys.stdin)[0][sys.argv[1]])' "$2"
}
same()	# NAME A B
{
	check "$1: $2" test "$2" = "$3"
}
check "a database of random tasks" ask random database,file=random.db
for filter in kind=run kind=wait 'kind=run|wait,pid=1003' 'kind=wait,what=run queue*'; do
	where=$(echo "$filter" | sed "s/kind=run|wait,pid=/Kind IN ('run','wait') AND PID=/
		s/,what=\(.*\)\*/ AND What GLOB '\1*'/; s/kind=\([a-z]*\)/Kind='\1'/")
	same "total,$filter as the database has it" "$(json_value "total,$filter" total_ns)" \
		"$(sql random.db "SELECT sum(Lasts) FROM trace
			JOIN \"ovnik\$task\" USING (ID) WHERE $where")"
	same "and as many" "$(json_value "total,$filter" tasks)" \
		"$(sql random.db "SELECT count(*) FROM trace
			JOIN \"ovnik\$task\" USING (ID) WHERE $where")"
done
same "parents that are not there" 0 "$(sql random.db 'SELECT count(*) FROM trace
	WHERE ParentID AND ParentID NOT IN (SELECT ID FROM trace)')"
same "places that are not there" 0 "$(sql random.db 'SELECT count(*) FROM trace
	WHERE Location NOT IN (SELECT ID FROM location)')"
same "tags and milestones of nothing" 0 "$(sql random.db 'SELECT count(*) FROM
	(SELECT TaskID FROM tag UNION SELECT TaskID FROM milestone)
	WHERE TaskID NOT IN (SELECT ID FROM trace)')"
check "each task has a line in CSV" ask random csv,file=random.csv jsonl,file=random.jsonl
for output in html svg perfetto; do
	check "with $output" "$decode" random -o out --to $output --tracer "jsonl,file=$output.jsonl"
	check "they are where they were" cmp random.jsonl "$output.jsonl"
done
sql random.db 'SELECT t.ID, ParentID, Kind, What, Locale, Start, End
	FROM trace t JOIN location l ON l.ID = t.Location JOIN "ovnik$task" USING (ID) ORDER BY 1' >expected
python3 - >got <<'END'
import csv, re
for row in sorted(csv.DictReader(open("random.csv")), key=lambda row: int(row["id"])):
    row["where"] = re.sub(r"\.([0-9:]+)", r"[\1]", row["where"])
    print("|".join(row[k] for k in ("id", "parent", "kind", "what", "where", "start_ns", "end_ns")))
END
check "and the same in it" diff expected got
python3 - >got <<'END'
import json, re
for row in sorted(map(json.loads, open("random.jsonl")), key=lambda row: row["id"]):
    row["where"] = re.sub(r"\.([0-9:]+)", r"[\1]", row["where"])
    print(*(row[k] for k in ("id", "parent", "kind", "what", "where", "start_ns", "end_ns")), sep="|")
END
check "the same in JSON lines" diff expected got
check "Akita's viewer gets the same figures" \
	"$here/../check/daisencheck.py" random.db random.csv
check "and of one with waits for a disk, and pages" ask nested database,file=disk.db csv,file=disk.csv
check "the same of that" "$here/../check/daisencheck.py" disk.db disk.csv
same "the machine" 'gen|TSC' "$(sql disk.db "SELECT json_extract(Spec, '\$.host'),
	json_extract(Spec, '\$.clock') FROM component_spec WHERE Name = 'node'")"
# What is not known to have got a CPU is a moment.
check "a database of answers only" ask random database,file=answers.db,kind=req_in \
	csv,file=answers.csv,kind=req_in
tail -n +2 answers.csv | cut -d , -f 1,6,7 | tr , '|' | sort -n >expected
sql answers.db 'SELECT ID, CAST(round(StartTime / 1000) AS INTEGER),
	CAST(round(EndTime / 1000) AS INTEGER) FROM trace ORDER BY ID' >got
check "each of them is there, as it was" diff expected got
cp -r random day
sed -i 's/"anchors"/"walls":[{"realtime":1700000000000000001,"monotonic":1,"width":0,"synced":true,"max_error":0}],&/
	s/"clock"/"command":["sleep","1"],&/' day/meta.json
check "a database of what was run" ask day database,file=day.db
check "and of a part of it" ask day database,file=part.db,from=1ms
same "which and when" "sleep 1|$(date -u -d "@$(sql day.db 'SELECT (1700000000000000000 + Value) / 1000000000
	FROM "ovnik$meta" WHERE Property = "begin_ns"')" +'%F %T')" "$(sql day.db 'SELECT
	max(Value) FILTER (WHERE Property = "Command"),
	max(substr(Value, 1, 19)) FILTER (WHERE Property = "Start Time") FROM exec_info')"
same "a part begins later" 1 "$(sql day.db "ATTACH 'part.db' AS part; SELECT max(p.Value > w.Value)
	FROM exec_info w JOIN part.exec_info p USING (Property) WHERE Property = 'Start Time'")"

# What is lost.
check_status 4 "a capture with losses gives status 4" "$decode" lossy --tracer \
	database,file=lossy.db
"$decode" lossy -o out4 --to laplace 2>log
missing=$(events_missing)
same "losses are in a table, all of them" "$missing" \
	"$(sql lossy.db 'SELECT sum(Lost) FROM "ovnik$loss"')"

# The queries that the documentation has.
check "a database of what is known" ask known database,file=known.db
check "and one of waits in calls and faults" ask nested database,file=nested.db
for kind in call fault; do
	same "waits in a $kind" 2 "$(sql nested.db "SELECT count(*) FROM trace t
		JOIN trace p ON p.ID = t.ParentID WHERE t.Kind = 'wait' AND p.Kind = '$kind'")"
done
check "one with calls and faults" ask calls database,file=calls.db
check_status 4 "one of them with losses" "$decode" gaps --tracer database,file=gaps.db
# Sums of times that 64 bits do not hold; those of a thread they do.
cp calls.db long.db
sql long.db 'UPDATE trace SET "ovnik$start" = 0, "ovnik$lasts" = 9000000000000000000,
		"ovnik$bytes" = 9000000000000000000;
	INSERT INTO "ovnik$loss" SELECT 0, 9000000000000000000, 0, NULL, 0, NULL, 0 FROM trace'
for query in "$top"/Documentation/queries/*.sql; do
	name=$(basename "$query" .sql)
	check "query $name is understood" sh -c 'sqlite3 -batch -bail "$0" <"$1"' known.db "$query"
	for capture in random known lossy calls gaps nested; do
		sqlite3 -batch -bail $capture.db <"$query" >"$name.$capture" ||
			not_ok "query $name of $capture"
	done
	[ "$name" = segments ] && continue
	check "query $name of a long time" sh -c 'sqlite3 -batch -bail long.db <"$0"' "$query"
done
expect()	# QUERY CAPTURE, what it gives on stdin
{
	check "query $1 of $2" diff - "$1.$2"
}
expect cpu-by-process known <<'END'
sh|100|0.01|90.9
true|102|0.006|85.7
END
expect waits-by-process known <<'END'
kthreadd|2|idle kernel thread|1|0.007|0.007
sh|100|sleep|2|0.0055|0.003
sh|100|run queue: preempted|1|0.002|0.002
sh|100|run queue: woken|1|0.0005|0.0005
sh|100|disk sleep|1|0.0|0.0
END
expect run-queue-waits known <<'END'
sh|100|101|run queue: preempted|0.008|2.0
sh|100|100|run queue: woken|0.0095|0.5
END
# Within the fault, within the call, and by the name that the process had in the end.
expect run-queue-waits nested <<'END'
renamed|100|100|run queue: woken|0.03|5.0
renamed|100|100|run queue: woken|0.015|3.0
END
expect wakers nested <<'END'
renamed|100|cpu[0].req_in|0|disk sleep|1
renamed|100|third|300|disk sleep|1
END
expect programs known <<'END'
sh|1|0.01|0.007
true|1|0.006|0.006
END
"$decode" random --json --tracer top,by=process,kind=run,rows=1000 2>/dev/null |
	python3 -c 'import json, sys
for row in json.load(sys.stdin)[0]["top"]:
    print(row["process"], row["total_ns"], row["max_ns"], sep="|")' | sort >got
sql random.db "SELECT p.What, sum(o.Lasts), max(o.Lasts) FROM trace t JOIN \"ovnik\$task\" o USING (ID)
	JOIN trace p ON p.ID = o.ProcessID WHERE t.Kind = 'run' GROUP BY p.What" | sort >expected
check "top,by=process is what the database has" diff expected got
expect tree known <<'END'
sh|100|0.0|0.011
  true|102|0.003|0.01
kthreadd|2|0.002|0.011
END
expect unfinished known <<'END'
process|sh|proc[100]|0.0|open
thread|sh|proc[100].thread[100]|0.0|open
thread|sh-helper|proc[100].thread[101]|0.001|open
process|kthreadd|proc[2]|0.002|open
thread|kthreadd|proc[2].thread[2]|0.002|open
wait|idle kernel thread|proc[2].thread[2].wait|0.004|open
req_out|idle kernel thread|proc[2].thread[2].req_out|0.004|open
run|run|proc[100].thread[100].run|0.01|open
wait|disk sleep|proc[100].thread[101].wait|0.011|open
req_out|disk sleep|proc[100].thread[101].req_out|0.011|open
END
expect files calls <<'END'
/data/a|read|4|8192|0.013
/var/log/early|write|1|512|0.002
/data/a|sendfile|1|100|0.002
/var/log/early|aio|1|1000|0.0
/var/log/early|sendfile|1|100|0.0
END
expect files gaps <<'END'
/data/a|read|3|8192|0.012
/var/log/early|aio|1|1000|0.0
END
expect faults calls <<'END'
renamed|100|Write|2|0.005|3.0
END
expect faults gaps </dev/null
expect losses gaps <<'END'
file_write|0|lost|1|7|0.016
page_fault|0|lost|1|2|0.016
END
for capture in calls gaps; do
	expect wakers $capture <<'END'
renamed|100|pagecache[8:1].req_in|0|pages of a file|1
other|200|renamed|100|sleep|1
third|300|renamed|100|sleep|1
child|400|other|200|being made|1
child|400|other|200|being made|1
END
done
for capture in known random lossy calls gaps nested; do
	expect segments $capture </dev/null
done
expect losses known </dev/null
same "query losses of lossy" "$(awk -F '|' '{ n += $5 } END { print n + 0 }' losses.lossy)" \
	"$missing"
finish

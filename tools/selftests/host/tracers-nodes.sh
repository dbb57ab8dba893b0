#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tracers-nodes.sh - tables of the tasks of several nodes
#
# They are compared, row by row, with those of each node alone.

# shellcheck disable=SC2016,SC2317 # sh expands it; called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

for program in gen-capture gen-report; do
	check "$program is built" build $program
done
cd "$work" || exit
mkdir caps alone

# node NAME WALLS - the capture is of that host, whose time of day was so
node()
{
	sed -i "s/\"host\":\"[a-z]*\"/\"host\":\"$1\"/; s/\"anchors\":/\"walls\":[$2],&/" \
		"caps/$1/meta.json"
}

"$work/gen-capture" random caps/first -n 3000 -s 1 -c 2 -t 9 -C
"$work/gen-capture" random caps/secnd -n 3000 -s 2 -c 3 -t 5 -C -l 9
"$work/gen-report" known caps/third
node first '{"realtime":1700000000123456789,"monotonic":4000000001,"width":31,"synced":true,"max_error":5}'
node secnd ''
node third '{"realtime":1700000009000000000,"monotonic":77,"width":0,"synced":false,"max_error":5}'

# export DIR CAPTURE... - all tables, in all forms
export_to()
{
	dir=$1
	shift
	set -- "$@" --tracer "database,file=$dir.db"
	for form in csv jsonl; do
		set -- "$@" --tracer "$form,file=$dir.tasks.$form,tags=$dir.tags.$form,$(:
			)milestones=$dir.milestones.$form,losses=$dir.losses.$form"
	done
	"$decode" "$@" >answers 2>log
}

for name in first third; do
	check "tables of $name" export_to alone/$name caps/$name
done
check_status 4 "tables of one with losses" export_to alone/secnd caps/secnd
check_status 4 "tables of all of them" export_to all caps
check "each row is that of the node, with its name and time" \
	"$checkers/nodetables.py" all caps alone first secnd third
check_status 1 "a node that is missing is noticed" \
	"$checkers/nodetables.py" all caps alone first secnd
sed '9s/,[0-9]*,/,9999,/' all.tasks.csv >worse
mv all.tasks.csv better
mv worse all.tasks.csv
check_status 1 "a wrong parent is noticed" \
	"$checkers/nodetables.py" all caps alone first secnd third
mv better all.tasks.csv
rm all.*

# Nodes that cannot be read, or are there already.
cp -r caps/first again
check_status 3 "a node twice" export_to all caps/first caps/third again
check "it is named" grep -q 'again: was recorded on host "first", as was an earlier capture' log
check "and left out" grep -q "again: left out" log
check "the others are there" "$checkers/nodetables.py" all caps alone first third
rm all.*
check_status 3 "one that is lost, first" export_to all none caps/third caps/first
check "the others are there" "$checkers/nodetables.py" all caps alone third first
rm all.*
check_status 1 "no node" export_to all none caps/none
check "no file" sh -c '! ls all.* 2>/dev/null'

# With measured offsets the time of day is that of the first node that tells it, and all others'
# follows from it, also where a capture behind that one does not tell any.
cat >table <<'END'
rank hostname offset_median offset_mean offset_std
0 first 1000 1000 2000
1 secnd -777777 -777777.2 2000
2 third 3999000001 3999000001 2000
END
# by_table COLUMN - of each node; without the first one's
by_table()
{
	sqlite3 all.db "SELECT o.$1 - f.$1 - o.Begin + f.Begin FROM \"ovnik\$node\" o, \"ovnik\$node\" f
		WHERE f.Node = 'first' ORDER BY o.Node" | xargs
}

# lasts NODE - until the end of its last task
lasts()
{
	sqlite3 all.db "SELECT max(end_ns) FROM tasks WHERE node = '$1'"
}

check_status 4 "by a table of offsets" export_to all caps --offsets table
check "times of day differ by the offsets" test "$(by_table BeginReal)" = "0 -778777 3998999001"
check "the first one's is its own" test "$(sqlite3 all.db 'SELECT BeginReal - Begin
	FROM "ovnik$node" WHERE Node = '"'first'")" = $((1700000000123456789 - 4000000001 - 15))
check "whose it is is said" grep -q "clocks: the time of day is that of node first" log
check "how well is said" grep -q "aligned by table, whose standard deviation is at most 2000 ns" log
check "one that cannot be true is noticed" grep -q \
	"third: by table its time of day is -8 s away from that of its own clock: one of them is wrong" log
length=$(lasts third)
rm all.*
sed 's/3999000001/3999000101/' table >after
check_status 4 "by two tables" export_to all caps --offsets table --offsets after
check "they differ by the first one" test "$(by_table BeginReal)" = "0 -778777 3998999001"
check "drift is taken out" test "$(lasts third)" -ge $((length + 99)) -a "$(lasts third)" -le $((length + 101))
rm all.*
sed /secnd/d table >some
check_status 4 "a node that is not in the table" export_to all caps --offsets some
check "is named" grep -q "secnd: node secnd is not in some: its time of day is that of its own clock" log
rm all.*
check_status 1 "a table that is not there" export_to all caps --offsets none
check "no file" sh -c '! ls all.* 2>/dev/null'
cp -r caps/first caps/again
sed -i 's/"host":"first"/"host":"first.far"/' caps/again/meta.json
check_status 3 "two nodes whose names differ behind the dot" export_to all caps --offsets table
check "have one offset" grep -q 'was recorded on host "first", whose offset in table belongs to an earlier capture' log
rm -r all.* caps/again

# As far apart as meta.json and a table may say.
mkdir far
cp -r caps/first caps/third far
sed -i 's/"realtime":[0-9]*,"monotonic":[0-9]*/"realtime":4611686018427387903,"monotonic":0/' \
	far/first/meta.json
sed -i 's/"realtime":[0-9]*,"monotonic":[0-9]*/"realtime":0,"monotonic":4611686018427387903/' \
	far/third/meta.json
sed 's/first .*/first -1900000000000000000 0 0/; s/third .*/third 1900000000000000000 0 0/' table >apart
"$top/build/sanitized/ovnik-decode" far --offsets apart --tracer csv,file=far.csv 2>log
check "times that are too far apart for 64 bits are a warning" \
	grep -q "third: by apart its time of day is .* s away from that of its own clock: one of them is wrong" log
check "and nothing else" sh -c "! grep 'runtime error' log"

# One that fails on the way has left rows, so there is no table.
echo '#include <errno.h>
#include "output/tracers/tracer.h"
static int end(void *data, const struct trace_task *task)
{
	(void)task;
	return ++*(u64 *)data == 2000 ? -EDOM : 0;
}
const struct tracer_class ovnik_tracer = {
	.abi = TRACER_ABI, .name = "late", .sentence = "fails", .size = sizeof(u64), .end = end,
	.flags = TRACER_NODES,
};' | "$CC" -shared -fPIC -I"$top/user" -I"$top/kmod/include/uapi" -o late.so -x c -
check_status 1 "a node that fails on the way" "$decode" caps --tracer csv,file=all.csv \
	--tracer ./late.so
check "no file" sh -c '! ls all.* 2>/dev/null'

# refused MESSAGE ARGUMENT...
refused()
{
	message=$1
	shift
	check_status 2 "refused: $*" "$decode" caps "$@"
	"$decode" caps "$@" 2>&1 | grep -qF -- "$message" || not_ok "not for the reason: $message"
}
refused 'several captures: tracer "busy" takes a single capture' --tracer csv,file=x --tracer busy
for filter in from=1us to=1us pid=100 tid=100 tree=100; do
	refused "several captures: tracer \"csv,file=x,$filter\" takes a single capture" \
		--tracer "csv,file=x,$filter"
done
refused "--from, --until and --cpu are of one" --tracer csv,file=x --from 1us
for option in "-o out" "--jobs 2"; do
	# shellcheck disable=SC2086 # two words
	refused "--tracer cannot be combined with -o or --jobs" \
		--tracer csv,file=x $option
done
check_status 2 "refused: the offset of one node alone" "$decode" caps/first --offsets table \
	--tracer csv,file=x
check "and says what it needs" sh -c \
	'"$0" caps/first --offsets table --tracer csv,file=x 2>&1 | grep -qe "--offsets needs the captures of several nodes"' \
	"$decode"
check "by kind and duration they are of several" \
	"$decode" caps/first caps/third --tracer csv,file=some.csv,kind=wait,min=2us
check "and name their nodes" test "$(tail -n +2 some.csv | cut -d, -f 3,22 | sort -u |
	tr '\n' ' ')" = "wait,first wait,third "
check "a file that is there is not written over" \
	sh -c '! "$0" caps --tracer csv,file=new.csv,losses=some.csv' "$decode"
check "nor is the other one made" test ! -e new.csv

finish

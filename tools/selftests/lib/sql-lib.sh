# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sql-lib.sh - exports of three nodes for database engines, and what they must answer; to be sourced
#
# Needs $here. Makes in $work: caps/NODE, the captures; csv/NODE.*.csv, their exports; want/QUERY,
# what SQLite answers; sums, what the tracers say of each node: node, kind, tasks, ns.
# shellcheck disable=SC2154 # set there

# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

queries=$top/Documentation/queries
kinds="process thread run wait unknown call fault file mapping page req_out req_in"

# sql_node NAME - the capture is of that host; its clock is set apart
sql_node()
{
	sed -i "s/\"host\":\"[a-z]*\"/\"host\":\"$1\"/; s/\"anchors\":/$(:
		)\"walls\":[{\"realtime\":170000000${1#node}123456789,\"monotonic\":400000000${1#node},$(:
		)\"width\":31,\"synced\":true,\"max_error\":5}],&/" "$work/caps/$1/meta.json"
}

# One with calls and faults, one with losses, one that uses PIDs again.
sql_captures()
{
	mkdir "$work/caps" "$work/csv" "$work/want"
	"$work/gen-report" known "$work/caps/node1"
	"$work/gen-capture" random "$work/caps/node2" -n 20000 -s 2 -c 3 -t 15 -C -l 9
	"$work/gen-report" reused "$work/caps/node3"
	for node in node1 node2 node3; do
		sql_node $node
	done
}

sql_sums()
{
	for node in node1 node2 node3; do
		set --
		for kind in $kinds; do
			set -- "$@" --tracer "total,kind=$kind"
		done
		"$decode" "$work/caps/$node" --json "$@" 2>"$work/log" | python3 -c 'import json, sys
for row in json.load(sys.stdin):
    if row["tasks"]:
        print(sys.argv[1], row["asked"].split("=")[1], row["tasks"], row["total_ns"], sep="\t")' $node
	done | LC_ALL=C sort >"$work/sums"
}

sql_export()
{
	for node in node1 node2 node3; do
		at=$work/csv/$node
		"$decode" "$work/caps/$node" --tracer "csv,file=$at.tasks.csv,tags=$at.tags.csv,$(:
			)milestones=$at.milestones.csv,losses=$at.losses.csv" >"$work/answers" 2>"$work/log"
		[ $? -le 4 ] || return
	done
	"$decode" "$work/caps" --tracer "database,file=$work/all.db" >"$work/answers" 2>"$work/log"
	[ $? -le 4 ]
}

sql_want()
{
	local query

	for query in "$queries"/nodes/*.sql; do
		query=$(basename "$query" .sql)
		sqlite3 -batch -bail -separator "$(printf '\t')" "$work/all.db" \
			<"$queries/nodes/$query.sql" >"$work/want/$query" || return
		[ -s "$work/want/$query" ] || return
	done
	[ "$(find "$work/want" -type f | wc -l)" -ge 10 ]
}

# What is summed up of a table of tasks; the answer must be $work/sums.
sql_sums_query="SELECT node, kind, count(*), sum(end_ns - start_ns) FROM tasks
	GROUP BY node, kind ORDER BY node, kind"

# A fourth node, with the greatest inode there is, and a loss of which not even the CPU is known.
sql_extremes()
{
	{
		sed 1q "$work/csv/node1.tasks.csv"
		grep ',call,' "$work/csv/node1.tasks.csv" | sed -n '1s/,node1,/,node4,/p' |
			awk -F, -v OFS=, '{ $18 = "18446744073709551615"; print }'
	} >"$work/csv/node4.tasks.csv"
	{
		sed 1q "$work/csv/node1.losses.csv"
		echo "1,2,,,0,damaged,node4,"
	} >"$work/csv/node4.losses.csv"
}

for program in gen-capture gen-report; do
	check "$program is built" build $program
done
sql_captures
check "exports of three nodes" sql_export
sql_sums
check "the tracers have sums of each node" test "$(cut -f 1 "$work/sums" | uniq -c | wc -l)" = 3
check "SQLite answers all queries" sql_want
sqlite3 -batch -separator "$(printf '\t')" "$work/all.db" "$sql_sums_query" >"$work/got"
check "its sums are the tracers'" diff "$work/sums" "$work/got"
check "processes of one PID are told apart" test "$(sqlite3 "$work/all.db" "SELECT count(*) > 1 FROM
	tasks WHERE kind = 'process' AND node = 'node3' GROUP BY pid ORDER BY 1 DESC LIMIT 1")" = 1
sql_extremes

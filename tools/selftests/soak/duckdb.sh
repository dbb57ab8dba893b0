#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# duckdb.sh - DuckDB makes Parquet of the exports of three nodes, and answers as SQLite and the tracers do
#
# Installs one version of @duckdb/node-api by npm, into build/duckdb, and runs no script of it or of what it needs; npm itself, which is some 400 packages, as root.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/sql-lib.sh
. "$here/../lib/sql-lib.sh"

duckdb=$top/build/duckdb

have_npm()
{
	command -v npm >/dev/null && return
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null &&
		apt-get -q update && apt-get -q install -y --no-install-recommends npm
}

have_duckdb()
{
	[ -d "$duckdb/node_modules/@duckdb/node-api" ] ||
		npm install --no-audit --no-fund --ignore-scripts --prefix "$duckdb" @duckdb/node-api@1.5.6-r.1
}

if ! have_npm >"$work/log" 2>&1; then
	skip "DuckDB" "needs npm, which only root can install"
	finish
fi
check "@duckdb/node-api is installed" have_duckdb
[ "$tap_failed" -eq 0 ] || finish

# answer FILE... - the rows of the last one
answer()
{
	(cd "$work/csv" && node "$checkers/duckdb.js" "$duckdb" "$@")
}

# asks QUERY - of what is loaded
ask()
{
	echo "$1" >"$work/query.sql"
	answer "$queries/duckdb/open.sql" "$work/query.sql"
}

answers()	# QUERY
{
	answer "$queries/duckdb/open.sql" "$queries/nodes/$1.sql" >"$work/got" &&
		diff "$work/want/$1" "$work/got"
}

sums()
{
	ask "$sql_sums_query" >"$work/got" && diff "$work/sums" "$work/got"
}

mv "$work/csv"/node4.* "$work"
check "three nodes become Parquet" answer "$queries/duckdb/load.sql"
check "the sums are the tracers'" sums
for query in "$queries"/nodes/*.sql; do
	name=$(basename "$query" .sql)
	check "$name is SQLite's" answers "$name"
done
for table in milestones losses; do
	check "all $table are there" test "$(ask "SELECT count(*) FROM $table")" = \
		"$(sqlite3 "$work/all.db" "SELECT count(*) FROM $table")"
done
mv "$work"/node4.* "$work/csv"
check "and a fourth one" answer "$queries/duckdb/load.sql"
check "an inode of 64 bits is exact" test "$(ask "SELECT max(inode) FROM tasks")" = \
	18446744073709551615
check "a loss of no CPU and unknown events" test \
	"$(ask "SELECT count(*) FROM losses WHERE cpu IS NULL AND event IS NULL")" = 1
finish

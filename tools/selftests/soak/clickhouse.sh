#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clickhouse.sh - two ClickHouse servers answer for the exports of three nodes as SQLite and the tracers do

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
if ! command -v clickhouse-server >/dev/null || ! command -v clickhouse-client >/dev/null; then
	# shellcheck source=tools/selftests/tap.sh
	. "$top/tools/selftests/tap.sh"
	skip "ClickHouse" "needs clickhouse-server and clickhouse-client"
	finish
fi
# shellcheck source=tools/selftests/lib/sql-lib.sh
. "$here/../lib/sql-lib.sh"

# Ports that are free, and that the kernel gives to nobody who asks for any.
read -ra ports < <(python3 -c 'import random, socket
free = []
for port in random.sample(range(10000, 20000), 1000):
    try:
        with socket.socket() as one:
            one.bind(("127.0.0.1", port))
        free.append(port)
    except OSError:
        pass
print(*free[:6])')

# configure DIR PORT PORT PORT
configure()
{
	mkdir -p "$1"
	cat >"$1/config.xml" <<-XML
	<yandex>
	<logger><level>warning</level><log>$1/log</log><errorlog>$1/errors</errorlog></logger>
	<tcp_port>$2</tcp_port><http_port>$3</http_port><interserver_http_port>$4</interserver_http_port>
	<listen_host>127.0.0.1</listen_host>
	<mark_cache_size>5000000</mark_cache_size>
	<path>$1/data/</path><tmp_path>$1/tmp/</tmp_path><users_config>$1/users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database>
	<remote_servers><ovnik>
	<shard><replica><host>127.0.0.1</host><port>${ports[0]}</port></replica></shard>
	<shard><replica><host>127.0.0.1</host><port>${ports[3]}</port></replica></shard>
	</ovnik></remote_servers>
	</yandex>
	XML
	cat >"$1/users.xml" <<-XML
	<yandex><profiles><default><max_threads>2</max_threads></default></profiles>
	<quotas><default></default></quotas>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></default></users></yandex>
	XML
}

pids=()
end_servers()
{
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
	wait
	pids=()
}
trap 'end_servers; rm -rf "$work"' EXIT

client()	# SERVER OPTION...
{
	clickhouse-client --host 127.0.0.1 --port "${ports[3 * $1]}" "${@:2}"
}

# Until it answers, or has ended.
await()	# SERVER
{
	until client "$1" --query "SELECT 1" >/dev/null 2>&1; do
		kill -0 "${pids[$1]}" 2>/dev/null || { cat "$work/ch$1/out"; return 1; }
		sleep 0.2
	done
}

for i in 0 1; do
	configure "$work/ch$i" "${ports[@]:3 * i:3}"
	clickhouse-server --config-file="$work/ch$i/config.xml" >"$work/ch$i/out" 2>&1 &
	pids+=($!)
done
for i in 0 1; do
	check "server $i answers" await $i
done

load()
{
	(cd "$work/csv" && "$queries/clickhouse/load" \
		"127.0.0.1:${ports[0]},127.0.0.1:${ports[3]}" "$@") >"$work/log" 2>&1
}

answers()	# SERVER QUERY
{
	client "$1" --database ovnik <"$queries/nodes/$2.sql" >"$work/got" &&
		diff "$work/want/$2" "$work/got"
}

sums()	# SERVER
{
	client "$1" --database ovnik --query "$sql_sums_query" >"$work/got" &&
		diff "$work/sums" "$work/got"
}

holds()	# SERVER NODES
{
	[ "$(client "$1" --query "SELECT DISTINCT node FROM ovnik.tasks_local ORDER BY node" |
		tr '\n' ' ')" = "$2" ]
}

check "three nodes are loaded" load node1 node2 node3
check "the first server has two of them" holds 0 "node1 node3 "
check "the second one has one" holds 1 "node2 "
for i in 0 1; do
	check "the sums of both are the tracers', by server $i" sums $i
done
for query in "$queries"/nodes/*.sql; do
	name=$(basename "$query" .sql)
	check "$name is SQLite's" answers 0 "$name"
done
check "in another order, nodes move" load node2 node1 node3
check "to where they are loaded now" holds 0 "node2 node3 "
check "and are there once" sums 1
for table in milestones losses; do
	check "all $table are there" test "$(client 0 --query "SELECT count() FROM ovnik.$table")" = \
		"$(sqlite3 "$work/all.db" "SELECT count(*) FROM $table")"
done

sed '5s/,[0-9]*,/,x,/' "$work/csv/node1.tasks.csv" >"$work/csv/node1bad.tasks.csv"
check_status 1 "a damaged file" load node1bad
check "is named" grep -q "load: node1bad.tasks.csv: not loaded" "$work/log"
check "and changes nothing" sums 0
check "nothing is left of it" test "$(client 0 --query "SHOW TABLES FROM ovnik" | wc -l)" = 8
check_status 1 "a file that is not there" load none
check "a fourth node" load node4
check "an inode of 64 bits is exact" test "$(client 0 --query "SELECT max(inode) FROM ovnik.tasks")" = \
	18446744073709551615
check "a loss of no CPU and unknown events" test \
	"$(client 0 --query "SELECT count() FROM ovnik.losses WHERE cpu IS NULL AND event IS NULL")" = 1

(cd "$work/csv" && DATABASE=alone "$queries/clickhouse/load" "127.0.0.1:${ports[0]}" node1) \
	>"$work/log" 2>&1
check "one server needs no cluster" test "$(client 0 --query "SELECT count() FROM alone.tasks")" = \
	"$(($(wc -l <"$work/csv/node1.tasks.csv") - 1))"
end_servers
finish

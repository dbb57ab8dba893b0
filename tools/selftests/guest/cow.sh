#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Copies on write: those that a program knows of, which it sees from the frames of its
# pages, are recorded, and no others; with small pages and with huge ones. What a fork
# is recorded to give the child is what the parent had.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

hugepages=/proc/sys/vm/nr_hugepages
thp=/sys/kernel/mm/transparent_hugepage
pid_max=/proc/sys/kernel/pid_max

# copies NAME THP OPTION...
copies()
{
	name=$1
	echo "$2" >"$thp/enabled"
	shift 2
	mkdir -p "$work/load"
	start
	check "$name: a program that copies" cowload "$@" "$work/load"
	echo "$tap_output"
	stop
	check "$name: nothing was lost" nothing_lost
	read_all "$work/capture"
	check "$name: the records are what it knows, and the checker notices mutations" \
		cowcheck ${MUTATE:+-m} "$work/load/log" "$work"/capture/*.ovk
	echo "$tap_output"
}

ready_or_ended()
{
	grep -q ready "$work/twins" || ! kill -0 "$twins" 2>/dev/null
}

# With BPF, tasks whose numbers are equal modulo 65536 have one place for what they copy.
twins()
{
	head -c 4096 /dev/zero >"$work/page"
	twinload "$work/page" >"$work/twins" &
	twins=$!
	echo "$twins" >>"$loads"
	wait_until ready_or_ended
	grep -q ready "$work/twins" || return
	start
	kill -USR1 "$twins"
	wait "$twins" || return
	stop
	read_all "$work/capture"
	twinload -c "$(lost cow_break)" "$work"/capture/*.ovk
}

load_module
configure 8M 256K discard
record_only task_fork task_mm cow_break vma_dup madvise_dontneed
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$thp/enabled")
# What makes huge pages of small ones would change frames under our eyes.
scan=$(cat "$thp/khugepaged/scan_sleep_millisecs")
echo 1000000 >"$thp/khugepaged/scan_sleep_millisecs"
echo 4 >"$hugepages"
copies "small pages" never
copies "huge pages" always -H
echo 0 >"$hugepages"
echo "$scan" >"$thp/khugepaged/scan_sleep_millisecs"
echo "$was" >"$thp/enabled"
most=$(cat "$pid_max")
echo 4194304 >"$pid_max"
check "of two tasks whose numbers are almost equal, each copy is recorded or counted as lost" twins
echo "$tap_output"
echo "$most" >"$pid_max"
finish

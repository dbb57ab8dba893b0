#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A flight recorder: neither a snapshot nor the stop costs any history, however much there is
# to dump, and however often.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# A path as long as many are: more than 200 bytes.
part=a-directory-with-a-name-that-is-longer-than-most
deep=$work/$part/$part/$part/$part
mkdir -p "$deep"
start_mappings()
{
	processes=$1
	mappings=$2
	rm -f "$work/ready"
	flightload "$processes" "$mappings" "$deep/file" >"$work/ready" &
	flightload=$!
	wait_until test -s "$work/ready"
}

# Some history, which fits into the rings.
history()
{
	load pipe=500 cross=200 fork=12 exec=12
}

# all_there DIR - nothing was overwritten: sub-buffers from 0, none lost
all_there()
{
	examine -o -a "$1/cpu0.ovk" "$1/cpu1.ovk" "$1/dump.ovk"
}

# dumped DIR KIND - how many records
dumped()
{
	examine -v -o "$1/dump.ovk" | awk -v kind="$2" '$1 == kind { print $2 }'
}

# has_dumps DIR N - so many whole statedumps
has_dumps()
{
	vmas=$(dumped "$1" dump_vma)
	ends=$(dumped "$1" dump_end)
	echo "$vmas mappings in $ends statedumps"
	[ "$ends" -eq "$2" ] && [ "$vmas" -ge $((processes * mappings * $2)) ]
}

overwritten()
{
	[ "$(get_file lost)" -gt 10000 ]
}

snapshot_pinned()
{
	case $backend in
	bpf) taskset "$1" sh "$work/bin/bpf-capture" "$bpf" snapshot ;;
	*) taskset "$1" sh -c "echo 1 >$snapshot_switch" ;;
	esac
}

snapshot_on()
{
	snapshot_pinned "$1" || return
	read_all "$work/on$1"
	all_there "$work/on$1"
}

# counted EVENT N - at least so many, in all rings
counted()
{
	count=$(recorded "$1")
	echo "$count of $2 $1"
	[ "$count" -ge "$2" ]
}

# There is no room for all of it.
stop_fails()
{
	mkdir "$work/small"
	mount -t tmpfs -o size=200k none "$work/small"
	/host/build/ovnik stop --backend "$backend" -o "$work/small/capture"
	status=$?
	umount "$work/small"
	[ "$status" -eq 1 ]
}

start_mappings "$(amount 20 60)" 900
load_module
configure 4M 256K overwrite
start
check "the statedump of the start is counted" counted dump_vma $((processes * mappings))
history
check "a snapshot on CPU 0 costs nothing" snapshot_on 1
check "a snapshot on CPU 1 costs nothing" snapshot_on 2
check "the dumps of start and snapshot are whole" has_dumps "$work/on2" 2
kill "$flightload"
wait "$flightload" 2>/dev/null
stop

start_mappings 10 100
start
history
# As many as a ring has sub-buffers: each may cost one.
quick=16
for _ in $(seq "$quick"); do
	set_file snapshot 1
done
read_all "$work/many"
check "$quick quick snapshots cost nothing" all_there "$work/many"
check "only the dumps of start and last snapshot stay" has_dumps "$work/many" 2
check "both are counted" counted dump_vma $((2 * processes * mappings))
check "a stop that cannot save fails" stop_fails
stop
read_all "$work/stopped"
check "neither stop costs anything" all_there "$work/stopped"
check "the dumps of start and first stop are whole" has_dumps "$work/stopped" 2
check "the recorder saves it" save "$work/saved"
check "the recorder has all" all_there "$work/saved"

# Once something was overwritten, the start is too long ago.
configure 256K 16K overwrite
# It forks nothing that would have its name.
mkfifo "$work/never"
# shellcheck disable=SC2016 # it is expanded there
sh -c 'echo was-before >/proc/$$/comm; read -r _ <"$1"' sh "$work/never" &
before=$!
wait_until grep -q was-before /proc/$before/comm
start
start_load pipe cross
wait_until overwritten
set_file snapshot 1
stop_loads
kill $before
wait $before
stop
read_all "$work/wrapped"
check "what ends behind that has a name" grep -aq was-before "$work"/wrapped/cpu*.ovk
check "the dump of the stop is there" has_dumps "$work/wrapped" 1
check "the files are right" examine -o -n 1 "$work"/wrapped/*.ovk
kill "$flightload"
finish

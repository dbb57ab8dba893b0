#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# compile.sh REPETITIONS TRACERS WC:FILES - in the guest: compile files under every tracer,
# with a recorder that writes meanwhile, and without

set -eu

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2034 # for measure
repetitions=$1
# shellcheck disable=SC2034 # for measure
tracers=$2
files=${3#*:}

# row TRACER [FUNCTIONS]
row()
{
	measure "$1" WC "$files" "${2-$1}"
	rm -rf "$work/capture"
}

# The module: its counts are known at any time.

count_events()
{
	counters="recorded=$ovnik/recorded lost=$ovnik/lost"
	for pair in switches:sched_switch forks:task_fork execs:task_exec; do
		if [ "$(cat "$ovnik/events/${pair#*:}/enable")" = 1 ]; then
			counters="$counters rec_${pair%:*}=$ovnik/events/${pair#*:}/recorded"
		fi
	done
}

module_on()
{
	# shellcheck disable=SC2086 # words
	ovnik_choose $events
	echo discard >$ovnik/mode
	echo 64M >$ovnik/buffer_size
	echo 1 >$ovnik/enable
	count_events
}

module_off()
{
	echo 0 >$ovnik/enable
	echo "total=$(cat $ovnik/recorded) total_lost=$(cat $ovnik/lost)" \
		"buffer_bytes=$(cat $ovnik/bytes)"
}

# module_row TRACER FAMILY|""
module_row()
{
	events=
	for event in "$ovnik"/events/*; do
		if grep -qx "family: *$2" "$event/format"; then
			events="$events ${event##*/}"
		fi
	done
	row "$1" module
}

bpf_on() { bpf_record discard; }
bpf_off() { bpf_stop; }

# A recorder whose command has begun is recording.

# start_recorder COMMAND...
start_recorder()
{
	rm -f "$work/begun"
	"$@" sh -c ": >$work/begun; exec sleep 100000" >"$work/record.log" 2>&1 &
	recorder=$!
	tries=0
	until [ -e "$work/begun" ]; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || die "no recorder: $(cat "$work/record.log")"
		sleep 0.1
	done
	counters=
}

stop_recorder()
{
	kill -TERM "$recorder"
	wait "$recorder" || true
}

module_recorder_on()
{
	start_recorder "$work/ovnik" record --no-selftest --backend module -o "$work/capture" --
	count_events
}

bpf_recorder_on() { start_recorder "$work/ovnik" record --no-selftest --backend bpf -o "$work/capture" --; }

# What the capture has, by its description and by its records.
recorder_off()
{
	stop_recorder
	totals=$(capture_totals)
	echo "$totals decoded=$(ovnik-decode "$work/capture" -o "$work/decoded" --to laplace 2>&1 |
		sed -En 's/^ovnik-decode: ([0-9]+) events? in .*/\1/p')"
	rm -rf "$work/decoded"
}

module_recorder_off() { recorder_off; }
bpf_recorder_off() { recorder_off; }

# ftrace and perf: events that say about the same.

peer_events="sched/sched_switch sched/sched_wakeup sched/sched_wakeup_new
	sched/sched_migrate_task sched/sched_process_fork sched/sched_process_exec
	sched/sched_process_exit task/task_rename exceptions/page_fault_user
	filemap/mm_filemap_add_to_page_cache filemap/mm_filemap_delete_from_page_cache"
for call in openat close read write mmap munmap mprotect brk; do
	peer_events="$peer_events syscalls/sys_enter_$call syscalls/sys_exit_$call"
done

ftrace_on()
{
	ftrace_prepare
	for event in $peer_events; do
		echo 1 >"$tracing/events/$event/enable"
	done
	counters="recorded=$stats:entries lost=$stats:overrun"
	echo 1 >$tracing/tracing_on
}

ftrace_off()
{
	ftrace_stop
	echo 0 >$tracing/events/enable
	echo 7 >$tracing/buffer_size_kb
}

# The writes of perf would be recorded, too, and to write these takes further ones.
peer_options()
{
	for event in $peer_events; do
		echo "-e $(echo "$event" | tr / :) --exclude-perf"
	done
}

# shellcheck disable=SC2046 # words
perf_on() { start_recorder perf record -a -B -m 4M -o "$work/perf.data" $(peer_options); }

perf_off()
{
	stop_recorder
	perf report -i "$work/perf.data" --stats 2>/dev/null |
		awk -v bytes="$(stat -c %s "$work/perf.data")" '
			$1 == "SAMPLE" && !seen { samples = $3; seen = 1 }
			$1 == "LOST" && !gone { lost = $3; gone = 1 }
			END {
				print "buffer_bytes=" bytes " total=" samples + 0 " total_lost=" lost + 0
			}'
	rm -f "$work/perf.data"
}

# perf would read every kernel module from the host.
umount /modules
# Whether there is a huge page varies from one compile to the next, by more than the differences.
echo never >/sys/kernel/mm/transparent_hugepage/enabled
mkdir /bench
mount -t tmpfs tmpfs /bench
cp -r $bench/compile/. /bench
cd /bench
"$work/workload" WC "$files" >/dev/null

row none
ovnik_load
module_row ovnik_all '.*'
row ovnik_recorder module_recorder
for family in sched task mm cow pagecache file; do
	module_row "ovnik_$family" $family
done
rmmod ovnik
row none
row bpf_all bpf
row bpf_recorder bpf_recorder
row ftrace
row perf
row none

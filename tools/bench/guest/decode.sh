#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode.sh OUTDIR ROUNDS FORKS - in the guest: record one run with ovnik, trace-cmd and
# perf at once, and leave the recordings in OUTDIR

set -eu

bench=/host/build/bench
out=$1
rounds=$2
forks=$3
work=$(mktemp -d)
events="sched_switch sched_wakeup sched_wakeup_new sched_migrate_task sched_process_fork
	sched_process_exec sched_process_exit"

die()
{
	echo "decode.sh: $*" >&2
	exit 1
}

# trace-cmd prints that it records, but its output is buffered: look at ftrace instead.
trace_has_begun()
{
	tries=0
	until grep -q 1 /sys/kernel/tracing/events/sched/sched_process_exit/enable &&
		grep -q 1 /sys/kernel/tracing/tracing_on; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || die "trace-cmd does not begin: $(cat "$work/trace.log")"
		sleep 0.1
	done
	sleep 2
}

# perf would read every kernel module from the host.
umount /modules 2>/dev/null || true
cp $bench/workload $bench/ovnik "$work"
insmod $bench/ovnik.ko

perf_events=
trace_events=
for event in $events; do
	perf_events="$perf_events -e sched:$event"
	trace_events="$trace_events -e sched:$event"
done

# perf does not report that it has begun, but enables its events on command.
mkfifo "$work/control" "$work/ack"
# shellcheck disable=SC2086 # words
perf record -a -m 16M -B -D -1 --control "fifo:$work/control,$work/ack" $perf_events \
	-o "$work/perf.data" >"$work/perf.log" 2>&1 &
perf=$!
# shellcheck disable=SC2086 # words
trace-cmd record -b 32768 $trace_events -o "$work/trace.dat" >"$work/trace.log" 2>&1 &
trace=$!
"$work/ovnik" start --no-selftest -b 64M -e sched,task
echo enable >"$work/control"
head -n 1 "$work/ack" >/dev/null
trace_has_begun
"$work/workload" W1 "$rounds" >/dev/null
"$work/workload" W2 "$forks" >/dev/null
kill -INT $trace $perf
"$work/ovnik" stop -o "$work/capture" 2>&1 | grep -i lost || true
wait $trace || true
wait $perf || true
mkdir -p "$out"
cp -r "$work/capture" "$work/trace.dat" "$work/perf.data" "$out"
ls -l "$out" "$out/capture"

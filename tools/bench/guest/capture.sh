#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# capture.sh REPETITIONS TRACERS WORKLOAD:ROUNDS... - in the guest: run every workload
# under every tracer

set -eu

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

repetitions=$1
# shellcheck disable=SC2034 # for measure
tracers=$2
shift 2
workloads=$*

# ovnik

# ovnik_record discard|overwrite [EVENT] - all events unless one is given
ovnik_record()
{
	mode=$1
	shift
	ovnik_choose "$@"
	echo "$mode" >$ovnik/mode
	counters="recorded=$ovnik/recorded lost=$ovnik/lost"
	counters="$counters rec_switches=$ovnik/events/sched_switch/recorded"
	if [ $# = 0 ]; then
		counters="$counters rec_forks=$ovnik/events/task_fork/recorded"
		counters="$counters rec_execs=$ovnik/events/task_exec/recorded"
	fi
	echo 1 >$ovnik/enable
}

ovnik_stop()
{
	echo 0 >$ovnik/enable
	echo "switch_bytes=$(cat $ovnik/events/sched_switch/bytes)" \
		"switches=$(cat $ovnik/events/sched_switch/recorded)" \
		"buffer_bytes=$(cat $ovnik/bytes) total=$(cat $ovnik/recorded)" \
		"total_lost=$(cat $ovnik/lost)"
}

ovnik_switch_discard_on() { ovnik_record discard sched_switch; }
ovnik_switch_discard_off() { ovnik_stop; }
ovnik_switch_overwrite_on() { ovnik_record overwrite sched_switch; }
ovnik_switch_overwrite_off() { ovnik_stop; }
ovnik_all_discard_on() { ovnik_record discard; }
ovnik_all_discard_off() { ovnik_stop; }
ovnik_all_overwrite_on() { ovnik_record overwrite; }
ovnik_all_overwrite_off() { ovnik_stop; }

# ovnik's BPF probes

ovnik_bpf_switch_discard_on() { bpf_record discard sched_switch; }
ovnik_bpf_switch_discard_off() { bpf_stop; }
ovnik_bpf_switch_overwrite_on() { bpf_record overwrite sched_switch; }
ovnik_bpf_switch_overwrite_off() { bpf_stop; }
ovnik_bpf_all_discard_on() { bpf_record discard; }
ovnik_bpf_all_discard_off() { bpf_stop; }

# The kernel's BPF ring buffer

ringbuf_on()
{
	bpftool prog loadall $bench/ringbuf.bpf.o /sys/fs/bpf/bare autoattach
	counters=
}

ringbuf_off() { rm -r /sys/fs/bpf/bare; }

# ftrace

# ftrace_record RECORD-CMD
ftrace_record()
{
	ftrace_prepare
	echo "$1" >$tracing/options/record-cmd
	echo 1 >$tracing/events/sched/sched_switch/enable
	counters="rec_switches=$stats:entries recorded=$stats:entries lost=$stats:overrun"
	echo 1 >$tracing/tracing_on
}

switches_off()
{
	ftrace_stop
	echo 0 >$tracing/events/sched/sched_switch/enable
}

ftrace_on() { ftrace_record 1; }
ftrace_off() { switches_off; }
ftrace_nocmd_on() { ftrace_record 0; }
ftrace_nocmd_off() { switches_off; }

# perf: the recorder sleeps and reads only when it is stopped.

perf_has_begun()
{
	for file in "/proc/$perf"/fd/*; do
		case $(readlink "$file") in
		*perf_event*) return 0 ;;
		esac
	done
	return 1
}

perf_on()
{
	: >"$work/perf.out"
	perf record --overwrite -B -C 0 -m 32M -e sched:sched_switch -o "$work/perf.data" \
		>"$work/perf.out" 2>&1 &
	perf=$!
	# Nothing else shows that it has opened its events.
	tries=0
	until perf_has_begun; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || die "perf does not begin: $(cat "$work/perf.out")"
		sleep 0.1
	done
	sleep 2
}

perf_off()
{
	kill -INT "$perf"
	wait "$perf" || true
	perf report -i "$work/perf.data" --stats 2>/dev/null |
		awk -v bytes="$(stat -c %s "$work/perf.data")" '
			$1 == "SAMPLE" && !seen { samples = $3; seen = 1 }
			$1 == "LOST" && !gone { lost = $3; gone = 1 }
			END {
				print "buffer_bytes=" bytes " total=" samples + 0 " total_lost=" lost + 0
			}'
	rm -f "$work/perf.data"
}

# row TRACER
row()
{
	for workload in $workloads; do
		measure "$1" "${workload%:*}" "${workload#*:}"
	done
}

# perf would read every kernel module from the host.
umount /modules

# Run between the others, so that changes in the guest show as noise.
row none
ovnik_load
row ovnik_loaded
row ovnik_switch_discard
row ovnik_switch_overwrite
row ovnik_all_discard
row ovnik_all_overwrite
rmmod ovnik
row none
row ovnik_bpf_switch_discard
row ovnik_bpf_switch_overwrite
row ovnik_bpf_all_discard
row ringbuf
row none
row ftrace
row ftrace_nocmd
echo 7 >$tracing/buffer_size_kb
row perf
row none

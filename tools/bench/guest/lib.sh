# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# lib.sh - to run workloads under tracers, in the guest
#
# It prints one line per repetition: "tracer=NAME", the output of workload, and the
# tracer's own figures; see tools/bench/tables. A tracer is a pair of functions. NAME_on
# starts it with buffers that hold all repetitions of a workload. NAME_off stops it and
# prints WORD=VALUE... for all of them. $counters lists what workload reads before and
# after its window.

bench=/host/build/bench
ovnik=/sys/kernel/ovnik
tracing=/sys/kernel/tracing
stats=$tracing/per_cpu/cpu0/stats

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# Nothing.

none_on() { :; }
none_off() { :; }

# ovnik

ovnik_load()
{
	insmod $bench/ovnik.ko || die "ovnik.ko does not load"
	echo 64M >$ovnik/buffer_size
}

# ovnik_choose EVENT... - record only these; all if there are none
ovnik_choose()
{
	for event in "$ovnik"/events/*; do
		case " ${*:-${event##*/}} " in
		*" ${event##*/} "*) echo 1 >"$event/enable" ;;
		# Events that describe the state at the start stay on.
		*) echo 0 >"$event/enable" 2>/dev/null || true ;;
		esac
	done
}

ovnik_loaded_on() { :; }
ovnik_loaded_off() { :; }

# ovnik's BPF probes

# bpf_record discard|overwrite [EVENTS] - separated by commas
bpf_record()
{
	"$work/ovnik" start --no-selftest --backend bpf -m "$1" -b 64M ${2+-e "$2"} || die "no BPF probes"
	counters=
}

# capture_totals - what the description of $work/capture says
capture_totals()
{
	awk -F '[":, ]+' -v bytes="$(cat "$work"/capture/*.ovk | wc -c)" '
		$3 == "{" { kind = $2 }
		$2 == "recorded" { all += $3; switches += kind == "sched_switch" ? $3 : 0 }
		$2 == "lost" { lost += $3 }
		END {
			print "switches=" switches " buffer_bytes=" bytes " total=" all \
				" total_lost=" lost
		}' "$work/capture/meta.json"
}

bpf_stop()
{
	"$work/ovnik" stop --backend bpf -o "$work/capture" 2>/dev/null || die "losses"
	capture_totals
	rm -r "$work/capture"
}

# ftrace

ftrace_prepare()
{
	echo 0 >$tracing/tracing_on
	echo 32768 >$tracing/buffer_size_kb
	: >$tracing/trace
}

ftrace_stop()
{
	echo 0 >$tracing/tracing_on
	awk '	$1 == "entries:" { entries = $2 }
		$1 == "overrun:" || $1 == "dropped" { lost += $NF }
		$1 == "bytes:" { bytes = $2 }
		END { print "buffer_bytes=" bytes " total=" entries " total_lost=" lost }
	' $stats
}

# measure TRACER WORKLOAD ROUNDS [FUNCTIONS] - by FUNCTIONS_on and FUNCTIONS_off,
# or by the tracer's own; nothing unless $tracers has it or "all", or if FUNCTIONS_on
# says in $missing what this kernel does not have
measure()
{
	# shellcheck disable=SC2154 # the script's own
	case " none $tracers " in
	*" $1 "* | *" all "*) ;;
	*) return 0 ;;
	esac
	options=
	counters=
	missing=
	if ! "${4-$1}_on"; then
		[ -n "$missing" ] || die "$1 does not start"
		echo "left_out=$1 workload=$2 missing=$missing"
		return 0
	fi
	for counter in $counters; do
		options="$options -c $counter"
	done
	# shellcheck disable=SC2086,SC2154 # words; the script's own
	"$work/workload" -r "$repetitions" $options "$2" "$3" >"$work/lines" ||
		die "$2 failed under $1"
	"${4-$1}_off" >"$work/totals" || die "$1 does not stop"
	sed "s/^/tracer=$1 /" "$work/lines"
	if [ -s "$work/totals" ]; then
		echo "tracer=$1 workload=$2 $(cat "$work/totals")"
	fi
}

echo "kernel=$(uname -r)"
# A copy: a program in the shared folder would be paged in from the host.
work=$(mktemp -d)
cp $bench/workload "$work/workload"
cp $bench/ovnik "$work/ovnik"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 20-decode.sh - what decoding costs: instructions per event by callgrind, events per
# second and peak memory. It decodes generated captures and one recorded in a guest,
# together with what trace-cmd and perf recorded of the same run. It runs the emulator
# alone on generated ovni traces, which have six events per switch, and measures five
# tracers and the database of tasks. SMALL, LARGE, TRACED and TRACED_SMALL are numbers of
# events; ROUNDS and FORKS control the workload in the guest; CAPTURE is one more capture.

set -eu -o pipefail

cd "$(dirname "$0")/../../.."
. tools/bench/lib.sh

: "${SMALL:=300000}"
: "${LARGE:=5000000}"
: "${TRACED:=10000000}"
: "${TRACED_SMALL:=60000}"
: "${SWITCHES:=300000}"
: "${ROUNDS:=60000}"
: "${FORKS:=300}"
: "${CAPTURE:=out/demo/capture}"

need valgrind valgrind
need trace-cmd trace-cmd
need perf linux-perf

recorded=$PWD/$out/decode-run
work=$(mktemp -d)
memory=
trap 'rm -rf "$work" ${memory:+"$memory"}' EXIT

# instructions COMMAND... - how many it executes
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# measured COMMAND... - "SECONDS KIB SECONDS": user time, peak memory, and by the clock
measured()
{
	python3 - "$@" <<-'END'
		import resource, subprocess, sys, time
		# Where "python3" is a script, it has had children of its own.
		before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
		begun = time.monotonic()
		# 4: the kernel lost events, which the number of events shows.
		done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,
		                      stderr=subprocess.DEVNULL)
		assert done.returncode in (0, 4), done
		elapsed = time.monotonic() - begun
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_utime - before, used.ru_maxrss, elapsed)
	END
}

# put NAME EVENTS INSTRUCTIONS|- SECONDS|- KIB|- - a row of $table, for decode.awk
put()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$table" "$@"
}

# row NAME EVENTS COMMAND... - what a command costs that processes so many events;
# it may write to $work/out, which is removed
row()
{
	local name=$1 events=$2 insn seconds kib

	shift 2
	insn=$(instructions "$@")
	rm -rf "$work/out"
	read -r seconds kib _ < <(measured "$@")
	rm -rf "$work/out"
	put "$name" "$events" "$insn" "$seconds" "$kib"
}

# timed_row NAME EVENTS COMMAND... - the same without callgrind, where it would take too
# long
timed_row()
{
	local name=$1 events=$2 seconds kib

	shift 2
	read -r seconds kib _ < <(measured "$@")
	rm -rf "$work/out"
	put "$name" "$events" - "$seconds" "$kib"
}

# events_of CAPTURE - how many it has
events_of()
{
	build/ovnik-decode "$1" -o "$work/out" --to laplace 2>&1 |
		sed -En 's/^ovnik-decode: ([0-9]+) events? in .*/\1/p'
	rm -rf "$work/out"
}

# decode_rows TITLE CAPTURE row|timed_row
decode_rows()
{
	local events output

	table=$1
	events=$(events_of "$2")
	for output in ovni laplace ovni,laplace prv xray perfetto; do
		"$3" "capture -> $output" "$events" \
			build/ovnik-decode "$2" -j 1 -o "$work/out" --to "$output"
	done
}

five=(--tracer "busy,kind=run" --tracer "average,kind=wait" --tracer "concurrency,kind=run"
	--tracer "top,by=pid" --tracer unfinished)

# tracer_rows CAPTURE EVENTS row|timed_row - for one tracer, for five, for the database
tracer_rows()
{
	"$3" "capture -> a tracer" "$2" build/ovnik-decode "$1" "${five[@]:0:2}"
	"$3" "capture -> five tracers" "$2" build/ovnik-decode "$1" "${five[@]}"
	"$3" "capture -> five and the database" "$2" \
		build/ovnik-decode "$1" "${five[@]}" --tracer "database,file=$work/out"
	"$3" "capture -> csv" "$2" build/ovnik-decode "$1" --tracer "csv,file=$work/out"
}

# Few events, because callgrind is slow with a database; then many, to measure memory.
traced()
{
	"$work/gen-capture" random "$work/capture" -n "$TRACED_SMALL" -c 8 -t 200
	table="8 CPUs, 200 tasks, traced"
	tracer_rows "$work/capture" "$(events_of "$work/capture")" row
	rm -r "$work/capture"
	"$work/gen-capture" random "$work/capture" -n "$TRACED" -c 8 -t 2000
	table="8 CPUs, 2000 tasks, traced"
	tracer_rows "$work/capture" "$(events_of "$work/capture")" timed_row
	rm -r "$work/capture"
}

generated()	# CPUS TASKS
{
	"$work/gen-capture" random "$work/capture" -n "$SMALL" -c "$1" -t "$2"
	decode_rows "$1 CPUs, $2 tasks" "$work/capture" row
	rm -r "$work/capture"
}

# free_memory - for files in /dev/shm, in KiB
free_memory()
{
	{
		df -k --output=avail /dev/shm
		sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo
	} | sed 1d | sort -n | head -n 1
}

# jobs CAPTURE - by the clock, in memory, the best of three: others may use the host, too.
# Two decoders that share nothing show what its second CPU is worth.
jobs()
{
	local events kib elapsed i
	local command names=("--jobs 1" "--jobs 2" "two decoders at once")

	# What two decoders write.
	if [ "$(free_memory)" -lt $((LARGE * 3 / 2)) ]; then
		echo "--jobs is left out: /dev/shm has less than $((LARGE * 3 >> 11)) MiB" >&2
		return
	fi
	memory=$(mktemp -d -p /dev/shm)
	events=$(events_of "$1")
	command=(build/ovnik-decode "$1" --to "ovni,laplace,prv")
	for _ in 1 2 3; do
		measured "${command[@]}" -j 1 -o "$memory/out" >>"$work/clock0"
		rm -rf "$memory/out"
		measured "${command[@]}" -j 2 -o "$memory/out" >>"$work/clock1"
		rm -rf "$memory/out"
		# shellcheck disable=SC2016 # it is expanded there
		measured sh -c 'out=$1
			shift
			"$@" -j 1 -o "${out}1" &
			"$@" -j 1 -o "${out}2"
			status=$?
			wait $! && exit $status' sh "$memory/out" "${command[@]}" >>"$work/clock2"
		rm -rf "$memory/out1" "$memory/out2"
	done
	table="ovni,laplace,prv by the clock"
	for i in 0 1 2; do
		read -r _ kib elapsed < <(LC_ALL=C sort -g -k 3 "$work/clock$i")
		# Of two, the kernel tells the larger one.
		[ "$i" != 2 ] || { events=$((2 * events)) kib=-; }
		put "${names[i]}" "$events" - "$elapsed" "$kib"
	done
}

large()
{
	"$work/gen-capture" random "$work/capture" -n "$LARGE" -c 8 -t 2000
	decode_rows "8 CPUs, 2000 tasks, large" "$work/capture" timed_row
	jobs "$work/capture"
	rm -r "$work/capture"
}

# One run, recorded by all three at once. They begin and end at different moments, so each
# is measured by the number of events that it prints itself.
record()
{
	rm -rf "$recorded"
	build_workload
	tools/vm/run --single --quiet --timeout 600 --log "$out/decode.console" \
		--with "$(command -v perf)" --with "$(command -v trace-cmd)" -- \
		sh tools/bench/guest/decode.sh "/host/$out/decode-run" "$ROUNDS" "$FORKS" \
		>"$out/decode.guest" 2>&1 ||
		{
			tail -n 5 "$out/decode.guest" >&2
			exit 1
		}
}

# Startup is included in all of them.
same_run()
{
	record
	decode_rows "the same run of a guest" "$recorded/capture" row
	row "trace-cmd report" "$(trace-cmd report "$recorded/trace.dat" 2>/dev/null | grep -c ': ')" \
		trace-cmd report "$recorded/trace.dat"
	row "perf script" "$(perf script -i "$recorded/perf.data" 2>/dev/null | grep -c sched:)" \
		perf script -i "$recorded/perf.data"
}

# generate_trace THREADS CPUS SWITCHES - prints the number of events
generate_trace()
{
	python3 tools/bench/gen-ovni.py --threads "$1" --cpus "$2" --switches "$3" "$work/trace" |
		awk '{ print $1 }'
}

# emulator_marginal THREADS CPUS - what the last two thirds of the events cost
emulator_marginal()
{
	local switches events=() insn=()

	for switches in $((SWITCHES / 3)) "$SWITCHES"; do
		events+=("$(generate_trace "$1" "$2" "$switches")")
		mkdir -p "$work/drawn"
		insn+=("$(instructions build/ovnik-emu -j 1 -o "$work/drawn" "$work/trace")")
		rm -rf "$work/trace" "$work/drawn"
	done
	put "$1 threads, $2 CPUs, without startup" $((events[1] - events[0])) \
		$((insn[1] - insn[0])) - -
}

emulator_row()	# THREADS CPUS SWITCHES row|timed_row
{
	local events

	events=$(generate_trace "$1" "$2" "$3")
	mkdir -p "$work/drawn"
	"$4" "ovni -> prv, $1 threads, $2 CPUs" "$events" \
		build/ovnik-emu -j 1 -o "$work/drawn" "$work/trace"
	rm -rf "$work/trace" "$work/drawn"
}

mkdir -p "$out"
gcc -O2 -std=gnu11 -D_GNU_SOURCE= -Iuser -Ikmod/include/uapi -o "$work/gen-capture" \
	tools/selftests/gen/gen-capture.c build/libovnik.a -ljson-c -lelf -lz -lpthread
{
	generated 2 8
	generated 4 2000
	generated 64 1000
	if [ -d "$CAPTURE" ]; then
		decode_rows "$CAPTURE" "$CAPTURE" row
	fi
	same_run
	large
	traced
	table="the emulator alone"
	emulator_row 2 2 "$SWITCHES" row
	emulator_row 64 8 "$SWITCHES" row
	emulator_row 64 64 "$SWITCHES" row
	emulator_row 1000 8 "$SWITCHES" row
	emulator_row 1000 64 "$SWITCHES" row
	emulator_row 10000 64 "$SWITCHES" row
	emulator_row 1000 8 $((LARGE / 3)) timed_row
	emulator_marginal 2 2
	emulator_marginal 1000 64
	emulator_marginal 10000 64
} >"$out/decode.raw"
awk -v json="$out/decode.json" -f tools/bench/tables/decode.awk "$out/decode.raw"
tools/bench/history decode "$out/decode.json"

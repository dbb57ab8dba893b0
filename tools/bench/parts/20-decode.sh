#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 20-decode.sh - what decoding costs: instructions an event by callgrind, events
# a second and peak memory of a larger capture, and the emulator alone on traces
# of 2, 64 and 1000 threads. SMALL and LARGE are numbers of events.

set -eu

cd "$(dirname "$0")/../../.."

: "${SMALL:=300000}"
: "${LARGE:=5000000}"

out=build/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p $out

gcc -O2 -std=gnu11 -D_GNU_SOURCE= -Iuser -Ikmod/include/uapi -o "$work/gen-capture" \
	tools/selftests/lib/gen-capture.c build/libovnik.a -ljson-c -lz -lpthread

# instructions COMMAND... - all that it executes
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# measured COMMAND... - "SECONDS KIB": user time and peak memory
measured()
{
	python3 - "$@" <<-'END'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
		               stderr=subprocess.DEVNULL)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_utime, used.ru_maxrss)
	END
}

decode_row()	# OUTPUT
{
	local insn seconds kib

	insn=$(instructions build/ovnik-decode "$work/small" -o "$work/out" --to "$1")
	rm -rf "$work/out"
	read -r seconds kib < <(measured build/ovnik-decode "$work/large" -o "$work/out" --to "$1")
	rm -rf "$work/out"
	awk -v what="capture -> $1" -v insn="$insn" -v small="$SMALL" -v large="$LARGE" \
		-v seconds="$seconds" -v kib="$kib" 'BEGIN {
			printf "%-28s %12.0f %12.2f %10.1f\n", what, insn / small,
			       large / seconds / 1e6, kib / 1024 }'
}

emulator_row()	# THREADS
{
	local insn events seconds kib

	events=$(python3 tools/bench/gen-ovni.py --threads "$1" --switches "$((SMALL / 6))" \
		"$work/trace" | awk '{ print $1 }')
	insn=$(instructions build/ovnik-emu -o "$work" "$work/trace")
	read -r seconds kib < <(measured build/ovnik-emu -o "$work" "$work/trace")
	rm -rf "$work/trace" "$work"/*.prv
	awk -v what="ovni -> prv, $1 threads" -v insn="$insn" -v events="$events" \
		-v seconds="$seconds" -v kib="$kib" 'BEGIN {
			printf "%-28s %12.0f %12.2f %10.1f\n", what, insn / events,
			       events / seconds / 1e6, kib / 1024 }'
}

"$work/gen-capture" random "$work/small" -n "$SMALL" -c 4 -t 2000
"$work/gen-capture" random "$work/large" -n "$LARGE" -c 8 -t 2000

{
	echo "Decoding: generated captures of $SMALL events on 4 CPUs (instructions) and"
	echo "$LARGE on 8 (time, memory); ovni traces of the pattern ovnik writes."
	echo
	printf '%-28s %12s %12s %10s\n' "" "insn/event" "M events/s" "peak MiB"
	for output in laplace ovni prv; do
		decode_row $output
	done
	for threads in 2 64 1000; do
		emulator_row $threads
	done
} | tee $out/decode.txt

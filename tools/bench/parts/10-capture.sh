#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 10-capture.sh - what recording costs the traced system, against other tracers
#
# One guest, so that all have the same baseline: a boot more moves it by more
# than what is to be seen. WORKLOADS and REPETITIONS in the environment make it
# shorter or longer.

set -eu

cd "$(dirname "$0")/../../.."

: "${REPETITIONS:=5}"
: "${WORKLOADS:=W1:20000 W1p:20000 W2:1000 W7:250}"
: "${MODULE:=build/kmod/ovnik.ko}"

out=build/bench
mkdir -p $out

if ! command -v perf >/dev/null; then
	echo "10-capture.sh: no perf, install linux-perf (tools/deps)" >&2
	exit 1
fi
gcc -O2 -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -static -o $out/workload \
	tools/bench/workload.c -lpthread
# A copy: nobody's make may change it while the guest boots.
cp "$MODULE" $out/ovnik.ko

# shellcheck disable=SC2086 # words
tools/vm/run --icount --quiet --timeout 900 --log $out/console.log --with perf -- \
	sh tools/bench/guest/capture.sh "$REPETITIONS" $WORKLOADS >$out/capture.raw ||
	{
		status=$?
		tail -n 5 $out/capture.raw >&2
		exit $status
	}
tools/bench/report -v json=$out/capture.json $out/capture.raw

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
. tools/bench/lib.sh

: "${REPETITIONS:=5}"
: "${WORKLOADS:=W1:20000 W1p:20000 W2:1000 W7:250}"

need perf linux-perf
# shellcheck disable=SC2086 # words
measure capture perf "$REPETITIONS" $WORKLOADS

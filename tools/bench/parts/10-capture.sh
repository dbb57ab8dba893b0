#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 10-capture.sh - what recording costs the traced system, against other tracers
#
# All run in one guest and so have the same baseline: another boot moves it by more than
# the differences to measure. WORKLOADS, TRACERS and REPETITIONS in the environment make it
# shorter or longer.

set -eu

cd "$(dirname "$0")/../../.."
. tools/bench/lib.sh

: "${REPETITIONS:=5}"
: "${TRACERS:=all}"
: "${WORKLOADS:=W1:20000 W1p:20000 W2:1000 W7:250}"

need perf linux-perf
# shellcheck disable=SC2086 # words
measure capture perf "$REPETITIONS" "$TRACERS" $WORKLOADS

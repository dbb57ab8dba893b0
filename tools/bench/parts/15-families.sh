#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 15-families.sh - what recording each family of events costs, against ftrace
#
# In one guest, as 10-capture.sh. FAMILY_WORKLOADS, TRACERS and REPETITIONS in the
# environment make it shorter or longer.

set -eu

cd "$(dirname "$0")/../../.."
. tools/bench/lib.sh

: "${REPETITIONS:=5}"
: "${TRACERS:=all}"
: "${FAMILY_WORKLOADS:=W9:10000 W6:5000 W2:200 W2m:10 W8:3000 W8t:5000 W3:10000 W4:5000 W4m:5000 W4r:5000 W5:3000 W5f:3000}"

# mkfs.ext4 makes the file system for W8.
PATH=$PATH:/usr/sbin:/sbin
need mkfs.ext4 e2fsprogs
# shellcheck disable=SC2086 # words
measure families mkfs.ext4 "$REPETITIONS" "$TRACERS" $FAMILY_WORKLOADS

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads and writes by system calls of x32, which Debian's kernels have only if they are
# started with syscall.x32=y, are recorded by the module and by BPF.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --single --quiet --log "$log" --append syscall.x32=y -- \
	sh tools/selftests/vm-guest/x32.sh

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# totals.sh - in a guest of soak/life.sh, with much memory: a reader of the sum of
# a ring of very many sub-buffers gets it, while they are written faster than they are
# added up. That once came to no end, and kept the capture from being stopped.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# System calls of a microsecond, each with two events. It ends soon after the shell.
read_bytes()
{
	dd if=/dev/zero of="$work/bytes" bs=64K count=1 2>/dev/null
	while :; do
		dd if="$work/bytes" of=/dev/null bs=1 2>/dev/null
	done &
	echo $! >>"$loads"
}

sum_comes()
{
	get_file recorded >"$work/sum" &
	wait_until test -s "$work/sum"
}

load_with buffer_size=1G subbuf_size=4K mode=overwrite
read_bytes
start
check "the sum of a busy ring comes" sum_comes
stop_loads
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each task that is there when a capture starts is in its statedump, also while threads of another
# process come and go; and so is what a process has whose first thread has ended. CYCLES in the
# environment is for how many captures.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# The last ones are the most recent.
start_sleepers()
{
	for _ in 1 2 3 4; do
		sleep 1000 &
		echo $! >>"$loads"
	done
}

dumps_all()
{
	for cycle in $(seq "${CYCLES:-$(amount 12 40)}"); do
		start
		stop
		read_all "$work/capture"
		# shellcheck disable=SC2046 # a list
		dumped $(cat "$loads") "$work"/capture/*.ovk || return
	done
	echo "$cycle captures"
}

first_has_ended()
{
	grep -q '^State:.Z' "/proc/$headless/status"
}

headless_is_whole()
{
	threadload headless >/dev/null 2>&1 &
	headless=$!
	echo "$headless" >>"$loads"
	wait_until first_has_ended || return
	record_only munmap file_close
	start
	stop
	read_all "$work/capture"
	dumped -m "$headless" "$work"/capture/*.ovk
}

load_module
configure 4M 64K discard
record_only task_fork
threadload &
echo $! >>"$loads"
start_sleepers
check "each task is in the statedump" dumps_all
echo "$tap_output"
stop_loads
check "so are the mappings and files of a process whose first thread has ended" headless_is_whole
echo "$tap_output"
stop_loads
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# For how long each process waits for a CPU, as the timeline shows it, is what the
# kernel has counted itself (/proc/PID/schedstat).

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

# measured LABEL - capture the load, decode it, compare with what it logged
measured()
{
	start
	check "$1: a load that waits for CPUs" waitload "$work/log" "$(amount 24 60)"
	stop
	check "$1: nothing was lost" nothing_lost
	check "$1: the capture is saved" save "$work/capture"
	check "$1: the waits are those that the kernel has counted, and mutations are noticed" \
		waitcheck ${MUTATE:+-m} "$work/capture" "$work/out" "$work/log"
	echo "$tap_output"
	rm -rf "$work/capture" "$work/out" "$work/log"
}

load_module
configure 32M 256K discard
record_only sched_switch sched_wakeup sched_wakeup_new sched_migrate task_fork task_exec \
	task_exit dump_task
measured "all tasks"
# The shell and what it starts from here on.
set_file filter_children 1
set_file filter_pid $$
start_load pipe
measured "a filter"
finish

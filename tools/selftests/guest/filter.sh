#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# With a filter, exactly the events of the tasks that match: those of the process, of
# all its threads, of its later children if asked for, and of no other task.
#
# The process has a thread and a child before the capture starts; the thread is
# wanted, the child is not. Meanwhile it makes threads, children (with threads,
# that fork and exec on), and ends with an exec, and so does the child.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

# The processes that all that load has become.
gone()
{
	! kill -0 "$tree" 2>/dev/null
}

# It has its thread, and its child, and all of them wait.
grown()
{
	set -- "/proc/$tree/task"/*
	[ $# = 2 ] && [ -n "$(cat "/proc/$tree/task/$tree/children")" ]
}

# filtered LABEL CHILDREN [COMPARE-OPTION]... - capture one tree among other load
filtered()
{
	label=$1
	set_file filter_children "$2"
	shift 2
	rm -f "$work/go"
	trace_on
	# shellcheck disable=SC2086 # words
	[ "$backend" = bpf ] || start_load $others
	GO=$work/go load tree 2 &
	tree=$!
	echo $tree >>"$loads"
	wait_until grown
	# The tids as the kernel has them at the start.
	tids=$(cd "/proc/$tree/task" && echo * | tr ' ' ,)
	set_file filter_pid "$tree"
	start
	# shellcheck disable=SC2086 # words
	[ "$backend" = module ] || start_load $others
	touch "$work/go"
	wait_until gone || echo "# the tree is still there"
	stop
	trace_pause
	stop_loads
	read_all "$work/capture"
	check "$label: it has two threads at first" test "${tids#*,}" != "$tids"
	check "$label: the files are right" examine -f "$work"/capture/*.ovk
	check "$label: the events are those of the tasks that match" \
		compare_with_trace -f "$tids" "$@" "$work"/capture/*.ovk
	echo "$tap_output"
	check "$label: and there are some of each kind" all_kinds
	trace_off
}

all_kinds()
{
	for kind in sched_switch sched_wakeup sched_wakeup_new task_fork task_exec task_exit \
		task_comm task_mm mm_exit; do
		if [ "$(recorded "$kind")" -eq 0 ]; then
			echo "no $kind"
			return 1
		fi
	done
}

# With the filter gone, all is recorded again.
unfiltered()
{
	set_file filter_pid ''
	start
	load fork=5
	stop
	[ "$(recorded task_fork)" -ge 6 ] || return
	read_all "$work/capture"
	examine -a "$work"/capture/*.ovk
}

# Two processes at once.
two_processes()
{
	# Before the load: among it, each of ftrace's events takes a second.
	trace_on
	start_load pipe
	start_load pipe
	# shellcheck disable=SC2046 # a list
	set -- $(cat "$loads")
	set_file filter_pid "$1,$2"
	start
	load fork=2 pipe=30
	stop
	trace_pause
	stop_loads
	read_all "$work/capture"
	# What they start does not match, not even late.
	compare_with_trace -x -f "$1,$2" "$work"/capture/*.ovk
	result=$?
	trace_off
	return "$result"
}

load_module
record_compared
others=$(amount "pipe fork" "pipe cross fork thread")
configure 4M 64K discard
filtered "with children" 1
filtered "without children" 0 -x
check "two processes" two_processes
check "without a filter again" unfiltered
finish

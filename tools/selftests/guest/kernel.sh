#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the recorder may not do to the kernel: a fork of many mappings lets others run.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

preempt=/sys/kernel/debug/sched/preempt

# BPF cannot give way: others run if the kernel is preemptible. Debian's can be.
preemptible()
{
	[ "$backend" = bpf ] || return 0
	preempt_was=$(sed 's/.*(\(.*\)).*/\1/' "$preempt") && echo full >"$preempt"
}

preemptible_no_more()
{
	[ "$backend" = module ] || echo "$preempt_was" >"$preempt"
}

# 60,000 mappings: others run in the midst of the fork's records.
fork_gives_way()
{
	preemptible || return
	echo 100000 >/proc/sys/vm/max_map_count
	configure 16M 256K discard
	record_only vma_dup sched_switch
	start
	forkload 60000
	stop
	preemptible_no_more
	read_all "$work/fork"
	switches=$(between "$work/fork/cpu1.ovk")
	echo "$(recorded vma_dup) mappings, $(lost vma_dup) lost, $switches switches among them"
	[ "$(recorded vma_dup)" -ge 60000 ] && [ "$(lost vma_dup)" = 0 ] && [ "$switches" -gt 0 ]
}

# preemptions SIZE - of a start that clears rings of this size, which are there
preemptions()
{
	configure "$1" 256K discard
	record_only task_exit
	start
	stop
	preempted "$ovnik/enable" 1
	stop
}

clearing_gives_way()
{
	small=$(preemptions 1M)
	large=$(preemptions 224M)
	echo "others ran $small times while 1 MiB a CPU was cleared, $large times with 224 MiB"
	# A fast machine clears them in a few ticks.
	[ "$large" -ge $((small + 3)) ]
}

load_module
[ "$backend" = bpf ] || check "clearing large rings lets others run" clearing_gives_way
check "a fork of many mappings lets others run" fork_gives_way
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# life.sh [CYCLES] - the module comes and goes while the machine is busy and a
# CPU goes and comes, too: nothing breaks and nothing is left over

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

cycles=${1:-${CYCLES:-$(amount 8 48)}}

# What the kernel has given away, in KiB, once all that waits for it is freed: slab, vmalloc and
# per-CPU memory. Of each the least of five looks: the kernel itself has more at times.
memory_in_use()
{
	for _ in 1 2 3 4 5; do
		sync
		echo 3 >/proc/sys/vm/drop_caches
		usleep 300000
		cat /proc/meminfo
	done | awk '
		function least(one, other) { return one && one < other + 0 ? one : other + 0 }
		/^SUnreclaim:/ { slab = least(slab, $2) }
		/^VmallocUsed:/ { vmalloc = least(vmalloc, $2) }
		/^Percpu:/ { percpu = least(percpu, $2) }
		END { print slab, vmalloc, percpu }'
}

something_recorded()
{
	read -r recorded <"$ovnik/recorded" && [ "$recorded" -gt 0 ]
}

# While it reads, or as soon as it has begun.
reader_dies()
{
	reader block /dev/ovnik/cpu0 >/dev/null 2>&1 &
	reader=$!
	wait_until holds "$reader" || return
	kill -KILL "$reader"
	wait "$reader" 2>/dev/null
	return 0
}

# Each cycle with other settings, so that over all of them much is tried; most with
# few hooks, for to hook and unhook takes the kernel most of a cycle's time. What is
# recorded is the load that runs all the time.
cycle()
{
	case $(($1 % 8)) in
	0) set -- ;;
	1 | 4 | 7) set -- buffer_size=1M subbuf_size=64K enable=1 events=sched_switch ;;
	2 | 5) set -- buffer_size=256K subbuf_size=16K filter_pid=1 events=task_exit ;;
	3 | 6) set -- buffer_size=64K subbuf_size=4K mode=overwrite events=sched_switch ;;
	esac
	insmod "$work/ovnik.ko" "$@" || return
	go=rmmod
	# With all hooks, a page fault of the load may have been preempted in one of them.
	[ $# -gt 0 ] || go="wait_until rmmod"
	[ "$1" = buffer_size=1M ] || echo 1 >"$ovnik/enable" || return
	usleep 20000
	wait_until something_recorded
	read -r running <"$ovnik/enable"
	[ $((number % 4)) != 1 ] || reader_dies || return
	echo 0 >"$ovnik/enable"
	$go ovnik 2>"$work/error" && [ "$running" = 1 ] && [ "$recorded" -gt 0 ]
}

cycle_many()
{
	number=0
	while [ "$number" -lt "$1" ]; do
		number=$((number + 1))
		if ! cycle "$number"; then
			echo "cycle $number failed"
			cat "$work/error"
			return 1
		fi
	done
}

# not_grown KIBIBYTES - none of the three sums has grown by more in the second half
#
# In the first one the kernel's own caches grow. Slabs that are partly used come
# and go by some hundred KiB, so a limit below that says nothing; of what a cycle
# allocates, a ring (128 KiB at least), the module (some 100 KiB) or its file's
# copy, lost once in each cycle is more; with soak's number of cycles, also once in
# every tenth.
not_grown()
{
	echo "# KiB of slab, vmalloc, per-CPU: $(xargs <"$work/memory")"
	xargs <"$work/memory" | awk -v limit="$1" '
		NF != 9 || $7 - $4 > limit || $8 - $5 > limit || $9 - $6 > limit {
			exit 1
		}
		END {
			if (NR != 1)
				exit 1
		}'
}

half_of_cycles()
{
	start_load hack fork
	start_hotplug
	cycle_many $((cycles / 2))
	half=$?
	stop_hotplug || half=1
	stop_loads
	memory_in_use >>"$work/memory"
	return "$half"
}

# The load of others, and a machine that has warmed up.
many_cycles()
{
	# Waiting for RCU is most of a cycle: the cycles are to be many, not long.
	echo 1 >/sys/kernel/rcu_expedited
	cycle_many "$(amount 3 10)" || return
	memory_in_use >"$work/memory"
	result=0
	half_of_cycles || result=1
	half_of_cycles || result=1
	echo 0 >/sys/kernel/rcu_expedited
	return "$result"
}

check "$cycles cycles of load, start, stop, unload, under load and hotplug" many_cycles
if grep -q ' kasan_report$' /proc/kallsyms; then
	skip "no memory is lost" "KASAN keeps what is freed; kmemleak looks there"
else
	check "no memory is lost" not_grown 512
fi
echo "$tap_output"
finish

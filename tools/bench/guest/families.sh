#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# families.sh REPETITIONS TRACERS WORKLOAD:ROUNDS... - in the guest: record the events of one
# family, and some of them alone, while a workload causes them

set -eu

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

repetitions=$1
# shellcheck disable=SC2034 # for measure
tracers=$2
shift 2
workloads=$*

file_events="file_open file_close file_begin file_read file_write file_delete"
file_events="$file_events file_truncate file_rename"
mm_events="mmap_file mmap_anon shm_attach munmap mprotect mremap madvise_dontneed"
mm_events="$mm_events task_mm mm_exit"
cow_events="vma_dup cow_break page_fault page_fault_end"
cache_events="page_add page_remove buffer_add buffer_remove"
sched_events="sched_switch sched_wakeup sched_wakeup_new sched_migrate"

# place WORKLOAD - the directory of its files
place()
{
	case $1 in
	W8) echo /bench/ext4 ;;
	W8t) echo /bench/tmpfs ;;
	*) echo /bench/ramfs ;;
	esac
}

# run TRACER FUNCTIONS [WORKLOADS] - with every workload unless some are given
run()
{
	for workload in $workloads; do
		case " ${3:-${workload%:*}} " in
		*" ${workload%:*} "*) ;;
		*) continue ;;
		esac
		cd "$(place "${workload%:*}")"
		measure "$1" "${workload%:*}" "${workload#*:}" "$2"
	done
}

events_on()
{
	# shellcheck disable=SC2086 # words
	ovnik_choose $events
	for event in $events; do
		counters="$counters rec_$event=$ovnik/cpus/cpu0/stats:$event"
	done
	echo 1 >$ovnik/enable
}

# sum FILE - of all $events
sum()
{
	for event in $events; do
		cat "$ovnik/events/$event/$1"
	done | awk '{ sum += $1 } END { print sum }'
}

events_off()
{
	echo 0 >$ovnik/enable
	echo "buffer_bytes=$(sum bytes) total=$(sum recorded) total_lost=$(cat $ovnik/lost)"
}

# ovnik_row TRACER WORKLOADS EVENT...
ovnik_row()
{
	tracer=$1
	which=$2
	shift 2
	events=$*
	run "$tracer" events "$which"
}

# shellcheck disable=SC2086 # words
bpf_on() { bpf_record discard "$(echo $events | tr ' ' ,)"; }
bpf_off() { bpf_stop; }

# bpf_row TRACER WORKLOADS EVENT...
bpf_row()
{
	tracer=$1
	which=$2
	shift 2
	events=$*
	run "$tracer" bpf "$which"
}

# Has ftrace all functions among $events? A compiler may have made one a part of its caller.
ftrace_offers()
{
	for event in $events; do
		case $event in
		*/*) ;;
		*)
			grep -qxF "$event" $tracing/available_filter_functions && continue
			missing=$event
			return 1
			;;
		esac
	done
}

# An ftrace event is SYSTEM/NAME, or a function whose entries are recorded.
ftrace_on()
{
	ftrace_offers || return
	ftrace_prepare
	for event in $events; do
		case $event in
		*/*) echo 1 >"$tracing/events/$event/enable" ;;
		*)
			echo "$event" >$tracing/set_ftrace_filter
			echo function >$tracing/current_tracer
			;;
		esac
	done
	counters="entries=$stats:entries overrun=$stats:overrun"
	echo 1 >$tracing/tracing_on
}

ftrace_off()
{
	ftrace_stop
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	echo 0 >$tracing/events/enable
}

# ftrace_row TRACER WORKLOADS EVENT...
ftrace_row()
{
	tracer=$1
	which=$2
	shift 2
	events=$*
	run "$tracer" ftrace "$which"
}

mkdir -p /bench/ramfs /bench/tmpfs /bench/ext4
mount -t ramfs ramfs /bench/ramfs
mount -t tmpfs tmpfs /bench/tmpfs
modprobe brd rd_nr=1 rd_size=65536
modprobe ext4
mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0,nodiscard /dev/ram0 || die "no file system"
mount -t ext4 /dev/ram0 /bench/ext4
# Nothing may interfere; W8 makes its pages clean itself.
echo 0 >/proc/sys/vm/dirty_writeback_centisecs

run none none
ovnik_load
run ovnik_loaded ovnik_loaded
# shellcheck disable=SC2086 # words
{
	ovnik_row ovnik_sched "" $sched_events
	ovnik_row ovnik_fault "W9 W6" page_fault
	ovnik_row ovnik_fault_both "W9 W6" page_fault page_fault_end
	ovnik_row ovnik_break W6 cow_break
	ovnik_row ovnik_dup "W2 W2m" vma_dup
	ovnik_row ovnik_cow "W9 W6" $cow_events
	ovnik_row ovnik_page_add "W8 W8t" page_add
	ovnik_row ovnik_page_remove "W8 W8t" page_remove
	ovnik_row ovnik_cache "W8 W8t" $cache_events
	ovnik_row ovnik_rw W3 file_read file_write
	ovnik_row ovnik_open "W4 W4m W4r" file_open
	ovnik_row ovnik_close W4 file_close
	ovnik_row ovnik_file "W3 W4" $file_events
	ovnik_row ovnik_munmap "W5 W5f" munmap
	ovnik_row ovnik_mm "W5 W5f" $mm_events
}
rmmod ovnik
run none none
# shellcheck disable=SC2086 # words
{
	bpf_row bpf_fault "W9 W6" page_fault
	bpf_row bpf_fault_both "W9 W6" page_fault page_fault_end
	bpf_row bpf_break W6 cow_break
	bpf_row bpf_cache "W8 W8t" $cache_events
	bpf_row bpf_rw W3 file_read file_write
	bpf_row bpf_open "W4 W4m W4r" file_open
	bpf_row bpf_close W4 file_close
	bpf_row bpf_mm "W5 W5f" $mm_events
}
run none none
ftrace_row ftrace_fault "W9 W6" exceptions/page_fault_user
echo 'r:bench/fault_end handle_mm_fault result=$retval' >$tracing/kprobe_events
ftrace_row ftrace_fault_both "W9 W6" exceptions/page_fault_user bench/fault_end
ftrace_row ftrace_break W6 wp_page_copy
ftrace_row ftrace_cache "W8 W8t" filemap/mm_filemap_add_to_page_cache \
	filemap/mm_filemap_delete_from_page_cache
ftrace_row ftrace_rw W3 syscalls/sys_enter_read syscalls/sys_exit_read \
	syscalls/sys_enter_write syscalls/sys_exit_write
ftrace_row ftrace_open W4 syscalls/sys_enter_openat syscalls/sys_exit_openat
ftrace_row ftrace_file W4 syscalls/sys_enter_openat syscalls/sys_exit_openat \
	syscalls/sys_enter_close syscalls/sys_exit_close
ftrace_row ftrace_mm "W5 W5f" syscalls/sys_enter_mmap syscalls/sys_exit_mmap \
	syscalls/sys_enter_munmap syscalls/sys_exit_munmap
run none none

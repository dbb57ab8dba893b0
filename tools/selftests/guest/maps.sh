#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What is mapped where, rebuilt from the capture, is what /proc/PID/maps says: for
# every process, at checkpoints during thousands of random calls.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

hugepages=/proc/sys/vm/nr_hugepages
capture=$work/capture
maps=$work/load/maps

# Enter and exit of what changes mappings.
trace_calls()
{
	set --
	for call in mmap munmap mremap mprotect brk shmat shmdt remap_file_pages madvise execve; do
		set -- "$@" "syscalls/sys_enter_$call" "syscalls/sys_exit_$call"
	done
	trace_prepare 16384
	trace_events "$@"
}

# The load says itself when the capture starts, and has it dump the state once more.
load_and_capture()
{
	mapload -s "$1" -n "$(amount 8000 20000)" -c 8 -e "$enable_switch" -d "$snapshot_switch" \
		"$work/load"
}

# The decoder's mappings at each checkpoint, of the process that was looked at then.
decoder_agrees()
{
	mapcheck -p "$maps" >"$work/expected" || return
	# shellcheck disable=SC2046 # a list
	set -- $(awk '$1 == "at" { print "--at", $2 }' "$work/expected")
	[ $# -ge 20 ] || return
	rebuild "$capture" maps "$@" >"$work/all" || return
	awk '
		NR == FNR && $1 == "at" { pid[$2] = $3 }
		NR != FNR && $1 == "at" { print $0, pid[$2]; now = pid[$2] }
		NR != FNR && $1 == now' "$work/expected" "$work/all" >"$work/rebuilt"
	diff "$work/expected" "$work/rebuilt" | head -n 20 >"$work/diff"
	cat "$work/diff"
	[ ! -s "$work/diff" ]
}

load_module
configure 32M 256K discard
record_only task_fork task_exec task_exit task_mm mm_exit mmap_file mmap_anon shm_attach \
	munmap mprotect mremap madvise_dontneed vma_dup dump_mm dump_vma
echo 8 >"$hugepages"
mkdir "$work/load"
trace_calls
check "a load that maps, unmaps, forks and execs" load_and_capture 1
echo "$tap_output"
stop
trace_pause
echo 0 >"$hugepages"
check "nothing was lost" nothing_lost
check "the capture is saved" save "$capture"
check "the files are what the record ABI says" examine -a -f "$capture"/*.ovk
echo "$tap_output"
# shellcheck disable=SC2086 # or nothing
check "the mappings are those of /proc/PID/maps, and the checker notices mutations" \
	mapcheck ${MUTATE:+-m} $bpf_option "$maps" "$capture"/*.ovk
echo "$tap_output"
check "so are those that the decoder rebuilds" decoder_agrees
check "for each call that ftrace saw there is a record, and for each record a call" \
	callcheck "$instance" "$(possible_cpus | wc -l)" "$capture"/*.ovk
echo "$tap_output"
trace_off
finish

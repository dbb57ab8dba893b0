#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernels.sh OBJECT DIR - in the guest of vm/bpf-kernels.sh: the probes of OBJECT,
# loaded by bpftool, record, and so do those that ovnik has in it; captures go below DIR

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

object=$1
dir=$2
pins=/sys/fs/bpf/ovnik
work=$(mktemp -d)

workload()
{
	/host/build/selftests/guest/load fork=10 exec=10 thread=10
	for i in 1 2 3 4 5 6 7 8 9 10; do
		dd if=/dev/zero of="$work/file" bs=4096 count=64 2>/dev/null
		mv "$work/file" "$work/file.$i"
		truncate -s 1000 "$work/file.$i"
		cat "$work/file.$i" >/dev/null
		rm "$work/file.$i"
	done
	with_helpers
}

# The kernel starts them to find file systems that nobody has. Without arguments they read nothing.
with_helpers()
{
	modprobe=$(cat /proc/sys/kernel/modprobe)
	cp /host/build/selftests/guest/symbol "$work/helper"
	echo "$work/helper" >/proc/sys/kernel/modprobe
	for i in 1 2 3 4 5; do
		mount -t "nothing$i" none "$work" 2>/dev/null
	done
	echo "$modprobe" >/proc/sys/kernel/modprobe
}

recorded_in()
{
	awk -v event="\"$2\":" '
		/^  "events":/ { exit }
		$1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { print sum + 0 }' "$1/meta.json"
}

# Some of each family.
has_all()
{
	[ -e "$1/meta.json" ] || return
	for event in sched_switch sched_wakeup task_fork task_exec task_exit task_mm mm_exit \
		mmap_file mmap_anon munmap mprotect vma_dup cow_break page_fault page_fault_end \
		page_add page_remove file_open file_close file_read file_write file_delete \
		file_truncate file_rename dump_task dump_vma dump_file dump_end; do
		[ "$(recorded_in "$1" "$event")" -gt 0 ] || echo "no $event"
	done >"$work/missing"
	cat "$work/missing"
	[ ! -s "$work/missing" ]
}

by_bpftool()
{
	bpftool prog loadall "$object" "$pins" autoattach pinmaps "$pins/maps" >"$work/log" 2>&1 &&
		return
	grep -v '^[0-9]*: ' "$work/log" | tail -n 20
	return 1
}

# A kernel that preempts tasks anywhere may do so in a program, and does not run that
# for others then: from 7.0 on. What is not even counted as lost is reported.
not_run()
{
	grep -q "did not run" "$work/log" && grep -q " 0 lost" "$work/log"
}

# record NAME - into DIR/NAME
record()
{
	/host/build/ovnik record --no-selftest --backend bpf -o "$dir/$1" -- sh "$0" workload \
		>"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" = 0 ] || { [ "$status" = 4 ] && not_run; }
}

if [ "$object" = workload ]; then
	workload
	exit
fi
check "the kernel's types are those of its image" \
	cmp /sys/kernel/btf/vmlinux "/host/build/vm/$(uname -r)/vmlinux.btf"
check "bpftool loads and attaches" by_bpftool
check "ovnik drains that" record bpftool
explain <"$work/log"
check "some of each family" has_all "$dir/bpftool"
check "and is removed" /host/build/ovnik stop --backend bpf
check "ovnik loads and records" record ovnik
explain <"$work/log"
check "some of each family" has_all "$dir/ovnik"
check "nothing is left" test ! -e "$pins"
finish

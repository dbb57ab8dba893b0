#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Page faults: those that ftrace sees, and they end as the kernel counts them.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# A file system on a block device, that of a file.
make_disk()
{
	modprobe loop && modprobe ext4 || return
	dd if=/dev/zero of="$work/image" bs=1M count=24 2>/dev/null
	mke2fs -F "$work/image" >/dev/null 2>&1 && mkdir "$work/disk" &&
		mount -t ext2 -o loop "$work/image" "$work/disk"
}

load_module
configure 8M 256K discard
record_only task_fork page_fault page_fault_end
check "a disk" make_disk
mkdir "$work/load"
trace_prepare 8192
trace_events exceptions/page_fault_user exceptions/page_fault_kernel
start
check "a program that faults" faultload "$work/load" "$work/disk/data"
echo "$tap_output"
stop
trace_pause
umount "$work/disk"
check "nothing was lost" nothing_lost
read_all "$work/capture"
check "the faults are those of ftrace and getrusage(), and the checker notices mutations" \
	faultcheck ${MUTATE:+-m} "$instance" "$(possible_cpus | wc -l)" "$work/load/log" \
	"$work"/capture/*.ovk
echo "$tap_output"
trace_off
finish

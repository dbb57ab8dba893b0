#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the page cache holds, rebuilt from the capture, is what mincore() says, in the
# frames that /proc/self/pagemap says: of files on ext4, tmpfs (with huge pages, too)
# and hugetlbfs, and of a disk itself. Reading, writing, mapping, cutting, punching,
# deleting, dropping caches, mounting and unmounting all lie within the capture.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

hugepages=/proc/sys/vm/nr_hugepages
thp=/sys/kernel/mm/transparent_hugepage/enabled

# look_at KIND DIR [DEVICE]
look_at()
{
	check "$1: a load that uses the page cache" pageload "$work/log" "$@"
}

# Nothing of it may be in the page cache when the capture starts.
forget_disk()
{
	sync
	blockdev --flushbufs "$disk"
}

# With PREEMPT_RT a kernel has no transparent huge pages.
thp_now()
{
	[ ! -e "$thp" ] || sed 's/.*\[\(.*\)\].*/\1/' "$thp"
}

set_thp()
{
	[ ! -e "$thp" ] || echo "$1" >"$thp"
}

load_module
configure 32M 256K discard
record_only page_add page_remove buffer_add buffer_remove
make_disk
forget_disk
# Of a file's small pages khugepaged would make huge ones, in other frames.
was=$(thp_now)
set_thp never
echo 4 >"$hugepages"
mkdir "$instance"
hist_on add filemap/mm_filemap_add_to_page_cache s_dev,i_ino
hist_on delete filemap/mm_filemap_delete_from_page_cache s_dev,i_ino

# Elsewhere parity.sh sees that the probes record the same as the module, which is in their way on tmpfs. ftrace
# counts nothing there.
whole=y
[ "$backend" = module ] || whole=$LONG

start
if [ -n "$whole" ]; then
	mount_disk
	look_at disk "$mnt" "$disk"
	umount "$mnt"
fi
mount_memory size=256m
look_at memory "$mnt"
umount "$mnt"
if [ -z "$whole" ]; then
	: # that was all
elif [ -e "$thp" ]; then
	mount_memory size=256m,huge=always
	look_at huge "$mnt"
	umount "$mnt"
else
	skip "huge: a load that uses the page cache" "the kernel has no transparent huge pages"
fi
if [ -n "$whole" ]; then
	mount -t hugetlbfs hugetlbfs "$mnt" || bail "cannot mount hugetlbfs"
	look_at hugetlb "$mnt"
	umount "$mnt"
	look_at device "$disk"
fi
stop

echo 0 >"$hugepages"
set_thp "$was"
hist_save "$work/hist"
hist_off
trace_off
check "nothing was lost" nothing_lost
read_all "$work/capture"
check "the files are what the record ABI says" examine -f "$work"/capture/*.ovk
check "the page cache is what mincore() says, and the checker notices mutations" \
	pagecheck ${MUTATE:+-m} ${whole:+-w "$work/hist"} "$work/log" "$work"/capture/*.ovk
echo "$tap_output"

# Where a BPF program is around what adds pages to tmpfs, a return probe records them.
beside_bpf()
{
	mount_memory size=16m
	bpftool prog loadall /host/build/selftests/guest/taken.bpf.o /sys/fs/bpf/taken autoattach || return
	start
	head -c 819200 /dev/zero >"$mnt/file"
	stop
	rm -r /sys/fs/bpf/taken
	umount "$mnt"
	echo "$(recorded page_add) pages"
	[ "$(recorded page_add)" -ge 200 ] && nothing_lost
}

if can_take; then
	check "pages of tmpfs beside a BPF program" beside_bpf
else
	skip "pages of tmpfs beside a BPF program" "no BTF, no bpftool, or it is not built"
fi
finish

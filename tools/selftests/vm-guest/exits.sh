#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# exits.sh DIR - in the guest of vm/exits.sh: captures of tasks that exit with a file open, below DIR

set -eu

dir=$1
work=$(mktemp -d)

# Written by a task that closes it, by one that does not, and that is removed before.
cat >"$work/load" <<'END'
sh -c 'exec 3>/mnt/dir/closed; echo one >&3; exec 3>&-'
sh -c 'exec 3>/mnt/dir/open; echo two >&3'
sh -c 'exec 3>/mnt/dir/gone; echo three >&3; rm /mnt/dir/gone'
END

modprobe -a loop ext4
truncate -s 16M "$work/disk"
# Not busybox's.
/usr/sbin/mke2fs -q -t ext4 "$work/disk"
mkdir -p /mnt
mount -o loop "$work/disk" /mnt
mkdir /mnt/dir
for backend in module bpf; do
	[ "$backend" = bpf ] || insmod /host/build/kmod/ovnik.ko
	/host/build/ovnik record --no-selftest --backend "$backend" -e file_open,file_close -o "$dir/$backend" -- \
		sh "$work/load"
	[ "$backend" = bpf ] || rmmod ovnik
	rm /mnt/dir/*
done

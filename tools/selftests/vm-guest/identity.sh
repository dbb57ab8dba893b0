#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# identity.sh DIR - in the guest of vm/identity.sh: captures, and the devices of the file
# systems, go below DIR

set -eu

dir=$1
work=$(mktemp -d)

# record NAME FILE... - with both back ends
record()
{
	name=$1
	shift
	for backend in bpf module; do
		[ "$backend" = bpf ] || insmod /host/build/kmod/ovnik.ko
		/host/build/ovnik record --backend "$backend" -o "$dir/$backend-$name" -- cat "$@"
		[ "$backend" = bpf ] || rmmod ovnik
	done
}

# device MOUNTPOINT - as the kernel has it
device()
{
	awk -v mount="$1" '$5 == mount { print $3; exit }' /proc/self/mountinfo
}

echo plain >"$work/file"
record without "$work/file"

modprobe loop
modprobe btrfs
modprobe overlay
mkdir "$work/btrfs" "$work/lower" "$work/upper" "$work/overlay"
truncate -s 256M "$work/image"
/usr/sbin/mkfs.btrfs -q "$work/image"
mount -t btrfs -o loop "$work/image" "$work/btrfs"
btrfs subvolume create "$work/btrfs/one"
echo first >"$work/btrfs/one/file"
btrfs subvolume snapshot "$work/btrfs/one" "$work/btrfs/two"
echo second >"$work/btrfs/two/file"
mount -t tmpfs tmpfs "$work/lower"
mount -t tmpfs tmpfs "$work/upper"
mkdir "$work/upper/data" "$work/upper/work"
echo below >"$work/lower/file"
mount -t overlay -o "lowerdir=$work/lower,upperdir=$work/upper/data,workdir=$work/upper/work" \
	overlay "$work/overlay"

one=$(stat -c '%d %i' "$work/btrfs/one/file")
two=$(stat -c '%d %i' "$work/btrfs/two/file")
echo "stat: $one and $two"
[ "$one" != "$two" ] && [ "${one#* }" = "${two#* }" ]
{
	echo "btrfs $(device "$work/btrfs")"
	echo "overlay $(device "$work/overlay")"
} >"$dir/devices"
record with "$work/btrfs/one/file" "$work/btrfs/two/file" "$work/overlay/file"

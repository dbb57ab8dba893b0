#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# identity.sh DIR - in the guest of vm/identity.sh: captures, and the devices of the file
# systems, go below DIR

set -eu

dir=$1
work=$(mktemp -d)

# record NAME COMMAND... - with both back ends; without LONG all but one with the module alone, for the
# same program looks for the file systems
record()
{
	name=$1
	shift
	backends=module
	[ -z "$LONG" ] && [ "$name" != with ] || backends="bpf module"
	for backend in $backends; do
		[ "$backend" = bpf ] || insmod /host/build/kmod/ovnik.ko
		/host/build/ovnik record --no-selftest --backend "$backend" -o "$dir/$backend-$name" -- "$@"
		[ "$backend" = bpf ] || rmmod ovnik
	done
}

# device MOUNTPOINT - as the kernel has it
device()
{
	awk -v mount="$1" '$5 == mount { print $3; exit }' /proc/self/mountinfo
}

echo plain >"$work/file"
record without cat "$work/file"

modprobe loop
modprobe btrfs
modprobe overlay
mkdir "$work/btrfs" "$work/lower" "$work/upper" "$work/overlay"
truncate -s 256M "$work/image"
/usr/sbin/mkfs.btrfs -q "$work/image"
disk=$(losetup -f)
losetup "$disk" "$work/image"
mount -t btrfs "$disk" "$work/btrfs"
btrfs subvolume create "$work/btrfs/one"
echo first >"$work/btrfs/one/file"
btrfs subvolume snapshot "$work/btrfs/one" "$work/btrfs/two"
echo second >"$work/btrfs/two/file"
mount -t tmpfs tmpfs "$work/lower"
mount -t tmpfs tmpfs "$work/upper"
mkdir "$work/upper/data" "$work/upper/work"
echo below >"$work/lower/file"
layers=lowerdir=$work/lower,upperdir=$work/upper/data,workdir=$work/upper/work
mount -t overlay -o "$layers" overlay "$work/overlay"

one=$(stat -c '%d %i' "$work/btrfs/one/file")
two=$(stat -c '%d %i' "$work/btrfs/two/file")
echo "stat: $one and $two"
[ "$one" != "$two" ] && [ "${one#* }" = "${two#* }" ]
devices()
{
	echo "btrfs $(device "$work/btrfs")"
	echo "overlay $(device "$work/overlay")"
}

devices >"$dir/devices-with"
record with cat "$work/btrfs/one/file" "$work/btrfs/two/file" "$work/overlay/file"
umount "$work/overlay"
umount "$work/btrfs"

# Mounted and unmounted by the command: before its end there is none again.
cat >"$work/passing" <<END
mount -t btrfs $disk $work/btrfs && mount -t overlay -o $layers overlay $work/overlay || exit
cat $work/btrfs/one/file $work/overlay/file
grep -e ' - btrfs ' -e ' - overlay ' /proc/self/mountinfo |
	sed 's/^[^ ]* [^ ]* \([^ ]*\) .* - \([^ ]*\) .*/\2 \1/' >$dir/devices-passing
# The recorder looks at the new table, whole.
fd=\$(ls -l /proc/\$PPID/fd | sed -n "s|.* \([0-9]*\) -> /proc/\$PPID/mountinfo\$|\1|p")
until [ "\$(sed -n 's/^pos:[^0-9]*//p' /proc/\$PPID/fdinfo/\$fd)" -ge "\$(wc -c </proc/\$PPID/mountinfo)" ]; do
	usleep 10000
done
umount $work/overlay && umount $work/btrfs
END
record passing sh "$work/passing"

# In a mount namespace of its own, as in a container.
cat >"$work/apart" <<END
mount -t btrfs $disk $work/btrfs && mount -t overlay -o $layers overlay $work/overlay || exit
grep -e ' - btrfs ' -e ' - overlay ' /proc/self/mountinfo |
	sed 's/^[^ ]* [^ ]* \([^ ]*\) .* - \([^ ]*\) .*/\2 \1/' >$dir/devices-apart.new
mv $dir/devices-apart.new $dir/devices-apart
exec sleep 1000
END
unshare -m sh "$work/apart" &
apart=$!
until [ -e "$dir/devices-apart" ]; do
	usleep 100000
done
if grep -e ' - btrfs ' -e ' - overlay ' /proc/self/mountinfo; then
	exit 1
fi
record apart nsenter -m -t $apart cat "$work/btrfs/one/file" "$work/overlay/file"
kill $apart
wait $apart || true
umount "$work/upper" "$work/lower"
losetup -d "$disk"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# file-lib.sh - for the guest tests about files to source, instead of guest-lib.sh:
# file systems to be tested on, and ftrace's counts
#
# The disk is a loop device of an image in memory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

disk=/dev/loop0
mnt=$work/mnt
bound=$work/bound
writeback=/proc/sys/vm/dirty_writeback_centisecs
mkdir "$mnt" "$bound"

clean_up_files()
{
	while umount "$bound" 2>/dev/null; do :; done
	while umount "$mnt" 2>/dev/null; do :; done
	losetup -d "$disk" 2>/dev/null
	[ ! -e "$work/writeback" ] || cat "$work/writeback" >"$writeback"
	clean_up
}

trap clean_up_files EXIT

# Nothing is to write in the background what no test has asked for: the journal, which is
# written every 5 s, has pages of its own in the disk's page cache.
make_disk()
{
	cat "$writeback" >"$work/writeback"
	echo 0 >"$writeback"
	modprobe loop || bail "no module loop"
	modprobe ext4 || bail "no module ext4"
	truncate -s 64M "$work/image"
	# By its path: busybox has a small one of its own.
	/usr/sbin/mke2fs -q -F -t ext4 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 \
		"$work/image" || bail "no ext4"
	losetup "$disk" "$work/image" || bail "no loop device"
}

mount_disk()
{
	mount -t ext4 -o commit=3600 "$disk" "$mnt" || bail "cannot mount ext4"
}

# mount_memory OPTIONS
mount_memory()
{
	mount -t tmpfs -o "$1" tmpfs "$mnt" || bail "cannot mount tmpfs"
}

# hist_on NAME EVENT KEYS - ftrace counts an event by these fields
hist_on()
{
	echo "hist:keys=$3:size=8192" >"$instance/events/$2/trigger" || bail "ftrace cannot count $2"
	echo "$1 $2" >>"$work/hists"
}

# hist_save DIR - the counts so far, each in a file of its NAME
hist_save()
{
	mkdir -p "$1"
	while read -r name event; do
		cat "$instance/events/$event/hist" >"$1/$name"
	done <"$work/hists"
}

hist_off()
{
	while read -r name event; do
		trigger=$(sed -n 's/ \[active\]$//; /^hist/p' "$instance/events/$event/trigger")
		echo "!$trigger" >"$instance/events/$event/trigger"
	done <"$work/hists"
	rm "$work/hists"
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# pagecache.sh DIR - in the guest of soak/pagecache.sh: captures, and how many pages of which file
# came again, go below DIR

set -eu

dir=$1
work=$(mktemp -d)

# make NAME PAGES
make()
{
	dd if=/dev/zero of="/srv/$1" bs=4k count="$2" 2>/dev/null
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# again NAME PAGES - read it; those that are not there come again
again()
{
	echo "$1 $(($2 - $(/usr/bin/fincore -n -o PAGES "/srv/$1")))"
	cat "/srv/$1" >/dev/null
}

# What is recorded. What is cut or deleted, and made anew, does not come again.
load()
{
	cat /srv/table /srv/index >/dev/null
	drop_caches
	again index 333
	again table 1500
	make log 300
	make log 300
	make gone 100
	rm /srv/gone
	make gone 100
	cat /srv/scan >/dev/null
	again table 1500
	again scan 81920
}

if [ "${2-}" = load ]; then
	load
	exit
fi

modprobe -a loop ext4
truncate -s 600M "$work/disk"
# By its path: busybox has a small one of its own.
/usr/sbin/mke2fs -q -t ext4 "$work/disk"
mkdir -p /srv
mount -o loop "$work/disk" /srv
make table 1500
make index 333
make log 300
truncate -s 320M /srv/scan
for backend in bpf module; do
	[ "$backend" = bpf ] || insmod /host/build/kmod/ovnik.ko
	drop_caches
	/host/build/ovnik record --no-selftest --backend "$backend" -e sched,task,file,pagecache \
		-o "$dir/$backend" -- sh "$0" "$dir" load >"$dir/$backend-log"
	grep -E '^[a-z]+ [0-9]+$' "$dir/$backend-log" >"$dir/$backend-truth"
done

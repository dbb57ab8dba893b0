#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refs.sh OUT [alone|tree|device] - in a guest whose memory references are logged: references that are known,
# then processes that are recorded by the module, too; alone: what is compared with a guest
# without the log; tree: the log of some processes; device: interrupts behind loads from a device

set -e
out=$1
PATH=/host/build/selftests/guest:$PATH
# It would give pages other frames.
echo 1000000 >/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs
if [ "${2-}" = "" ]; then
	refsload preempted >"$out/expected"
	trapload >"$out/traps"
	plain preempted >"$out/plain"
fi
insmod /host/build/kmod/ovnik.ko
if [ "${2-}" = tree ]; then
	treeload outside &
	/host/build/ovnik record --no-selftest --backend module --refs-tree -F -o "$out/tree" -- treeload >"$out/tree.log"
	kill $!
	[ "$(cat /sys/kernel/ovnik/refs)" = off ]
	exit
fi
if [ "${2-}" = device ]; then
	# The disks' controller, which nobody uses.
	device=$(grep -lx 0x010601 /sys/bus/pci/devices/*/class)
	device=${device%/class}
	echo 1 >"$device/enable"
	# shellcheck disable=SC2016 # for the shell that is recorded
	/host/build/ovnik record --no-selftest --backend module --refs -o "$out/device" -- sh -c '
		for i in 1 2 3 4 5 6 7 8; do cat /host/build/libovnik.a; done >/dev/null &
		deviceload "$1" && wait' sh "$device/resource5"
	exit
fi
# Of these alone: the recorder looks for new CPUs ten times a second.
/host/build/ovnik record --no-selftest --backend module --refs -F -o "$out/same${2:+-$2}" -- \
	sh -c 'for i in 1 2 3; do true | cat; done'
if [ "${2-}" = alone ]; then
	pace >"$out/pace.alone"
	exit
fi
# A part of the log that is small enough to be looked at line by line.
small='(echo one; echo two); echo three'
[ -z "$LONG" ] || small='echo | read -r _'
/host/build/ovnik record --no-selftest --backend module --refs -o "$out/small" -- sh -c "$small" >/dev/null
# shellcheck disable=SC2016 # for the shell that is recorded
/host/build/ovnik record --no-selftest --backend module --refs -o "$out/capture" -- sh -c '
	for i in 1 2 3; do
		cat /proc/self/maps | wc -l
		sleep 0.01
	done
	find /etc | sort >/dev/null'
mkdir /tmp/load
parts="cut swap"
if [ -n "$LONG" ]; then
	parts="cut huge sysv odd swap migrate"
	# Forks, copies on write, the page cache.
	mkdir /tmp/cache
	mount -t tmpfs none /tmp/cache
	/host/build/ovnik record --no-selftest --backend module --refs -o "$out/pages" -- \
		sh -c 'cowload /tmp/load && pageload /tmp/log memory /tmp/cache' >"$out/pages.log"
fi
# Pages that lose their place or get another frame.
modprobe zram
echo 64M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
for part in $parts; do
	/host/build/ovnik record --no-selftest --backend module --refs -o "$out/$part" -- moveload "$part" /tmp/load >"$out/$part.log"
done
rmmod ovnik
pace >"$out/pace.off"
pace logged >"$out/pace.on"

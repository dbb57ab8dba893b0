#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fdr.sh DIR - in the guest of vm/xray-write.sh: record dd, which reads and writes 100 times
#
# DIR is below /host. There is DIR/module and DIR/bpf in the end.

record()
{
	/host/build/ovnik record --no-selftest --backend "$1" -b 16M -o "/tmp/$1" -- \
		dd if=/tmp/in of=/tmp/out bs=4096 count=100 || return
	cp -r "/tmp/$1" "$out/"
}

out=$1
dd if=/dev/zero of=/tmp/in bs=4096 count=100 && insmod /host/build/kmod/ovnik.ko &&
	record module && rmmod ovnik && record bpf

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge.sh DIR - in the guest of vm/merge.sh: record ovniload, keep both traces
#
# DIR is below /host. For each of module and bpf, and without and with events of runtimes,
# there is DIR/NAME/capture and DIR/NAME/app in the end.

# record NAME BACKEND [OPTION] - OPTION is for ovniload
record()
{
	mkdir "/tmp/$1" || return
	# shellcheck disable=SC2086 # none, or one
	/host/build/ovnik record --no-selftest --backend "$2" -b 16M -o "/tmp/$1/capture" -- \
		/host/build/selftests/guest/ovniload "/tmp/$1/app" "$(hostname)" $3 || return
	cp -r "/tmp/$1" "$out/"
}

out=$1
insmod /host/build/kmod/ovnik.ko && record module module && record runtime module runtime &&
	rmmod ovnik && record bpf bpf

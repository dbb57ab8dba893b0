#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# execs.sh DIR EXECS - in the guest of vm/execs.sh: record threads that exec, by module and BPF
#
# DIR is below /host. The captures are DIR/module and DIR/bpf in the end. Others want the CPUs, so
# that an exec is interrupted.

# record NAME
record()
{
	/host/build/ovnik record --backend "$1" -b 32M -o "/tmp/$1" -- \
		sh -c "/tmp/texecs texec=$execs; true" && cp -r "/tmp/$1" "$out/"
}

out=$1
execs=$2
cp /host/build/selftests/guest/load /tmp/texecs && cp /tmp/texecs /tmp/others || exit
/tmp/others pipe &
others=$!
insmod /host/build/kmod/ovnik.ko && record module && rmmod ovnik && record bpf
status=$?
kill "$others"
exit $status

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# execs.sh DIR EXECS - in the guest of vm/execs.sh: record threads that exec, by module and BPF
#
# DIR is below /host. The captures are DIR/module and DIR/bpf in the end. Others want the CPUs, so
# that an exec is interrupted.

# record NAME BACKEND WORKER [OPTION]
record()
{
	# shellcheck disable=SC2086 # two words, or none
	/host/build/ovnik record --backend "$2" ${4:+"$4"} $few -b 32M -o "/tmp/$1" -- \
		sh -c "/tmp/texecs $3=$execs; true" && cp -r "/tmp/$1" "$out/"
}

# all BACKEND - execs, also those that fail when there is no way back, and also with a filter
all()
{
	record "$1" "$1" texec && record "$1-failing" "$1" fexec &&
		record "$1-filtered" "$1" texec -F && record "$1-failing-filtered" "$1" fexec -F
}

out=$1
execs=$2
few=
[ -n "$LONG" ] || few="-e sched,task"
cp /host/build/selftests/guest/load /tmp/texecs && cp /tmp/texecs /tmp/others || exit
/tmp/others pipe &
others=$!
insmod /host/build/kmod/ovnik.ko && all module && rmmod ovnik && all bpf
status=$?
kill "$others"
exit $status

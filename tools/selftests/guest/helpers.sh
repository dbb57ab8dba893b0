#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A program that the kernel itself starts has made no system call yet: what the kernel reads
# of its file is none of its reads. bpf-helpers.sh is a link.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

helpers=20

# with HELPER - the kernel asks it for file systems that nobody has; sets $execs and $reads
with()
{
	echo "$1" >/proc/sys/kernel/modprobe
	start
	for i in $(seq $helpers); do
		mount -t "nothing$i" none "$work" 2>/dev/null
	done
	stop
	execs=$(recorded task_exec)
	reads=$(recorded file_read)
	echo "# with \"$1\": $execs programs, $reads reads, $(recorded file_begin) begins, $(lost file_read) lost"
}

none_is_read()
{
	[ $((reads - reads_without)) -lt $((helpers / 2)) ]
}

load_module
configure 8M 256K discard
record_only task_exec file_begin file_read
modprobe=$(cat /proc/sys/kernel/modprobe)
with ""
execs_without=$execs
reads_without=$reads
# Linked statically, and without arguments it reads nothing.
with "$work/bin/symbol"
echo "$modprobe" >/proc/sys/kernel/modprobe
check "the kernel has started $helpers programs" test $((execs - execs_without)) -ge $helpers
check "and none of them has read anything" none_is_read
finish

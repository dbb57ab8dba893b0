#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What is recorded where a hook does not expect it, in a task that is halfway out, in a worker of
# io_uring, in a kernel thread and in an interrupt, is what was done there, and the task that did it.
# A FUSE server has requests of others: files.sh. IMA opens files in tasks that exit: vm/exits.sh.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

core=/proc/sys/kernel/core_pattern
mkdir "$work/mnt"
mount -t tmpfs -o size=64m tmpfs "$work/mnt" || bail "cannot mount tmpfs"
cp "$core" "$work/core"

clean_up_odd()
{
	cat "$work/core" >"$core"
	rmmod null_blk
	clean_up
}

trap clean_up_odd EXIT

echo core >"$core"
# irqmode 2: a request ends in the interrupt of a timer.
modprobe null_blk nr_devices=1 irqmode=2 || bail "no module null_blk"

load_module
configure 32M 256K discard
start
if oddload "$work/mnt" /dev/nullb0 >"$work/expected"; then
	ok "a load that does what hooks do not expect"
else
	not_ok "a load that does what hooks do not expect"
fi
stop
check "nothing was lost" nothing_lost
read_all "$work/capture"
umount "$work/mnt"
check "the files are what the record ABI says" examine "$work"/capture/*.ovk
check "what was done is recorded once, by who did it" oddcheck "$work/expected" "$work"/capture/*.ovk
echo "$tap_output"
finish

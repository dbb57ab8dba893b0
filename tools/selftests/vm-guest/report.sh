#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh DIR - in the guest of vm/report.sh: record reportload, by module and BPF
#
# DIR is below /host. For each of module and bpf there is DIR/NAME/capture and DIR/NAME/log
# in the end; also DIR/module/perf.data, of the same run, if the guest has perf.

programs=/host/build/selftests/guest

make_disk()
{
	modprobe loop && modprobe ext4 && mkdir /tmp/disk &&
		dd if=/dev/zero of=/tmp/image bs=1M count=16 2>/dev/null &&
		mke2fs -q -F /tmp/image && mount -t ext2 -o loop /tmp/image /tmp/disk
}

# Perf does not report when it has begun, but enables its events on demand.
start_perf()
{
	mkfifo /tmp/control /tmp/ack
	perf record -a -m 4M -B -D -1 --control fifo:/tmp/control,/tmp/ack \
		-e sched:sched_switch -e sched:sched_stat_runtime -e sched:sched_wakeup \
		-e sched:sched_wakeup_new -e sched:sched_migrate_task \
		-e sched:sched_process_fork -o /tmp/perf.data >/tmp/perf.log 2>&1 &
	perf=$!
	echo enable >/tmp/control
	head -n 1 /tmp/ack >/dev/null
}

stop_perf()
{
	kill -INT "$perf"
	wait "$perf"
	cp /tmp/perf.data "$out/module/"
}

# record NAME
record()
{
	mkdir "$out/$1" && /host/build/ovnik record --no-selftest --backend "$1" -b 32M -o "/tmp/$1" -- \
		$programs/reportload /tmp/disk "/tmp/$1.log" || return
	cp -r "/tmp/$1" "$out/$1/capture" && cp "/tmp/$1.log" "$out/$1/log"
}

out=$1
make_disk || exit
if command -v perf >/dev/null; then
	# It would look at every kernel module, by way of the host.
	umount /modules 2>/dev/null
	start_perf
fi
insmod /host/build/kmod/ovnik.ko && record module || exit
[ -z "$perf" ] || stop_perf
rmmod ovnik && record bpf

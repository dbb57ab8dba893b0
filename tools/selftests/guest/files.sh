#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What is recorded of files is what was done with them: opening, closing, reading
# and writing by every way there is, deleting, truncating, renaming; on ext4, on tmpfs,
# and where BPF programs sit on the same functions. ftrace and /proc agree.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

taken=/sys/fs/bpf/taken
calls="read write pread64 pwrite64 readv writev preadv preadv2 pwritev pwritev2 sendfile64 splice
	copy_file_range"

count_calls()
{
	mkdir "$instance"
	for call in $calls; do
		hist_on "$call" "syscalls/sys_exit_$call" common_pid
	done
}

# files_on LABEL [DEVICE] - what is mounted at $mnt
files_on()
{
	label=$1
	mkdir "$mnt/real"
	mount --bind "$mnt/real" "$bound"
	count_calls
	# The load says itself when the capture starts and stops.
	check "$label: a load that does everything with files" \
		fileload -c "$enable_switch" "$mnt" "$bound" "$work/log" ${2+"$2"}
	stop
	hist_save "$work/hist"
	hist_off
	trace_off
	umount "$bound"
	check "$label: nothing was lost" nothing_lost
	read_all "$work/capture"
	check "$label: the files are what the record ABI says" examine -f "$work"/capture/*.ovk
	check "$label: the records are what was done, and the checker notices mutations" \
		filecheck ${MUTATE:+-m} -w "$work/hist" "$work/log" "$work"/capture/*.ovk
	echo "$tap_output"
	umount "$mnt"
	rm -r "$work/log" "$work/hist" "$work/capture"
}

# What the kernel has counted, and we, without a fork in between: only built-ins of the shell.
look_at_forks()
{
	read -r task_forks <"$ovnik/events/task_fork/recorded"
	while read -r key forks rest; do
		[ "$key" != processes ] || break
	done </proc/stat
}

# act_on_files - in a new file system
act_on_files()
{
	mount_memory size=64m
	mkdir "$mnt/real"
	mount --bind "$mnt/real" "$bound"
	fileload -c /dev/null "$mnt" "$bound" "$work/log"
	result=$?
	umount "$bound" "$mnt"
	return "$result"
}

# Requests of io_uring that block make the kernel create threads of the process. A thread of the
# kernel may come between the two looks.
workers_are_forks()
{
	record_only task_fork
	start
	for _ in 1 2 3; do
		look_at_forks
		before=$((task_forks - forks))
		first=$forks
		act_on_files || break
		look_at_forks
		[ $((task_forks - forks)) != "$before" ] || break
	done
	stop
	echo "$((task_forks - forks - before)) more recorded than the $((forks - first)) that there were"
	[ $((task_forks - forks)) = "$before" ] && [ $((forks - first)) -ge 10 ]
}

# BPF programs are around the functions that the module would be around.
take()
{
	bpftool prog loadall /host/build/selftests/guest/taken.bpf.o "$taken" autoattach
}

was_taken()
{
	dmesg | grep "ovnik: a BPF program is around" | tee "$work/taken"
	[ "$(sort -u "$work/taken" | grep -c 'vfs_read\|vfs_write\|rw_verify_area')" -ge 3 ]
}

# While the probes are attached, which takes longest with all events, calls begin and end.
naps()
{
	for event in "$ovnik"/events/*/enable; do
		echo 1 >"$event"
	done 2>/dev/null
	: >"$work/naps"
	napload "$work/napping" >"$work/naps" &
	echo "$!" >>"$loads"
	wait_until grep -q ready "$work/naps"
	for _ in $(seq "$(amount 1 3)"); do
		start
		# Each of them wakes up.
		sleep 2
		stop
		read_all "$work/capture"
		napload -c "$work"/capture/*.ovk || break
		rm -r "$work/capture"
	done
	stop_loads
	[ ! -e "$work/capture" ]
}

# open_before HOLD - the shell does not open anything while it is looked at
open_before()
{
	mount_memory size=256m
	fileload "$1" "$mnt" >"$work/holder" &
	holder=$!
	echo "$holder" >>"$loads"
	wait_until grep -q ready "$work/holder"
	start
	stop
	read_all "$work/capture"
	filecheck -d "$holder" "$work"/capture/*.ovk
	result=$?
	stop_loads
	umount "$mnt"
	return "$result"
}

# spins PID - it has had the CPU for a tenth of a second
spins()
{
	[ "$(cut -d ' ' -f 14 "/proc/$1/stat")" -gt 10 ]
}

# It only interrupts the one that matches, which has not asked for it.
aio_of_others()
{
	taskset 1 sh -c 'while :; do :; done' &
	spinner=$!
	echo "$spinner" >>"$loads"
	wait_until grep -qx sh "/proc/$spinner/comm" && wait_until spins "$spinner" || return
	set_file filter_pid "$spinner"
	start
	for _ in 1 2 3 4 5; do
		fileload aio /dev/nullb0
	done
	stop
	stop_loads
	set_file filter_pid ''
	[ "$(recorded sched_switch)" -gt 0 ] && [ "$(recorded file_read)" = 0 ]
}

# Its own, wherever they complete: ten times two.
aio_of_chosen()
{
	mkfifo "$work/go"
	# shellcheck disable=SC2016 # for the shell that this begins
	sh -c 'read -r _ <"$0"; exec fileload aio /dev/nullb0' "$work/go" &
	chosen=$!
	set_file filter_pid "$chosen"
	start
	echo >"$work/go"
	wait "$chosen"
	stop
	set_file filter_pid ''
	echo "$(recorded file_read) reads"
	[ "$(recorded file_read)" = 20 ]
}

# FUSE leaves the position of a request where it was, and its server completes it; a disk does not.
requests_are_as_submitted()
{
	modprobe fuse || return
	mkdir "$work/fuse"
	start
	fuseload "$work/fuse" /dev/nullb0 >"$work/done"
	result=$?
	stop
	read_all "$work/requests"
	requests "$work"/requests/cpu*.ovk | diff "$work/done" - && [ "$result" = 0 ]
}

# one_way EVENT - calls that are not recorded do not hide those that are
one_way()
{
	record_only "$1"
	start
	fileload vectors "$work/vectors"
	stop
	nothing_lost && [ "$(recorded "$1")" -ge 2000 ]
}

load_module
configure 16M 256K discard
record_only file_open file_close file_begin file_read file_write file_delete file_truncate \
	file_rename dump_file
# Of this load parity.sh sees that the probes record the same, but not those programs of BPF that the module is in
# the way of: tmpfs has them.
if [ "$backend" = module ] || [ -n "$LONG" ]; then
	make_disk
	mount_disk
	files_on ext4 "$disk"
fi
# It completes 1 ms later, in an interrupt of the CPU that asked.
modprobe null_blk irqmode=2 completion_nsec=1000000 || bail "no module null_blk"
if [ "$backend" = bpf ] || [ -n "$LONG" ]; then
	mount_memory size=256m
	files_on tmpfs /dev/nullb0
fi
if [ "$backend" = bpf ] && [ -z "$LONG" ]; then
	: # to each other they are no more than other programs
elif can_take; then
	check "BPF programs are around what is hooked" take
	mount_memory size=256m
	files_on "tmpfs, beside BPF" /dev/nullb0
	[ "$backend" = bpf ] || check "the module has noticed" was_taken
	# A call begins where the module is around, and ends where it is not.
	rm "$taken"/*rw_verify_area
	[ "$backend" = bpf ] || check "beside BPF around calls only, no call has the result of the next" naps
	rm -r "$taken"
else
	skip "beside BPF programs" "no BTF, no bpftool, or they are not built"
fi
record_only sched_switch file_read
check "with a filter, aio of others is left out" aio_of_others
check "but not that of the chosen process" aio_of_chosen
record_only file_begin file_read file_write
check "requests have the offsets and the task with which they were submitted" requests_are_as_submitted
check "reading is recorded without writing" one_way file_read
check "writing is recorded without reading" one_way file_write
[ "$backend" = bpf ] || check "each new task is recorded, workers of io_uring, too" workers_are_forks
record_only file_open file_close dump_file
rmmod null_blk
check "files that are open at the start are those of /proc/PID/fd" open_before hold
echo "$tap_output"
check "so they are where the first thread of the process has ended" open_before hold-by-thread
echo "$tap_output"
finish

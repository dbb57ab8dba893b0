#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that die or sleep, and unloading the module at bad moments.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# A reader is killed while it reads: the file can be opened again, the rest read. One that
# was killed while there were data once looped in the kernel for ever.
killed_reader()
{
	load_with buffer_size=256K subbuf_size=4K
	start_under_load pipe cross fork
	for how in block hold mmap; do
		for _ in $(seq "$(amount 1 6)"); do
			case $how in
			mmap) set -- "$work/killed.cpu0" ;;
			*) set -- ;;
			esac
			start_reader "$how" /dev/ovnik/cpu0 "$@"
			wait_until holds "$reader" || return
			usleep 50000
			kill -KILL "$reader"
			wait "$reader" 2>/dev/null
			if ! dd if=/dev/ovnik/cpu0 of=/dev/null bs=4096 count=1 2>/dev/null; then
				echo "$how: the file cannot be read after it"
				return 1
			fi
		done
	done
	stop
	stop_loads
	read_all "$work/killed" && examine "$work"/killed/*.ovk
	result=$?
	rmmod ovnik && return "$result"
}

# A reader sleeps in read() when the capture stops, and is woken.
reader_wakes()
{
	load_with events=task_exit
	start
	start_reader block /dev/ovnik/cpu1
	wait_until holds "$reader" && wait_until asleep "$reader" || return
	stop
	wait "$reader" && rmmod ovnik
}

# In discard mode the statedump has no ring of its own: read() does not wait for one, and
# whoever polls is woken by the end.
dump_reader_ends()
{
	load_with events=task_exit
	start
	start_reader poll /dev/ovnik/dump "$work/polled" 4096
	wait_until holds "$reader" && wait_until asleep "$reader" || return
	stop
	wait "$reader" || return
	start
	timeout 300 cat /dev/ovnik/dump >"$work/dump" && [ ! -s "$work/dump" ]
	result=$?
	stop
	wait_until rmmod ovnik && return "$result"
}

# No file is open, and nothing that may last is recorded: the capture ends with the module.
unload_while_capturing()
{
	for _ in $(seq "$(amount 2 5)"); do
		load_with mode=overwrite buffer_size=64K subbuf_size=4K \
			events=sched,task,mm,page_remove,file_open,file_close
		start
		load fork=2 pipe=50
		rmmod ovnik || return
		[ ! -e "$ovnik" ] && [ ! -e /dev/ovnik ] || return
	done
}

is_busy()
{
	if timeout 300 rmmod ovnik 2>"$work/error"; then
		echo "the module was unloaded"
		return 1
	fi
	cat "$work/error"
	grep -Eqi 'busy|temporarily unavailable|in use' "$work/error"
}

# What stops the capture is a write of a file, too: rmmod does not find it still in there. A page
# fault of another task may have been preempted.
unload_behind_stop()
{
	for _ in $(seq "$(amount 2 8)"); do
		load_with events=file_write
		start
		stop
		rmmod ovnik || return
	done
	start_load fork
	for _ in $(seq "$(amount 2 8)"); do
		load_with events=file_write,file_read,page_fault_end,page_add
		start
		usleep 20000
		stop
		wait_until rmmod ovnik 2>/dev/null || return
	done
	stop_loads
}

# Any user can make a page fault last: rmmod must not wait for it.
endless_fault()
{
	load_with events=page_fault_end
	start
	is_busy || return
	uffdload >"$work/ready" &
	uffd=$!
	wait_until test -s "$work/ready" || return
	stop
	is_busy
	result=$?
	# Again, while it is still in there.
	start
	stop
	is_busy || result=1
	kill -KILL "$uffd"
	wait_until rmmod ovnik 2>/dev/null && return "$result"
}

# A read that waits for what may never come; one from a pipe is not recorded.
endless_read()
{
	load_with events=file_read
	start
	mkfifo "$work/pipe"
	cat <>"$work/pipe" >/dev/null &
	from_pipe=$!
	# Nothing is ever traced there.
	mkdir "$tracing/instances/quiet"
	cat "$tracing/instances/quiet/trace_pipe" >/dev/null &
	from_kernel=$!
	wait_until asleep "$from_pipe" && wait_until asleep "$from_kernel" || return
	is_busy || return
	stop
	is_busy
	result=$?
	kill -KILL "$from_kernel"
	wait "$from_kernel" 2>/dev/null
	rmdir "$tracing/instances/quiet"
	wait_until rmmod ovnik 2>/dev/null && asleep "$from_pipe" || result=1
	kill -KILL "$from_pipe"
	wait "$from_pipe" 2>/dev/null
	return "$result"
}

# refused_while COMMAND FILE - a reader with an open file keeps the module
refused_while()
{
	load_module
	start
	start_reader "$@"
	wait_until holds "$reader" || return
	refused=0
	if rmmod ovnik 2>"$work/error"; then
		echo "the module was unloaded under reader $*"
		refused=1
	elif ! grep -Eqi 'busy|temporarily unavailable|in use' "$work/error"; then
		cat "$work/error"
		refused=1
	fi
	# It goes on as if nothing had been.
	before=$(recorded sched_switch)
	load pipe=50
	[ "$(recorded sched_switch)" -gt "$before" ] || refused=1
	kill -KILL "$reader"
	wait "$reader" 2>/dev/null
	unload && return "$refused"
}

# Load and unload while CPUs come and go, without a capture.
unload_while_plugging()
{
	start_hotplug
	for _ in $(seq "$(amount 3 8)"); do
		if ! insmod "$work/ovnik.ko" || ! rmmod ovnik; then
			stop_hotplug
			return 1
		fi
	done
	stop_hotplug
}

check "a killed reader" killed_reader
check "a sleeping reader is woken by the end" reader_wakes
check "a reader of no statedump comes to its end" dump_reader_ends
check "unloaded while capturing" unload_while_capturing
check "unloaded at once behind the write that stops" unload_behind_stop
check "not unloaded while a page fault lasts" endless_fault
check "not unloaded while a read of a file lasts" endless_read
check "not unloaded while a data file is being read" refused_while block /dev/ovnik/cpu0
check "not unloaded while a data file is mapped" refused_while hold /dev/ovnik/cpu1
check "unloaded while CPUs come and go" unload_while_plugging
finish

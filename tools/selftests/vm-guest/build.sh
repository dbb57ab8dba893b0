#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh REPOSITORY - in the guest of soak/load.sh: compile, all events on
#
# With 16 MiB a CPU, as many compilers at once as there are CPUs, and one more.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../tap.sh"

top=$1
work=/host/mnt
ovnik=/sys/kernel/ovnik

# TMPDIR: the host's /tmp is the host's.
compile='cd /mnt/src && mkdir /mnt/obj /mnt/tmp && export TMPDIR=/mnt/tmp &&
	ls user/hook/*.c user/output/laplace/*.c |
	xargs -P 3 -n 1 sh -c '\''gcc -O1 -w -Iuser -Ikmod/include/uapi -c "$1" \
		-o "/mnt/obj/$(echo "$1" | tr / _).o"'\'' sh'

compiled()
{
	[ "$(find "$work/obj" -name '*.o' | wc -l)" = \
		"$(find "$work/src/user/hook" "$work/src/user/output/laplace" -name '*.c' | wc -l)" ]
}

# Every event is on, and every one that a build has was recorded.
has_all()
{
	for event in sched_switch sched_wakeup task_fork task_exec task_exit mmap_file \
		mmap_anon munmap mprotect vma_dup cow_break page_fault page_fault_end \
		page_add page_remove file_open file_close file_read file_write file_delete; do
		if [ "$(cat "$ovnik/events/$event/recorded")" -lt 5 ]; then
			echo "# $event: $(cat "$ovnik/events/$event/recorded") recorded"
			return 1
		fi
	done
}

mount -t tmpfs -o size=3g tmpfs $work
mount -t proc proc /host/proc
mount -t devtmpfs dev /host/dev
mkdir $work/src $work/src/kmod
cp -r "$top/user" $work/src/
cp -r "$top/kmod/include" $work/src/kmod/
check "the module is loaded" insmod "$top/build/kmod/ovnik.ko"
"$top/build/ovnik" record --no-selftest -b 16M -o $work/capture -- \
	chroot /host sh -c "$compile" >$work/log 2>&1
status=$?
check "recorded without a loss: status $status" [ $status = 0 ]
sed 's/^/# /' $work/log | tail -n 3
check "and the build has come to its end" compiled
check "with all that happens in one" has_all
check "$(cat $ovnik/recorded) events, lost $(cat $ovnik/lost)" [ "$(cat $ovnik/lost)" = 0 ]
check "the module is unloaded" rmmod ovnik
umount /host/dev /host/proc $work
finish

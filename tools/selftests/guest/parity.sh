#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module and the BPF probes record the same run at the same time: for every task,
# both have the same events, in the same order, field by field.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

# For a look at them: what to record, and where to leave the captures.
events=${1-}
keep=${2-}

# Processes that do nothing from the first statedump to the second.
start_sleepers()
{
	mount_memory size=16m
	fileload hold "$mnt" >"$work/holder" &
	echo $! >>"$loads"
	sleep 1000 &
	echo $! >>"$loads"
	wait_until grep -q ready "$work/holder"
	umount -l "$mnt"
}

# start_recorder BACKEND - it records until a line comes from the pipe
start_recorder()
{
	mkfifo "$work/$1.off"
	/host/build/ovnik record --no-selftest --backend "$1" ${events:+-e "$events"} -b 32M -o "$work/$1" \
		-- sh -c "echo >$work/$1.on; read -r _ <$work/$1.off" 2>"$work/$1.log" &
	recorders="$recorders $!"
	wait_until [ -e "$work/$1.on" ] || bail "$1: $(cat "$work/$1.log")"
}

# stop_recorder BACKEND PROCESS
stop_recorder()
{
	echo >"$work/$1.off"
	wait "$2"
	echo $? >"$work/$1.status"
}

recorded_all()
{
	cat "$work/$1.log"
	[ "$(cat "$work/$1.status")" = 0 ]
}

# loads NAME COMMAND... - one of what is done while both record
loads()
{
	what=$1
	shift
	check "load: $what" "$@"
}

# Of each of these there is a test that looks at what it does; here it need only be done.
load_tasks()
{
	loads "tasks" load fork=10 exec=5 spawn=5 thread=10 texec=5 hack=5 pipe=100 cross=50 \
		futex=100 sleep=20 yield=50 move=20 timer=20
}

load_memory()
{
	mkdir "$work/load"
	echo 8 >"$hugepages"
	loads "mappings" mapload -n 2000 -c 2 "$work/load"
	echo never >"$thp/enabled"
	loads "copies" cowload "$work/load"
	echo always >"$thp/enabled"
	loads "copies of huge pages" cowload -H "$work/load"
	echo 0 >"$hugepages"
	echo "$was" >"$thp/enabled"
}

# files KIND [DEVICE] - what is mounted at $mnt
files()
{
	mkdir "$mnt/real"
	mount --bind "$mnt/real" "$bound"
	loads "files, $1" fileload -c /dev/null "$mnt" "$bound" "$work/log" ${2+"$2"}
	umount "$bound"
	rm "$work/log"
}

# pages KIND DIR [DEVICE]
pages()
{
	loads "pages, $1" pageload "$work/pages" "$@"
}

load_files()
{
	mount_disk
	loads "page faults" faultload "$work/load" "$mnt/data"
	files disk "$disk"
	pages disk "$mnt" "$disk"
	umount "$mnt"
	mount_memory size=256m
	files memory
	pages memory "$mnt"
	umount "$mnt"
	mount_memory size=256m,huge=always
	pages huge "$mnt"
	umount "$mnt"
	echo 4 >"$hugepages"
	mount -t hugetlbfs hugetlbfs "$mnt" || bail "cannot mount hugetlbfs"
	pages hugetlb "$mnt"
	umount "$mnt"
	echo 0 >"$hugepages"
	pages device "$disk"
}

# Files that have a name below, too; files outside of one's root, files that are gone.
overlay()
{
	mkdir "$mnt/lower" "$mnt/upper" "$mnt/work" "$mnt/all" &&
		cp /bin/busybox "$mnt/lower/" &&
		mount -t overlay -o "lowerdir=$mnt/lower,upperdir=$mnt/upper,workdir=$mnt/work" \
			overlay "$mnt/all" || return
	"$mnt/all/busybox" sh -c "cat $mnt/all/busybox | wc -c"
	echo more >>"$mnt/all/busybox"
	mv "$mnt/all/busybox" "$mnt/all/sh"
	echo text >"$mnt/all/text"
	chroot "$mnt/all" /sh sh -c 'read -r line; read -r line </text' <"$0"
	rm "$mnt/all/text"
	exec 3<"$mnt/all/sh"
	rm "$mnt/all/sh"
	cat <&3 >/dev/null
	exec 3<&-
	umount "$mnt/all"
}

# Longer than a path may be.
deep()
{
	name=$(printf %0200d 1)
	depth=0
	cd "$mnt" || return
	while [ "$depth" -lt 30 ]; do
		mkdir "$name" && cd -P "$name" || return
		depth=$((depth + 1))
		echo "$depth" >"file$depth"
	done
	cp /bin/busybox busybox && ./busybox cat "file$depth" &&
		mv "file$depth" file && truncate -s 1 file && rm file
}

load_paths()
{
	mount_memory size=64m
	loads "files of an overlay" overlay
	loads "long paths" deep
	umount "$mnt"
}

load_hotplug()
{
	echo 0 >"$cpu1_online"
	usleep 100000
	echo 1 >"$cpu1_online"
	usleep 100000
}

hugepages=/proc/sys/vm/nr_hugepages
thp=/sys/kernel/mm/transparent_hugepage
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$thp/enabled")
# What makes huge pages of small ones would change frames under our eyes.
scan=$(cat "$thp/khugepaged/scan_sleep_millisecs")
echo 1000000 >"$thp/khugepaged/scan_sleep_millisecs"
make_disk
modprobe overlay || bail "no module overlay"
load_module
start_sleepers
recorders=
# In this order: while BPF sits on handle_mm_fault() the module cannot.
start_recorder module
start_recorder bpf
parity begin
load_tasks
load_memory
load_files
load_paths
load_hotplug
parity end
# shellcheck disable=SC2086 # two
set -- $recorders
stop_recorder bpf "$2"
stop_recorder module "$1"
echo "$scan" >"$thp/khugepaged/scan_sleep_millisecs"
[ -z "$keep" ] || cp -r "$work/module" "$work/bpf" "$keep"
check "the module has recorded everything" recorded_all module
echo "$tap_output" | explain
check "so have the BPF probes" recorded_all bpf
echo "$tap_output" | explain
check "they have recorded the same, and the comparer notices mutations" \
	parity -m "$work/module" "$work/bpf"
echo "$tap_output"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cpus.sh DIR all|few - in the guest of vm/cpus.sh: record what runs on each CPU, two of which go
# and come
#
# DIR is below /host. For each of module and bpf there is DIR/NAME, and what ran there in DIR/NAME.log;
# of the module, and of BPF with "all", also DIR/NAME-snapshot and DIR/NAME-stopped.

dir=$1
task=$2
programs=/host/build/selftests/guest
last=$(($(nproc) - 1))

uptime()
{
	cut -d ' ' -f 1 /proc/uptime
}

# timed WHAT COMMAND...
timed()
{
	what=$1
	shift
	before=$(uptime)
	"$@" || return
	echo "# $back_end: $what $(awk -v a="$before" -v b="$(uptime)" 'BEGIN { print b - a }') s"
}

# online CPU VALUE
online()
{
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

if [ "$task" = work ]; then
	for cpu in 5 "$last"; do
		online "$cpu" 0
	done
	$programs/pinload
	for cpu in 5 "$last"; do
		online "$cpu" 1
	done
	$programs/pinload
	exit
fi

ovnik()
{
	/host/build/ovnik "$@"
}

flight()
{
	timed start ovnik start --no-selftest --backend "$back_end" -b 256K &&
		$programs/pinload >"$dir/$back_end-snapshot.log" &&
		timed snapshot ovnik snapshot --backend "$back_end" -o "$dir/$back_end-snapshot" &&
		$programs/pinload >"$dir/$back_end-stopped.log" &&
		timed stop ovnik stop --backend "$back_end" -o "$dir/$back_end-stopped"
}

for back_end in module bpf; do
	[ "$back_end" = bpf ] || insmod /host/build/kmod/ovnik.ko || exit
	ovnik record --no-selftest --backend "$back_end" -b 256K -o "$dir/$back_end" -- \
		sh "$0" "$dir" work >"$dir/$back_end.log" || exit
	case $back_end-$task in
	bpf-few) ;;
	*) flight || exit ;;
	esac
	[ "$back_end" = bpf ] || rmmod ovnik || exit
done

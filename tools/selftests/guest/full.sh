#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A disk that is full sooner or later: what was recorded until then is described.
# bpf-full.sh is a link: the same with BPF.
# shellcheck disable=SC2034 # the conditions of "holds" see $status
set -u

# shellcheck source=tools/selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

bin=/host/build/selftests/guest
work=$(mktemp -d)
control=/sys/kernel/ovnik
backend=module
case ${0##*/} in
bpf-*) backend=bpf ;;
esac

cleanup()
{
	umount "$work/disk" 2>/dev/null
	rm -rf "$work"
	rmmod ovnik 2>/dev/null
}
trap cleanup EXIT

# holds CONDITION NAME
holds()
{
	check "$2" eval "$1"
	[ "$tap_status" -eq 0 ] || explain <"$work/log"
}

# As many as the largest disk has no room for.
runs=$(amount 150 500)

# record KIB - into a file system of that size; more than fits
record()
{
	rm -f "$work/ended"
	mount -t tmpfs -o "size=${1}k" none "$work/disk"
	# shellcheck disable=SC2016 # it is expanded there
	/host/build/ovnik record --no-selftest --backend "$backend" -e sched,task,mm -b 64K -o "$work/disk/cap" -- \
		sh -c 'for i in $(seq "$2"); do /bin/true; done; echo >"$1"' sh "$work/ended" "$runs" \
		>"$work/log" 2>&1
	status=$?
}

# A program that runs for days is not to be lost with its recording.
goes_on()
{
	for _ in $(seq 3000); do
		[ ! -e "$work/ended" ] || return 0
		usleep 200000
	done
	return 1
}

# Once stopped, the kernel's counts are those of meta.json; with BPF they are gone.
all_counted()
{
	[ "$backend" = module ] || return 0
	read -r recorded lost _ <"$work/counts"
	echo "$recorded and $lost, the kernel has $(cat "$control/recorded") and $(cat "$control/lost")"
	[ $((recorded + lost)) = $(($(cat "$control/recorded") + $(cat "$control/lost"))) ]
}

# With BPF, the programs are gone when nobody holds them.
stopped()
{
	if [ "$backend" = module ]; then
		[ "$(cat "$control/enable")" = 0 ]
	else
		[ ! -e /sys/fs/bpf/ovnik ] && [ -z "$(pidof ovnik)" ]
	fi
}

mkdir "$work/disk"
if [ "$backend" = module ] && ! insmod /host/build/kmod/ovnik.ko 2>/dev/null &&
	! insmod "/host/build/$(uname -r)/kmod/ovnik.ko"; then
	echo "Bail out! no module, see make kmod KDIR="
	exit 1
fi

record 100
holds '[ $status -eq 1 ] && grep -q "meta.json: No space" "$work/log"' \
	"no room for meta.json: nothing is recorded"
holds '[ -z "$(ls "$work/disk/cap")" ]' "and no file is left"
holds '[ ! -e "$work/ended" ]' "nor is the command run"
umount "$work/disk"

for size in $(amount 188 "152 170 188 212 236 284 332 428"); do
	record "$size"
	holds '[ $status -eq 1 ] && grep -q "cpu.*.ovk: offset .*: No space" "$work/log"' \
		"$size KiB: status 1, file and offset are named"
	holds stopped "$size KiB: the capture is stopped"
	holds goes_on "$size KiB: the command goes on to its end"
	holds '"$bin/metacheck" "$work/disk/cap" >"$work/counts"' "$size KiB: meta.json is whole"
	holds '"$bin/examine" -f "$work"/disk/cap/*.ovk' "$size KiB: and so is what was recorded"
	holds '[ "$(cut -d " " -f 2 "$work/counts")" -gt 0 ]' "$size KiB: the rest is counted as lost"
	holds all_counted "$size KiB: no event is missing"
	umount "$work/disk"
done

# save KIB COMMAND - what a flight recorder has, into a file system of that size
save()
{
	mount -t tmpfs -o "size=${1}k" none "$work/disk"
	/host/build/ovnik "$2" --backend "$backend" -o "$work/disk/cap" >"$work/log" 2>&1
	status=$?
}

# In rings that do not fit into any of these.
start_flight()
{
	/host/build/ovnik start --no-selftest --backend "$backend" -e sched,task,mm -m overwrite -b 256K \
		>"$work/log" 2>&1 || return
	# Also where one CPU would run them all.
	for cpu in 1 2; do
		# shellcheck disable=SC2016 # for the shell that this begins
		taskset "$cpu" sh -c 'for _ in $(seq 150); do /bin/true; done'
	done
}

if ! start_flight; then
	echo "Bail out! no flight recorder"
	exit 1
fi
for command in snapshot stop; do
	save 100 "$command"
	holds '[ $status -eq 1 ] && grep -q "meta.json: No space" "$work/log"' \
		"$command: no room for meta.json"
	holds '[ -z "$(ls "$work/disk/cap")" ]' "and no file is left"
	umount "$work/disk"
	for size in $(amount 188 "152 170 188 212 236 332"); do
		save "$size" "$command"
		holds '[ $status -eq 1 ] && grep -q "cpu.*.ovk: offset .*: No space" "$work/log"' \
			"$command, $size KiB: status 1, file and offset are named"
		holds '"$bin/metacheck" "$work/disk/cap" >"$work/counts"' \
			"$command, $size KiB: meta.json is whole"
		holds '"$bin/examine" -fo "$work"/disk/cap/*.ovk' \
			"$command, $size KiB: and so is what was saved"
		umount "$work/disk"
	done
	save 8192 "$command"
	holds '[ $status -eq 0 ] && "$bin/metacheck" "$work/disk/cap" >"$work/counts" &&
		"$bin/examine" -fo "$work"/disk/cap/*.ovk' "$command: all is still there for a larger disk"
	umount "$work/disk"
done
holds stopped "and the capture is stopped"
finish

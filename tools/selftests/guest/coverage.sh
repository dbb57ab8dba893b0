#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each way by which a program reads, writes, names, maps, faults, forks and waits gives the events
# that Documentation/coverage.rst says. Where that is to be made again: what it says with a +.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

thp=/sys/kernel/mm/transparent_hugepage/enabled
hugepages=/proc/sys/vm/nr_hugepages
ksm=/sys/kernel/mm/ksm
pause=$(cat "$ksm/sleep_millisecs")
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$thp")

clean_up_coverage()
{
	echo "$was" >"$thp"
	echo 0 >"$hugepages"
	echo 0 >"$ksm/run"
	echo "$pause" >"$ksm/sleep_millisecs"
	umount "$work/tmp"
	rmmod null_blk
	clean_up_files
}

trap clean_up_coverage EXIT

# Its lists with their headings, as covercheck prints them.
lists_of()
{
	awk '/^=+$/ { heading = "# " last }
		/^:/ { if (heading != "") print heading; heading = ""; print }
		{ last = $0 }' "$1"
}

as_documented()
{
	lists_of /host/Documentation/coverage.rst | diff -u - "$work/found"
}

modprobe null_blk nr_devices=1 || bail "no module null_blk"
make_disk
mount_disk
mkdir "$work/tmp"
mount -t tmpfs -o size=16m tmpfs "$work/tmp" || bail "cannot mount tmpfs"
echo madvise >"$thp"
echo 4 >"$hugepages"
load_module
configure 32M 256K discard
start
if coverload "$mnt" "$work/tmp" /dev/nullb0 >"$work/ways"; then
	ok "a load that goes each way"
else
	not_ok "a load that goes each way"
fi
stop
check "nothing was lost" nothing_lost
read_all "$work/capture"
covercheck "$work/ways" "$work"/capture/*.ovk >"$work/found" || bail "covercheck"
check "each way gives the events that the manual says" as_documented
echo "$tap_output"
finish

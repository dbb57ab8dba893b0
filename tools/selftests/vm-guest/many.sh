#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# many.sh DIR EVENTS - in the guest of soak/many.sh: one capture of so many events, in DIR. Of each
# kind that the load counts, as many were recorded or lost. DIR/witnessed says how many.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

dir=$1
# A read has two events, and of its sixteenth part there are five others.
calls=$(($2 * 16 / 37 + 16))

record_many()
{
	/host/build/ovnik record --no-selftest -F -b 64M -e file,madvise_dontneed -o "$dir" -- \
		manyload "$work" "$calls" "$work/witnessed"
	status=$?
	[ "$status" = 0 ] || [ "$status" = 4 ]
}

sums_agree()
{
	result=0
	while read -r event count; do
		sum=$(seen "$event")
		echo "$event: $count witnessed, $(recorded "$event") recorded, $(lost "$event") lost"
		[ "$sum" = "$count" ] || result=1
	done <"$work/witnessed"
	return "$result"
}

load_module
check "a capture of $2 events" record_many
echo "$tap_output" | explain
check "each event of the load was recorded or lost" sums_agree
echo "$tap_output" | explain
check "there are so many" test $(($(get_file recorded) + $(get_file lost))) -ge "$2"
cp "$work/witnessed" "$dir/"
finish

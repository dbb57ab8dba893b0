#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# x32.sh - in the guest of soak/x32.sh

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

load=/host/build/selftests/guest/x32load
work=$(mktemp -d)

# Of one event, in all of DIR/meta.json.
recorded_in()
{
	awk -v event="\"$2\":" '
		/^  "events":/ { exit }
		$1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { print sum + 0 }' "$1/meta.json"
}

# both_ways BACKEND - there is little else that reads or writes
both_ways()
{
	/host/build/ovnik record --no-selftest --backend "$1" -e file_read,file_write -o "$work/$1" -- \
		"$load" "$work/file" 500 || return
	for event in file_read file_write; do
		count=$(recorded_in "$work/$1" "$event")
		echo "$count of $event"
		[ "$count" -ge 1000 ] || return
	done
}

check "BPF records reads and writes of x32" both_ways bpf
check "the module is loaded" insmod /host/build/kmod/ovnik.ko
check "the module records reads and writes of x32" both_ways module
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# While directories are renamed, the path of each file that is opened in them is one that it
# had, and the kernel does not complain: nothing sleeps where it must not. CYCLES in the
# environment is for how many seconds.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/file-lib.sh"

renamed()
{
	renameload "$mnt" "${CYCLES:-$(amount 4 8)}" >"$work/opened"
}

# Each that begins with our directory, with the number of its records.
paths()
{
	texts "$work"/capture/*.ovk | grep -o " $mnt/.*/file\$" | sort | uniq -c
}

only_paths_that_were()
{
	paths >"$work/paths"
	cat "$work/paths"
	[ -s "$work/paths" ] &&
		! grep -Ev " +$mnt/(here([0-2])/name|there([0-2])/another-name)/file\$" "$work/paths"
}

# Events that were lost are counted. Of the others, at most 1 % are without a path: their
# file was being renamed all the time.
nearly_all_paths()
{
	opened=$(cat "$work/opened")
	with=$(awk '{ sum += $1 } END { print sum + 0 }' "$work/paths")
	lost=$(lost file_open)
	echo "$opened opened, $with with path, $lost lost"
	[ "$opened" -gt 1000 ] && [ $(((with + lost) * 100)) -ge $((opened * 99)) ]
}

# Races of the kernel itself are no complaint: see tools/vm/races.awk.
no_complaints()
{
	dmesg | grep -v 'BUG: KCSAN: data-race' | grep -E -A 20 'BUG:|WARNING:|scheduling while atomic|sleeping function' && return 1
	return 0
}

dmesg -c >/dev/null
load_module
configure 32M 1M discard
record_only file_open file_rename
mount_memory size=16m
start
check "renames and opens" renamed
stop
read_all "$work/capture"
check "each path is one that the file had" only_paths_that_were
check "nearly each file has its path" nearly_all_paths
explain <"$work/paths"
echo "$tap_output" | explain
check "the kernel does not complain" no_complaints
umount "$mnt"
finish

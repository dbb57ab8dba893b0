#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Hooks in a task that has given up what it had: one that exits has no fs any more when its files
# are closed, and IMA opens a file again that it has written.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$PWD/build/selftests/exits
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

in_guest()
{
	tools/vm/run --single --quiet --log "$work/console" --with /usr/sbin/mke2fs \
		--append "ima_policy=appraise_tcb ima_appraise=fix" -- \
		sh tools/selftests/vm-guest/exits.sh /host/build/selftests/exits
}

# opened BACKEND FILE - how many records have this path
opened()
{
	build/selftests/guest/texts "$work/$1"/*.ovk |
		awk -v path="/mnt/dir/$2" '$1 == "file_open" && index($3, path) == 1 { n++ } END { print n + 0 }'
}

# IMA opens both as often: that the task had no fs any more makes no difference.
as_often()
{
	closed=$(opened "$1" closed)
	open=$(opened "$1" open)
	echo "opened $closed times if it is closed before the exit, $open times if not"
	[ "$closed" -ge 2 ] && [ "$open" = "$closed" ]
}

same()
{
	for file in closed open gone; do
		echo "$file: $(opened module "$file") times, by BPF $(opened bpf "$file")"
		[ "$(opened module "$file")" = "$(opened bpf "$file")" ] && [ "$(opened bpf "$file")" -ge 1 ] ||
			return
	done
}

check "a machine that appraises files records, and goes on" in_guest
echo "$tap_output" | explain
for backend in module bpf; do
	check "$backend: each open of a file that is open at the exit" as_often $backend
	echo "$tap_output" | explain
done
check "both have the same opens" same
echo "$tap_output" | explain
finish

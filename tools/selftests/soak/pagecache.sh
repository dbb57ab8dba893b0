#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pagecache.sh - what "ovnik-decode pagecache" says of files that are read again after their pages
# were dropped, or had to make room, is what mincore() had said just before

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$PWD/build/selftests/pagecache
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

in_guest()
{
	tools/vm/run --single --quiet --mem 256 --log "$work/console" --timeout 300 \
		--with /usr/bin/fincore --with /usr/sbin/mke2fs -- \
		sh tools/selftests/vm-guest/pagecache.sh /host/build/selftests/pagecache
}

# truth BACKEND [GREP OPTION] PATTERN - sums by file, in the order of their names
truth()
{
	grep "${@:2}" "$work/$1-truth" |
		awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort
}

# Of the files of the load, those of which pages came again.
answer()
{
	/usr/bin/python3 - "$work/$1.json" <<-'END' | sort
	import json
	import sys
	for row in json.load(open(sys.argv[1]))[0]["files"]:
	    if row.get("path", "").startswith("/srv/") and row["again"]:
	        print(row["path"].removeprefix("/srv/"), row["again"])
	END
}

agrees()
{
	build/ovnik-decode pagecache --json "$work/$1" >"$work/$1.json" 2>"$work/$1.log"
	cat "$work/$1.log"
	[ -s "$work/$1-truth" ] && diff <(truth "$1" -v scan) <(answer "$1" | grep -v scan)
}

# The kernel makes room while it is read: at least those that were not there just before.
scan_agrees()
{
	[ "$(answer "$1" | sed -n 's/^scan //p')" -ge "$(truth "$1" scan | sed 's/.* //')" ]
}

if ! command -v fincore >/dev/null; then
	skip "pages that came again" "no fincore"
	finish
fi
check "captures in the guest" in_guest
echo "$tap_output" | explain
for backend in module bpf; do
	check "$backend: so many pages came again" agrees $backend
	check "$backend: of what is larger than memory, no fewer" scan_agrees $backend
done
finish

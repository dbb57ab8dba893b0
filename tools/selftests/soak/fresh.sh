#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fresh.sh - the README's first command on a Debian 12 that has nothing but make and git: "make demo"
# leaves all files that Documentation/demo.rst lists; of "make check", its quick part

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh
. tools/selftests/lib/root-lib.sh

if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
	skip "a fresh Debian 12" "needs mmdebstrap and root"
	finish
fi

work=$(mktemp -d)
root=$work/root
# A root that was not finished may have the machine's /dev mounted.
trap 'rm -rf --one-file-system "$work"' EXIT

# A clone, with what was not committed yet.
make_root()
{
	mmdebstrap --quiet --variant=minbase --include=make,git bookworm "$root" || return
	git clone -q "file://$PWD" "$root/ovnik" || return
	git ls-files --cached --others --exclude-standard | tar -c -T - | tar -x -C "$root/ovnik"
}

# logged COMMAND - shows the end of its output only
logged()
{
	local status=0

	in_root "$root" "cd /ovnik && $1" >"$work/log" 2>&1 </dev/null || status=$?
	tail -n 40 "$work/log"
	return "$status"
}

# Of the list below "leaves in ``out/demo/``", the first word of each line.
named_files_are_there()
{
	# shellcheck disable=SC2016 # of the text
	awk '/leaves in ``out\/demo\/``::/ { list = 1; next } list && NF && !/^\t/ { exit }
		list && NF { print $1 }' Documentation/demo.rst >"$work/names"
	[ "$(wc -l <"$work/names")" -ge 10 ] || return
	while read -r name; do
		[ -n "$(find "$root/ovnik/out/demo/$name" -type f -size +0)" ] || return
	done <"$work/names"
}

check "a Debian 12 with make and git only" make_root
check "make demo" logged 'make demo'
check "it leaves the files that demo.rst lists" named_files_are_there
check "make check-fast" logged 'make check-fast'
finish

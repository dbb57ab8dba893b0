#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernels.sh - which kernel a name of tools/vm/kernels means

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

# fails_with STATUS TEXT COMMAND...
fails_with()
{
	local status=0 output

	output=$("${@:3}" 2>&1) || status=$?
	echo "$output"
	[ "$status" = "$1" ] && grep -qF -- "$2" <<<"$output"
}

# The names that there are have to be in the message.
unknown()
{
	local status=1

	[ "$2" != run ] || status=97
	fails_with "$status" "kernel $1: not in tools/vm/kernels, which has 6.1 6.12 7 " "tools/vm/$2" "${@:3}"
}

for name in 7.0 07 6.10 6.1.0 '6\.1' 6 ''; do
	check "run: '$name' is no kernel" unknown "$name" run --kernel "$name" -- true
	for program in table fetch-kernel fetch-headers build-module build-kernel; do
		check "$program: '$name' is no kernel" unknown "$name" "$program" "$name"
	done
done
check "build-kernel builds those of the suite source only" fails_with 1 "its suite is" tools/vm/build-kernel 6.1
finish

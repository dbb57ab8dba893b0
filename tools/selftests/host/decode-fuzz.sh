#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-fuzz.sh - ovnik-decode on captures that are damaged at random
#
# fuzz-decode has gcc's sanitizers. CASES in the environment is how many, SEED the first.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/fuzz-lib.sh
. "$here/../lib/fuzz-lib.sh"

: "${CASES:=$(amount 12 300)}"

# fuzz NAME SEED
fuzz()
{
	mkdir -p "$work/$1.work"
	"$top/build/selftests/fuzz/fuzz-decode" "$work/$1" "$work/$1.work" "$CASES" "$2" >"$work/$1.said"
}

check "the generator of captures is built" build gen-capture
check "the generator of mappings is built" build gen-memory
"$work/gen-capture" random "$work/crc" -n 1200 -c 3 -t 20 -b 4096 -l 3 -s 5 -e
"$work/gen-capture" random "$work/plain" -n 1200 -c 3 -t 20 -b 4096 -l 3 -s 7 -C -m
"$work/gen-memory" "$work/memory" -n 500 -c 3 -b 4096 -s 9
"$work/gen-memory" "$work/files" -n 500 -c 3 -b 4096 -s 11 -C

# result NAME STATUS
result()
{
	if [ "$2" -eq 0 ]; then
		ok "$CASES damaged captures, $1"
		return
	fi
	not_ok "$CASES damaged captures, $1"
	cat "$work/$1.said" "$work/$1.work/log" | explain
}

# both NAME NAME - of two captures at once
both()
{
	fuzz "$1" "$SEED" &
	first=$!
	fuzz "$2" $((SEED + 1000000)) &
	second=$!
	wait "$first"
	first=$?
	wait "$second"
	second=$?
	result "$1" "$first"
	result "$2" "$second"
}

both crc plain
both memory files
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-read.sh - the log of a program in a guest: what it did, and what llvm-xray says
#
# llvm-xray account shuffles more than 16 buffers of a thread, and then refuses them: it is
# asked about one thread with fewer.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
load=$top/build/selftests/gen/xrayload
dump=$top/build/selftests/check/xraydump
log_check=$checkers/xraycheck.py

# What the guest shall reach must lie in the repository.
logs=$(mktemp -d "$top/build/xray.XXXXXX")
trap 'rm -rf "$work" "$logs"' EXIT

check "a program writes a log in a guest" \
	"$top/tools/vm/run" --single --quiet --log "$work/console.log" --with "$load" -- \
	sh /host/tools/selftests/vm-guest/xray.sh "/host/${logs#"$top/"}"

# same NAME - the log is what the program did, and what llvm-xray says
same()
{
	"$dump" "$logs/$1/log" >"$work/$1.dump" 2>"$work/log"
	check "$1: it is read" grep -q "^end 0 0 " "$work/$1.dump"
	check "$1: the only warning is about a TSC that goes back" \
		sh -c "! grep -v 'the TSC goes back' '$work/log'"
	check "$1: every call, event and argument is there, a thread" \
		"$log_check" truth "$work/$1.dump" "$logs/$1/truth.txt"
	llvm-xray-14 convert -f yaml -o "$work/$1.yaml" "$logs/$1/log" 2>"$work/log"
	check "$1: llvm-xray says the same, record by record" \
		"$checkers/xraycmp.py" "$work/$1.dump" "$work/$1.yaml"
	check "$1: counts and times of functions are those of llvm-xray convert" \
		"$log_check" sums "$work/$1.dump" "$work/$1.yaml"
}

same many
# xrayload's buffers are 4096 bytes.
threads=$(awk '/^record/ { print $3 }' "$work/many.dump" | sort -u | wc -l)
least=$(awk '/^record/ { n[$3, int($8 / 4096)] = $3 } END { for (i in n) print n[i] }' \
	"$work/many.dump" | sort | uniq -c | awk '!n || $1 < n { n = $1 } END { print n + 0 }')
check "$threads threads, each in more than 16 buffers: $least" \
	test "$threads" -eq 3 -a "$least" -gt 18

same few
llvm-xray-14 account -f csv -o "$work/csv" "$logs/few/log" 2>"$work/log"
check "few: counts and times of functions are those of llvm-xray account" \
	"$log_check" account "$work/few.dump" "$work/csv"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge-fuzz.sh - ovnik-decode --merge with traces that are damaged at random
#
# fuzz-merge has gcc's sanitizers. CASES in the environment is how many, SEED the first.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/fuzz-lib.sh
. "$here/../lib/fuzz-lib.sh"

: "${CASES:=$(amount 300 1500)}"

check "the generator is built" build gen-merge
"$work/gen-merge" known "$work/capture"
"$gen/ovniwrite.py" "$work/seed" <<'END'
! 100/100 gen.1 {"rank": 1, "nranks": 4, "mark": {"3": {"title": "x", "chan_type": "stack"}}}
100/100 4999990000 OHx 0 -1 0 0
100/100 4999995000 OM[ 5 0 3
100/100 5000010300 OM] 5 0 3
100/100 5000031000 OF[
100/100 5000032000 OF]
100/100 5000100500 OB.
100/100 5000260000 OHe
! 100/101 gen.1
100/101 5000010500 OHx 0 100 0 0
100/101 5000013000 OB.
100/101 5000015000 OU[
100/101 5000012000 OF[
100/101 5000011500 OB.
100/101 5000014000 OF]
100/101 5000015500 OU]
100/101 5000016000 OU[
100/101 5000013500 OB.
100/101 5000017000 OU]
100/101 5000049000 OHe
! 100/102 gen.2 {"app_id": 1}
100/102 5000055000 OB.
100/102 5000060050 OB.
! 400/400 gen.2
400/400 5000020000 OB.
! 500/500 far.1
500/500 1000 OHx 0 -1 0 0
500/500 1500 OHe
END
printf 'rank hostname offset_median offset_mean offset_std\n0 gen 0 0 0\n1 far 5e9 0 0\n' \
	>"$work/seed/clock-offsets.txt"
mkdir -p "$work/run/app"
if "$top/build/selftests/fuzz/fuzz-merge" "$work/capture" "$work/seed" "$work/run" "$CASES" "$SEED" \
	>"$work/said"; then
	ok "$CASES damaged traces"
else
	not_ok "$CASES damaged traces"
	cat "$work/said" "$work/run/log" | explain
fi
merged=$(sed -n 's/^# \([0-9]*\) of .*/\1/p' "$work/said")
check "some are merged, some are not: $merged are" \
	test "$merged" -gt $((CASES / 20)) -a "$merged" -lt $((CASES * 19 / 20))
finish

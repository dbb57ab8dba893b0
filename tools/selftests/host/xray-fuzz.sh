#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-fuzz.sh - FDR logs that are damaged at random
#
# fuzz-xray has gcc's sanitizers. CASES in the environment is how many, SEED the first.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/fuzz-lib.sh
. "$here/../lib/fuzz-lib.sh"

: "${CASES:=$(amount 1600 8000)}"

# fuzz NAME LOG...
fuzz()
{
	name=$1
	shift
	mkdir "$work/$name.work"
	if timeout 500 "$top/build/selftests/fuzz/fuzz-xray" "$work/$name.work" "$CASES" "$SEED" "$@" \
		>"$work/$name.said" 2>&1; then
		ok "$CASES damaged logs, $name"
		return
	fi
	not_ok "$CASES damaged logs, $name"
	cat "$work/$name.said" "$work/$name.work/log" | explain
}

check "logs are written" "$gen/xraywrite.py" "$work"
mkdir "$work/real"
check "a program writes a log" "$top/build/selftests/gen/xrayload" "$work/real" 2 300

cd "$work" || exit
fuzz by-hand v[1-5]-all.xray v[1-5]-big.xray v[1-5]-buffers.xray v1-0xff.xray \
	v1-zeros.xray v1-no-end.xray v3-zeros-between.xray v5-typed.xray
fuzz real real/log
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# races.sh - in the guest of soak/race-kernel.sh, before its other tests: the kernel looks for
# data races from now on

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

kcsan=/sys/kernel/debug/kcsan

watchpoints()
{
	awk '$1 == "setup_watchpoints:" { print $2 }' "$kcsan"
}

looks_for_races()
{
	before=$(watchpoints)
	echo on >"$kcsan" || return
	find /proc >/dev/null 2>&1
	after=$(watchpoints)
	echo "watchpoints: $before before, $after after"
	[ "$after" -gt "$before" ]
}

check "the kernel looks for data races" looks_for_races
echo "$tap_output" | explain
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# race-kernel-N-of-M.sh - a part of the tests of the module on a kernel that looks for data races
# (KCSAN). One that concerns the module fails the guest; those of the kernel itself do not: see
# tools/vm/races.awk. In the first part, a module that has a race shows that they are found: an
# emulated CPU that waits at a watchpoint lets the other one run.
#
# Not guest/maps.sh: see debug-kernel-1-of-4.sh.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

# shellcheck disable=SC2317 # called through check
build_racy()
{
	kdir=$(tools/vm/fetch-headers kcsan) &&
		env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory racy "KDIR=$kdir"
}

# Of the two loads of the module only the second one has a race.
# shellcheck disable=SC2016,SC2317 # for the guest; called through check
race_found()
{
	tools/vm/run --kernel kcsan --log "$work/console" --mem 3072 -- sh -c '
		echo on >/sys/kernel/debug/kcsan || exit
		module=/host/build/$(uname -r)/racy/ovnik_racy.ko
		insmod "$module" marked=1 && rmmod ovnik_racy || exit
		dmesg | grep "data-race.*ovnik_racy" && exit
		echo "no race yet"
		insmod "$module"' >"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" = 99 ] && grep -q '^no race yet' "$work/log" &&
		grep -q 'KCSAN: data-race in .*\[ovnik_racy\]' "$work/log"
}

case ${0##*/} in
*-1-of-*)
	check "kcsan: a module with a race is built" build_racy
	check "kcsan: its race is found, and none in marked accesses" race_found
	;;
esac
guest_options=(--mem 3072)
cycles=20
# shellcheck disable=SC2046 # words
on_kernel kcsan 12000 vm-guest/races.sh $(part guest/control.sh guest/unload.sh guest/hotplug.sh \
	guest/loss.sh guest/nest.sh guest/filter.sh guest/clock.sh guest/truth.sh guest/wakers.sh \
	guest/tasks.sh guest/cow.sh guest/faults.sh guest/files.sh guest/pages.sh guest/wait.sh \
	guest/flight.sh guest/locked.sh guest/full.sh guest/renames.sh guest/paths.sh guest/dump.sh \
	guest/life.sh guest/helpers.sh guest/kernel.sh guest/tool.sh)
finish

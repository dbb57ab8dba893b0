#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# extending.sh - the worked example of Documentation/extending.rst in a guest: module and BPF
# probes record the new event, and a module whose table of probes lacks it is refused

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/extending-lib.sh
. "$here/../lib/extending-lib.sh"

# The row alone: a warning says that the function is not used.
incomplete_module()
{
	cp -a "$tree/build/kmod/ovnik.ko" "$tree/complete.ko" &&
		sed -i '/OVNIK_BIT(task_signal)/d' kmod/task.c &&
		make --no-print-directory module WERROR= &&
		cp "$tree/build/kmod/ovnik.ko" "$tree/incomplete.ko" &&
		mv "$tree/complete.ko" "$tree/build/kmod/ovnik.ko"
}

# recorded NAME - SIGUSR1, which the shell has sent to itself
recorded()
{
	build/ovnik-decode "$1" -o "$1.out" --to xray &&
		grep -ao 'task_signal signal=10 tid=[0-9]*' "$1.out/xray.fdr"
}

check "a copy of the sources" copy_tree
cd "$tree" || exit 1
check "Documentation/extending-event.patch applies" apply_patch
check "the programs build" in_tree user tools
check "the module builds" in_tree module
check "the module builds without the probe's event" incomplete_module
cd "$top" || exit 1
check "the guest records with both back ends and refuses the incomplete module" \
	tools/vm/run --single --quiet -- sh /host/tools/selftests/vm-guest/extending.sh
cd "$tree" || exit 1
check "the module has recorded a signal" recorded of-module
check "the BPF probes have recorded a signal" recorded of-bpf
finish

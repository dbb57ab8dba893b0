#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# extending.sh - the worked example of Documentation/extending.rst in a guest: module and BPF
# probes record the new event; a module whose table of probes lacks it, and one with more hooks than
# room for them, do not load

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/extending-lib.sh
. "$here/../lib/extending-lib.sh"

# wrong_module NAME FILE EDIT - as NAME.ko, with FILE edited from here on. Not WERROR: a warning
# says that a probe is not used.
wrong_module()
{
	cp -a "$tree/build/kmod/ovnik.ko" "$tree/right.ko" &&
		sed -i "$3" "$2" &&
		make --no-print-directory module WERROR= &&
		cp "$tree/build/kmod/ovnik.ko" "$tree/$1.ko" &&
		mv "$tree/right.ko" "$tree/build/kmod/ovnik.ko"
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
check "the module builds without the probe's event" \
	wrong_module incomplete kmod/task.c '/OVNIK_BIT(task_signal)/d'
check "the module builds with room for two hooks" \
	wrong_module crowded kmod/probe.c 's/^#define HOOKS_MAX.*/#define HOOKS_MAX 2/'
cd "$top" || exit 1
check "the guest records with both back ends and refuses the other two modules" \
	tools/vm/run --single --quiet -- sh /host/tools/selftests/vm-guest/extending.sh
cd "$tree" || exit 1
check "the module has recorded a signal" recorded of-module
check "the BPF probes have recorded a signal" recorded of-bpf
finish

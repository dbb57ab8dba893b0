#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module is built for, and records correctly on, each kernel of tools/vm/kernels: here
# what rests on hooks that are not the same on all; soak/rt.sh has the kernels that are
# PREEMPT_RT, soak/module-kernels.sh the rest.
#
# It takes minutes: to build a module for another kernel is one of them. Without LONG only the newest
# kernel has all tests: there most has changed. What is between has those of its own hooks.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

names=$(others '^[0-9.]+$')
for name in $names; do
	if [ "$name" = "${names##*$'\n'}" ] || [ -n "$LONG" ]; then
		on_kernel "$name" 1500 "${by_hooks[@]}"
	else
		on_kernel "$name" 1500 guest/maps.sh
	fi
done
finish

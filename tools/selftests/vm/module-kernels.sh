#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module is built for, and records correctly on, each kernel of tools/vm/kernels: here
# what rests on hooks that are not the same on all; soak/rt.sh has the kernels that are
# PREEMPT_RT, soak/module-kernels.sh the rest.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '^[0-9.]+$' 1500 4 "${by_hooks[@]}"

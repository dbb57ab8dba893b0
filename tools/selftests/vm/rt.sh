#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module on kernels with PREEMPT_RT: nothing sleeps where it must not, and what rests on
# paths, on preemption and on interrupts that are off is true there, too; soak/rt.sh has the
# rest, and the other kernels.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '^6.1-rt$' 600 2 guest/renames.sh guest/truth.sh guest/maps.sh

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module on a kernel with PREEMPT_RT: nothing sleeps where it must not, and paths are right;
# soak/rt.sh has the rest, and the other kernels.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '^6.1-rt$' 600 20 guest/renames.sh guest/paths.sh

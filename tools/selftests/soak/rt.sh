#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module on kernels with PREEMPT_RT: nothing sleeps where it must not, and what is recorded is
# right.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '-rt$' 3600 50 guest/files.sh guest/pages.sh guest/control.sh guest/loss.sh \
	guest/filter.sh guest/nest.sh guest/hotplug.sh guest/wait.sh guest/cow.sh guest/faults.sh \
	guest/life.sh guest/renames.sh guest/paths.sh guest/truth.sh guest/maps.sh

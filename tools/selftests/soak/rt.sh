#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What vm/rt.sh leaves out for its length.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '-rt$' 3600 50 guest/files.sh guest/pages.sh guest/control.sh guest/loss.sh \
	guest/filter.sh guest/nest.sh guest/hotplug.sh guest/wait.sh guest/cow.sh guest/faults.sh \
	guest/life.sh guest/renames.sh guest/paths.sh guest/truth.sh guest/maps.sh

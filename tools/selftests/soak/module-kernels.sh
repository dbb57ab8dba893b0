#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What vm/module-kernels.sh leaves out for its length.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '^[0-9.]+$' 7200 200 "${by_rest[@]}"

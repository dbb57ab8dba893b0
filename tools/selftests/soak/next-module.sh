#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module on the newest kernel that Debian has, also one that no commit names yet: a failure here
# may come from a change of the kernel's.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

on_other_kernels '^next$' 7200 200 "${by_hooks[@]}" "${by_rest[@]}"

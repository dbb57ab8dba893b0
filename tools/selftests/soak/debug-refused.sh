#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# As debug-kernel.sh: the module and the recorder are refused memory and system calls.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

guest_options=(--mem 3072)
on_kernel kasan 12000 vm-guest/memory.sh vm-guest/refused.sh
finish

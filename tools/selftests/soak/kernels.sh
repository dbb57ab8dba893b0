#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vm/kernels.sh for the kernels with PREEMPT_RT.

exec "$(dirname "$0")/../vm/kernels.sh" '-rt$'

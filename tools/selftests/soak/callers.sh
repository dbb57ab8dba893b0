#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# host/callers.sh for the kernels with PREEMPT_RT, which would all have to be fetched for it.

exec "$(dirname "$0")/../host/callers.sh" '-rt$'

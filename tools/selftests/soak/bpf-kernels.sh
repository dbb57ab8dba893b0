#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What vm/bpf-kernels.sh leaves out for its length.

# shellcheck source=tools/selftests/lib/bpf-kernels.sh
. "$(dirname "$0")/../lib/bpf-kernels.sh"

on_kernels 'nr == 1 || $1 ~ /-rt$/'

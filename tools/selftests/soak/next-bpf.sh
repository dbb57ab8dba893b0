#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The BPF probes on the newest kernel that Debian has: see next-module.sh.

# shellcheck source=tools/selftests/lib/bpf-kernels.sh
. "$(dirname "$0")/../lib/bpf-kernels.sh"

on_kernels '$1 == "next"'

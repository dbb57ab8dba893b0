#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The BPF probes on the kernels whose hooks are not those of 6.1, which guest/ has; on that and
# with PREEMPT_RT, which changes no hook, soak/bpf-kernels.sh.
#
# It takes over a minute: to load the probes by either program, on two kernels.

# shellcheck source=tools/selftests/lib/bpf-kernels.sh
. "$(dirname "$0")/../lib/bpf-kernels.sh"

on_kernels 'nr > 1 && $1 ~ /^[0-9.]+$/'

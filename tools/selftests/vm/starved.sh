#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A task that never lets others run on its CPU, as on machines for real time. In a guest of its own, whose
# CPU 1 is isolated: otherwise the guest's own work would wait there, too.
#
# KERNEL in the environment is another one than the default, for which the module is built.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run ${KERNEL:+--kernel "$KERNEL"} --single --quiet --log "$log" --append "isolcpus=domain,managed_irq,1 irqaffinity=0" -- \
	sh tools/selftests/vm-guest/starved.sh

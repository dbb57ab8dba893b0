#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# have-left.sh - in a guest, after a load, before a capture is stopped: who has ended has left its CPU
#
# A task that has been waited for may still be on its way to its last switch, for as long as the host
# does not run that CPU. Who runs there next has seen it leave. Then a capture has the end of all.

for cpu in /sys/bus/cpu/devices/cpu*; do
	taskset -c "${cpu##*/cpu}" true || exit
done

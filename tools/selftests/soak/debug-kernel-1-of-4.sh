#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debug-kernel-N-of-M.sh - a part of the tests of the module on a kernel that looks for faults of it: memory that is not its
# own or that it loses (KASAN, kmemleak), locks taken in an order that may deadlock, sleep
# where none may be (lockdep), objects used when they are gone, and what Documentation/
# guest-runner.rst has. What the kernel complains of fails the guest.
#
# Not guest/maps.sh: 6.1.192 itself complains when a mapping of huge pages is split, for
# its __vma_adjust() calls hugetlb_split() before it locks what that wants to be locked.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

cycles=20
guest_options=(--mem 3072)
# shellcheck disable=SC2046 # words
on_kernel kasan 12000 $(part guest/control.sh guest/unload.sh guest/life.sh guest/hotplug.sh \
	guest/loss.sh guest/nest.sh guest/filter.sh guest/clock.sh guest/truth.sh guest/cow.sh \
	guest/faults.sh guest/files.sh guest/paths.sh guest/renames.sh guest/dump.sh guest/pages.sh \
	guest/wait.sh guest/flight.sh guest/full.sh guest/helpers.sh guest/kernel.sh \
	guest/locked.sh guest/tasks.sh guest/wakers.sh guest/tool.sh)
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that die and unloading at bad moments, in a guest of its own: behind all
# the others in one guest it was once seen not to end. That guest ran a thread for
# each CPU, in which QEMU 7.2 may go on with code that was patched away (see
# Documentation/guest-runner.rst). That this was the cause here, too, is inferred.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --single --quiet --log "$log" --timeout 400 -- sh tools/selftests/lib/guest-unload.sh

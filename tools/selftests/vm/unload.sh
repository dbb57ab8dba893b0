#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that die and unloading at bad moments, in a guest of its own: behind all
# the others in one guest it was once seen not to end, and why is not known yet.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --quiet --log "$log" --timeout 400 -- sh tools/selftests/lib/guest-unload.sh

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tasks that are derived from a capture are what has been done: how long each process
# ran and waited, how often it slept, read, wrote, faulted, mapped, opened, was answered.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

load_module
configure 64M 256K discard
mkdir "$work/files"
start
check "a load that knows what it does" taskload "$work/log" "$work/files"
stop
check "nothing was lost" nothing_lost
check "the capture is saved" save "$work/capture"
check "the tasks are what was done, and mutations are noticed" \
	taskcheck ${MUTATE:+-m} "$work/capture" "$work/log"
echo "$tap_output"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Our times against those that the workload itself has read from CLOCK_MONOTONIC.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

load_module
# Small sub-buffers: many anchors.
case $backend in
module)
	configure 8M 4K discard
	least=3
	;;
bpf)
	configure 256K 16K discard
	least=2 # of some 4 or 5
	;;
esac
start
check "the workload" clock run "$work/brackets"
stop
read_all "$work/capture"
check "the files are what the record ABI says" examine -a -n "$least" "$work"/capture/*.ovk
check "every switch lies in its bracket" clock check "$work/brackets" "$work"/capture/*.ovk
echo "$tap_output"
finish

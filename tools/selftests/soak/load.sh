#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A build with every event on, in a guest that sees the host's compiler: nothing is
# lost. The host's files are at /host; what the build writes lies in a tmpfs.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --single --quiet --log "$log" --timeout 900 --mem 4096 --share / -- \
	sh "/host/$PWD/tools/selftests/vm-guest/build.sh" "/host/$PWD"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The comparison with ftrace on machines with other numbers of CPUs.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# truth_on OPTION... - the guest's own TAP is the diagnostics
truth_on()
{
	tools/vm/run --single --quiet --log "$log" --timeout 900 "$@" -- tools/selftests/guest/truth.sh
}

check "one CPU" truth_on --cpus 1
check "four CPUs" truth_on --cpus 4
check "two CPUs of four at boot" truth_on --cpus 4 --append maxcpus=2
finish

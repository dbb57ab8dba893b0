#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# SIGKILL of who records, at many moments, with both back ends. TIMES in the environment says
# how many, SEED which.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

times=${TIMES:-200}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The guest's own TAP is the diagnostics.
killed()
{
	tools/vm/run --single --quiet --log "$log" --timeout 7200 --with build/ovnik-decode -- \
		env "SEED=${SEED:-1}" "tools/selftests/vm-guest/$1.sh" "$times"
}

for test in kill bpf-kill; do
	check "$test, $times times" killed "$test"
	echo "$tap_output" | explain
done
finish

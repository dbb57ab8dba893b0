#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Ten minutes of all fuzzers. TIME in the environment is how many seconds instead.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

: "${TIME:=600}"

# The table is the diagnostics.
found_nothing()
{
	tools/selftests/fuzz/run "$TIME"
}

check "the fuzzers are built" make --no-print-directory fuzzers
check "nothing is found in $TIME seconds" found_nothing
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Very many cycles of what guest/life.sh does, in a guest of its own.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

cycles=${CYCLES:-1000}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

check "$cycles cycles of the module's life" tools/vm/run --single --quiet --log "$log" \
	--timeout 7200 -- tools/selftests/guest/life.sh "$cycles"
check "the sum of a busy ring" tools/vm/run --single --quiet --mem 3500 --log "$log" \
	--timeout 1200 -- tools/selftests/vm-guest/totals.sh
finish

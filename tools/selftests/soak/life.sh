#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Very many cycles of what guest/life.sh does, in a guest of its own, and the
# other tests in which much depends on what meets when, again and again.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

cycles=${CYCLES:-1000}
rounds=${ROUNDS:-20}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# in_guest TEST [ARGUMENT]...
in_guest()
{
	tools/vm/run --single --quiet --log "$log" --timeout 7200 -- "$@"
}

# again_and_again NAME - one test, in one guest
again_and_again()
{
	# shellcheck disable=SC2016 # for the guest
	in_guest sh -c '
		for round in $(seq "$2"); do
			"tools/selftests/guest/$1.sh" >/tmp/output 2>&1 && continue
			echo "round $round:"
			cat /tmp/output
			exit 1
		done' sh "$1" "$rounds"
}

check "$cycles cycles of the module's life" in_guest tools/selftests/guest/life.sh "$cycles"
for test in hotplug nest loss truth; do
	check "$test, $rounds times" again_and_again $test
done
check "the sum of a busy ring" tools/vm/run --single --quiet --mem 3500 --log "$log" \
	--timeout 1200 -- tools/selftests/vm-guest/totals.sh
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# again-NAME.sh - guest/NAME.sh again and again, in one guest: much in it depends on what meets
# when. ROUNDS in the environment says how often; the others are links to this one.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

rounds=${ROUNDS:-20}
name=${0##*/again-}
name=${name%.sh}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

again_and_again()
{
	# shellcheck disable=SC2016 # for the guest
	tools/vm/run --single --quiet --log "$log" --timeout 7200 -- sh -c '
		for round in $(seq "$2"); do
			"tools/selftests/guest/$1.sh" >/tmp/output 2>&1 && continue
			echo "round $round:"
			cat /tmp/output
			exit 1
		done' sh "$name" "$rounds"
}

check "$name, $rounds times" again_and_again
finish

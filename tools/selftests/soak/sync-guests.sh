#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sync-guests.sh - ovnik-sync measures the clocks of two guests, over their network
#
# A witness that does not use the network: both guests read their clocks around files that come and go
# in the directory that they share, which gives bounds of the offset.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

if [ ! -x build/ovnik-sync ] || ! command -v mpirun >/dev/null; then
	skip "ovnik-sync measures two guests" "no Open MPI"
	finish
fi

mkdir -p build/selftests
out=$PWD/$(mktemp -d build/selftests/sync.XXXXXX)
trap 'rm -rf "$out"' EXIT

guest()
{
	tools/vm/run --single --quiet --mem 1000 --timeout 900 --log "$out/console$1" --hostname "node$1" \
		--network "$out,$1,2" --share / -- sh "/host$PWD/tools/selftests/vm-guest/sync.sh" "$PWD" "$out"
}

both()
{
	local second

	guest 2 &
	second=$!
	guest 1 && wait "$second"
}

# The offset is added to node2's times, and within what ovnik-sync says of the bounds.
right()
{
	local low high

	read -r low high <"$out/bound-node1"
	awk -v low="$low" -v high="$high" '
		NR == 1 { sub(/.*within=/, ""); within = $0 }
		$2 == "node2" { found = $3 >= low - within && $3 <= high + within }
		END { exit !(found && within > 0) }' "$out/table"
}

check "ovnik-sync runs in two guests" both
check "both are in the table" test "$(awk 'NR > 1 { print $2 }' "$out/table" | xargs)" = "node1 node2"
check "the offset is what the files say" right
cat "$out/said" "$out/table" "$out/bound-node1" | explain
finish

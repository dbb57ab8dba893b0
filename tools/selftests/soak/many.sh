#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# One capture of very many events: each kind was recorded or lost as often as the load says, and
# what was recorded is in the files. EVENTS in the environment says how many; 10^8 have 4 GB.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

events=${EVENTS:-100000000}
mkdir -p build/many
dir=$(mktemp -d build/many/XXXXXX)
trap 'rm -rf "$dir"' EXIT

# The guest's own TAP is the diagnostics.
recorded()
{
	tools/vm/run --single --quiet --log "$dir/console" --mem 2048 --timeout 14000 -- \
		tools/selftests/vm-guest/many.sh "/host/$dir/capture" "$events"
}

# in_files EVENT - the number of records
in_files()
{
	awk -v event="$1" '$1 == event { sum += $2 } END { print sum + 0 }' "$dir/records"
}

# From meta.json
in_meta()
{
	awk -v event="\"$1\":{" '
		/^  "events":/ { exit }
		index($1, "\"") == 1 { inside = $1 == event ? 1 : /recorded|lost/ ? inside : 0 }
		inside && /"recorded":/ { gsub(/[^0-9]/, ""); sum += $0 }
		END { print sum + 0 }' "$dir/capture/meta.json"
}

all_in_files()
{
	build/selftests/guest/examine -f -v "$dir"/capture/cpu*.ovk >"$dir/records" || return
	while read -r event _; do
		if [ "$(in_files "$event")" != "$(in_meta "$event")" ]; then
			echo "$event: $(in_files "$event") in files, $(in_meta "$event") recorded"
			return 1
		fi
	done <"$dir/capture/witnessed"
}

check "$events events in one capture" recorded
echo "$tap_output" | explain
check "the files have what was recorded" all_in_files
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh - each mutant applies to the sources as they are, and names a bug and a test of
# "make check"; soak/mutants-N-of-M.sh build and run them

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

mutants=tools/selftests/mutants
tests=$(LONG='' tools/selftests/run -l)

# sound FILE - with the name of a check, for a test that fails for another reason is no proof
sound()
{
	grep -qE '^# Bug: .{20,}' "$1" || { echo "it does not say what is wrong"; return 1; }
	grep -qE '^# Test: [^ ]+ ".+"$' "$1" || { echo "it names no check of a test"; return 1; }
	grep -qxF "$(sed -n 's/^# Test: \([^ ]*\) .*/\1/p' "$1")" <<<"$tests" ||
		{ echo "there is no such test"; return 1; }
	patch -p1 --dry-run -f -i "$1"
}

for mutant in "$mutants"/*.patch; do
	check "$(basename "$mutant" .patch) can be tried" sound "$mutant"
done
check "there are 40 or more" test "$(find "$mutants" -name '*.patch' | wc -l)" -ge 40
finish

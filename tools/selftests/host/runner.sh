#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# runner.sh - tools/selftests/run, interrupted
#
# Its counts are looked at by all who run it.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

work=$(mktemp -d)
runner=

clean_up()
{
	[ -z "$runner" ] || { kill "$runner" && wait "$runner"; } 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM

# What has this in its environment was started by the runner.
export RUNNER_TEST=$work

left()
{
	# grep's own status tells of files that it could not read, too.
	grep -lzs "^RUNNER_TEST=$work/" /proc/[0-9]*/environ | grep .
}

# interrupted SIGNAL STATUS - while a test runs that takes longer
interrupted()
{
	local status=0 i=0

	# What the one before has said must not be taken for this one's.
	rm -f "$work/log"
	CI='' RUNNER_TEST=$work/$1 env --default-signal=INT setsid tools/selftests/run -f host/merge.sh \
		>"$work/log" 2>&1 &
	runner=$!
	until grep -qs 'ok 1 ' "$work/log" || ! kill -0 "$runner"; do sleep 0.1; done
	kill "-$1" "$runner"
	wait "$runner" || status=$?
	runner=
	[ "$status" = "$2" ] || { cat "$work/log"; return 1; }
	# A process that was killed goes a little later.
	while left >/dev/null && [ $((i += 1)) -le 600 ]; do sleep 0.1; done
	! left && ! grep passed "$work/log"
}

mkdir -p build/selftests
ls -d build/selftests/run.* >"$work/before" 2>/dev/null
check "a signal ends the test, too: TERM" interrupted TERM 143
check "a signal ends the test, too: INT" interrupted INT 130
# shellcheck disable=SC2016 # for that shell
check "no directory is left" sh -c 'ls -d build/selftests/run.* 2>/dev/null | diff - "$1"' sh "$work/before"
finish

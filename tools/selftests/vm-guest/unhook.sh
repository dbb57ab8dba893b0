#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# unhook.sh - in a guest of soak/debug-kernel.sh of its own: a stop that gets no memory to unhook
# the returns of functions. The kernel itself warns then, so the guest ends with status 99.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# It cannot be.
unload()
{
	:
}

# Until it fails for that, and the start after it is refused.
stop_fails()
{
	load_with buffer_size=64K subbuf_size=4K events=mm
	start
	for kind in failslab fail_page_alloc; do
		echo 0 >"/sys/kernel/debug/$kind/ignore-gfp-wait"
	done
	failing write "$ovnik/enable" 0 1 && return 1
	dmesg | grep "ovnik: no memory to unhook the return"
}

# The functions are called, and nothing is recorded.
goes_on()
{
	[ "$(get_file enable)" = 0 ] && load fork=20
}

refuses_to_start()
{
	! sh -c "echo 1 >$ovnik/enable" && [ "$(get_file enable)" = 0 ]
}

[ -e /proc/self/fail-nth ] || bail "this kernel refuses no memory"
check "a stop that gets no memory to unhook a return" stop_fails
check "it is a stop all the same" goes_on
check "a capture that cannot have all is refused" refuses_to_start
check "the module stays" sh -c '! rmmod ovnik'
check "and runs on" goes_on
finish

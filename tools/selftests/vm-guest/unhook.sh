#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# unhook.sh - in a guest of soak/debug-refused.sh of its own: a stop or an unload that gets no memory
# to unhook the returns of functions. The kernel itself warns then, so the guest ends with status 99.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# It cannot be.
unload()
{
	:
}

# Nobody else in the guest hooks returns. To read the list finds one whose memory was freed, too.
returns_hooked()
{
	grep ' r ' /sys/kernel/debug/kprobes/list
}

# The module must not leave before its hooks.
leaves_nothing()
{
	[ ! -d /sys/module/ovnik ] || rmmod ovnik || return
	! returns_hooked
}

# Of a capture that runs. An unload that is refused memory waits for it.
refused_unload()
{
	set -- buffer_size=64K subbuf_size=4K events=mm enable=1
	load_with "$@"
	failing unload "$work/ovnik.ko" "$*" && leaves_nothing &&
		dmesg -c | grep "ovnik: cannot unhook the return"
}

# refuse INTERVAL - one allocation of so many, to tasks that say make-it-fail
refuse()
{
	for kind in failslab fail_page_alloc; do
		echo "$1" >"/sys/kernel/debug/$kind/interval"
		echo Y >"/sys/kernel/debug/$kind/task-filter"
		echo -1 >"/sys/kernel/debug/$kind/times"
		echo 100 >"/sys/kernel/debug/$kind/probability"
	done
}

# Loads that start a capture, and fail somewhere.
refused_loads()
{
	failed=0
	for round in $(seq 60); do
		refuse $((300 + round * 7))
		sh -c 'echo 1 >/proc/self/make-it-fail; exec insmod "$@"' sh "$work/ovnik.ko" \
			buffer_size=64K subbuf_size=4K events=mm enable=1 2>/dev/null ||
			failed=$((failed + 1))
		if [ -d /sys/module/ovnik ]; then
			rmmod ovnik || return
		fi
	done
	for kind in failslab fail_page_alloc; do
		echo 0 >"/sys/kernel/debug/$kind/probability"
	done
	dmesg -c >"$work/said"
	echo "$failed of 60 loads failed; could not unhook: $(grep -c 'ovnik: cannot unhook' "$work/said")"
	[ "$failed" -gt 0 ] && leaves_nothing
}

# Until it fails for that, and the start after it is refused.
stop_fails()
{
	load_with buffer_size=64K subbuf_size=4K events=mm
	start
	failing write "$ovnik/enable" 0 1 && return 1
	returns_hooked && dmesg | grep "ovnik: cannot unhook the return"
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
for kind in failslab fail_page_alloc; do
	echo 0 >"/sys/kernel/debug/$kind/ignore-gfp-wait"
	echo 0 >"/sys/kernel/debug/$kind/verbose"
done
check "an unload that gets no memory to unhook a return waits for it" refused_unload
check "loads that get no memory leave no hook" refused_loads
echo "$tap_output" | explain
check "a stop that gets no memory to unhook a return" stop_fails
check "it is a stop all the same" goes_on
check "a capture that cannot have all is refused" refuses_to_start
check "the module stays" sh -c '! rmmod ovnik'
check "and runs on" goes_on
finish

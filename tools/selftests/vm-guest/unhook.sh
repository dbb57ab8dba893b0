#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# unhook.sh - in a guest of soak/debug-refused.sh of its own: a stop or an unload that gets no memory
# to unhook the returns of functions. The kernel itself warns then, so the guest ends with status 99.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

slab=/sys/kernel/debug/failslab

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

# try_load BYTES TIMES - A load that starts a capture; once it has had so many bytes, so many allocations
# fail. Not busybox's insmod: it tries again.
try_load()
{
	echo "$1" >"$slab/space"
	echo "$2" >"$slab/times"
	sh -c 'echo 1 >/proc/self/make-it-fail; exec "$@"' sh "$work/insmod" "$work/ovnik.ko" \
		buffer_size=64K subbuf_size=4K events=mm enable=1
}

# They fail at places of the whole load, and unhook without memory what they have hooked by then.
refused_loads()
{
	failed=0
	echo 1 >"$slab/interval"
	echo Y >"$slab/task-filter"
	echo 100 >"$slab/probability"
	ln -s "$(command -v kmod)" "$work/insmod" && try_load 2000000000 -1 || return
	bytes=$((2000000000 - $(cat "$slab/space")))
	rmmod ovnik || return
	dmesg -c >/dev/null
	for round in $(seq 60); do
		try_load $((bytes * round / 61)) 8 2>/dev/null || failed=$((failed + 1))
		leaves_nothing || return
	done
	echo 0 >"$slab/probability"
	dmesg -c >"$work/said"
	stuck=$(grep -c 'ovnik: cannot unhook' "$work/said")
	echo "$failed of 60 loads failed, $stuck could not unhook at once"
	[ "$failed" -ge "$stuck" ] && [ "$stuck" -gt 0 ]
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

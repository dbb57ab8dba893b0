#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest runner: what it reports, and that it notices a guest in trouble.

# shellcheck disable=SC2016,SC2317 # expanded in the guest; called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# With --single, for without it one may hang where the kernel patches its code; which is
# what a user gets who does not ask for more, so that there is one without.
guest()
{
	tools/vm/run --single --log "$log" --timeout 900 "$@"
}

# All that a sane guest can show in one boot.
sane()
{
	guest -- sh -c '
		test "$1" = "it'\''s  one" &&
		test -e /host/tools/vm/run &&
		test "$PWD" = /host &&
		test -d /sys/kernel/tracing/events &&
		test -d /sys/kernel/debug/tracing &&
		test -c /dev/pts/ptmx &&
		test "$(nproc)" = 2 &&
		test "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc &&
		echo 0 >/sys/devices/system/cpu/cpu1/online &&
		test "$(nproc)" = 1 &&
		echo 1 >/sys/devices/system/cpu/cpu1/online &&
		test "$(nproc)" = 2 &&
		modprobe loop &&
		! read -r line' sh "it's  one"
}

prints_only()
{
	text=$(guest -- sh -c 'echo one; echo two >&2; echo "<4>three" >/dev/kmsg; exit 42' 2>/dev/null)
	test $? -eq 42 && test "$text" = "one
two" && grep -q three "$log"
}

# The guest has to find a TSC of one tick a nanosecond.
icount()
{
	guest --icount -- sh -c 'test "$(nproc)" = 1 &&
		grep -q "cpu MHz.*: \(999\|1000\)[.]" /proc/cpuinfo'
}

no_qemu_left()
{
	# Not guest(): the shell would be killed that runs the function.
	tools/vm/run --log "$log" --timeout 900 -- sleep 250 2>/dev/null &
	runner=$!
	qemu=
	for _ in $(seq 1000); do
		qemu=$(pgrep -f "^qemu-system-x86_64 .*path=$log") && break
		sleep 0.2
	done
	kill "$runner"
	wait "$runner"
	test $? -eq 143 && test -n "$qemu" && ! pgrep -f "path=$log"
}

check "the guest is what it should be" sane
check "the command's status, output and console are kept apart" prints_only
check_status 139 "a command killed by a signal" \
	tools/vm/run --log "$log" --timeout 900 -- sh -c 'kill -SEGV $$'
check_status 99 "a warning on the console" guest -- sh -c 'echo "<4>WARNING: a test" >/dev/kmsg'
check_status 98 "a panic" guest -- sh -c 'echo c >/proc/sysrq-trigger'
check_status 98 "a timeout" guest --timeout 5 -- sleep 50
check_status 97 "an unknown kernel" guest --kernel none -- true
check_status 97 "an unknown program" guest --with no-such-program -- true
check "one instruction a tick" icount
check "no guest is left when the runner is killed" no_qemu_left
finish

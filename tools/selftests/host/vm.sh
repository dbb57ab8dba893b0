#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest runner: what it reports, and that it notices a guest in trouble.
#
# It takes over a minute: what the runner says of a guest needs guests, eleven of them.

# shellcheck disable=SC2016,SC2317 # expanded in the guest; called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

log=$(mktemp)
net=$(mktemp -d)
trap 'rm -rf "$log" "$net"' EXIT

# With --single, for without it one may hang where the kernel patches its code; which is
# what a user gets who does not ask for more, so that there is one without.
guest()
{
	tools/vm/run --single --log "$log" --timeout 900 "$@"
}

# All that a sane guest can show in one boot.
# The kernel takes the TSC when it has measured it for a second: a fast machine has booted before.
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
		clock=/sys/devices/system/clocksource/clocksource0/current_clocksource &&
		for i in $(seq 300); do grep -qx tsc "$clock" && break; sleep 0.1; done &&
		grep -qx tsc "$clock" &&
		echo 0 >/sys/devices/system/cpu/cpu1/online &&
		test "$(nproc)" = 1 &&
		echo 1 >/sys/devices/system/cpu/cpu1/online &&
		test "$(nproc)" = 2 &&
		cmp /sys/kernel/btf/vmlinux "build/vm/$(uname -r)/vmlinux.btf" &&
		modprobe loop &&
		! read -r line &&
		sed -n "s/.*tsc_early_khz=\([0-9]*\).*/\1/p" /proc/cmdline &&
		dmesg | sed -n "s/.*tsc: Detected \([0-9]*\)\.\([0-9]*\) MHz .*/\1\2/p" | tail -n 1' \
		sh "it's  one" >"$net/khz" || { cat "$net/khz"; return 1; }
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

# member I - guest I of 3, which sends its name to the first one. That sends nothing, and says so as
# soon as they are connected: then nc ends, with what there is to send by then.
member()
{
	tools/vm/run --single --quiet --log "$net/log$1" --timeout 900 --hostname "member$1" --network "$net,$1,3" -- \
		sh -c 'hostname >/tmp/name
			until nc node1 "70$1" </tmp/name; do sleep 0.2; done 2>/dev/null' sh "$1"
}

# The others try until the first one listens.
network()
{
	member 2 &
	second=$!
	member 3 &
	third=$!
	guest --quiet --network "$net,1,3" -- sh -c '
		nc -l -p 702 >/tmp/2 &
		nc -l -p 703 >/tmp/3 &
		wait
		cat /tmp/2 /tmp/3' >"$net/names" && wait "$second" && wait "$third" || return 1
	cat "$net/names"
	[ "$(cat "$net/names")" = "member2
member3" ]
}

# Measured in the guest while the host is busy, it would be another one. The kernel says the rate of the
# processor, and that of its TSC only if this is another one. Of the guest that was sane.
rate_of_tsc()
{
	cat "$net/khz"
	khz=$(build/vm/tsc) &&
		awk -v khz="$khz" '{ d = $1 - khz; n++; bad += d > khz / 1e4 || d < -khz / 1e4 }
			END { exit n != 2 || bad }' "$net/khz"
}

# A guest that says that more time has passed than here.
too_fast()
{
	status=0
	text=$(guest -- sh -c 'echo "1000000.00 0.00" >/tmp/uptime && mount --bind /tmp/uptime /proc/uptime' 2>&1) ||
		status=$?
	[ "$status" = 99 ] && case $text in *"the guest's clock is too fast: 1000000 s in "*) true ;; *) false ;; esac
}

# What a guest boots from, made by three runners at once whose archive is not there yet, while the
# folders of others come and go.
archives_at_once()
{
	kernel=$(tools/vm/fetch-kernel "$(tools/vm/table | cut -d ' ' -f 1)") || return
	while :; do
		mkdir build/vm/run.test1 build/vm/run.test2 build/vm/run.test3
		rmdir build/vm/run.test1 build/vm/run.test2 build/vm/run.test3
	done &
	others=$!
	cp /bin/true "$net/program"
	status=0
	for round in $(seq "$(amount 1 3)"); do
		# Another time of the program makes another archive.
		touch -d "@$round" "$net/program"
		runners=
		for runner in 1 2 3; do
			tools/vm/mkinitrd "$kernel" "$net/program" >"$net/archive$runner" &
			runners="$runners $!"
		done
		for runner in $runners; do
			wait "$runner" || status=1
		done
		archive=$(cat "$net/archive1")
		# One has made it, the others have found it.
		[ -s "$archive" ] && cmp "$net/archive1" "$net/archive2" && cmp "$net/archive1" "$net/archive3" ||
			status=1
		rm -f "$archive"
	done
	kill "$others"
	wait "$others"
	# What it had just begun ends a little later.
	while sleep 0.2 && rmdir build/vm/run.test[123] 2>/dev/null; do :; done
	return "$status"
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

check "archives that are made at once" archives_at_once
check "the guest is what it should be" sane
check "the command's status, output and console are kept apart" prints_only
check_status 139 "a command killed by a signal" \
	tools/vm/run --log "$log" --timeout 900 -- sh -c 'kill -SEGV $$'
check_status 99 "a warning on the console" guest -- sh -c 'echo "<4>WARNING: a test" >/dev/kmsg'
check_status 98 "a panic" guest -- sh -c 'echo c >/proc/sysrq-trigger'
check_status 98 "a timeout" guest --timeout 5 -- sleep 50
check_status 97 "an unknown kernel" guest --kernel none -- true
check_status 97 "an unknown program" guest --with no-such-program -- true
[ -z "$LONG" ] || check "one instruction a tick" icount
check "the rate of the TSC is the host's" rate_of_tsc
[ -z "$LONG" ] || check_status 99 "a TSC whose rate is in doubt" \
	guest -- sh -c 'echo "<4>tsc: Marking TSC unstable due to a test" >/dev/kmsg'
check "a clock that is too fast" too_fast
check "guests with a network of their own, and names" network
check_status 97 "a guest that is not in its network" guest --network "$net,4,3" -- true
check_status 97 "a name that is none" guest --hostname a_b -- true
check "no guest is left when the runner is killed" no_qemu_left
finish

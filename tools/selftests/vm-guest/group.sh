#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# group.sh - in the guest of vm/group.sh

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

group=4711
control=/sys/kernel/ovnik
work=$(mktemp -d)
chmod 755 "$work"
mkdir -m 1777 "$work/free"
# As on a machine with systemd: only root makes files there.
chmod 755 /run
# From 9p a user of no name cannot run it.
cp /host/build/ovnik "$work/ovnik"
chmod 755 "$work/ovnik"

# As the user 1000, who is nobody otherwise.
member()
{
	/usr/bin/setpriv --reuid 1000 --regid 1000 --groups "$group" -- "$@"
}

other()
{
	/usr/bin/setpriv --reuid 1001 --regid 1001 --clear-groups -- "$@"
}

load()
{
	[ ! -d "$control" ] || rmmod ovnik || return
	insmod /host/build/kmod/ovnik.ko "$@"
}

# says STATUS TEXT COMMAND...
says()
{
	want=$1
	text=$2
	shift 2
	"$@" >"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" = "$want" ] && grep -q "$text" "$work/log"
}

# owners OWNERS MODE-OF-ENABLE MODE-OF-SESSION
owners()
{
	for file in $control/enable $control/session $control/events/sched_switch/enable \
		$control/cpus/cpu0/stats $control/clock/now $control/recorded /dev/ovnik/cpu0 \
		/dev/ovnik/dump; do
		stat -c '%u:%g %a %n' "$file"
	done >"$work/owners"
	cat "$work/owners"
	! grep -v "^$1 " "$work/owners" && grep -q "^$1 $2 $control/enable" "$work/owners" &&
		grep -q "^$1 $2 /dev/ovnik/cpu0" "$work/owners" &&
		grep -q "^$1 $3 $control/session" "$work/owners"
}

locks()
{
	for name in module bpf; do
		rm -f "/run/ovnik-$name.lock"
		[ -z "$1" ] || { : >"/run/ovnik-$name.lock" && chmod 660 "/run/ovnik-$name.lock" &&
			chgrp "$1" "/run/ovnik-$name.lock"; } || return
	done
}

records()	# AS NAME OPTION...
{
	as=$1
	name=$2
	shift 2
	says 0 ' [1-9][0-9]* events, ' "$as" "$work/ovnik" record --no-selftest -o "$work/free/$name" "$@" -- ls / &&
		[ "$(stat -c %u "$work/free/$name/meta.json")" = 1000 ] &&
		[ -s "$work/free/$name/cpu0.ovk" ] || return
}

sound()
{
	/host/build/selftests/guest/examine -a "$work/free/$1"/cpu*.ovk
}

flight()
{
	says 0 "next: $work/ovnik snapshot" member "$work/ovnik" start --no-selftest -b 1M &&
		says 0 '^recording  *yes' member "$work/ovnik" status &&
		says 0 ' events, ' member "$work/ovnik" snapshot -o "$work/free/flight" &&
		says 0 stopped member "$work/ovnik" stop
}

# A member can keep the lock, and write a PID of somebody else into it.
held_by_member()
{
	rm -f "$work/free/holds"
	member /usr/bin/flock /run/ovnik-module.lock sh -c "echo 1 >/run/ovnik-module.lock; : >$work/free/holds; exec sleep 1000" &
	until [ -e "$work/free/holds" ]; do sleep 0.1; done
	says 1 'the back end module is already in use (PID [0-9]*, flock); that must end first' \
		"$work/ovnik" record --no-selftest -o "$work/free/no" -- true
	result=$?
	holder=$(sed -n 's/.*(PID \([0-9]*\), flock).*/\1/p' "$work/log")
	echo "holder: ${holder:=none}"
	# Its line has no end.
	read -r child <"/proc/$holder/task/$holder/children"
	kill "$child" && wait
	[ "$result" = 0 ]
}

# It was taken by a program that has ended. Who has it has a name that a terminal obeys.
handed_on()
{
	rm -f "$work/free/holds" "$work/end"
	mkfifo -m 644 "$work/end"
	member sh -c 'exec 9>/run/ovnik-module.lock && flock 9 && printf "\\033[31mx" >/proc/$$/comm
		echo $$ >"$1"; read -r _ <"$2"' sh "$work/free/holds" "$work/end" &
	until [ -s "$work/free/holds" ]; do sleep 0.1; done
	holder=$(cat "$work/free/holds")
	says 1 "in use (PID $holder, "'\\x1b\[31mx); that must end first' \
		"$work/ovnik" record --no-selftest -o "$work/free/no" -- true &&
		says 0 "^reader  *PID $holder, "'\\x1b\[31mx$' "$work/ovnik" status &&
		says 0 '^reader  *PID [0-9]*, which has ended and left the lock to another process$' \
			/usr/bin/setpriv --reuid 1002 --regid 1002 --groups "$group" -- "$work/ovnik" status
	result=$?
	echo >"$work/end"
	wait
	[ "$result" = 0 ]
}

refused_number()
{
	! insmod /host/build/kmod/ovnik.ko gid=-5 && dmesg | grep -q 'gid: -5 is not the number'
}

needed='+bpf,+perfmon,+sys_admin,+syslog'

capable()
{
	/usr/bin/setpriv --reuid 1000 --regid 1000 --groups "$group" --inh-caps "$needed" \
		--ambient-caps "$needed" -- "$@"
}

# limited COMMAND... - with the capabilities that ovnik-flight.service has
limited()
{
	set_of_unit=$(sed -n 's/^CapabilityBoundingSet=//p' /host/tools/install/ovnik-flight.service | tr ' A-Z' '\na-z' |
		sed 's/^cap_/+/' | paste -s -d , -)
	/usr/bin/setpriv --bounding-set="-all,$set_of_unit" --no-new-privs -- "$@"
}

# With the self-test that comes before.
service_runs()
{
	limited insmod /host/build/kmod/ovnik.ko && mkdir -p "$work/snapshots" /var/cache/ovnik || return
	for name in module bpf; do
		says 0 "next: " limited "$work/ovnik" start --backend "$name" -b 1M &&
			says 0 ' events, ' limited "$work/ovnik" snapshot -o "$work/snapshots/$name" &&
			says 0 stopped limited "$work/ovnik" stop || return
		[ "$name" = bpf ] || rmmod ovnik || return
	done
	# Without them, the test would be one of root.
	[ "$(limited sed -n 's/^CapEff:\t//p' /proc/self/status)" != "$(sed -n 's/^CapEff:\t//p' /proc/self/status)" ]
}

check "the service's capabilities suffice: a flight recorder of either back end" service_runs
check "the module without a group" load
check "is root's only" owners 0:0 600 400
check "a member may not record" says 1 'only root may record' member "$work/ovnik" record --no-selftest \
	-o "$work/free/no" -- true
check "a number that is no group's is refused" rmmod ovnik
check "with a message" refused_number
check "the module with a group" load gid=$group
check "its files are the group's, too" owners "0:$group" 660 440
check "a member still needs the lock" says 1 'systemd-tmpfiles' member "$work/ovnik" record --no-selftest \
	-o "$work/free/no" -- true
check "as systemd-tmpfiles makes it" locks $group
check "then a member records" records member cap
check "and the capture is sound" sound cap
check "who keeps the lock is told, and not what the file says" held_by_member
check "who has it from one that has ended is named, and with no command to the terminal" handed_on
check "a process of its own" records member own -F
check "and has a flight recorder" flight
check "another user may not" says 1 'only root may record' other "$work/ovnik" record --no-selftest \
	-o "$work/free/no" -- true
check "nor look" says 1 'no permission' other "$work/ovnik" status
check "nor read" sh -c "! /usr/bin/setpriv --reuid 1001 --regid 1001 --clear-groups -- cat /dev/ovnik/cpu0"
check "nothing was made" test ! -e "$work/free/no"
check "the module goes" rmmod ovnik
check "BPF refuses a member" says 1 'CAP_BPF' member "$work/ovnik" record --no-selftest --backend bpf \
	-o "$work/free/no" -- true
# The pseudo-terminal is script's.
told_on_a_terminal()
{
	/usr/bin/script -q -c "$work/ovnik record --no-selftest --backend bpf -e sched -o $work/told -- true" "$work/shown" \
		</dev/null >/dev/null 2>&1
	tr '\r' '\n' <"$work/shown"
	grep -q 'loading the probes' "$work/shown"
}

# The last one: only a reboot ends it.
locked_down()
{
	mount -t securityfs none /sys/kernel/security &&
		echo confidentiality >/sys/kernel/security/lockdown || return
	says 1 'lockdown=confidentiality must be off' "$work/ovnik" record --no-selftest --backend bpf \
		-o "$work/free/no" -- true && [ "$(wc -l <"$work/log")" = 1 ]
}

# The first one tests first, which is refused, too.
refused_once()
{
	rm -rf /var/cache/ovnik
	says 1 'lockdown=confidentiality must be off' "$work/ovnik" record --backend bpf \
		-o "$work/free/no" -- true && grep -q 'first recording' "$work/log" &&
		[ "$(grep -c 'must be off' "$work/log")" = 1 ]
}

check "a terminal is told while BPF probes are loaded" told_on_a_terminal
check "BPF with the capabilities records" records capable bpf --backend bpf
check "and the capture is sound" sound bpf
check "a kernel that is locked down: one message" locked_down
check "also of the first recording" refused_once
finish

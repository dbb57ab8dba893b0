#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# execs.sh DIR EXECS NAME... - in the guest of vm/execs.sh: record threads that exec, each time with
# the back end that NAME begins with; -failing: also those that fail when there is no way back;
# -filtered: with a filter
#
# DIR is below /host, and gets the captures in the end. Others want the CPUs, so that an exec is
# interrupted.

# record NAME
record()
{
	worker=texec
	filter=
	case $1 in *-failing*) worker=fexec ;; esac
	case $1 in *-filtered*) filter=-F ;; esac
	# shellcheck disable=SC2086 # words, or none
	/host/build/ovnik record --no-selftest --backend "${1%%-*}" $filter $few -b 32M -o "/tmp/$1" -- \
		sh -c "/tmp/texecs $worker=$execs; sh ${0%/*}/have-left.sh" &&
		cp -r "/tmp/$1" "$out/"
}

all()
{
	for name; do
		case $name in
		module*) [ -e /sys/kernel/ovnik ] || insmod /host/build/kmod/ovnik.ko || return ;;
		*) [ ! -e /sys/kernel/ovnik ] || rmmod ovnik || return ;;
		esac
		record "$name" || return
	done
}

out=$1
execs=$2
shift 2
few=
[ -n "$LONG" ] || few="-e sched,task"
cp /host/build/selftests/guest/load /tmp/texecs && cp /tmp/texecs /tmp/others || exit
/tmp/others pipe &
others=$!
all "$@"
status=$?
kill "$others"
exit $status

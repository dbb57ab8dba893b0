#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The waker of a wakeup is the one that ftrace's sched_waking has, also where the wakeup is
# done on another CPU or by an interrupt, of which the CPUs have enough time for many.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

# count WORDS - the number before them in what compare says
count()
{
	sed -n "s/^# of.* \([0-9]*\) $1.*/\1/p" "$work/out"
}

load_module
configure 32M 256K discard
record_only sched_switch sched_wakeup sched_wakeup_new sched_migrate
trace_on
start
# Who is woken from another CPU is then woken by a timer: the waker of before must not stay.
check "loads that wake across CPUs, and a timer" \
	load cross=4000 futex=2000 fcross=1000 sleep=200 cnap=200
stop
trace_pause
read_all "$work/capture"
if compare_with_trace -l "$work"/capture/*.ovk >"$work/out" 2>&1; then
	ok "each wakeup has the waker that ftrace has"
else
	not_ok "each wakeup has the waker that ftrace has"
fi
check "ftrace has the waker of each" test -z "$(grep 'without sched_waking' "$work/out")"
check "many by a task of another CPU" test "$(count 'by another task')" -ge 2000
check "and some by an interrupt" test "$(count 'by an interrupt')" -ge 1
cat "$work/out"
finish

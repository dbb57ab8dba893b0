#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What we record is what ftrace records, event by event, over thousands of switches,
# a hundred thousand with LONG.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../lib/guest-lib.sh"

switches=$(amount 6000 105000)
each=$(amount "fork=10 exec=6 thread=10 spawn=5 texec=4" "fork=60 exec=40 thread=60 spawn=30 texec=20")

enough()
{
	[ "$(recorded sched_switch)" -ge "$switches" ]
}

load_module
configure 32M 256K discard
trace_on

# Forks, execs and exits lie well within the capture: their hooks run with
# interrupts on, so the one that switches the rings could come between ftrace's
# probe and ours.
start_under_load pipe cross futex sleep yield move timer hack
# shellcheck disable=SC2086 # words
check "a load with forks, execs, threads" load $each
check "enough switches" wait_until enough
# With LONG, the stop is among the load as well, which takes seconds.
[ -n "$LONG" ] || stop_loads
stop
trace_pause
stop_loads
read_all "$work/capture"
check "the files are what the record ABI says" examine -a "$work"/capture/*.ovk
if compare_with_trace ${MUTATE:+-m} -n $((switches - switches / 20)) "$work"/capture/*.ovk >"$work/out" 2>&1; then
	ok "the same as ftrace's, and the comparer notices mutations"
else
	not_ok "the same as ftrace's, and the comparer notices mutations"
fi
cat "$work/out"
finish

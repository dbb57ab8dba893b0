#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# scenarios.sh - each scenario of tools/selftests/scenarios in all outputs, judged by judge.py; and
# what is said of a scenario that is wrong
#
# It needs build/selftests/check/dump-tasks, build/selftests/gen/gen-scenario and prvcheck.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

judge=$checkers/judge.py
scenarios=$top/tools/selftests/scenarios

"$judge" "$top/build" "$scenarios"/*.scn >"$work/tap" 2>&1
status=$?
cat "$work/tap"
tap_count=$(grep -cE '^(not )?ok ' "$work/tap")
tap_failed=$(grep -c '^not ok ' "$work/tap")
check "all were judged" test $((status != 0)) = $((tap_failed != 0))

# scenario LINE... - $work/wrong.scn has one, with a thread that runs from 10 to 30, and these lines
scenario()
{
	printf '%s\n' "scenario wrong" "10 switch 0>11" "30 switch 11>0 S" "$@" >"$work/wrong.scn"
}

# refused TEXT LINE... - a scenario with these lines is not judged, for this reason
refused()
{
	refused_text=$1
	shift
	scenario "$@"
	says 1 "$work/wrong.scn:4: $refused_text" "$judge" "$top/build" "$work/wrong.scn"
}

scenario "expect tasks of 11 run" "	10-31 run"
check "what is expected and what is found stand side by side" \
	says 1 "! 10-31 run | 10-30 run" "$judge" "$top/build" "$work/wrong.scn"
check "with the line of the expectation" \
	says 1 "$work/wrong.scn:4: expect tasks of 11 run" "$judge" "$top/build" "$work/wrong.scn"
check "what an output says is printed as an expectation" \
	says 0 "	10-30 run" "$judge" --print "$top/build" "$work/wrong.scn" wrong tasks of 11 run
scenario "expect complaint agree" "	it differs"
check "a checker that must complain does" \
	says 1 "! it differs | agree: does not complain" "$judge" "$top/build" "$work/wrong.scn"
scenario "expect complaint agre"
check "a checker that there is not is seen" \
	says 1 "no checker is called agre" "$judge" "$top/build" "$work/wrong.scn"
scenario "expect messages" "	warning: this"
check "a warning that is missing is seen" \
	says 1 "! warning: this |" "$judge" "$top/build" "$work/wrong.scn"
scenario "40 switch 13>12"
check "a warning that is not expected is seen" \
	says 1 "1 switch from a task that was not believed running" "$judge" "$top/build" \
	"$work/wrong.scn"
scenario "expect nonsense"
check "an output that there is not is seen" \
	says 1 "nothing is called nonsense" "$judge" "$top/build" "$work/wrong.scn"
check "no event" refused '"swich" is no event' "40 swich 0>11"
check "no number" refused '"x" is no number' "40 switch x>11"
check "a separator is missing" refused "11 is not prev_tid>next_tid" "40 switch 11"
check "no field" refused "sched_switch has no field comm" "40 switch 0>11 comm=x"
check "a word too much" refused 'wakeup: what is "3"?' "40 wakeup 11 0 3"
check "a name twice" refused "there is a wrong already" "scenario wrong"
check "no CPU" refused "cpu7: there are cpu0 to cpu1" "40 cpu7 switch 0>11"
check "time goes back" refused "cpu0 is later already" "20 switch 0>11"
check "a gap in the past" refused "cpu0 is later already" "gap cpu0 20-40 sched_switch"
check "nothing happens" refused "what happens at 40?" "40"
check "no call" refused "nap is no call" "40 nap.begin 11"
check "no unit" refused '"m" is no unit of the number 5m' "5m switch 0>11"
check "no option" says 1 'a scenario has no option "cpu"' \
	sh -c "echo 'scenario a cpu=3' >'$work/wrong.scn'; '$judge' '$top/build' '$work/wrong.scn'"
check_status 1 "no scenario at all" "$judge" "$top/build" /dev/null
finish

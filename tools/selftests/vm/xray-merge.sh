#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-merge.sh - a program in a guest writes an XRay log while we record: both become one
#
# xrayload.cc is the program. It sleeps, is preempted, faults and reads in functions named
# after that, and writes down when; what the kernel says of it must lie inside them.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

# What the guest shall reach must lie in the repository.
traces=$(mktemp -d "$top/build/xray.XXXXXX")
trap 'rm -rf "$work" "$traces"' EXIT
load=$top/build/selftests/gen/xrayload

# says TEXT REGEX - the last run printed this
says()
{
	check "$1" grep -q "$2" "$work/log"
}

check "a program with XRay is recorded in a guest" \
	"$top/tools/vm/run" --single --quiet --with "$load" --log "$work/console.log" -- \
	sh /host/tools/selftests/vm-guest/xray-merge.sh "/host/${traces#"$top/"}"
check "decoded without the log" "$decode" "$traces/capture" -o "$traces/plain"
"$decode" "$traces/capture" -o "$traces/out" --merge "$traces/log" --instr-map "$load" \
	2>"$work/log"
check "merged with the log" test $? -eq 0
explain <"$work/log"

# sum WORD FIELD - of the program's own lines that begin with WORD
sum()
{
	awk -v word="$1" -v field="$2" '$1 == word { n += $field } END { print n + 0 }' \
		"$traces/truth.txt"
}

says "all calls and custom events are there" \
	"log: $(sum call 4) calls and $(sum event 3) custom events of 3 threads"
moved=$(sed -n 's/.* merged: .* moved to .*, by at most \([0-9]*\) ns (thread .*/\1/p' "$work/log")
check "nothing was moved by more than 2 ns: ${moved:-0}" test "${moved:-0}" -le 2
check "no record is said to be lost, or its clock to go back" \
	sh -c "! grep 'warning: merged' '$work/log' | grep -v 'says that the TSC has'"
if "$checkers/xraytruth.py" "$traces/out" "$traces/truth.txt" >"$work/said" 2>&1; then
	ok "the kernel's events are inside the functions: $(cat "$work/said")"
else
	not_ok "the kernel's events are inside the functions"
	explain <"$work/said"
fi
check "the kernel's events are what they are without it" \
	"$checkers/mergecheck.py" - "$traces/plain" "$traces/out" 0 0 --views
check "upstream's rules are kept" "$checkers/ovnirules.py" "$traces/out/ovni"
check "a strict reader accepts the timelines" "$top/build/selftests/prvcheck" "$traces/out"
mkdir "$work/emulated"
check "ovnik-emu accepts it" "$emu" --strict "$traces/out/ovni" -o "$work/emulated"
check "and renders the same" "$checkers/prvcmp.py" "$work/emulated" "$traces/out"
check "nothing is left of what is in between" \
	sh -c "! find '$traces/out' -name '.xray*' | grep -q ."

# XRay's header has another rate, or it is another run's.
"$decode" "$traces/capture" -o "$traces/again" --merge "$traces/log" 2>"$work/log"
check "without the binary" test $? -eq 0
says "its functions have no names" "functions are shown by number: .*xrayload.* --instr-map"
finish

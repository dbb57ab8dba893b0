#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emu-models.sh - does ovnik-emu draw what the user runtimes do as the reference says?
#
# REFERENCE in the environment names the folder with ovni-models.json.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
: "${EMU:=$top/build/ovnik-emu}"
: "${REFERENCE:=$top/../shared/reference}"
checkers=$here/../check
fixtures=$here/../fixture

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

if [ ! -x "$EMU" ]; then
	not_ok "ovnik-emu is built"
	finish
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
models="nosv nanos6 nodes openmp mpi tampi"

if [ -f "$REFERENCE/ovni-models.json" ]; then
	"$checkers/modelfacts.py" "$REFERENCE/ovni-models.json" >"$work/facts"
	check "the facts are those of the reference" cmp "$fixtures/ovni-models.txt" "$work/facts"
else
	skip "the facts are those of the reference" "no ovni-models.json in $REFERENCE"
fi

# each_type_has_a_view TRACE FILE - those of models; the emulator's own are below 10
each_type_has_a_view()
{
	sed -nE 's/^0 +([0-9]{2,}) .*/\1/p' "$1/$2.pcf" | sort >"$work/types"
	find "$1/cfg/$2" -name '*.cfg' -exec sed -nE 's/^window_filter_module evt_type 1 ([0-9]{2,})$/\1/p' {} + |
		sort >"$work/shown"
	[ -s "$work/types" ] && diff "$work/types" "$work/shown"
}

for model in $models; do
	check "$model: every event renders what the facts say" \
		"$checkers/emumodels.py" walk "$EMU" "$model" "$work/walk-$model"
	check "$model: each type of threads has a view" each_type_has_a_view "$work/walk-$model" thread
	check "$model: each type of CPUs has a view" each_type_has_a_view "$work/walk-$model" cpu
	for seed in 1 2 3; do
		check "$model: threads that do anything ($seed)" \
			"$checkers/emumodels.py" random "$EMU" "$model" "$work/random" "$seed"
		check "$model: a strict reader accepts the timelines ($seed)" \
			"$top/build/selftests/prvcheck" "$work/random"/*.prv
		rm -rf "$work/random"
	done
done

# Metadata of nOS-V, on the trace that is there already

trace=$work/walk-nosv
stream=$trace/loom.node.0/proc.100/thread.100
cp "$stream/stream.json" "$work/stream.json"

# nosv MEMBERS - the metadata, with these members of the object nosv
nosv()
{
	sed "s|^{|{\"nosv\":{$1},|" "$work/stream.json" >"$stream/stream.json"
}

# refused NAME PATTERN [OPTION...]
refused()
{
	local name=$1 pattern=$2

	shift 2
	check_status 1 "$name" "$EMU" "$@" "$trace"
	"$EMU" "$@" "$trace" 2>&1 | grep -q -- "$pattern"
	check "$name: the reason" test "${PIPESTATUS[1]}" -eq 0
}

nosv '"hwc":{"0":{"name":"cycles"},"1":{"name":"misses"}},"can_breakdown":true'
check "counters and breakdown are accepted" "$EMU" -b "$trace"
check "counters are declared in order" \
	test "$(grep -A1 '^0 20[01] ' "$trace/thread.pcf" | grep -c '^0 200  *cycles$')" -eq 1
for file in thread cpu; do
	check "a counter has a view for $file rows" \
		grep -q 'evt_type 1 201$' "$trace/cfg/$file/nosv/hwc-misses.cfg"
done
for end in prv pcf row; do
	check "there is nosv-breakdown.$end" test -s "$trace/nosv-breakdown.$end"
done
check "and a view of it" test -s "$trace/cfg/cpu/nosv/breakdown.cfg"
nosv '"can_breakdown":false'
check "a breakdown that cannot be is no error" "$EMU" -b "$trace"
check "and is not there" test ! -e "$trace/nosv-breakdown.prv"
check "nor views of what was" test ! -e "$trace/cfg/cpu/nosv/hwc-misses.cfg"
nosv '"can_breakdown":"yes"'
refused "can_breakdown is a string" "nosv.can_breakdown in every thread, 1 of 1" -b
check "without -b it is not read" "$EMU" "$trace"
nosv '"hwc":[]'
refused "counters are an array" '"hwc" is array, expected object'
nosv '"hwc":{"1":{"name":"cycles"}}'
refused "counters with a gap" '"0" is missing'
nosv '"hwc":{"0":{"label":"cycles"}}'
refused "a counter without name" '"name" is missing'
nosv "\"hwc\":{$(seq -s, -f '"%g":{"name":"x"}' 0 100)}"
refused "too many counters" "101 hardware counters, at most 100 are supported"
sed 's|^{|{"nosv":[],|' "$work/stream.json" >"$stream/stream.json"
refused "nosv is an array" '"nosv" is array, expected object'
cp "$work/stream.json" "$stream/stream.json"

# Another thread without counters is none of their business, one with others is.
other=${stream%100}101
cp -r "$stream" "$other"
sed -i 's/"tid": 100/"tid": 101/' "$other/stream.json"
nosv '"hwc":{"0":{"name":"cycles"}}'
refused "two threads on one CPU" "has 2 threads running"
sed 's/"tid": 100/"tid": 101/; s|^{|{"nosv":{"hwc":{"0":{"name":"other"}}},|' \
	"$work/stream.json" >"$other/stream.json"
refused "threads with different counters" 'hardware counter 0 is "cycles" and "other"'

# Lint: without the last event but one, which is a pop.

trace=$work/walk-mpi
stream=$trace/loom.node.0/proc.100/thread.100
size=$(stat -c %s "$stream/stream.obs")
head -c $((size - 24)) "$stream/stream.obs" >"$work/cut.obs"
tail -c 12 "$stream/stream.obs" >>"$work/cut.obs"
cp "$work/cut.obs" "$stream/stream.obs"
check "a function that does not end" "$EMU" "$trace"
refused "lint: a function that does not end" "mpi.function is not empty in 1 of 1 threads" -l

finish

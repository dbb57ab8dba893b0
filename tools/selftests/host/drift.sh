#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# drift.sh - clocks of nodes that drift between two measurements
#
# Three captures of the same events, stamped by clocks of known drift.
#
# It takes over a minute on a slow machine: Python knows where each of the events has to be.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "gen-capture is built" build gen-capture
mkdir "$work/captures"
boot=5000000000		# when their clocks are the same
declare -A ppb=([first]=0 [secnd]=100000 [third]=-50000)
nodes=(first secnd third)
for node in "${nodes[@]}"; do
	"$work/gen-capture" random "$work/captures/$node" -n 100000 -c 2 -s 5 -t 8 -C \
		-D "${ppb[$node]}" 2>/dev/null
	sed -i "s/\"host\":\"gen\"/\"host\":\"$node\"/" "$work/captures/$node/meta.json"
done

to=ovni

# table FILE MS [MORE] - measured so long after boot; secnd's offset is that much more
table()
{
	local i=0 node offset

	echo "rank hostname offset_median offset_mean offset_std at=$((boot + $2 * 1000000)) within=90"
	for node in "${nodes[@]}"; do
		offset=$((-$2 * ppb[$node] / 1000))
		[ "$node" != secnd ] || offset=$((offset + ${3:-0}))
		# As wide as ovnisync's.
		printf '%-10d %-20s %-20d %-20f %-20f\n' $((i++)) "$node" $offset $offset 12.5
	done
} >"$work/$1"

says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

# merge TABLE... - of all captures, with these tables
merge()
{
	local tables=() name

	for name; do
		tables+=(--offsets "$work/$name")
	done
	rm -rf "$work/out"
	"$decode" "$work/captures" -o "$work/out" "${tables[@]}" --to "$to" 2>"$work/log"
}

# within NS - the same events have the same times on all nodes
within()
{
	"$checkers/driftcheck.py" "$work/out/ovni" "$1"
}

table before 2
table after 90
check "one table" merge before
says "says how good it was" "clocks: aligned by .*/before: two nodes differed by at most 90 ns when it was measured"
check_status 1 "it leaves the drift" within 10000
check "of 150 ppm in 98 ms, with rounding" within 14710
to=ovni,prv
check "two tables" merge before after
to=ovni
says "how well is said" \
	"a drift of at most 100.000 ppm is corrected; two nodes differed by at most 90 ns when"
check "no drift is left" within 2
check "nor does a clock leave its anchors" test "$(grep -c 'residual 0 ns rms, at most 0 ns' "$work/log")" -eq 3
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check "the table in the trace has what is constant" \
	grep -q '^1 secnd -200 ' "$work/out/ovni/clock-offsets.txt"
check "the timeline is strictly right" "$top/build/selftests/prvcheck" "$work/out"
cp -r "$work/out" "$work/once"
check "the trace is enough" "$emu" -o "$work/drawn" "$work/out/ovni"
check "it draws the same" cmp <(sed 1d "$work/drawn/thread.prv") <(sed 1d "$work/once/thread.prv")

# As where each node decodes its own.
mkdir "$work/alone"
each_alone()
{
	for node in "${nodes[@]}"; do
		"$decode" "$work/captures/$node" -o "$work/alone/$node" --to ovni --offsets "$work/before" \
			--offsets "$work/after" 2>>"$work/log" || return
	done
	rm -rf "$work/drawn"
	"$emu" -c "$work/before" -o "$work/drawn" "$work"/alone/*/ovni
}
check "each node alone" each_alone
# Records of one time may come in another order.
check "together they draw the same" cmp <(sed 1d "$work/drawn/thread.prv" | sort) <(sed 1d "$work/once/thread.prv" | sort)

# ovnisync does not say when; the captures begin 0 and end 105 ms after boot.
table before 0
table after 105
sed -i '1s/ at=.*//' "$work/before" "$work/after"
check "tables without a time" merge before after
says "that is said" "taken as measured when each capture began and ended"
check "drift is taken out as well as that is true" within 100
sed -i '3s/12.5/4100000.0/' "$work/before"
check "a table of a bad measurement" merge before
says "is a warning" "warning: clocks: aligned by .*/before, whose standard deviation is 4100000 ns: messages take"

# What cannot be true.

# refused TEXT - before and after
refused()
{
	check_status 1 "refused: $1" merge before after
	says "it says so" "$1"
	check "nothing was made" test ! -e "$work/out"
}

table before 2
# A thousandth, and what the tables say of themselves is added.
table after 90 97000
refused "after: line 3: in 88000000 ns the offset of secnd has changed by 88200 ns since .*/before: no clock drifts that much"
table after 90 96900
check "a thousandth may be" merge before after
table after 2
refused "after: was not measured after .*/before"
table after 1
refused "after: was not measured after .*/before"
table after 90
sed -i '1s/ at=.*//' "$work/after"
refused "after: does not say when it was measured (at=), as .*/before does"
for header in 'at=12' 'at=x within=3' 'at=-5 within=3' 'at=5 within=-3'; do
	table after 90
	sed -i "1s/ at=.*/ $header/" "$work/after"
	refused "after: line 1: "
done
table after 90
sed -i '3s/12.5/-1.5/' "$work/after"
refused "after: line 3: such a standard deviation cannot be"
sed -i '3s/-1.50*/nan/' "$work/after"
refused "after: line 3: such a standard deviation cannot be"
sed -i 3d "$work/after"
refused "before: line 3: host secnd is not in .*/after"
nodes=(secnd first third)
table after 90
refused "after: its offsets are to the clock of secnd, but those in .*/before to that of first"
nodes=(first secnd third)
table after 90
check_status 2 "three tables" merge before after after
says "are one too many" "there are two tables already, before and after"

# A capture far from both tables.
table before 800
table after 820
check "long before" merge before after
says "is a warning" "node first: was recorded long before .*/before was measured, or long after"
# Without times, only the capture's length shows that the tables are not of it.
table before 0
table after 105 200000
sed -i '1s/ at=.*//' "$work/before" "$work/after"
check_status 3 "more than a clock drifts during a capture" merge before after
says "the node is left out" "captures/secnd: left out"

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# diff.sh - ovnik-decode diff: changes and noise that diffcheck.py makes again from each capture

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "generators are built" eval "build gen-capture && build gen-report && build gen-memory"

# facts CAPTURE [OPTION...] - what diffcheck.py sums up, in CAPTURE.facts
facts()
{
	rm -rf "$1.facts" "$work/out"
	mkdir "$1.facts"
	"$decode" "$1" -o "$work/out" --to laplace --tracer "jsonl,file=$1.facts/tasks" \
		--tracer "database,file=$1.facts/tags" "${@:2}" >"$work/log" 2>&1
	mv "$work/out/laplace.txt" "$1.facts"
}

# differ NAME BY A... -- B... - with $options, which narrow
differ()
{
	local name=$1 by=$2 capture all=()

	shift 2
	for capture; do
		[ "$capture" = -- ] || facts "$capture" "${options[@]}"
		[ "$capture" = -- ] && all+=(--) || all+=("$capture.facts")
	done
	"$decode" diff ${by:+--by "$by"} --rows "$rows" "${options[@]}" "$@" >"$work/text" 2>"$work/log"
	"$decode" diff ${by:+--by "$by"} --json "${options[@]}" "$@" >"$work/json" 2>"$work/log"
	check "$name" "$checkers/diffcheck.py" "$work/json" "$work/text" "$rows" "$by" "${all[@]}"
}

options=() rows=10
for i in 1 2 3 4 5 6; do
	"$work/gen-memory" "$work/m$i" -n 1500 -c 3 -s $i
	"$work/gen-capture" random "$work/r$i" -n 1500 -c 3 -t 20 -s $i
done
"$work/gen-report" known "$work/known"
"$work/gen-report" nested "$work/nested"
"$work/gen-report" empty "$work/empty"
m=$work/m r=$work/r

differ "one capture of each side" "" "$work/known" -- "$work/nested"
check "the noise is said not to be known" grep -q '^  noise  *not known' "$work/text"
check "numbers are aligned" grep -Eq '^ {5,}A +B +change +percent  name$' "$work/text"
check "what has no record is said" grep -Eq '^ +page_add +.*/nested$' "$work/text"
differ "three of each" "" "${m}1" "${m}2" "${m}3" -- "${m}4" "${m}5" "${m}6"
differ "two and four" "" "${r}1" "${r}2" -- "${r}3" "${r}4" "${r}5" "${r}6"
differ "one and two" "" "${r}1" -- "${r}2" "${r}3"
check "the noise is not known then" grep -q '^  noise  *not known' "$work/text"
for by in comm reason cpu; do
	differ "by $by" $by "${r}1" "${r}2" -- "${r}3" "${r}4"
done
differ "by file" file "${m}1" "${m}2" -- "${m}3" "${m}4"
rows=3
differ "--rows" comm "${r}1" "${r}2" -- "${r}3" "${r}4"
rows=10 options=(--from=5us --until=60us)
differ "a window" "comm" "${r}1" "${r}2" -- "${r}3" "${r}4"
options=(--comm=child)
differ "a program" "comm" "${m}1" "${m}2" -- "${m}3" "${m}4"
options=()

# The same work twice differs in nothing; twice as much of it does, and that is no noise.
differ "nothing changed" "" "$work/known" "$work/known" -- "$work/known" "$work/known"
check_status 1 "nothing is marked" grep -q '  \*  ' "$work/text"
differ "without any noise" comm "$work/known" "$work/known" -- "$work/nested" "$work/nested"
check "a change without noise is marked" grep -Eq '  \*  +renamed$' "$work/text"

# The recorder is behind the others, and so are the files that only it used.
cp -r "$work/known" "$work/own1"
cp -r "$work/nested" "$work/own2"
recorded_by '{"pid": 100}' "$work/own1"
recorded_by '{"pid": 100}' "$work/own2"
"$decode" diff --rows 1 "$work/own1" "$work/own2" >"$work/text" 2>"$work/log"
sed -n '/^  programs by time on a CPU/,/^$/p; /^  files by calls/,/^$/p' "$work/text" | diff - /dev/fd/3 3<<'END'
  programs by time on a CPU:
             A          B       change  percent  name
     58.000 us       0 ns   -58.000 us   -100.0  other
     83.000 us  23.000 us   -60.000 us    -72.3  recorder (ovnik)
    182.000 us  29.000 us  -153.000 us    -84.1  all 4

  files by calls:
    A  B  change  percent  name
    8  1      -7    -87.5  recorder (ovnik)
    8  1      -7    -87.5  all 1

END
check "the recorder is the last row, with all its files" test $? -eq 0
recorded_by '{"pid": 1000}' "${m}1"
"$decode" diff --by file --json "${m}1" "${m}2" >"$work/json" 2>"$work/log"
check "a file that others used, too, keeps its name" sh -c "! grep 'recorder (ovnik)' '$work/json'"

# Two captures without "--", and directories of captures.
"$decode" diff "$work/known" "$work/nested" >"$work/two" 2>"$work/log"
"$decode" diff "$work/known" -- "$work/nested" >"$work/text" 2>"$work/log"
check "A B is A -- B" cmp "$work/two" "$work/text"
mkdir "$work/before" "$work/after"
cp -r "${m}1" "${m}2" "$work/before"
cp -r "${m}3" "${m}4" "$work/after"
"$decode" diff "$work/before" "$work/after" --json >"$work/json" 2>"$work/log"
check "directories of captures" test "$(grep -o '"side"' "$work/json" | wc -l)" -eq 4

# Names that hurt a terminal.
cp -r "${r}1" "$work/h1"
cp -r "${r}2" "$work/h2"
hurt_names "$work/h1"
hurt_names "$work/h2"
differ "hostile names" comm "$work/h1" "${r}3" -- "$work/h2" "${r}4"

# Damage and losses of any capture are those of the whole; without one there is no answer.
cp -r "${r}2" "$work/damaged"
python3 "$gen/damage.py" "$work/damaged/cpu1.ovk" flip 2000 3
"$work/gen-capture" random "$work/lossy" -n 1500 -c 3 -t 20 -s 7 -l 12
check_status 3 "a damaged capture" "$decode" diff "${r}1" "$work/damaged"
check_status 4 "a capture with losses" "$decode" diff "$work/lossy" "${r}1"
check_status 3 "damage is worse than losses" "$decode" diff "$work/lossy" "$work/damaged"
check_status 1 "no capture" "$decode" diff "${r}1" "$work/nowhere"
"$decode" diff "${r}1" "$work/nowhere" >"$work/text" 2>"$work/log"
check_status 1 "no answer then" test -s "$work/text"
check "the message names it" grep -q nowhere "$work/log"
check_status 0 "a capture without any record" "$decode" diff "$work/empty" "$work/known"

# Wrong usage. usage TEXT ARGUMENT... - status 2, and a message with TEXT
# shellcheck disable=SC2317 # called through check
usage()
{
	"$decode" diff "${@:2}" >"$work/text" 2>"$work/log"
	[ $? -eq 2 ] && grep -q -e "$1" "$work/log" && ! [ -s "$work/text" ]
}

check "no capture is named" usage "no capture is named"
check "only one is" usage "to compare with" "${r}1"
check "nothing is after --" usage "to compare with" "${r}1" --
check "nothing is before --" usage "no capture is named" -- "${r}1"
check "three" usage "A1 A2 -- B1 B2" "${r}1" "${r}2" "${r}3"
check "an option after --" usage 'options come before "--"' "${r}1" -- "${r}2" --json
check "--by process" usage "another number in each" --by process "${r}1" "${r}2"
check "--by nothing that is" usage '"disk" is not' --by disk "${r}1" "${r}2"
check "--rows 0" usage "rows" --rows 0 "${r}1" "${r}2"
finish

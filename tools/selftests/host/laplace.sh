#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# laplace.sh - Laplace traces read back, and address spaces and page cache rebuilt

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

reader=$checkers/laplace-check
rebuild=$top/build/selftests/guest/rebuild

check "the generator of captures is built" build gen-capture
check "the generator of mappings is built" build gen-memory

# ranges FILE - TASK START-END of a list of maps, tasks in hex, with no range that
# begins where the one before ends
ranges()
{
	python3 - "$1" <<-'END'
		import sys
		last = None
		for line in sorted((w[0], w[1]) for w in map(str.split, open(sys.argv[1]))):
		    start, end = (int(a, 16) for a in line[1].split("-"))
		    if last and last[0] == line[0] and last[2] == start:
		        last[2] = end
		        continue
		    if last:
		        print(f"{int(last[0]):x} {last[1]:x}-{last[2]:x}")
		    last = [line[0], start, end]
		if last:
		    print(f"{int(last[0]):x} {last[1]:x}-{last[2]:x}")
	END
}

# lines LETTER FILE... - how many there are
lines()
{
	letter=$1
	shift
	cat "$@" | grep -cF "$letter " || true
}

for seed in 1 2 3; do
	cap=$work/memory$seed
	"$work/gen-memory" "$cap" -n 8000 -c 3 -s $seed
	check "$seed: a capture with every event" "$decode" "$cap" -o "$work/out" --to laplace
	check "$seed: the trace is as the page says" \
		"$reader" --complete "$work/out/laplace.txt"
	check "$seed: no letter is missing" test 21 -eq \
		"$("$reader" --complete --counts "$work/out/laplace.txt" | wc -l)"
	"$reader" --maps "$work/out/laplace.txt" | sort >"$work/got"
	ranges "$cap.maps" | sort >"$work/truth"
	check "$seed: mappings rebuilt from the trace" diff "$work/truth" "$work/got"

	"$rebuild" "$cap" maps | sort >"$work/got"
	sort "$cap.maps" >"$work/truth"
	check "$seed: mappings rebuilt from the capture" diff "$work/truth" "$work/got"
	"$rebuild" "$cap" pages | sed -n 's/^fe:1 \([1-9].*\)/\1/p' | sort >"$work/got"
	sort "$cap.pages" >"$work/truth"
	check "$seed: page cache rebuilt from the capture" diff "$work/truth" "$work/got"
done

# At the end, and at the last record, there is the same.
"$rebuild" "$work/memory3" maps --at 0xffffffffffff | sed 1d >"$work/got"
"$rebuild" "$work/memory3" maps >"$work/truth"
check "at a moment after the end it is the end's" cmp "$work/truth" "$work/got"
"$rebuild" "$work/memory3" maps --at 1 >"$work/got"
check "before the beginning there is nothing" test "$(cat "$work/got")" = "at 1"
check_status 1 "of a task that is not there there is nothing" "$rebuild" "$work/memory3" maps 1

# A trace a CPU.
"$decode" "$work/memory3" -o "$work/out" --to laplace 2>/dev/null
mv "$work/out/laplace.txt" "$work/whole"
: >"$work/out/laplace.cpu77.txt"
: >"$work/out/laplace.txt"
check "split by CPU" "$decode" "$work/memory3" -o "$work/out" --to laplace --laplace-split cpu
check "there is one a CPU and nothing else" test "$(cd "$work/out" && echo laplace*)" = \
	"laplace.cpu0.txt laplace.cpu1.txt laplace.cpu2.txt"
for cpu in 0 1 2; do
	check "CPU $cpu's is as the page says" \
		"$reader" --complete "$work/out/laplace.cpu$cpu.txt"
	"$reader" --maps "$work/out/laplace.cpu$cpu.txt" | sort >"$work/got"
	ranges "$work/memory3.maps" | sort >"$work/truth"
	check "and says what is mapped" diff "$work/truth" "$work/got"
done
for letter in s '(' ')' '<' '>'; do
	check "each $letter is in one of them" test \
		"$(lines "$letter" "$work/whole")" -eq "$(lines "$letter" "$work/out"/laplace.cpu?.txt)"
done
sort -u "$work/out"/laplace.cpu?.txt >"$work/got"
sort -u "$work/whole" >"$work/truth"
check "together they say what one for all does" cmp "$work/truth" "$work/got"

# Stamps of CLOCK_MONOTONIC are written as they are, like those of the TSC.
for clock in "" -m; do
	# shellcheck disable=SC2086 # perhaps no option
	"$work/gen-capture" random "$work/clock$clock" -n 2000 -c 2 -t 20 -s 8 $clock
	check "a capture${clock:+ with CLOCK_MONOTONIC}" \
		"$decode" "$work/clock$clock" -o "$work/out" --to laplace
	mv "$work/out/laplace.txt" "$work/stamps$clock"
done
check "the trace is as the page says" "$reader" --complete "$work/stamps-m"
check "with the stamps of the capture" cmp "$work/stamps" "$work/stamps-m"

# What was lost of a CPU's own is missing in its trace only.
"$work/gen-capture" random "$work/full" -n 2000 -c 1 -t 20 -s 6 -e
"$decode" "$work/full" -o "$work/out" --to laplace --laplace-split cpu 2>/dev/null
check "a CPU's trace with losses has no end marker" \
	sh -c "! grep -qx c '$work/out/laplace.cpu0.txt'"
check "nothing of another run is left" test "$(cd "$work/out" && echo laplace*)" = \
	"laplace.cpu0.txt laplace.txt.lost"
check_status 2 "split by nothing known" "$decode" x -o "$work/out" --laplace-split task
check_status 2 "split, but no Laplace trace" \
	"$decode" x -o "$work/out" --laplace-split cpu --to prv

# refused NAME LINE... - the reader finds something wrong
refused()
{
	what=$1
	shift
	printf '%s\n' "$@" >"$work/wrong"
	check_status 1 "refused: $what" "$reader" "$work/wrong"
}

refused "an unknown letter" "R 1 2"
refused "a field too few" "m 1 2 1000"
refused "a field too many" "s 1 2 3"
refused "two blanks" "s 1  2"
refused "upper case" "s 1 A"
refused "a prefix" "s 1 0x2"
refused "leading zeros" "s 1 02"
refused "a sign" "s 1 -2"
refused "a task of 33 bits" "s 1 100000000"
refused "a minor number of 21 bits" ") 1 2 3 4 100000"
refused "an address inside of a page" "U 1 2 1001 1000"
refused "a length of nothing" "U 1 2 1000 0"
refused "a range over the end" "U 1 2 fffffffffffff000 2000"
refused "a range that ends before it begins" "D 1 2 3 2000 1000"
refused "a read of nothing" "< 1 2 3 4 5 6 0"
refused "a name that is not there" "( 1 2 3 4 5 "
refused "a control character" "( 1 2 3 4 5 $(printf 'a\tb')"
refused "an escape for nothing" '( 1 2 3 4 5 a\x41'
refused "time that goes back" "s 2 1" "s 1 1"
refused "something after the end" "c" "s 1 1"
refused "a task made twice" "F 1 1 2" "F 1 1 2" "c"
refused "a task that ends twice" "F 1 1 2" "T 2 2" "T 3 2" "c"
refused "a copy from nowhere" "A 1 2 5" "D 1 4 5 1000 2000" "c"
refused "mapping after the end" "F 1 1 2" "T 2 2" "m 3 2 1000 1000" "c"
refused "mapping in what is destroyed" "A 1 2 5" "u 2 5" "m 3 2 1000 1000" "c"
printf 's 1 2' >"$work/wrong"
check_status 1 "refused: a line without end" "$reader" "$work/wrong"
printf 's 1 2\n' >"$work/wrong"
check "without an end marker, but else right" "$reader" "$work/wrong"
check_status 1 "refused: no end marker where one must be" "$reader" --complete "$work/wrong"
finish

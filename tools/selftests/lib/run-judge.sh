# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-judge.sh - for tools/selftests/run to source: the results of a test, as TAP, are counted
#
# Uses $kept, $here and $CI; adds to the counts and lists below.

# shellcheck disable=SC2154 # set by who sources it

passed=0
failed=0
skipped=0
failures=()
# Of each test that did not fail, how many passed and were skipped.
declare -A good_of left_of
# Of each test that failed, shown at the end: of a log of CI one may see no more.
outputs=()

# fail TEST WHAT
fail()
{
	failed=$((failed + 1))
	failures+=("$1: $2")
}

# failed_part FILE - the failures with what they say, or else the file's end
failed_part()
{
	# Of a long one the beginning and the end: a verdict may be in either.
	awk -v most=15 '
		function end_of_one(   i) {
			if (lines > 2 * most)
				print "  # ... " lines - 2 * most " lines"
			for (i = lines > 2 * most ? lines - most + 1 : most + 1; i <= lines; i++)
				print "  " line[i]
			lines = 0
			delete line
		}
		/^not ok / { end_of_one(); inside = bad = 1; print "  " $0; next }
		!/^#/ { inside = 0 }
		inside { line[++lines] = $0 }
		inside && lines <= most { print "  " $0 }
		END { end_of_one(); exit !bad }' "$1" || tail -n 25 "$1" | sed 's/^/  /'
}

# skip_expected TEST NAME
skip_expected()
{
	awk -v file="$1" -v name="$2" '
		/^#/ || !NF { next }
		$1 == file {
			sub(/^[^ \t]+[ \t]+/, "")
			sub(/[ \t]*#.*/, "")
			if ($0 == "*" || $0 == name)
				found = 1
		}
		END { exit !found }' "$here/expected-skips"
}

# skipped_test TEST LINE
skipped_test()
{
	local name=${2%%#*}

	name=$(sed -E 's/^(ok [0-9]*|1\.\.0)[ -]*//; s/ *$//' <<<"$name")
	if [ "$CI" = true ] && ! skip_expected "$1" "$name"; then
		fail "$1" "unexpected skip: $2"
	else
		skipped=$((skipped + 1))
		echo "  # $2"
	fi
}

# count_results TEST STATUS FILE - of the file that holds its output
count_results()
{
	local test=$1 status=$2 line plan='' results=0 bad=$failed none=n

	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		"ok "*"# "[Ss][Kk][Ii][Pp]*)
			results=$((results + 1))
			skipped_test "$test" "$line"
			;;
		"ok "*)
			results=$((results + 1))
			passed=$((passed + 1))
			;;
		"not ok "*)
			results=$((results + 1))
			fail "$test" "$line"
			;;
		"1..0 # "[Ss][Kk][Ii][Pp]*)
			plan=0
			none=y
			skipped_test "$test" "$line"
			;;
		1..[0-9]*)
			plan=${line#1..}
			plan=${plan%%[!0-9]*}
			;;
		"Bail out!"*)
			fail "$test" "$line"
			;;
		esac
	done <"$3"
	[ "$failed" = "$bad" ] || return 0

	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		fail "$test" "killed, perhaps for taking longer than $TIMEOUT s"
	elif [ "$status" = 4 ] && [ "$results" = 0 ] && [ "$plan" = 0 ]; then
		: # kselftest's status for all skipped
	elif [ "$status" != 0 ]; then
		fail "$test" "status $status without a failed test"
	elif [ -z "$plan" ]; then
		fail "$test" "no plan"
	elif [ "$plan" != "$results" ]; then
		fail "$test" "$results results instead of $plan"
	elif [ "$results" = 0 ] && [ "$none" = n ]; then
		fail "$test" "it checks nothing"
	fi
}

# judge TEST STATUS SECONDS FILE - count the results in the test's output
judge()
{
	local good=$passed bad=$failed left=$skipped

	cp "$4" "$kept/${1//\//_}"
	number=$((number + 1))
	count_results "$1" "$2" "$4"
	good=$((passed - good)) bad=$((failed - bad)) left=$((skipped - left))
	echo "# [$number/$total] $1: $good passed, $bad failed, $left skipped, $3 s"
	if [ "$bad" = 0 ]; then
		# shellcheck disable=SC2034 # used in run-kept.sh
		good_of[$1]=$good left_of[$1]=$left
		keep_passed "$1" "$good" "$left" "$3"
		return
	fi
	keep_failed "$1"
	outputs+=("# $1:"$'\n'"$(failed_part "$4")")
	[ "$live" = y ] || [ "$CI" = true ] || failed_part "$4"
}

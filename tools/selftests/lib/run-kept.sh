# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-kept.sh - for tools/selftests/run to source: what has passed on this tree
#
#	build/passed/TREE	a line for each test: its name, passed, skipped, seconds
#	build/passed/soak	a line for each lane of soak that has passed: COMMIT LANE DATE SECONDS PASSED SKIPPED
#	build/selftests/times	seconds of each test, the last time
#	build/selftests/green	of the last run in whole without a failure: the commit, -dirty if there
#				are changes, the tree, and the counts
#
# A tree is a commit and what all files hold that git does not ignore: a change of any of them
# makes another one. What was changed while a test ran, though it is as it was, is no tree.

# shellcheck disable=SC2154 # set by who sources it

kept_dir=build/passed
times=()

commit_id()
{
	git rev-parse HEAD 2>/dev/null || echo none
}

our_files()
{
	if ! git ls-files -z --cached --others --exclude-standard 2>/dev/null; then
		find . -name build -prune -o -type f -print0
	fi
}

# tree_id - of names, modes and contents; a link is what it points to
tree_id()
{
	{
		commit_id
		our_files | sort -z | xargs -0 stat -c '%A %N' 2>/dev/null
		our_files | sort -z | xargs -0 sha1sum 2>/dev/null
	} | sha1sum | cut -c 1-16
}

# last_change - when a file of ours was changed last, in seconds
last_change()
{
	our_files | xargs -0 stat -c %.9Z 2>/dev/null | sort -n | tail -n 1
}

# keep_passed TEST PASSED SKIPPED SECONDS - only make knows that the programs are of this tree, and only
# CI which tests may be skipped
keep_passed()
{
	[ -n "${MADE-}" ] && { [ "$3" = 0 ] || [ "$CI" = true ]; } || return 0
	[ "$(last_change)" = "$changed" ] || return 0
	mkdir -p "$kept_dir"
	echo "$LONG$1 $2 $3 $4" >>"$kept_dir/$tree"
}

# withdraw_lanes TEST - those that have it have not passed with this commit
withdraw_lanes()
{
	local lane

	[ -e "$kept_dir/soak" ] && is_commit || return 0
	for lane in $(lanes); do
		mapfile -t patterns < <(lane_tests "$lane")
		! has_pattern "$1" || sed -i "/^$(commit_id) $lane /d" "$kept_dir/soak"
	done
}

# keep_failed TEST - that it has passed before does not count any more
keep_failed()
{
	withdraw_lanes "$1"
	! grep -qsx "tree $tree" build/selftests/green || rm build/selftests/green
	[ -e "$kept_dir/$tree" ] || return 0
	awk -v test="$LONG$1" '$1 != test' "$kept_dir/$tree" >"$kept_dir/$tree.new"
	mv "$kept_dir/$tree.new" "$kept_dir/$tree"
}

# result_of TEST - its line, if it has passed on this tree
result_of()
{
	[ -e "$kept_dir/$tree" ] && awk -v test="$LONG$1" '
		$1 == test { line = $0 }
		END { if (line == "") exit 1; print line }' "$kept_dir/$tree"
}

# passed_before TEST - Return: 0 if it has passed on this tree, whose counts are then added
passed_before()
{
	local line good left _

	line=$(result_of "$1") || return
	read -r _ good left _ <<<"$line"
	passed=$((passed + good))
	skipped=$((skipped + left))
	good_of[$1]=$good left_of[$1]=$left
	before=$((before + 1))
}

# without_passed TEST... - those that are left
without_passed()
{
	local test

	left_over=()
	for test; do
		passed_before "$test" || left_over+=("$test")
	done
}

# by_time TEST... - the longest first, as the last run had it, or else the file "times"
by_time()
{
	printf '%s\n' "$@" | awk '
		FILENAME != "-" { if (!/^#/ && NF == 2) seconds[$2] = $1; next }
		NF { print seconds[$1] + 0, $1 }' "$here/times" \
		"$(if [ -e build/selftests/times ]; then echo build/selftests/times; else echo /dev/null; fi)" - |
		sort -s -rn -k 1,1 | cut -d ' ' -f 2
}

# keep_times - of what has run now, and of the others what was known
keep_times()
{
	[ -z "$LONG" ] || return 0
	{
		cat build/selftests/times 2>/dev/null || true
		printf '%s\n' ${times[@]+"${times[@]}"}
	} | awk 'NF == 2 { seconds[$2] = $1 } END { for (test in seconds) print seconds[test], test }' |
		sort -k 2 >build/selftests/times.new
	mv build/selftests/times.new build/selftests/times
}

# is_commit - is the tree that of the commit?
is_commit()
{
	[ -z "$(git status --porcelain 2>/dev/null)" ]
}

# keep_green - all tests have passed, now or before on this tree
keep_green()
{
	{
		if is_commit; then commit_id; else echo "$(commit_id)-dirty"; fi
		echo "tree $tree"
		echo "$passed passed, $skipped skipped"
	} >build/selftests/green
}

# counts_of LANE - of its tests: passed and skipped. 1: one of them has not passed, or was skipped whole
counts_of()
{
	local name good=0 left=0

	# shellcheck disable=SC2034 # for has_pattern
	patterns=()
	read_patterns "$here/lanes" "$1"
	for name in "${chosen[@]}"; do
		has_pattern "$name" || continue
		[ "${good_of[$name]-0}" -gt 0 ] || return 1
		good=$((good + ${good_of[$name]}))
		left=$((left + ${left_of[$name]}))
	done
	echo "$good $left"
}

# keep_lane LANE SECONDS
keep_lane()
{
	local counts

	if ! counts=$(counts_of "$1"); then
		echo "# lane $1 has not passed: a test of it failed, or was skipped"
		return
	fi
	if ! is_commit; then
		echo "# lane $1 has passed, but not of a commit: there are changes"
		return
	fi
	mkdir -p "$kept_dir"
	echo "$(commit_id) $1 $(date -u +%FT%TZ) $2 $counts" >>"$kept_dir/soak"
}

# lanes - their names, in the order of the table
lanes()
{
	awk '!/^#/ && NF && !seen[$1]++ { print $1 }' "$here/lanes"
}

# kept_of LANE - when it has passed with this commit, what it took and counted
kept_of()
{
	[ ! -e "$kept_dir/soak" ] || awk -v commit="$(commit_id)" -v lane="$1" '
		$1 == commit && $2 == lane { line = $0 }
		END {
			if (split(line, field) < 6)
				exit
			took = field[4] == "-" ? "among others" : int((field[4] + 59) / 60) " min"
			print field[3] ", " took ", " field[5] " passed, " field[6] " skipped"
		}' "$kept_dir/soak"
}

# show_status - which lanes have passed with this commit
show_status()
{
	local lane when missing=0

	echo "commit $(commit_id)"
	for lane in $(lanes); do
		when=$(kept_of "$lane")
		[ -n "$when" ] || missing=$((missing + 1))
		printf '%-16s %s\n' "$lane" "${when:-missing: make soak LANE=$lane}"
	done
	echo "$missing lanes are missing"
}

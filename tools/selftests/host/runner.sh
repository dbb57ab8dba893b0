#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# runner.sh - tools/selftests/run: interrupted, and what it remembers
#
# Its counts are looked at by all who run it.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
# shellcheck source=tools/selftests/tap.sh
. tools/selftests/tap.sh

work=$(mktemp -d)
runner=

clean_up()
{
	[ -z "$runner" ] || { kill "$runner" && wait "$runner"; } 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM

# What has this in its environment was started by the runner.
export RUNNER_TEST=$work

left()
{
	# grep's own status tells of files that it could not read, too.
	grep -lzs "^RUNNER_TEST=$work/" /proc/[0-9]*/environ | grep .
}

# interrupted SIGNAL STATUS - while a test runs that takes longer
interrupted()
{
	local status=0 i=0

	# What the one before has said must not be taken for this one's.
	rm -f "$work/log"
	CI='' RUNNER_TEST=$work/$1 env --default-signal=INT setsid tools/selftests/run -f host/merge.sh \
		>"$work/log" 2>&1 &
	runner=$!
	until grep -qs 'ok 1 ' "$work/log" || ! kill -0 "$runner"; do sleep 0.1; done
	kill "-$1" "$runner"
	wait "$runner" || status=$?
	runner=
	[ "$status" = "$2" ] || { cat "$work/log"; return 1; }
	# A process that was killed goes a little later.
	while left >/dev/null && [ $((i += 1)) -le 600 ]; do sleep 0.1; done
	! left && ! grep passed "$work/log"
}

# A tree of its own, with two tests that say what the file "fails" has, and one for later.
make_tree()
{
	local program test

	mkdir -p "$work/tree/build/selftests/guest" "$work/tree/build/selftests/unit" \
		"$work/tree/tools/selftests/unit" "$work/tree/tools/selftests/soak" &&
		cp -a tools/selftests/run tools/selftests/lib tools/selftests/times tools/selftests/expected-skips \
			"$work/tree/tools/selftests/" || return
	for program in ovnik ovnik-decode selftests/guest/examine; do
		ln -s /bin/true "$work/tree/build/$program"
	done
	for test in one two; do
		: >"$work/tree/tools/selftests/unit/$test.c"
		cat >"$work/tree/build/selftests/unit/$test" <<-END
			#!/bin/sh
			# Between us and the lane is timeout.
			grep -qx "$test kills" fails && kill -KILL "\$(ps -o ppid= -p "\$PPID" | tr -d ' ')"
			grep -sqx "$test nothing" build/fails && echo 1..0 && exit
			echo 1..1
			grep -sqx "$test changes" build/fails && echo >>fails && sed -i '\$d' fails
			grep -sqx "$test skips" build/fails && echo "ok 1 # SKIP it is told to" && exit
			grep -sqx "$test" fails build/fails && echo "not ok 1" || echo "ok 1"
		END
		chmod +x "$work/tree/build/selftests/unit/$test"
	done
	cp "$work/tree/build/selftests/unit/one" "$work/tree/tools/selftests/soak/three.sh"
	cp "$work/tree/build/selftests/unit/one" "$work/tree/build/selftests/unit/late"
	: >"$work/tree/tools/selftests/unit/late.c"
	printf 'unit/late.c\n' >"$work/tree/tools/selftests/later"
	printf 'lane1\tsoak/three.sh\nlane2\tunit/one.c\n' >"$work/tree/tools/selftests/lanes"
	printf 'build\n' >"$work/tree/.gitignore"
	: >"$work/tree/fails"
	cd "$work/tree" && git init -q && git add -A &&
		git -c user.name=test -c user.email=test@localhost commit -qm all
}

# Guests that say all at once, and are gone.
make_guests()
{
	local nr

	mkdir "$work/tree/tools/vm" "$work/tree/tools/selftests/guest" || return
	for nr in $(seq 40); do : >"$work/tree/tools/selftests/guest/test$nr.sh"; done
	cat >"$work/tree/tools/vm/run" <<-'END'
		#!/bin/bash
		for word; do
			case $word in
			CLAIMS=*) claims=${word#CLAIMS=/host/} ;;
			guest/*) mkdir "$claims/${word//\//_}" 2>/dev/null &&
				printf '%s\n' "@@@ begin $word" 1..1 "ok 1" "# 0 s" "@@@ end $word 0" ;;
			esac
		done
		exit 0
	END
	ln -s /bin/true "$work/tree/tools/vm/fetch-bpftool" && chmod +x "$work/tree/tools/vm/run"
}

# As "make check" starts it.
made=y
ci=true

# runs STATUS LAST-LINE NUMBER OPTION... - in that tree: so many tests are run
runs()
{
	local status=0

	(cd "$work/tree" && CI="$ci" LONG='' MADE="$made" tools/selftests/run "${@:4}") >"$work/log" 2>&1 || status=$?
	cat "$work/log"
	[ "$status" = "$1" ] && [ "$(tail -n 1 "$work/log")" = "$2" ] &&
		[ "$(grep -c '^# \[' "$work/log")" = "$3" ]
}

git_all()
{
	git -C "$work/tree" -c user.name=test -c user.email=test@localhost commit -qam "$1" --allow-empty
}

# is_green [SUFFIX] - behind the commit
is_green()
{
	[ "$(head -n 1 "$work/tree/build/selftests/green")" = "$(git -C "$work/tree" rev-parse HEAD)${1-}" ]
}

said()
{
	(cd "$work/tree" && tools/selftests/run --soak --status) | tee "$work/log" | grep -E "$1"
}

# shellcheck disable=SC2016 # for that shell
remembers()
{
	check "a tree of its own" make_tree
	echo one >"$work/tree/fails"
	check "one test of two fails" runs 1 "1 passed, 1 failed, 0 skipped" 2
	check "nothing is green" test ! -e "$work/tree/build/selftests/green"
	check "to resume runs that one again" runs 1 "1 passed, 1 failed, 0 skipped" 1 --resume
	echo one kills >"$work/tree/fails"
	check "a test whose lane is killed is missing" runs 1 "1 passed, 1 failed, 0 skipped" 1
	check "that is said" grep -qx "failed: run: 1 tests of 2 were run" "$work/log"
	check "and nothing is green" test ! -e "$work/tree/build/selftests/green"
	: >"$work/tree/fails"
	check "on another tree, both" runs 0 "2 passed, 0 failed, 0 skipped" 2 --resume
	check "that is green" is_green
	check "to resume runs nothing more" runs 0 "2 passed, 0 failed, 0 skipped" 0 --resume
	echo one >"$work/tree/build/fails"
	check "one fails that has passed" runs 1 "0 passed, 1 failed, 0 skipped" 1 -f unit/one
	check "to resume runs it, and does not believe the pass" runs 1 "1 passed, 1 failed, 0 skipped" 1 --resume
	check "nothing is green any more" test ! -e "$work/tree/build/selftests/green"
	rm "$work/tree/build/fails"
	: >"$work/tree/new"
	made=
	check "without make" runs 0 "2 passed, 0 failed, 0 skipped" 2
	made=y
	check "nothing is remembered: with a new file, both" runs 0 "2 passed, 0 failed, 0 skipped" 2 --resume
	check "that is green, but for changes" is_green -dirty
	check "a lane with changes" runs 0 "1 passed, 0 failed, 0 skipped" 1 --soak --lane lane1
	check "is none of the commit" said '^lane1 +missing'
	rm "$work/tree/new"
	check "who names a test for later gets it" runs 0 "1 passed, 0 failed, 0 skipped" 1 -f unit/late
	check "a lane" runs 0 "1 passed, 0 failed, 0 skipped" 1 --soak --lane lane1
	check "has passed" said '^lane1 +20..-..-..T'
	check "the other one is missing" said '^lane2 +missing: make soak LANE=lane2$'
	check "how long it took, and what it counted" said '^lane1 +[^ ]*, [01] min, 1 passed, 0 skipped$'
	echo two >"$work/tree/build/fails"
	printf 'lane2\tunit/two.c\n' >>"$work/tree/tools/selftests/lanes"
	git_all "another lane"
	check "all lanes, one test fails" runs 1 "2 passed, 1 failed, 0 skipped" 3 --soak
	check "its lane has not passed" said '^lane2 +missing'
	check "the other one has, among others" said '^lane1 +[^ ]*, among others, 1 passed, 0 skipped$'
	ci=
	# The one of soak is a copy.
	echo one skips >"$work/tree/build/fails"
	git_all "what is skipped"
	check "a lane of which all is skipped" runs 0 "0 passed, 0 failed, 1 skipped" 1 --soak --lane lane1
	check "has not passed" said '^lane1 +missing'
	echo two skips >"$work/tree/build/fails"
	check "a test is skipped" runs 0 "1 passed, 0 failed, 1 skipped" 2
	ci=true
	check "it has not passed for CI" runs 1 "1 passed, 1 failed, 0 skipped" 1 --resume
	echo two changes >"$work/tree/build/fails"
	rm -f "$work/tree/build/selftests/green"
	check "a file is changed and changed back meanwhile" runs 0 "2 passed, 0 failed, 0 skipped" 2
	check "nothing is green after that" test ! -e "$work/tree/build/selftests/green"
	check "nor has a lane passed" runs 0 "2 passed, 0 failed, 0 skipped" 2 --soak --lane lane2
	check "as its state says" said '^lane2 +missing'
	: >"$work/tree/build/fails"
	check "what has ended after that has not passed" runs 0 "2 passed, 0 failed, 0 skipped" 1 --resume
	check "a lane passes" runs 0 "2 passed, 0 failed, 0 skipped" 2 --soak --lane lane2
	check "as its state says then" said '^lane2 +20..-..-..T'
	echo two >"$work/tree/build/fails"
	check "its test fails" runs 1 "0 passed, 1 failed, 0 skipped" 1 -f unit/two
	check "and the lane has not passed any more" said '^lane2 +missing'
	echo two nothing >"$work/tree/build/fails"
	check "a test that checks nothing has failed" runs 1 "1 passed, 1 failed, 0 skipped" 2
	check "which is said" grep -qx 'failed: unit/two.c: it checks nothing' "$work/log"
	check "two guests" make_guests
	check "what they said last comes after they are gone" runs 0 "40 passed, 0 failed, 0 skipped" 40 -f guest/
	check_status 2 "there is no other lane" "$work/tree/tools/selftests/run" --soak --lane lane3
}

# each_is_run - by make check or make soak
each_is_run()
{
	{
		LONG='' tools/selftests/run -l
		LONG=y tools/selftests/run --soak -l
	} | sort -u >"$work/run"
	(cd tools/selftests && ls unit/*.c host/*.sh guest/*.sh vm/*.sh soak/*.sh) | sort | diff - "$work/run"
}

check "each test is one of make check or of a lane" each_is_run
remembers
mkdir -p build/selftests
ls -d build/selftests/run.* >"$work/before" 2>/dev/null
check "a signal ends the test, too: TERM" interrupted TERM 143
check "a signal ends the test, too: INT" interrupted INT 130
# shellcheck disable=SC2016 # for that shell
check "no directory is left" sh -c 'ls -d build/selftests/run.* 2>/dev/null | diff - "$1"' sh "$work/before"
finish

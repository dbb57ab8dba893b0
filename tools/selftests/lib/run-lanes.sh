# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-lanes.sh - for tools/selftests/run to source: tests run side by side
#
# A lane is a process that takes one test after the other, the longest first. The first lanes
# begin with a guest each, whose scripts are dealt out in the same way; as such a guest waits
# now and then, and needs one CPU, there is one lane more than CPUs, with low priority. Who
# reports is one: a lane writes a line for each test that has ended to the pipe $ends.

# shellcheck disable=SC2154 # set by who sources it

# What a lane waits for.
running=
lane_pids=()

# A signal ends the test that runs, so that it can clean up.
end_running()
{
	[ -n "$running" ] || return 0
	kill "$running" 2>/dev/null || true
	wait "$running" 2>/dev/null || true
	running=
}

# await - the status of what runs. A signal does not wait for its end.
await()
{
	local status=0

	wait "$running" || status=$?
	running=
	return "$status"
}

# show_live FILE PID - its lines as they come
show_live()
{
	tail -n +1 -f -s 0.05 --pid="$2" "$1" | sed -u 's/^/  /'
}

# program_of TEST
program_of()
{
	case $1 in
	unit/*) echo "build/selftests/${1%.c}" ;;
	*) echo "$here/$1" ;;
	esac
}

# run_test TEST FILE - its output to the file; what runs there ignores SIGINT unless told otherwise
run_test()
{
	local status=0 shown=

	# Who shows it must find it.
	: >"$2"
	env --default-signal=INT,QUIT timeout --kill-after=10 "$TIMEOUT" "$(program_of "$1")" \
		</dev/null >>"$2" 2>&1 &
	running=$!
	if [ "$live" = y ]; then
		show_live "$2" "$running" &
		shown=$!
	fi
	await || status=$?
	[ -z "$shown" ] || wait "$shown" || true
	return "$status"
}

# next_job LANE - prints the next of the file "jobs", which has a test a line, the longest first;
# the lane of low priority takes the shortest. 1: there is none
next_job()
{
	local first last nr

	exec 9<>"$work/next"
	flock 9
	read -r first last <"$work/next"
	if [ "$1" -gt "$(nproc)" ]; then
		nr=$last
		last=$((last - 1))
	else
		nr=$first
		first=$((first + 1))
	fi
	# There is none left where they have met.
	[ "$last" -ge $((first - 1)) ] || nr=0
	[ "$nr" = 0 ] || echo "$first $last" >"$work/next"
	exec 9>&-
	[ "$nr" != 0 ] && sed -n "${nr}p" "$work/jobs" | grep .
}

# run_jobs LANE
run_jobs()
{
	local job file status begun

	while job=$(next_job "$1"); do
		file=$work/out.${job//\//_}
		status=0
		begun=$SECONDS
		run_test "$job" "$file" || status=$?
		echo "test $job $status $((SECONDS - begun)) $file" >"$ends"
	done
}

# split_output LANE - from a guest's output a file per test, and a line for each that has ended. Not
# by awk, which may wait for more before it looks at a line.
split_output()
{
	local line file=$work/guest.$1 seconds=0

	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		"@@@ begin "*)
			file=$work/out.$(tr / _ <<<"${line#@@@ begin }")
			: >"$file"
			seconds=0
			;;
		*"@@@ end "*)
			line=${line##*@@@ end }
			echo "test $line $seconds $file" >"$ends"
			file=$work/guest.$1
			continue
			;;
		"# "*" s")
			seconds=${line//[!0-9]/}
			;;
		esac
		[[ $line == @@@* ]] || printf '%s\n' "$line" >>"$file"
		[ "$live" = n ] || printf '  %s\n' "$line"
	done
}

# run_guest LANE - it takes tests of the file "guest" as long as there are some
run_guest()
{
	local bpftool splitter status=0

	if ! bpftool=$(tools/vm/fetch-bpftool); then
		echo "guest $1 no bpftool" >"$ends"
		return
	fi
	: >"$work/guest.$1"
	mkfifo "$work/lines.$1"
	split_output "$1" <"$work/lines.$1" &
	splitter=$!
	# shellcheck disable=SC2046 # words
	tools/vm/run --single --log "$top/build/selftests/guest-console$1.log" --timeout "$GUEST_TIMEOUT" \
		--with /usr/sbin/mke2fs --with "$bpftool" -- \
		env "LONG=$LONG" "CLAIMS=/host/$work/claims" tools/selftests/in-guest "$TIMEOUT" \
		$(cat "$work/guest") \
		</dev/null >"$work/lines.$1" 2>&1 &
	running=$!
	await || status=$?
	# Its last lines may be the ends of tests.
	wait "$splitter" || true
	[ "$status" = 0 ] || {
		tail -n 5 "$work/guest.$1"
		echo "guest $1 status $status of the guest, see build/selftests/guest-console$1.log" >"$ends"
	}
}

# lane NUMBER
lane()
{
	trap 'end_running; exit 143' TERM
	trap '' INT
	SECONDS=$begun_lanes
	if [ "$1" -le "$guests" ]; then
		run_guest "$1"
	elif [ "$1" -gt "$(nproc)" ]; then
		renice -n 10 -p "$BASHPID" >/dev/null
	fi
	run_jobs "$1"
	echo "lane $1 $SECONDS" >"$ends"
}

# start_lanes - of the tests in the files "guest" and "jobs"
start_lanes()
{
	local nr in_guests jobs lanes

	ends=$work/ends
	mkfifo "$ends"
	mkdir "$work/claims"
	in_guests=$(grep -c . "$work/guest" || true)
	jobs=$(grep -c . "$work/jobs" || true)
	echo "1 $jobs" >"$work/next"
	# A guest takes a while to boot.
	guests=$(((in_guests + 5) / 6))
	[ "$guests" -le "$(nproc)" ] || guests=$(nproc)
	lanes=$(($(nproc) + 1))
	[ "$lanes" -le $((jobs + guests)) ] || lanes=$((jobs + guests))
	begun_lanes=$SECONDS
	# Kept open, so that there is no end before all lanes have begun.
	exec 7<>"$ends"
	for ((nr = 1; nr <= lanes; nr++)); do
		lane "$nr" 7>&- &
		lane_pids+=($!)
	done
}

end_lanes()
{
	local pid

	for pid in ${lane_pids[@]+"${lane_pids[@]}"}; do
		kill "$pid" 2>/dev/null || true
	done
	for pid in ${lane_pids[@]+"${lane_pids[@]}"}; do
		wait "$pid" 2>/dev/null || true
	done
}

# When a lane had nothing more to do; which tests have come to an end.
lane_ends=()
declare -A judged

lanes_alive()
{
	local pid

	for pid in "${lane_pids[@]}"; do
		! kill -0 "$pid" 2>/dev/null || return 0
	done
	return 1
}

judge_lanes()
{
	local line part='' what a b c d left=${#lane_pids[@]}

	while [ "$left" -gt 0 ]; do
		# A signal is looked at between two of these. The time may be over within a line.
		if ! IFS= read -r -t 2 -u 7 line; then
			part+=$line
			lanes_alive || break
			continue
		fi
		read -r what a b c d <<<"$part$line"
		part=
		case $what in
		test)
			judged[$a]=y
			times+=("$c $a")
			judge "$a" "$b" "$c" "$d"
			;;
		guest)
			fail "guest $a" "$b $c $d"
			;;
		lane)
			lane_ends+=("$a $b")
			left=$((left - 1))
			;;
		esac
	done
	judge_unfinished
}

# A guest that went down has begun tests and not ended them.
judge_unfinished()
{
	local test

	while read -r test; do
		[ -z "${judged[$test]-}" ] || continue
		if [ -e "$work/out.${test//\//_}" ]; then
			outputs+=("# $test:"$'\n'"$(failed_part "$work/out.${test//\//_}")")
			fail "$test" "the guest went down before its end"
		else
			fail "$test" "not run: no guest was left"
		fi
		number=$((number + 1))
	done <"$work/guest"
}

# Who is idle at the end waits for the longest test.
show_lanes()
{
	local line

	for line in ${lane_ends[@]+"${lane_ends[@]}"}; do
		# shellcheck disable=SC2086 # words
		set -- $line
		echo "#   lane $1: idle for $((SECONDS - $2)) s at the end"
	done | sort
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# execs.sh - threads that exec, and take the numbers of their leaders
#
# The kernel's own record of that is late. What is decoded has the threads that there were, each
# with a beginning and an end, and no others.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

execs=$(amount 12 25)
names=$(amount "module module-filtered-failing bpf-filtered bpf-failing" "module module-filtered
	module-failing module-filtered-failing bpf bpf-filtered bpf-failing bpf-filtered-failing")

# What the guest shall reach must lie in the repository.
captures=$(mktemp -d "$top/build/execs.XXXXXX")
trap 'rm -rf "$work" "$captures"' EXIT

# shellcheck disable=SC2317 # called through check
# decoded OUTPUT... - nothing is lost, and nothing contradicts the rest
decoded()
{
	"$decode" "$captures/$name" -o "$work/$name" "$@" 2>"$work/log" &&
		! grep warning "$work/log"
}

# shellcheck disable=SC2317 # called through check
# there_are NUMBER KIND - of the load, all with a beginning and an end
there_are()
{
	awk -F , -v want="$1" -v kind="$2" '
		$3 == kind && $4 == "texecs" {
			nr++
			if ($8 + $9 + $10) {
				unsure++
				print
			}
			# A leader that leaves its CPU late has the number of the thread until then.
			split($5, at, ".")
			late += at[2] != at[4] && $5 in end && end[$5] == $6
			end[$5] = $7
		}
		END {
			print nr " " kind ", " late + 0 " late leaders, unsure: " unsure + 0
			exit nr - late != want || unsure
		}' "$work/$name.csv"
}

# shellcheck disable=SC2086 # words
check "they are recorded in a guest, by module and BPF" \
	"$top/tools/vm/run" --single --quiet --log "$work/console.log" -- \
	env "LONG=$LONG" sh /host/tools/selftests/vm-guest/execs.sh "/host/${captures#"$top/"}" "$execs" \
	$names

for name in $names; do
	check "$name: nothing is missing or inconsistent" decoded --tracer "csv,file=$work/$name.csv"
	# Two of the load itself.
	check "$name: all processes" there_are $((2 + execs)) process
	# Of each exec: the leader, the thread, and the thread with the number of the leader.
	check "$name: all threads" there_are $((2 + 3 * execs)) thread
	check "$name: ovni" decoded --to ovni
	check "$name: the emulator takes it" "$emu" "$work/$name/ovni" -o "$work/prv"
done
finish

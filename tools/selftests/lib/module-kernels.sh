# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# module-kernels.sh - for tests to source: the module on other kernels than the default
#
# Which tests run there is for the sourcing script to say, which lies in a directory
# beside this one's.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What rests on hooks that are not the same on all kernels, and of the rest what may depend on the
# kernel.
# shellcheck disable=SC2034 # for the sourcing script
by_hooks=(guest/truth.sh guest/wakers.sh guest/maps.sh guest/paths.sh guest/cow.sh guest/faults.sh guest/bpf-wakers.sh)
# shellcheck disable=SC2034
by_rest=(guest/files.sh guest/pages.sh guest/control.sh guest/loss.sh guest/filter.sh guest/nest.sh
	guest/hotplug.sh guest/wait.sh guest/clock.sh guest/life.sh guest/helpers.sh guest/bpf-helpers.sh
	guest/livepatch.sh guest/locked.sh guest/coverage.sh guest/bpf-coverage.sh)

# For the sourcing script to set: of tools/vm/run; cycles of guest/life.sh, seconds of
# guest/renames.sh.
guest_options=()
cycles=4

# passed TEST - one of those that ran in the guest whose output is $work/log
passed()
{
	sed -n "\\|^@@@ begin $1\$|,\\|@@@ end $1 |p" "$work/log" >"$work/one"
	cat "$work/one"
	grep -q "@@@ end $1 0\$" "$work/one" && grep -q '^1\.\.[1-9]' "$work/one" &&
		! grep -q '^not ok' "$work/one"
}

# part TEST... - of a script whose name ends with -N-of-M.sh every Mth, from the Nth on
part()
{
	# shellcheck source=tools/selftests/lib/part.sh
	. tools/selftests/lib/part.sh
	printf '%s\n' "$@" | awk -v first="${part%/*}" -v of="${part#*/}" '(NR - first) % of == 0'
}

in_guest()
{
	cat "$work/log"
	return "$status"
}

# on_kernel KERNEL SECONDS TEST... - one guest
on_kernel()
{
	kernel=$1
	limit=$2
	shift 2
	failed_before=$tap_failed
	check "$kernel: the module is built" tools/vm/build-module "$kernel" livepatch
	[ "$tap_failed" = "$failed_before" ] || return 0
	tools/vm/run --single --quiet --log "$work/console" --timeout "$limit" \
		"${guest_options[@]}" --kernel "$kernel" --with /usr/sbin/mke2fs \
		--with "$(tools/vm/fetch-bpftool)" -- \
		env "CYCLES=$cycles" MUTATE= "LONG=$LONG" tools/selftests/in-guest "$limit" "$@" >"$work/log" 2>&1
	status=$?
	for test; do
		check "$kernel: $test" passed "$test"
	done
	check "$kernel: the kernel reports no problem" in_guest
}

# others PATTERN - of tools/vm/kernels all but the first whose names match, those that Debian has built
others()
{
	awk -v pattern="$1" '!/^#/ && NF && $2 != "source" && nr++ && $1 ~ pattern { print $1 }' tools/vm/kernels
}

# on_other_kernels PATTERN SECONDS CYCLES TEST... - of others
on_other_kernels()
{
	pattern=$1
	limit_each=$2
	cycles=$3
	shift 3
	found=$(others "$pattern")
	[ -n "$found" ] || check "tools/vm/kernels has a kernel $pattern" false
	for other in $found; do
		on_kernel "$other" "$limit_each" "$@"
	done
	finish
}

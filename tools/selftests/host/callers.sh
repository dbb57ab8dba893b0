#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# callers.sh [PATTERN] - in the images of Debian's kernels the functions that module and BPF hook
# are called by those that call them in the sources: a function that the compiler has put into its
# caller would lose events without a trace.
#
# PATTERN is of names in tools/vm/kernels; without it, those without PREEMPT_RT: soak/callers.sh
# has the others.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

pattern=${1:-^[0-9.]+\$}
checks=tools/selftests/check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is hooked: functions of the module and of BPF. A hook with .func is a tracepoint.
hooked()
{
	sed -n '/\.func/d; s/.*\.hook = "\([^"]*\)".*/\1/p' kmod/*.c
	sed -n 's/^#define OVNIK_FN_\(NEW_ANON\|SHIFT_STACK\|MADVISE\|MUNMAP\)[[:space:]]*"\([a-z_|]*\)"/\2/p' kmod/compat.h |
		tr '|' '\n'
	sed -n 's/^#define OVNIK_FN_[A-Z_]*[[:space:]]*"\([a-z_]*\)"/\1/p' bpf/compat.bpf.h
	sed -n 's#^SEC("f\(entry\|exit\)/\([a-z0-9_]*\)").*#\2#p' bpf/*.c
}

all_in_table()
{
	hooked | sort -u >"$work/hooked"
	awk '!/^#/ { print $1 }' "$checks/callers.txt" | sort -u >"$work/table"
	[ "$(wc -l <"$work/hooked")" -ge 30 ] && ! comm -23 "$work/hooked" "$work/table" | grep .
}

# callers KERNEL [TABLE]
callers()
{
	dir=$(tools/vm/fetch-kernel "$1") || return
	python3 "$checks/callers.py" "$dir/vmlinux" "${2-$checks/callers.txt}"
}

# A caller that does not exist, as if it had been inlined; one that calls only nmi_handle.part.0,
# into which the compiler has put the function.
notices_a_missing_caller()
{
	printf '%s\n' 'mmap_region - do_mmap no_such_caller' 'nmi_handle - default_do_nmi' \
		>"$work/wrong"
	callers 6.1 "$work/wrong" >"$work/log"
	[ $? = 1 ] && grep -q 'mmap_region: not called by no_such_caller' "$work/log" &&
		grep -q 'nmi_handle: not called by default_do_nmi' "$work/log"
}

check "each hooked function is in the table" all_in_table
check "a missing caller is noticed" notices_a_missing_caller
kernels=$(awk -v pattern="$pattern" '!/^#/ && NF && $2 != "source" && $1 ~ pattern { print $1 }' \
	tools/vm/kernels)
for kernel in $kernels; do
	check "$kernel: all callers of hooked functions call them" callers "$kernel"
done
finish

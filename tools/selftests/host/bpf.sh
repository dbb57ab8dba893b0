#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The objects of bpf/ and the loader's table of programs agree: a program without a row
# would silently not be loaded.
#
# It takes over a minute: each program is compiled once more, with the types of each kernel that is tested.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
cd "$here/../../.." || exit 1
. tools/selftests/tap.sh

mapfile -t objects < <(sed -n 's/^BPF_KERNELS := //p' bpf/build.mk | tr ' ' '\n' |
	sed 's#:.*#/ovnik.bpf.o#; s#^#build/bpf/#')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What several programs call is none.
subprograms='ovnik_make_path'

programs_of()
{
	readelf -sW "$1" 2>/dev/null | awk '$4 == "FUNC" && $5 == "GLOBAL" && $8 ~ /^ovnik_/ { print $8 }' |
		grep -vx "$subprograms" | sort
}

# hooks_of OBJECT - how many programs are attached; a section may have more than one
hooks_of()
{
	readelf -SWs "$1" 2>/dev/null | awk '
		sub(/^ *\[ */, "") { sub(/\]/, ""); hook[$1] = $2 ~ /^(fentry|fexit|kprobe|kretprobe|tp_btf)\//; next }
		$4 == "FUNC" && $5 == "GLOBAL" && hook[$7] { nr++ }
		END { print nr }'
}

nothing_in()
{
	cat "$1"
	[ ! -s "$1" ]
}

sed -n 's/^\tPROGRAM(\(ovnik_[a-z0-9_]*\),.*/\1/p' tools/ovnik/bpf_programs.c | sort >"$work/rows"
check "there is each object" test ${#objects[@]} = \
	"$(sed -n 's/^#define OVNIK_NR_BPF_OBJECTS[[:space:]]*//p' tools/ovnik/bpf_objects.h)"
check "there are rows" test "$(wc -l <"$work/rows")" -gt 50
for object in "${objects[@]}"; do
	programs_of "$object" >"$work/programs"
	comm -23 "$work/programs" "$work/rows" >"$work/without"
	check "$object: each program has a row" nothing_in "$work/without"
	cat "$work/programs" >>"$work/all"
done
# The loader compares HOOK_TYPES() with the kernel.
for object in "${objects[@]}"; do
	build/vm/bpftool/usr/sbin/bpftool btf dump file "$object" >"$work/btf"
	hooks_of "$object" >"$work/hooks"
	check "$object: each hook names its types" \
		test "$(grep -c "DECL_TAG 'hook:" "$work/btf")" = "$(cat "$work/hooks")"
done
sort -u "$work/all" | comm -13 - "$work/rows" >"$work/unused"
check "each row has a program in some object" nothing_in "$work/unused"

# Who builds ovnik has the types of his own kernel.
compiles_with_types_of()
{
	local image

	image=$(tools/vm/fetch-kernel "$1") || return
	mkdir -p "$work/probe"
	cp build/libraries.mk "$work/probe/"
	BTF=$image/vmlinux.btf tools/probe-bpf "$work/probe" &&
		grep "^BTF_FILE := .*/vmlinux.btf" "$work/probe/bpf.mk"
}
for kernel in 6.12 7; do
	check "they compile with the types of Linux $kernel" compiles_with_types_of "$kernel"
done
finish

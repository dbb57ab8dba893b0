#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# module-btf.sh - the module's BTF, by which BPF programs find ovnik_rdtsc()

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

module=$top/build/kmod/ovnik.ko
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -e "$module" ] || [ ! -x "$top/build/btfids" ] || ! command -v pahole >/dev/null; then
	skip "the module has BTF" "no module, no build/btfids or no pahole"
	finish
fi

release=$(PATH=$PATH:/sbin modinfo -F vermagic "$module" | cut -d " " -f 1)
base=$top/build/vm/$release/vmlinux
kdir=/usr/src/linux-headers-$release

# ids MODULE - section .BTF_ids in hex: count, flags, an id and its flags for each
ids()
{
	objdump -s -j .BTF_ids "$1" | sed -n 's/^ 0000 //p'
}

check "the module has BTF" sh -c "readelf -SW '$module' | grep -qF ' .BTF '"
check "ovnik_rdtsc() is in it" sh -c "pahole -F btf --btf_base '$base' '$module' \
	>/dev/null && strings -a '$module' | grep -qx ovnik_rdtsc"
check "and one function is for BPF" expr "$(ids "$module")" : '01000000 00000000 '
check "which has an id" sh -c "! echo '$(ids "$module")' | grep -q ' 00000000 00000000 00000000'"

cp "$module" "$work/again.ko"
check "ids are written again" "$top/build/btfids" "$base" "$work/again.ko"
check "and are the same" cmp "$module" "$work/again.ko"
check "what has BTF is left as it is" sh -c "'$top/kmod/add-btf' '$kdir' '$work/again.ko' &&
	cmp '$module' '$work/again.ko'"
check_status 1 "ids without a kernel's BTF" "$top/build/btfids" "$work/none" "$work/again.ko"
check_status 1 "ids of what is no module" "$top/build/btfids" "$base" "$top/README.md"

# without NAME PATTERN KDIR - no BTF is no error, but the reason is printed
without()
{
	"$top/kmod/add-btf" "$3" "$work/plain.ko" 2>"$work/log"
	check "$1: no error" test $? -eq 0
	check "$1: it is reported" grep -q "plain.ko is without BTF, .*: $2" "$work/log"
	check "$1: the module is as it was" cmp "$work/plain.ko" "$work/before.ko"
	check "$1: nothing is left" test ! -e "$work/plain.ko.new"
}

objcopy --remove-section .BTF "$module" "$work/plain.ko"
cp "$work/plain.ko" "$work/before.ko"
mkdir -p "$work/headers/include/generated" "$work/bin"
echo '#define UTS_RELEASE "6.1.0-0-ovnik"' >"$work/headers/include/generated/utsrelease.h"
without "no such kernel" "no BTF of the kernel of .* was found" "$work/headers"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/pahole"
chmod +x "$work/bin/pahole"
saved=$PATH
PATH=$work/bin:$PATH
without "pahole fails" "it could not be made" "$kdir"
PATH=$saved
check "BTF is added" "$top/kmod/add-btf" "$kdir" "$work/plain.ko"
check "with the same ids" test "$(ids "$work/plain.ko")" = "$(ids "$module")"

# What later kernels than 6.1 need comes from their BTF.
not_built()
{
	status=0
	"$top/kmod/configure" "$("$top/tools/vm/fetch-headers" 6.12)" "$work/out" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = 1 ] && grep -q "the module would not load" "$work/log" && [ ! -e "$work/out/ovnik_config.h" ]
}

[ -z "$LONG" ] || check "a module that would not load is not built" not_built
finish

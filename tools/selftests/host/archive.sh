#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# archive.sh - bpftool and QEMU when bookworm-backports has left the archive: trixie's run with libraries
# of their own, also in a guest

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh
. tools/selftests/lib/archive-lib.sh

libs=usr/lib/x86_64-linux-gnu
bpftool=usr/sbin/bpftool
qemu=usr/bin/qemu-system-x86_64

# deb SUITE PACKAGE [FILE PLACE]... - into the archive
deb()
{
	local suite=$1 package=$2 root=$work/root

	rm -rf "$root"
	mkdir -p "$root/DEBIAN" "$work/archive/$suite"
	printf '%s\n' "Package: $package" "Version: 1" "Architecture: all" "Maintainer: m <m@m.m>" \
		"Description: test" >"$root/DEBIAN/control"
	shift 2
	while [ $# -gt 0 ]; do
		install -D "$1" "$root/$2"
		shift 2
	done
	dpkg-deb --build "$root" "$work/archive/$suite/$package" >/dev/null
}

# The libraries of a newer Debian: one that this machine does not have, and a loader that is not its own.
make_programs()
{
	echo 'int new(void) { return 42; }' >"$work/new.c"
	printf '%s\n' '#include <stdio.h>' 'int new(void);' \
		'int main(int n, char **arg) { printf("%d %s\n", new(), n > 1 ? arg[1] : ""); }' >"$work/program.c"
	gcc -shared -fPIC -Wl,-soname,libnew.so.1 -o "$work/libnew.so.1" "$work/new.c" &&
		gcc -o "$work/program" "$work/program.c" "$work/libnew.so.1" &&
		cp /lib64/ld-linux-x86-64.so.2 "$work/loader" && echo >>"$work/loader"
}

suites()
{
	rm -rf "$cache" "$work/archive"
	deb trixie libc6 "$work/loader" $libs/ld-linux-x86-64.so.2 /$libs/libc.so.6 $libs/libc.so.6
	deb trixie libnew1 "$work/libnew.so.1" $libs/libnew.so.1
	deb trixie bpftool "$work/program" $bpftool
	deb trixie qemu-system-x86 "$work/program" $qemu
	for package in qemu-system-{common,data} seabios; do
		deb trixie "$package"
	done
	for package in bpftool qemu-system-x86; do
		printf '%s\n' $package '  Depends: libc6' libc6 libnew1 '<libvirtual>' >"$work/archive/trixie/$package.depends"
	done
}

# runs PROGRAM - it says what it is given
runs()
{
	[ "$("$1" "two words")" = "42 two words" ]
}

# gets PROGRAM PLACE - from trixie
gets()
{
	fetch "$1" && runs "$cache/$2" && [ -e "$cache/$2.program" ]
}

gets_first()
{
	deb bookworm-backports bpftool /bin/true "$bpftool" && fetch fetch-bpftool &&
		cmp /bin/true "$cache/bpftool/$bpftool" && [ ! -e "$cache/bpftool/runtime" ]
}

# A kernel without modules, and the loader must be the right one of two.
goes_into_guest()
{
	mkdir -p "$cache/1.0/lib/modules/1.0" "$work/guest" && touch "$cache/1.0/lib/modules/1.0/modules.dep" &&
		archive=$("$tree/tools/vm/mkinitrd" "$cache/1.0" "$cache/bpftool/$bpftool") &&
		(cd "$work/guest" && cpio --quiet -id "*$bpftool*" <"$archive") &&
		cmp "$work/loader" "$work/guest/$bpftool.runtime/ld-linux-x86-64.so.2" && runs "$work/guest/$bpftool"
}

none_has()
{
	! fetch "$1" && grep -qF "bookworm-backports trixie: none has $2 any more" "$work/messages"
}

check "programs that need what this machine does not have" make_programs
suites
check "bookworm-backports' bpftool is taken as long as it is there" gets_first
suites
check "trixie's, when it is not" gets fetch-bpftool bpftool/$bpftool
check "that was said" grep -q "^bookworm-backports: the archive does not have this suite" "$work/messages"
check "it runs in a guest" goes_into_guest
check "trixie's QEMU" gets fetch-qemu qemu/$qemu
suites
archive bookworm-backports
check "trixie's bpftool, when bookworm-backports has none" gets fetch-bpftool bpftool/$bpftool
rm -r "$cache" "$work/archive/trixie"
archive trixie
check "without any that is said: bpftool" none_has fetch-bpftool bpftool
check "without any that is said: QEMU" none_has fetch-qemu qemu-system-x86
finish

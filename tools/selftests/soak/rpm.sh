#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rpm.sh - Debian's rpm reads the spec, with BPF and without, builds source and packages of the tarball,
# and installs them into an empty root, where a capture is decoded; nothing is left when they are erased

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

if ! command -v rpmbuild >/dev/null; then
	skip "RPM packages" "needs rpm"
	finish
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
version=$(awk -F '"' '/define OVNIK_VERSION / { print $2 }' kmod/include/uapi/ovnik_version.h)
spec=tools/install/ovnik.spec
tarball=$work/ovnik-$version.tar.xz
root=$work/root

# As "make dist" makes it, with what is not committed yet.
tarball()
{
	git ls-files --cached --others --exclude-standard | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done | tar -cJf "$tarball" --transform "s,^,ovnik-$version/," -T -
}

# The requirements are other distributions' names.
build()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL rpmbuild --define "_topdir $work/top" \
		--define "_smp_mflags -j2" --nodeps "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; return 1; }
}

asks_for()
{
	rpmspec -q --buildrequires "$@" "$spec"
}

with_bpf_asks_for_more()
{
	! asks_for | grep -E 'clang|bpftool|libbpf' && asks_for --with bpf | grep -x bpftool &&
		asks_for --with bpf | grep '^pkgconfig(libbpf) >= 1.0$'
}

same_version()
{
	[ "$(rpmspec -q --qf '%{version}\n' "$spec" | sort -u)" = "$version" ]
}

packages()
{
	find "$work/top/RPMS" -name '*.rpm' ! -name '*debug*'
}

files_of()	# SUBPACKAGE
{
	rpm -qlp "$(packages | grep "/ovnik$1-$version")" 2>/dev/null
}

has()	# SUBPACKAGE FILE...
{
	files_of "$1" >"$work/list"
	for file in "${@:2}"; do
		grep -xE "$file(\.gz)?" "$work/list" || { cat "$work/list"; return 1; }
	done
}

# Of no distribution: what the packages ask for is not there, and their scripts have no shell.
rpm_()
{
	rpm --root "$root" --dbpath /rpmdb "$@"
}

installs()
{
	local -a list

	mapfile -t list < <(packages)
	[ "${#list[@]}" = 3 ] && mkdir "$root" && rpmdb --root "$root" --dbpath /rpmdb --initdb &&
		rpm_ --nodeps --noscripts -i "${list[@]}"
}

decodes()
{
	tar -C "$work" -xzf tools/selftests/captures/0.1/module.tar.gz &&
		(cd "$work" && "$root/usr/bin/ovnik-decode" module -o out) && [ -s "$work/out/laplace.txt" ]
}

nothing_left()
{
	find "$root" ! -type d ! -path '*/rpmdb/*' | tee "$work/left"
	[ ! -s "$work/left" ]
}

check "the spec is read" rpmspec -P "$spec"
check "and with BPF" rpmspec -P --with bpf "$spec"
check "which asks for what BPF needs" with_bpf_asks_for_more
check "it has the version of the sources" same_version
check "a tarball" tarball
check "rpmbuild finds the spec in it, and makes a source package" build -ts "$tarball"
check "and the packages" build -tb "$tarball"
check "ovnik" has '' /usr/bin/ovnik /usr/bin/ovnik-decode /usr/share/man/man1/ovnik.1 \
	/etc/default/ovnik /usr/lib/sysusers.d/ovnik.conf
check "ovnik-dkms" has -dkms "/usr/src/ovnik-$version/dkms.conf" "/usr/src/ovnik-$version/kmod/main.c"
check "ovnik-doc" has -doc /usr/share/doc/ovnik-doc/Documentation/tutorial.rst
if [ "$(id -u)" = 0 ]; then
	check "they are installed" installs
	check "a capture is decoded" decodes
	check "they are erased" rpm_ --nodeps --noscripts -e ovnik ovnik-dkms ovnik-doc
	check "nothing is left" nothing_left
else
	skip "they are installed" "needs root"
fi
finish

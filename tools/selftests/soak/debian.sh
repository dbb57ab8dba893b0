#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debian.sh - the Debian packages are built, lintian finds no error, and in a bare Debian 12 they are
# installed, decode a capture, and are removed without a trace

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

if ! command -v dh_dkms >/dev/null || ! command -v lintian >/dev/null; then
	skip "Debian packages" "needs debhelper, dh-dkms and lintian"
	finish
fi
work=$(mktemp -d)
# A root that was not finished may have the machine's /dev mounted.
trap 'rm -rf --one-file-system "$work"' EXIT
version=$(awk -F '"' '/define OVNIK_VERSION / { print $2 }' kmod/include/uapi/ovnik_version.h)

sources()
{
	mkdir "$work/ovnik" && git ls-files --cached --others --exclude-standard | tar -c -T - |
		tar -x -C "$work/ovnik"
}

# The tests' own packages are not looked at: Debian's build machines do that.
builds()
{
	(cd "$work/ovnik" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
		dpkg-buildpackage -us -uc -d -j2) >"$work/log" 2>&1 || { tail "$work/log"; return 1; }
}

no_errors()
{
	lintian --allow-root --fail-on error "$work"/*.changes
}

one_version()
{
	[ "$(dpkg-parsechangelog -l debian/changelog -S Version)" = "$version" ] &&
		[ "$(cd "$work" && printf '%s ' ovnik*_"${version}"_a*.deb)" = \
			"ovnik-dbgsym_${version}_amd64.deb ovnik-dkms_${version}_all.deb \
ovnik-doc_${version}_all.deb ovnik_${version}_amd64.deb " ]
}

has()	# PACKAGE FILE...
{
	dpkg --fsys-tarfile "$work/$1"_*.deb | tar -t >"$work/list" || return
	for file in "${@:2}"; do
		grep -x "./$file" "$work/list" || { cat "$work/list"; return 1; }
	done
}

make_root()
{
	mmdebstrap --quiet --variant=minbase \
		--include=libdw1,libelf1,libjson-c5,libsqlite3-0,libzstd1,zlib1g,libstdc++6,systemd-standalone-sysusers,systemd-standalone-tmpfiles \
		bookworm "$work/root" && cp "$work"/ovnik_*.deb "$work"/ovnik-doc_*.deb "$work/root/tmp/" &&
		tar -xzf tools/selftests/captures/0.1/module.tar.gz -C "$work/root/tmp"
}

files()
{
	(cd "$work/root" && find . -xdev -path ./proc -prune -o -path ./tmp -prune -o \
		-path ./var/lib/dpkg -prune -o -path ./var/log -prune -o ! -type d -print) | LC_ALL=C sort
}

inside()
{
	chroot "$work/root" /bin/sh -c "$1"
}

nothing_left()
{
	files | diff "$work/before" - && ! find "$work/root" -name 'ovnik*' -not -path '*/tmp/*' | grep .
}

check "the sources" sources
check "packages are built" builds
check "lintian finds no error" no_errors
check "they have the version of the sources" one_version
check "ovnik" has ovnik usr/bin/ovnik usr/bin/ovnik-decode usr/share/man/man1/ovnik.1.gz \
	usr/lib/systemd/system/ovnik-flight.service etc/default/ovnik
check "ovnik-dkms" has ovnik-dkms "usr/src/ovnik-$version/dkms.conf" "usr/src/ovnik-$version/kmod/main.c"
check "ovnik-doc" has ovnik-doc usr/share/doc/ovnik-doc/Documentation/tutorial.rst.gz
if command -v mmdebstrap >/dev/null && [ "$(id -u)" = 0 ]; then
	check "a bare Debian 12" make_root
	files >"$work/before"
	check "they are installed" inside 'dpkg -i /tmp/*.deb'
	check "a capture is decoded" inside 'cd /tmp && ovnik-decode module -o out && [ -s out/laplace.txt ]'
	check "they are removed" inside 'dpkg --purge ovnik ovnik-doc'
	check "nothing is left" nothing_left
else
	skip "they are installed" "needs mmdebstrap and root"
fi
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debian.sh - the Debian packages are built, lintian finds no error, and in a bare Debian 12 they are
# installed; DKMS builds the module for the guest's kernel, and signs it. That system, as the guest's,
# loads the module, records and decodes. Then all is removed without a trace

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh
. tools/selftests/lib/root-lib.sh

if ! command -v dh_dkms >/dev/null || ! command -v lintian >/dev/null; then
	skip "Debian packages" "needs debhelper, dh-dkms and lintian"
	finish
fi
work=$(mktemp -d)
# A root that was not finished may have the machine's /dev mounted.
trap 'rm -rf --one-file-system "$work"' EXIT
release=$(basename "$(tools/vm/fetch-kernel 6.1)")
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

# What the packages depend on is there before, so that nothing may be left of them.
make_root()
{
	mmdebstrap --quiet --variant=minbase \
		--include="dkms,make,gcc,linux-headers-$release,libelf1,libjson-c5,libsqlite3-0,libzstd1,\
zlib1g,kmod,openssl,systemd-standalone-sysusers,systemd-standalone-tmpfiles" \
		bookworm "$work/root" && cp "$work"/ovnik_*.deb "$work"/ovnik-dkms_*.deb "$work"/ovnik-doc_*.deb \
		"$work/root/tmp/" &&
		tar -xzf tools/selftests/captures/0.1/module.tar.gz -C "$work/root/tmp"
}

# /run is empty after a restart; Debian keeps groups; the key is DKMS's, for all modules; depmod's lists have no module any more.
files()
{
	(cd "$work/root" && find . -xdev -path ./proc -prune -o -path ./tmp -prune -o \
		-path ./run -prune -o -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o ! -type d -print) |
		grep -vE '^./(etc/g?(group|shadow)-?|var/lib/dkms/mok\.(key|pub)|(usr/)?lib/modules/[^/]*/modules\..*)$' |
		LC_ALL=C sort
}

inside()
{
	in_root "$work/root" "$1"
}

nothing_left()
{
	files | diff "$work/before" - && ! find "$work/root" -name 'ovnik*' -not -path '*/tmp/*' -not -path '*/run/*' | grep . &&
		! grep -r ovnik "$work/root/lib/modules/$release"/modules.*
}

made_by_dkms()
{
	local module

	module=$(find "$work/root/lib/modules/$release/updates/dkms" -name 'ovnik.ko*')
	[ -n "$module" ] && inside 'dkms status' | grep "^ovnik/$version, $release, x86_64: installed" &&
		inside "modinfo -k $release -F vermagic ovnik" | grep "^$release " &&
		inside "modinfo -k $release -F signer ovnik" | grep 'DKMS module signing key'
}

# Nothing of ours but what was installed: the guest sees that system only.
cat >"$work/guest" <<'END'
set -e
cd /
mount -t proc proc host/proc
mount -t sysfs sysfs host/sys
mount --bind dev host/dev
mkdir -p host/run
mount -t tmpfs run host/run
mount -t tmpfs tmp host/mnt
exec chroot host /bin/sh -e -c '
	systemd-tmpfiles --create ovnik.conf
	modprobe ovnik gid=$(getent group ovnik | cut -d : -f 3)
	ls -l /dev/ovnik/cpu0 /sys/kernel/ovnik/enable /run/ovnik-module.lock
	ovnik record --backend module -o /mnt/cap -- ls /usr >/dev/null
	ovnik-decode /mnt/cap -o /mnt/out
	ovnik report /mnt/cap
	test -s /mnt/out/laplace.txt
	test -s /mnt/out/thread.prv
	modprobe -r ovnik
	echo all done'
END

records_in_guest()
{
	cp "$work/guest" "$work/root/tmp/"
	tools/vm/run --single --log "$work/console" --timeout 900 --share "$work/root" -- \
		sh /host/tmp/guest >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
	cat "$work/log"
	grep -x 'all done' "$work/log" && grep 'recorded by the module' "$work/log" &&
		[ "$(grep -c 'root ovnik' "$work/log")" = 3 ]
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
	check "the module is made for that kernel, and signed" made_by_dkms
	check "a group without members is made" inside 'getent group ovnik | grep -x "ovnik:x:[0-9]*:"'
	check "a capture is decoded" inside 'cd /tmp && ovnik-decode module -o out && [ -s out/laplace.txt ]'
	check "a guest with that system loads the module, records and decodes" records_in_guest
	check "they are removed" inside 'dpkg --purge ovnik ovnik-dkms ovnik-doc'
	check "nothing is left" nothing_left
else
	skip "they are installed" "needs mmdebstrap and root"
fi
finish

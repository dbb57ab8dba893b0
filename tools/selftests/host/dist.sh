#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dist.sh - "make dist" writes the same bytes wherever it runs; they have all files, and build
#
# It takes over a minute on a slow machine: the tree is packed and compressed twice.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(awk -F '"' '/define OVNIK_VERSION / { print $2 }' kmod/include/uapi/ovnik_version.h)
name=ovnik-$version

git_()
{
	git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@"
}

make_()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@"
}

# repository NAME UMASK - what is here, as one commit; files have the time of now
repository()
{
	(
		umask "$2"
		mkdir "$work/$1" && git ls-files --cached --others --exclude-standard |
			while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
			tar -c --no-same-permissions -T - | tar -x -m --no-same-permissions -C "$work/$1" &&
			cd "$work/$1" && git_ init -q && git_ add -A &&
			GIT_AUTHOR_DATE='2026-11-01T00:00:00Z' GIT_COMMITTER_DATE='2026-11-01T00:00:00Z' \
				git_ commit -qm all
	)
}

# dist NAME UMASK SETTING... - as another user would run it
dist()
{
	(umask "$2" && env "${@:3}" make -C "$work/$1" --no-print-directory dist)
}

same_bytes()
{
	cmp "$work/one/build/$name.tar.xz" "$work/two/build/$name.tar.xz" &&
		cmp "$work/one/build/$name.tar.xz.sha256" "$work/two/build/$name.tar.xz.sha256"
}

checksum_is_right()
{
	(cd "$work/one/build" && sha256sum --check --strict "$name.tar.xz.sha256")
}

has_all_files()
{
	mkdir "$work/unpacked" && tar -xJf "$work/one/build/$name.tar.xz" -C "$work/unpacked" &&
		git -C "$work/one" ls-files | LC_ALL=C sort >"$work/files" && [ -s "$work/files" ] &&
		(cd "$work/unpacked/$name" && find . ! -type d -printf '%P\n' | LC_ALL=C sort) |
		diff "$work/files" - && diff -r --exclude=.git --exclude=build "$work/one" "$work/unpacked/$name"
}

nobodys()
{
	[ "$(tar --numeric-owner -tvJf "$work/one/build/$name.tar.xz" | awk '{ print $2 }' | sort -u)" = 0/0 ]
}

# Where there is no git.
builds()
{
	make_ -C "$work/unpacked/$name" -j2 user >"$work/log" 2>&1 || { tail "$work/log"; return 1; }
	make_ -C "$work/unpacked/$name" install DESTDIR="$work/root" || return
	[ "$("$work/root/usr/local/bin/ovnik-decode" --version | head -n 1)" = "ovnik-decode $version" ]
}

reads_captures()
{
	"$work/unpacked/$name/tools/selftests/host/old-captures.sh"
}

refuses_changes()
{
	local status=0 output

	echo >>"$work/two/README.md"
	output=$(make_ -C "$work/two" dist 2>&1) || status=$?
	echo "$output"
	[ "$status" = 2 ] && grep -q 'not committed' <<<"$output"
}

check "a commit" repository one 022
check "the same commit elsewhere" repository two 077
check "a tarball" dist one 022 LANG=C TZ=UTC
sleep 1
check "and another" dist two 077 LANG=de_DE.UTF-8 TZ=Asia/Tokyo XZ_DEFAULTS=-1
check "have the same bytes" same_bytes
check "the checksum is that of the tarball" checksum_is_right
check "all files are in it" has_all_files
check "they belong to nobody" nobodys
if [ -n "$LONG" ]; then
	check "it builds and is installed" builds
	check "it reads captures of earlier versions" reads_captures
fi
check "changes that are not committed are not left out silently" refuses_changes
finish

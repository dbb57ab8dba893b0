# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# archive.sh - for scripts to source: packages from Debian suites other than the host's
#
# Needs $cache, the directory build/vm, and die(). Nothing is installed. apt checks the
# signatures with Debian's keyring.

# shellcheck disable=SC2154 # cache

apt_options=()
# Suites whose lists have been read.
declare -A suites_read=()

# Of two runners that start together only one may fetch.
lock_cache()
{
	mkdir -p "$cache"
	exec 9>"$cache/lock"
	flock 9
}

# with_base SUITE - and the one that its packages are made for, if it is no whole Debian
with_base()
{
	case $1 in
	*-backports) echo "$1 ${1%-backports}" ;;
	experimental) echo "$1 sid" ;;
	*) echo "$1" ;;
	esac
}

# use_suite SUITE - make $apt_options select this suite; says so if apt cannot have it
#
# The host's lists may not have the suite: fetch it separately, from the site that the
# host gets its packages from.
use_suite()
{
	local dir=$cache/apt-$1 site suite
	local key=/usr/share/keyrings/debian-archive-keyring.gpg

	# shellcheck disable=SC2016 # apt's own variable
	site=$(apt-get indextargets --format '$(SITE)' \
		'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -n 1)
	[ -n "$site" ] || die "$1: apt has no Debian archive to fetch it from"
	# Security updates are on a site of their own, which does not have the suite.
	site=${site%-security}

	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	for suite in $(with_base "$1"); do
		echo "deb [arch=amd64 signed-by=$key] $site $suite main"
	done >"$dir/sources.list"
	# Ignore what is installed or pinned on the host.
	apt_options=(-o "Dir::Etc::SourceList=$dir/sources.list" -o "APT::Default-Release=$1"
		-o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::Preferences=/dev/null
		-o Dir::Etc::PreferencesParts=/dev/null
		-o Dir::State::Status=/dev/null
		-o "Dir::State::Lists=$dir/lists"
		-o "Dir::Cache=$dir/cache")
	[ -z "${suites_read[$1]-}" ] || return 0
	if ! apt-get -q "${apt_options[@]}" -o APT::Update::Error-Mode=any update >&2; then
		echo "$1: the archive does not have this suite, or cannot be reached" >&2
		return 1
	fi
	suites_read[$1]=y
}

# need_suite SUITE... - nothing is known of packages if not one could be read
need_suite()
{
	[ ${#suites_read[@]} -gt 0 ] || die "no suite can be read of $*"
}

# use_suite_with PACKAGE SUITE... - as use_suite, the first one that has the package
use_suite_with()
{
	local suite

	for suite in "${@:2}"; do
		use_suite "$suite" || continue
		! apt-cache "${apt_options[@]}" madison "$1" | grep -qF " $suite/main " || return 0
	done
	need_suite "${@:2}"
	return 1
}

# download DIR PACKAGE... - put the .debs into DIR
download()
{
	mkdir -p "$1"
	# apt drops privileges to the user _apt, who must be able to write there.
	if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then
		chown _apt "$1"
	fi
	(cd "$1" && apt-get -q "${apt_options[@]}" download "${@:2}" >&2)
}

# unpack_debs DIR ROOT [TAR-OPTION...] - unpack all of DIR below ROOT, then remove DIR
unpack_debs()
{
	local deb

	for deb in "$1"/*.deb; do
		(set -o pipefail
		dpkg-deb --fsys-tarfile "$deb" | tar -x -p -C "$2" "${@:3}")
	done
	rm -r "$1"
}

# needs_newer PROGRAM - libraries than this machine has
needs_newer()
{
	ldd "$1" 2>&1 | grep -q 'not found'
}

# The libraries that PACKAGE needs, down to the C library; of kbuild also its pahole.
runtime_packages()
{
	apt-cache "${apt_options[@]}" depends --recurse --no-recommends --no-suggests \
		--no-conflicts --no-breaks --no-replaces --no-enhances "$1" |
		grep -Ex 'pahole|zlib1g|lib[a-z0-9.+-]+' | sort -u
}

# wrap PROGRAM RUNTIME - make it run with the libraries unpacked in RUNTIME
#
# They are PROGRAM.runtime, itself is PROGRAM.program: mkinitrd takes all three into a guest.
wrap()
{
	ln -s "$(realpath --relative-to "$(dirname "$1")" "$2")/usr/lib/x86_64-linux-gnu" "$1.runtime"
	mv "$1" "$1.program"
	cat >"$1" <<-'SCRIPT'
		#!/bin/sh
		program=$(realpath "$0")
		exec "$program.runtime/ld-linux-x86-64.so.2" --library-path "$program.runtime" \
			--argv0 "$0" "$program.program" "$@"
	SCRIPT
	chmod +x "$1"
}

# give_libraries DIR PACKAGE PROGRAM... - to those of them, of PACKAGE, that need newer ones than this
# machine has: DIR/runtime
give_libraries()
{
	local program too_new=()

	for program in "${@:3}"; do
		! needs_newer "$program" || too_new+=("$program")
	done
	[ ${#too_new[@]} -gt 0 ] || return 0
	mkdir "$1/runtime"
	# shellcheck disable=SC2046 # names
	download "$1/runtime/debs" $(runtime_packages "$2")
	unpack_debs "$1/runtime/debs" "$1/runtime"
	for program in "${too_new[@]}"; do
		wrap "$program" "$1/runtime"
	done
}

# fetch_program DIR PROGRAM PACKAGE... - unpack them in DIR, from the first of $suites that has the
# first of them; PROGRAM is the path there
fetch_program()
{
	use_suite_with "$3" "${suites[@]}" || die "${suites[*]}: none has $3 any more"
	rm -rf "$1.tmp"
	mkdir "$1.tmp"
	download "$1.tmp/debs" "${@:3}" || die "$3: cannot be downloaded"
	unpack_debs "$1.tmp/debs" "$1.tmp"
	give_libraries "$1.tmp" "$3" "$1.tmp/$2"
	mv "$1.tmp" "$1"
}

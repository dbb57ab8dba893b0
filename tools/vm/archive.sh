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
		! apt-cache "${apt_options[@]}" show "$1" >/dev/null 2>&1 || return 0
	done
	need_suite "${@:2}"
	return 1
}

# download DIR PACKAGE - put the .deb into DIR
download()
{
	mkdir -p "$1"
	# apt drops privileges to the user _apt, who must be able to write there.
	if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then
		chown _apt "$1"
	fi
	(cd "$1" && apt-get -q "${apt_options[@]}" download "$2" >&2)
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

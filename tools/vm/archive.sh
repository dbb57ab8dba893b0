# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# archive.sh - for scripts to source: packages from Debian suites other than the host's
#
# Needs $cache, the directory build/vm, and die(). Nothing is installed. apt checks the
# signatures with Debian's keyring.

# shellcheck disable=SC2154 # cache

apt_options=()

# Of two runners that start together only one may fetch.
lock_cache()
{
	mkdir -p "$cache"
	exec 9>"$cache/lock"
	flock 9
}

# use_suite SUITE - make $apt_options select this suite only
#
# The host's lists may not have the suite: fetch it separately, from the site that the
# host gets its packages from.
use_suite()
{
	local dir=$cache/apt-$1 site
	local key=/usr/share/keyrings/debian-archive-keyring.gpg

	# shellcheck disable=SC2016 # apt's own variable
	site=$(apt-get indextargets --format '$(SITE)' \
		'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -n 1)
	[ -n "$site" ] || die "$1: apt has no Debian archive to fetch it from"
	# Security updates are on a site of their own, which does not have the suite.
	site=${site%-security}

	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	echo "deb [arch=amd64 signed-by=$key] $site $1 main" >"$dir/sources.list"
	# Ignore what is installed or pinned on the host.
	apt_options=(-o "Dir::Etc::SourceList=$dir/sources.list"
		-o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::Preferences=/dev/null
		-o Dir::Etc::PreferencesParts=/dev/null
		-o Dir::State::Status=/dev/null
		-o "Dir::State::Lists=$dir/lists"
		-o "Dir::Cache=$dir/cache")
	apt-get -q "${apt_options[@]}" update >&2
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

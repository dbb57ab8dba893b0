#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# old-captures.sh - captures of earlier versions are read as those versions read them
#
# captures/VERSION/NAME.tar.gz was recorded in a guest by that version: by the module, by BPF,
# and as a flight recorder that overwrote events. captures/VERSION/sums has the checksums of
# what that version's decoder made of them, and its exit status. Views and labels for Paraver
# may change and are not compared, nor is the version of the decoder in its streams.

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The streams name the decoder that wrote them, and its version.
ours=$("$top/build/ovnik-decode" --version | sed -n '1s/ovnik-decode //p')

# decode NAME - into $work/NAME.out, its checksums and the status into $work/NAME.sums
decode()
{
	"$top/build/ovnik-decode" "$work/$1" -o "$work/$1.out" --to ovni,laplace,prv,xray \
		2>"$work/$1.log"
	echo "status $?" >"$work/$1.sums"
	find "$work/$1.out/ovni" -name '*.json' -exec sed -i \
		"s/\"commit\": \"ovnik-$ours\"/\"commit\": \"ovnik-${version##*/}\"/" {} +
	(cd "$work/$1.out" && find . -type f ! -path "./cfg/*" ! -name "*.pcf" | LC_ALL=C sort |
		xargs sha256sum) >>"$work/$1.sums"
}

# as_before NAME SUMS
as_before()
{
	if ! diff "$2" "$work/$1.sums" >"$work/$1.diff"; then
		sed 's/^/# /' "$work/$1.log" "$work/$1.diff"
		return 1
	fi
}

for version in "$here"/../captures/*; do
	for capture in "$version"/*.tar.gz; do
		name=$(basename "$capture" .tar.gz)
		tar -C "$work" -xzf "$capture"
		decode "$name"
		check "${version##*/}: $name" as_before "$name" "$version/$name.sums"
		rm -rf "${work:?}/$name"
	done
done
finish

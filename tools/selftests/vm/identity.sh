#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Files that records may confuse: of subvolumes of btrfs, and of an overlay. The capture says on
# which file systems, and so do decoder and report. Without any there is no such warning.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$PWD/build/selftests/identity
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

in_guest()
{
	tools/vm/run --single --quiet --log "$work/console" \
		--with /usr/sbin/mkfs.btrfs --with /usr/bin/btrfs -- \
		env "LONG=$LONG" sh tools/selftests/vm-guest/identity.sh /host/build/selftests/identity
}

# decoded CAPTURE
decoded()
{
	build/ovnik-decode report --all "$work/$1" >"$work/$1.txt" 2>"$work/$1.log"
	cat "$work/$1.log"
	[ -s "$work/$1.txt" ]
}

silent()
{
	decoded "$1" && ! grep -q 'same device and inode' "$work/$1.log" &&
		! grep -q 'not told apart' "$work/$1.txt"
}

# warned CAPTURE NAME - of both, by the device that is in the records
warned()
{
	decoded "$1" || return
	btrfs=$(sed -n 's/^btrfs //p' "$work/devices-$2")
	overlay=$(sed -n 's/^overlay //p' "$work/devices-$2")
	grep -F "btrfs ($btrfs)" "$work/$1.log" | grep -qF "overlay ($overlay)" &&
		grep -q "not told apart on.*btrfs ($btrfs)" "$work/$1.txt"
}

check "captures in the guest" in_guest
echo "$tap_output" | explain
for backend in module bpf; do
	check "$backend: decoder and report name the file systems" warned "$backend-with" with
	[ "$backend" = module ] || [ -n "$LONG" ] || continue
	check "$backend: no warning where files are told apart" silent "$backend-without"
	check "$backend: also those that are gone" warned "$backend-passing" passing
	check "$backend: also those in another mount namespace" warned "$backend-apart" apart
done
finish

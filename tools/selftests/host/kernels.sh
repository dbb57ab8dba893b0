#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernels.sh - which kernel a name of tools/vm/kernels means, also when releases have left the
# archive

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh
. tools/selftests/lib/archive-lib.sh

# kernels RELEASE... - those that are here already
kernels()
{
	rm -rf "$cache" "$work/archive"
	for release; do
		mkdir -p "$cache/$release"
		touch "$cache/$release/vmlinux.btf"
	done
}

# takes NAME RELEASE [MESSAGE] - without MESSAGE nothing is said
takes()
{
	fetch fetch-kernel "$1" && [ "$(cat "$work/output")" = "$cache/$2" ] || return
	if [ $# = 2 ]; then
		[ ! -s "$work/messages" ]
	else
		grep -qxF "$3" "$work/messages"
	fi
}

# fails NAME MESSAGE
fails()
{
	! fetch fetch-kernel "$1" && [ ! -s "$work/output" ] && grep -qF "$2" "$work/messages"
}

# The names that there are have to be in the message.
unknown()
{
	local status=1

	[ "$2" != run ] || status=97
	says "$status" "kernel $1: not in tools/vm/kernels, which has 6.1 6.12 7 " "tools/vm/$2" "${@:3}"
}

for name in 7.0 07 6.10 6.1.0 '6\.1' 6 ''; do
	check "run: '$name' is no kernel" unknown "$name" run --kernel "$name" -- true
	for program in table fetch-kernel fetch-headers build-module build-kernel; do
		check "$program: '$name' is no kernel" unknown "$name" "$program" "$name"
	done
done
check "build-kernel builds those of the suite source only" says 1 "its suite is" tools/vm/build-kernel 6.1

cat >"$tree/tools/vm/kernels" <<'END'
9.1	bookworm		installed		9\.1\.0-[0-9]+-amd64	multi
9	sid,trixie-backports	9.2.7+deb14-amd64	9\.2\.[0-9.]+\+deb[0-9.]+-amd64	single
next	trixie-backports,sid,experimental	newest	[0-9]+\.[0-9.]+(\+deb[0-9.]+)?-amd64	single
END
left="fetch-kernel: 9.2.7+deb14-amd64, which this commit names, has left sid trixie-backports;"
kernels 9.2.7+deb14-amd64 9.2.13+deb14-amd64
check "a named release that is here is taken, no newer one" takes 9 9.2.7+deb14-amd64
kernels 9.2.13+deb14-amd64
archive sid linux-image-9.2.{7,13}+deb14-amd64
check "one that is in the archive is fetched" fails 9 "getting linux-image-9.2.7+deb14-amd64"
kernels
archive sid
archive trixie-backports linux-image-9.2.{7+deb14,9+deb13}-amd64
check "also from the second suite" fails 9 "getting linux-image-9.2.7+deb14-amd64"
kernels 9.2.9+deb14-amd64 9.2.13+deb14-amd64 9.2.14+deb14-amd64
archive sid linux-image-9.2.{9,13}+deb14-amd64 linux-image-9.3.1+deb14-amd64 linux-image-9.2.20+deb14-rt-amd64
archive trixie-backports linux-image-9.2.30+deb13-amd64
check "when it has left, the newest of its series is taken, and that is said" \
	takes 9 9.2.13+deb14-amd64 "$left 9.2.13+deb14-amd64, the newest of its series, is taken"
rm -r "$work/archive"
check "that holds, and is said, while the archive is away" \
	takes 9 9.2.13+deb14-amd64 "$left 9.2.13+deb14-amd64, the newest of its series, is taken"
touch -d '2 days ago' "$cache"/answer-*
check "but not for ever" fails 9 "no suite can be read of sid trixie-backports"
kernels 9.2.9+deb13-amd64 9.2.8+deb13-amd64
archive sid linux-image-9.3.1+deb14-amd64
archive trixie-backports linux-image-9.2.9+deb13-amd64
check "when the series has left the first suite, the second one has it" \
	takes 9 9.2.9+deb13-amd64 "$left 9.2.9+deb13-amd64, the newest of its series, is taken"
kernels 9.2.9+deb13-amd64
archive trixie-backports linux-image-9.2.9+deb13-amd64
check "a suite that there is not is left out, and that is said" \
	takes 9 9.2.9+deb13-amd64 "sid: the archive does not have this suite, or cannot be reached"
kernels 9.2.13+deb14-amd64
archive sid linux-image-9.3.1+deb14-amd64
archive trixie-backports
check "when the series has left, it is said what to do" \
	fails 9 "write another release and series into tools/vm/kernels, and test with that"
kernels 9.1.0-9-amd64 9.1.0-10-amd64
check "of what comes with apt the newest that is here is taken" takes 9.1 9.1.0-10-amd64
kernels
archive bookworm linux-image-9.1.0-{9,11}-amd64
check "or the newest of the archive is fetched" fails 9.1 "getting linux-image-9.1.0-11-amd64"
kernels
check "an archive that cannot be reached is no archive without that" fails 9.1 "no suite can be read of bookworm"

kernels 9.2.7+deb14-amd64 9.3.4+deb13-amd64 9.10.1+deb14-amd64 9.11-amd64 9.20.1+deb14-amd64
archive trixie-backports linux-image-9.3.4+deb13-amd64 linux-image-9.2.30+deb13-amd64
archive sid linux-image-9.2.7+deb14-amd64 linux-image-9.20.1+deb14-rt-amd64 linux-image-9.21.1+deb14-cloud-amd64
archive experimental linux-image-9.3-amd64
newest="next is the newest of three suites, by version:"
check "$newest trixie-backports'" takes next 9.3.4+deb13-amd64 "Reading"
archive sid linux-image-9.10.1+deb14-amd64
check "within a day it stays what it was" takes next 9.3.4+deb13-amd64
rm "$cache"/answer-*
check "$newest sid's" takes next 9.10.1+deb14-amd64 "Reading"
rm "$cache"/answer-*
archive experimental linux-image-9.11-amd64
check "$newest experimental's" takes next 9.11-amd64 "Reading"
rm -r "$cache"/answer-* "$work/archive/experimental" "$work/archive/trixie-backports"
check "a suite that there is not is left out" takes next 9.10.1+deb14-amd64 \
	"experimental: the archive does not have this suite, or cannot be reached"
kernels 9.3.4+deb13-amd64
check "without any there is no next" fails next "no suite can be read of trixie-backports sid experimental"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 17-compile.sh - what recording adds to a whole compile: files of C, four at once
#
# The compiler, the sources and all headers are in a tmpfs of the guest, so that the CPU is
# never idle. All tracers run in one guest, as in 10-capture.sh. TRACERS in the environment
# makes it shorter.

set -eu

cd "$(dirname "$0")/../../.."
. tools/bench/lib.sh

: "${TRACERS:=all}"

sources=(user/world/inventory.c user/emu/trace.c user/decode/decode.c user/merge/write.c
	user/capture/capture.c user/emu/task.c user/refs/encode.c user/capture/events.c)
# Not a wrapper of the compiler, which would be found first.
compiler=/usr/bin/gcc
root=$out/compile

# put FILE - into the root of the compiler
put()
{
	install -D "$1" "$root/$1"
}

# The compiler's programs with their libraries, at their places.
put_compiler()
{
	local program file

	for program in $compiler "$($compiler -print-prog-name=cc1)" /usr/bin/as; do
		put "$program"
		ldd "$program" | grep -o '/[^ ]*' | while read -r file; do
			put "$file"
		done
	done
}

# Each source, and what it includes.
put_sources()
{
	local file

	# Rules for make: their targets end with a colon, their lines with a backslash.
	"$compiler" "${flags[@]}" -M "${sources[@]}" | sed 's/\\$//' | tr -s ' ' '\n' |
		grep -Ev ':$|^$' | sort -u | while read -r file; do
			put "$file"
		done
	printf '%s\n' "${sources[@]}" >"$root/sources"
}

need $compiler gcc
need perf linux-perf
# As in tools/bench/workload/compile.c.
flags=(-std=gnu11 -D_GNU_SOURCE= -O2 -Iuser -Ikmod/include/uapi)
rm -rf "$root"
mkdir -p "$root/tmp"
put_compiler
put_sources
measure compile "perf build/ovnik-decode" 1 "$TRACERS" "WC:${#sources[@]}"

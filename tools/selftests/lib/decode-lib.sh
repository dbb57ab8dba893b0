# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-lib.sh - what the tests of ovnik-decode share; to be sourced
#
# Needs $here. Sets $work, an empty directory that is removed at the end.
# shellcheck disable=SC2034,SC2154 # what is used there, or set there

top=$(realpath "$here/../../..")
gen=$top/tools/selftests/gen
checkers=$top/tools/selftests/check
fixtures=$top/tools/selftests/fixture
decode=$top/build/ovnik-decode
emu=$top/build/ovnik-emu
: "${CC:=gcc}"

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

if [ ! -x "$decode" ] || [ ! -f "$top/build/libovnik.a" ]; then
	not_ok "ovnik-decode is built"
	finish
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME - a generator, which is then $work/NAME; where "make tests" has not built it, it is
# compiled, with its parts in NAME/
build()
{
	build_name=$1
	if [ -x "$top/build/selftests/gen/$1" ]; then
		ln -sf "$top/build/selftests/gen/$1" "$work/$1"
		return
	fi
	set -- "$gen/$build_name.c" "$gen/$build_name"/*.c
	[ -e "$2" ] || set -- "$1"
	"$CC" -O2 -g -std=gnu11 -D_GNU_SOURCE= -I"$top/user" -I"$top/kmod/include/uapi" \
		-o "$work/$build_name" "$@" "$top/build/libovnik.a" -ljson-c -lelf -lz -lzstd -lpthread
}

# Events that the last run has read, from its summary in $work/log.
events_read()
{
	sed -En 's/^ovnik-decode: ([0-9]+) events? in .*/\1/p' "$work/log"
}

# Events that the last run knows to be missing: of one gap, or the sum of several.
events_missing()
{
	{
		sed -En 's/.*, in [0-9]+ gaps?(, by the counts in meta.json)?: //p' "$work/log"
		sed -n 's/.*gap on CPU .*): //p' "$work/log"
	} | sed 1q | sed 's/ and an unknown.*//' | tr ' ' '\n' |
		awk '/^[0-9]+$/ { n += $1 } END { print n + 0 }'
}

# recorded_by WHO CAPTURE - as if that process had recorded it: JSON
recorded_by()
{
	sed -i '/"checksum"/d; /"crc"/d; s/"host":/"recorder": '"$1"', &/' "$2/meta.json"
}

# hurt_names CAPTURE - the name "child" becomes one of several that hurt a terminal; without a CRC
hurt_names()
{
	python3 - "$1" <<'END'
import pathlib
import sys

names = ["\x1b[31m\x7f", "\u202eevil\u2066", "a  b\nall 1", "\"'\\"]
names = [name.encode().ljust(16, b"\0") for name in names]
for path in pathlib.Path(sys.argv[1]).glob("cpu*.ovk"):
    parts = path.read_bytes().split(b"child".ljust(16, b"\0"))
    for i in range(1, len(parts)):
        parts[i] = names[i % len(names)] + parts[i]
    path.write_bytes(b"".join(parts))
END
}

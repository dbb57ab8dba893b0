#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-read.sh - FDR logs made by hand: our reader beside llvm-xray-14
#
# Of what llvm-xray accepts, both must say the same, record by record. Where we are more
# lenient, or stricter, xraywrite.py says it of each shape.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
dump=$top/build/selftests/check/xraydump
llvm_xray="llvm-xray-14"

# llvm SHAPE - to $work/SHAPE.yaml; it is wrong about big-endian logs in silence
llvm()
{
	"$llvm_xray" convert -f yaml -o "$work/$1.yaml" "$work/$1.xray" 2>"$work/$1.error"
}

# shape NAME LLVM OURS COMPARE
shape()
{
	accepted=no
	llvm "$1" && accepted=yes
	check "$1: llvm-xray: $2" test "$accepted" = "$2"
	if [ "$3" = no ]; then
		check "$1: we refuse it" sh -c "! '$dump' '$work/$1.xray' 2>'$work/log'"
		return
	fi
	"$dump" "$work/$1.xray" >"$work/$1.dump" 2>"$work/log"
	check "$1: $3 breaks" grep -q "^end $3 " "$work/$1.dump"
	if [ "$2" = yes ] && [ "$4" != not-compared ]; then
		check "$1: the same records" "$checkers/xraycmp.py" "$work/$1.dump" "$work/$1.yaml" "$4"
	fi
}

# same NAME NAME - two shapes with the same records
same()
{
	for name in "$1" "$2"; do
		# All but the offset.
		grep ^record "$work/$name.dump" | cut -d' ' -f1-7,9- >"$work/$name.records"
	done
	check "$1: as $2" cmp "$work/$1.records" "$work/$2.records"
}

check "logs are written" "$gen/xraywrite.py" "$work"
while read -r name llvm ours compare; do
	shape "$name" "$llvm" "$ours" "$compare"
done <"$work/shapes"

# What llvm-xray does not accept, or understand: the same records in another shape.
for version in 1 2 3 4 5; do
	same "v$version-big" "v$version-all"
	awk '$1 == "record" && $6 == "function-enter" { print $7 }' "$work/v$version-buffers.dump" \
		>"$work/order"
	check "v$version: 40 buffers of a thread, in their order" \
		sh -c "seq 40 | cmp - '$work/order'"
done
same v1-0xff v1-all
same v1-no-end v1-all
finish

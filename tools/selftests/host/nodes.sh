#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nodes.sh - several nodes in one timeline
#
# nodescheck.py compares it, record by record, with what is drawn of each node alone.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "gen-capture is built" build gen-capture

# node NAME SEED CPUS TASKS - a capture of it; tasks have other names on each node
node()
{
	"$work/gen-capture" random "$work/captures/$1" -n 3000 -s "$2" -c "$3" -t "$4" -C
	sed -i "s/\"host\":\"gen\"/\"host\":\"$1\"/" "$work/captures/$1/meta.json"
	sed -i "s/initial/${1}_in/" "$work/captures/$1"/*.ovk
	"$decode" "$work/captures/$1" -o "$work/$1" --to ovni,prv 2>"$work/$1.log"
}

# says NAME TEXT - on stderr, in one line
says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

run()
{
	"$@" 2>"$work/log"
}

mkdir "$work/captures"
node first 1 2 20
node secnd 2 3 30
node third 3 4 25
# One of the first node's tasks is called the same everywhere.
a=0 b=5000000 c=-1234567
printf 'rank host median mean std\n0 first %d 0 0\n1 secnd %d 0 0\n2 third %d 0 0\n' \
	$a $b $c >"$work/table"

check "three traces are drawn" run "$emu" -c "$work/table" -o "$work/drawn" \
	"$work"/{third,first,secnd}/ovni
check "they are silent about clocks" test ! -s "$work/log"
is_union()
{
	"$checkers/nodescheck.py" "$1" "third=$work/third:$4" "first=$work/first:$2" \
		"secnd=$work/secnd:$3"
}
check "the timeline is that of the three" is_union "$work/drawn" $a $b $c
check_status 1 "a wrong offset is noticed" is_union "$work/drawn" $a $b $((c + 1))
check_status 1 "a wrong name is noticed" sh -c '
	cp -r "$1" "$2" && sed -i "s/ first secnd third$/ first/" "$2/thread.pcf" &&
	shift 2 && "$@"' sh "$work/drawn" "$work/wrong" \
	"$checkers/nodescheck.py" "$work/wrong" "third=$work/third:$c" "first=$work/first:$a" \
	"secnd=$work/secnd:$b"
check "a strict reader takes it" "$top/build/selftests/prvcheck" "$work/drawn"

check "without offsets" run "$emu" -o "$work/drawn" "$work"/{first,secnd,third}/ovni
says "that is a warning" "warning: 3 of 3 looms, the first is first, have no clock offset"
sed -i '/secnd/d' "$work/table"
check "an offset is missing" run "$emu" -c "$work/table" -o "$work/drawn" \
	"$work"/{first,secnd,third}/ovni
says "that is a warning, too" "1 of 3 looms, the first is secnd, have no clock offset"

cp -r "$work/first" "$work/again"
check_status 1 "a loom in two traces is refused" run "$emu" -o "$work/none" \
	"$work"/{first,secnd,again}/ovni
says "with both names" "again/ovni: loom first is in .*/first/ovni, too"
check_status 2 "several traces go nowhere without -o" run "$emu" "$work"/{first,secnd}/ovni

finish

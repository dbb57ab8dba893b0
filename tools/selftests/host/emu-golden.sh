#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# emu-golden.sh - does ovnik-emu agree with upstream's emulator on recorded traces?
#
# GOLDEN in the environment names the folder with the traces.

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
checkers=$here/../check
emu=$top/build/ovnik-emu
: "${GOLDEN:=$top/../shared/golden}"

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

if [ ! -d "$GOLDEN" ]; then
	skip "agreement with upstream" "no golden traces in $GOLDEN"
	finish
fi
if [ ! -x "$emu" ]; then
	not_ok "ovnik-emu is built"
	finish
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# accepted NAME - the same rows, values over time and labels; PRV to the byte
accepted()
{
	check "$1 is accepted" "$emu" -l "$work/$1"
	check "$1 looks the same" "$checkers/prvcmp.py" "$GOLDEN/$1/expected" "$work/$1"
	for f in thread.prv cpu.prv thread.pcf thread.row cpu.row; do
		check "$1 has the same bytes in $f" cmp "$GOLDEN/$1/expected/$f" "$work/$1/$f"
	done
}

# fact KEY FILE - what upstream says about the event it refuses
fact()
{
	sed -n "s/^panic: *$1=//p" "$2" | head -n 1
}

# rejected NAME - the same event of the same stream, for the same reason
rejected()
{
	upstream=$GOLDEN/$1/rejected.txt
	check_status 1 "$1 is rejected" "$emu" -l "$work/$1"
	"$emu" "$work/$1" 2>"$work/message"
	check "$1: one message" test "$(wc -l <"$work/message")" -eq 1
	check "$1: the stream is named" \
		grep -qF "$(fact relpath "$upstream")/stream.obs:" "$work/message"
	check "$1: the offset is named" \
		grep -q "offset $(fact offset "$upstream"):" "$work/message"
	check "$1: the event is named" grep -qF "event $(fact mcv "$upstream") at clock \
$(fact rclock "$upstream"):" "$work/message"
	reason=$(sed -n 's/.*\(has [0-9]* threads running at the same time\).*/\1/p' "$upstream")
	if [ -n "$reason" ]; then
		check "$1: the reason is the same" grep -qF "$reason" "$work/message"
	else
		skip "$1: the reason is the same" "no rule to compare it"
	fi
}

for dir in "$GOLDEN"/*/; do
	name=$(basename "$dir")
	cp -r "$dir/trace" "$work/$name"
	chmod -R u+w "$work/$name"
	if [ -d "$dir/expected" ]; then
		accepted "$name"
	else
		rejected "$name"
	fi
done

finish

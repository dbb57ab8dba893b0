#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-write.sh - a run in a guest as FDR logs: what is known of it, and what the others say

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
xray=$checkers/fdrcheck.py

# What the guest shall reach must lie in the repository.
captures=$(mktemp -d "$top/build/xray.XXXXXX")
trap 'rm -rf "$work" "$captures"' EXIT

# calls LOG FUNCTION - how many llvm-xray counts
calls()
{
	llvm-xray-14 account --instr_map="$work/split/xray.elf" --format=csv "$1" |
		sed -n "s/^[0-9]*,\([0-9]*\),.*[,\"]$2\"*$/\1/p"
}

# copied - is there a process that has read and written 100 times?
copied()
{
	for log in "$work/split"/xray.pid*.fdr; do
		[ "$(calls "$log" read) $(calls "$log" write)" != "100 100" ] || return 0
	done
	return 1
}

check "dd is recorded in a guest, by module and BPF" \
	"$top/tools/vm/run" --single --quiet --log "$work/console.log" -- \
	sh /host/tools/selftests/vm-guest/fdr.sh "/host/${captures#"$top/"}"

for name in module bpf; do
	out=$work/$name
	check "$name: decoded" sh -c "'$decode' '$captures/$name' -o '$out' \
		--to xray,ovni,laplace 2>'$work/log'"
	check "$name: a log a process" \
		"$decode" "$captures/$name" -o "$work/split" --to xray --xray-split=process
	check "$name: sound" "$xray" sound "$out/xray.fdr" "$work/split"/xray.pid*.fdr
	check "$name: llvm-xray reads what is there" "$xray" llvm "$out/xray.fdr" "$out/xray.elf"
	check "$name: every record is an event or call" \
		"$xray" events "$work/log" "$out/xray.fdr"
	check "$name: switches, reasons, calls and faults as in the other outputs" \
		"$xray" counts "$out" "$out/laplace.txt" "$out/xray.fdr"
	check "$name: a process has read and written 100 times" copied
done
finish

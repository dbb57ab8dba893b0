#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cpus.sh - a machine with many CPUs: each is recorded, none is mistaken for another, by both back
# ends; two of them go and come. soak/many-cpus.sh is a link: with 192, and a flight recorder of BPF.
#
# It takes over a minute on a slow machine: 16 CPUs share two.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

case ${0##*/} in
many-cpus.sh) cpus=192 limit=3000 task=all ;;
*) cpus=16 limit=600 task=few ;;
esac
runs=$(mktemp -d "$top/build/cpus.XXXXXX")
trap 'rm -rf "$work" "$runs"' EXIT

in_guest()
{
	"$top/tools/vm/run" --single --quiet --cpus "$cpus" --mem 3072 --timeout "$limit" \
		--log "$work/console.log" -- \
		sh /host/tools/selftests/vm-guest/cpus.sh "/host/${runs#"$top/"}" "$task"
}

# right NAME - in the report, tasks and rows
right()
{
	rm -rf "$work/out" "$work/db"
	"$decode" report --json "$runs/$1" >"$work/json" &&
		"$decode" "$runs/$1" --tracer "database,file=$work/db" -o "$work/out" --to prv,ovni &&
		"$checkers/cpuscheck.py" "$cpus" "$runs/$1.log" "$work/json" "$work/db" "$work/out" &&
		"$emu" "$work/out/ovni" -o "$work/emulated"
}

check "$cpus CPUs: record, snapshot, stop" in_guest
echo "$tap_output" | grep '^# '
for back_end in module bpf; do
	check "$back_end: a recording, while two CPUs go and come" right "$back_end"
	[ -e "$runs/$back_end-snapshot" ] || continue
	check "$back_end: a snapshot" right "$back_end-snapshot"
	check "$back_end: what a flight recorder has at its stop" right "$back_end-stopped"
done
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - the demo, by both back ends: all that README.md promises is there

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

decode=build/ovnik-decode
checkers=tools/selftests/check
mkdir -p build/selftests
out=$(mktemp -d build/selftests/demo.XXXXXX)
work=$(mktemp -d)
trap 'rm -rf "$out" "$work"' EXIT
# shellcheck source=tools/selftests/lib/browse-lib.sh
. tools/selftests/lib/browse-lib.sh

# The workload is made to cause every kind.
letters()
{
	cut -d ' ' -f 1 "$1" | sort -u | tr -d '\n'
}

for backend in module bpf; do
	dir=$out/$backend
	check "$backend: the demo" tools/demo/run "$backend" "$dir"
	for file in capture/meta.json capture/cpu0.ovk capture/cpu1.ovk laplace.txt \
		{thread,cpu}.{prv,pcf,row} xray.fdr xray.elf console.log decode.log; do
		check "$backend: $file" test -s "$dir/$file"
	done
	sums_of_page "$backend: timeline.html" "$PWD/$dir/timeline.html" "$dir/capture"
	check "$backend: streams" test "$(find "$dir/ovni" -name stream.obs | wc -l)" -gt 100
	check "$backend: views" test "$(find "$dir/cfg" -name '*.cfg' | wc -l)" -gt 10
	check "$backend: all of Laplace's records: $(letters "$dir/laplace.txt")" \
		test "$(letters "$dir/laplace.txt" | wc -c)" = 22
done
finish

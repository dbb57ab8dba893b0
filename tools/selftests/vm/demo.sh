#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - the demo, by both back ends: all that Documentation/demo.rst promises is there
#
# It takes minutes: what a user does first has to work, whole, and with a real browser.

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

# shellcheck disable=SC2317 # through check

# ask QUESTION... - as JSON and as text
ask()
{
	"$decode" "$@" --json "$dir/capture" >"$work/answer.json" 2>/dev/null
	"$decode" "$@" "$dir/capture" >"$work/answer.txt" 2>/dev/null
}

# What the answers are computed from once more.
facts()
{
	rm -f "$work/tasks" "$work/tags" "$work/db"
	"$decode" "$dir/capture" --tracer "jsonl,file=$work/tasks,tags=$work/tags" \
		${LONG:+--tracer "database,file=$work/db"} >/dev/null 2>&1 && test -s "$work/tasks"
}

top_is_right()
{
	ask top --by "$1" --self
	python3 "$checkers/topcheck.py" "$1" "$work/answer.json" "$work/answer.txt" "$work/tasks" "$work/db" \
		"$dir/laplace.txt"
}

why_is_right()
{
	ask why "--comm=$1"
	python3 "$checkers/whycheck.py" "$work/answer.json" "$work/answer.txt" 10 "$work/tasks" "$work/tags" \
		"--comm=$1"
}

pagecache_is_right()
{
	ask pagecache
	python3 "$checkers/pagecachecheck.py" "$dir/capture" "$work/answer.json" "$work/answer.txt" "$work/tasks" \
		"$work/db" "$dir/laplace.txt"
}

for backend in $(amount module "module bpf"); do
	dir=$out/$backend
	check "$backend: the demo" tools/demo/run "$backend" "$dir"
	for file in capture/meta.json capture/cpu0.ovk capture/cpu1.ovk laplace.txt \
		{thread,cpu}.{prv,pcf,row} xray.fdr xray.elf console.log decode.log \
		timeline.svg trace.perfetto-trace timeline.png timeline-dark.png timeline-zoom.png; do
		check "$backend: $file" test -s "$dir/$file"
	done
	check "$backend: its summary, from elsewhere" sh -c 'cd / && "$1/tools/demo/summary" "$1/$2" |
		grep -A 2 "^  programs by time on a CPU" | grep " sort "' - "$PWD" "$dir"
	sums_of_page "$backend: timeline.html" "$PWD/$dir/timeline.html" "$dir/capture"
	check "$backend: what its answers follow from" facts
	check "$backend: why xz" why_is_right xz
	if [ -n "$LONG" ]; then
		for by in comm file reason; do
			check "$backend: top by $by" top_is_right "$by"
		done
		check "$backend: pagecache" pagecache_is_right
		check "$backend: the trace for Perfetto" python3 "$checkers/perfettocheck.py" \
			"$dir/trace.perfetto-trace" "$work/tasks"
	fi
	check "$backend: streams" test "$(find "$dir/ovni" -name stream.obs | wc -l)" -gt 100
	check "$backend: views" test "$(find "$dir/cfg" -name '*.cfg' | wc -l)" -gt 10
	check "$backend: all of Laplace's records: $(letters "$dir/laplace.txt")" \
		test "$(letters "$dir/laplace.txt" | wc -c)" = 22
done
finish

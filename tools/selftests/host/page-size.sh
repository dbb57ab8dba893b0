#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# page-size.sh - captures of machines whose pages are larger: what is of pages is as much larger in
# every output, all else is equal

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generators are built" eval "build gen-memory && build gen-pagecache && build gen-refs"

# outputs DIR - all that is made of the capture
outputs()
{
	rm -rf "${work:?}/$1"
	mkdir "$work/$1"
	"$decode" "$work/capture" -o "$work/$1/all" --to ovni,laplace,prv,html,svg,perfetto,xray \
		--tracer "csv,file=$work/$1/tasks.csv" >"$work/log" 2>&1 || return
	for question in report top pagecache "why --pid 1002"; do
		# shellcheck disable=SC2086 # words
		"$decode" $question "$work/capture" >"$work/$1/${question%% *}" 2>>"$work/log" &&
			"$decode" $question --json "$work/capture" >"$work/$1/${question%% *}.json" \
				2>>"$work/log" || return
	done
}

# made DIR GENERATOR OPTION...
made()
{
	dir=$1
	program=$2
	shift 2
	rm -rf "$work/capture" "$work/log"
	"$work/$program" "$work/capture" "$@" && outputs "$dir" && return
	cat "$work/log"
	return 1
}

# same SIZE GENERATOR OPTION...
same()
{
	size=$1
	shift
	made small "$@" && made large "$@" -p "$size" &&
		python3 "$checkers/pagesizecheck.py" "$size" "$work/small" "$work/large"
}

for size in 16384 65536; do
	check "$size: files and mappings" same $size gen-memory -n 3000 -c 3 -s 4
	check "$size: the page cache" same $size gen-pagecache -n 8000 -c 3 -s 5
done

# compared A B - by a question that names each capture
compared()
{
	"$decode" diff --by file "$work/$1" "$work/$2" >"$work/got" 2>"$work/log"
}

"$work/gen-memory" "$work/usual" -n 300 -c 2 -s 4
"$work/gen-memory" "$work/larger" -n 300 -c 2 -s 4 -p 65536
check "captures of two sizes are compared" compared usual larger
check "it is said which is which" eval "grep -q ' page size  capture$' '$work/got' &&
	grep -q ' 4.0 KiB  .*/usual$' '$work/got' && grep -q ' 64.0 KiB  .*/larger$' '$work/got'"
compared larger larger
check "of one size, there is nothing to say" sh -c "! grep -q 'page size' '$work/got'"

# of_machine JSON - the capture of a log says that it is of such a machine
of_machine()
{
	rm -rf "$work/leader"
	"$work/gen-refs" leader "$work/leader" && sed -i "s/\"host\":/$1,&/" "$work/leader/meta.json"
}

# refuses WORDS COMMAND... - with one sentence
refuses()
{
	words=$1
	shift
	status=0
	"$@" >"$work/got" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = 1 ] && [ "$(wc -l <"$work/log")" = 1 ] && grep -q \
		"leader: is of $words bytes, but references are logged of x86_64 with pages of 4096 only" "$work/log"
}

# Logs of references are of QEMU's x86 only.
merge="$top/build/ovnik-merge --stat $work/leader $work/leader.refs -o"
cut="$top/build/ovnik-refs --to-text --pid 100 --capture $work/leader $work/leader.refs"
of_machine '"machine":"aarch64","page_size":16384'
# shellcheck disable=SC2086 # words
check "no references of another machine are merged" refuses "aarch64 with pages of 16384" $merge "$work/out"
# shellcheck disable=SC2086
check "nor are they a process's" refuses "aarch64 with pages of 16384" $cut
of_machine '"machine":"aarch64"'
# shellcheck disable=SC2086
check "nor if its pages are as large" refuses "aarch64 with pages of 4096" $merge "$work/out"
for machine in x86_64 i686; do
	of_machine "\"machine\":\"$machine\",\"page_size\":4096"
	# shellcheck disable=SC2086
	check "those of $machine are" $merge "$work/$machine"
done
finish

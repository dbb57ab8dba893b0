#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pagecache.sh - ovnik-decode pagecache: counts that pagecachecheck.py makes again from the records

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "generator is built" build gen-pagecache

# ask CAPTURE [OPTION...] - into $work/json and $work/text
ask()
{
	"$decode" pagecache "$@" >"$work/text" 2>"$work/log"
	"$decode" pagecache --json "$@" >"$work/json" 2>"$work/log"
}

# agrees CAPTURE [--from=US --until=US] [--cpu=N] [--pid=PID]... - OPTION as of ovnik-decode
agrees()
{
	local capture=$1 option options=()

	shift
	for option; do
		case $option in
		--from=* | --until=*) options+=("${option}us") ;;
		*) options+=("$option") ;;
		esac
	done
	rm -rf "$work/tasks" "$work/tags" "$work/out"
	"$decode" "$capture" -o "$work/out" --to laplace --tracer "jsonl,file=$work/tasks" \
		--tracer "database,file=$work/tags" "${options[@]}" >"$work/log" 2>&1
	ask "$capture" "${options[@]}"
	"$checkers/pagecachecheck.py" "$capture" "$work/json" "$work/text" "$work/tasks" \
		"$work/tags" "$work/out/laplace.txt" "$@"
}

"$work/gen-pagecache" -n 20000 -c 3 -s 3 "$work/random"
"$work/gen-pagecache" -n 6000 -c 3 -s 5 -l 50 "$work/lossy"
check "all of it" agrees "$work/random"
check "there are pages that came again" grep -q '"pages_added_again":[1-9][0-9][0-9]' "$work/json"
check "a window" agrees "$work/random" --from=5000.5 --until=20000.5
check "one process" agrees "$work/random" --pid=1002
check "two processes, to a time" agrees "$work/random" --pid=1002 --pid=1008 --until=9000.5
check "one CPU" agrees "$work/random" --cpu=1
cp -r "$work/random" "$work/own"
recorded_by '{"pid": 1002}' "$work/own"
check "the recorder's reads are no hits" agrees "$work/own"
check "it has a row after those of --rows" test \
	"$("$decode" pagecache --rows 1 "$work/own" | grep -c '^    .*  -  recorder (ovnik)  1002$')" = 1
cat >"$work/hits.py" <<'END'
import json, sys
def hits(path, prefix):
    return {tuple(row[k] for k in ("major", "minor", "inode", "generation")):
            (row[f"{prefix}hits"], row[f"{prefix}misses"]) for row in json.load(open(path))[0]["files"]
            if row[f"{prefix}hits"] + row[f"{prefix}misses"]}
one, *others = (hits(path, "cache_" if "report" in path else "") for path in sys.argv[1:])
sys.exit(not one or any(other != one for other in others))
END
"$decode" report --json "$work/own" >"$work/report.json" 2>"$work/log"
"$decode" top --by file --json "$work/own" >"$work/top.json" 2>"$work/log"
check "report and top say the same of files" python3 "$work/hits.py" "$work/json" "$work/report.json" \
	"$work/top.json"
check "unless it was asked for" agrees "$work/own" --pid=1002
check "losses" agrees "$work/lossy"
check "they are said" grep -Eq '^  events lost +[1-9]' "$work/text"

# Of both it is said which part they are.
ask "$work/random" --comm=plain
grep -v '"only":' "$work/json" >"$work/by-name"
ask "$work/random" --pid=1002
check "by name as by number" test "$(grep -v '"only":' "$work/json")" = "$(cat "$work/by-name")"
check "of one process, pages that came again are not counted" test -z \
	"$(grep again "$work/json")"
"$decode" pagecache "$work/random" --rows=3 >"$work/text" 2>"$work/log"
check "--rows: so many" test "$(grep -c '^    ' "$work/text")" -eq 12
check_status 2 "--rows=0" "$decode" pagecache "$work/random" --rows=0

# More than it keeps: 2^20 leaves, of which a file is 8 and has 16.
"$work/gen-pagecache" -m 45000 "$work/many"
"$decode" pagecache "$work/many" >"$work/text" 2>"$work/log"
kept=$(((1 << 20) / 24 + 1))
check "too many pages: known ones are seen again" \
	grep -Eq "^  pages added again +$((kept * 1024))$" "$work/text"
check "and of the others, it is said" grep -Eq \
	"^  pages removed, too many to see them again +$(((45000 - kept) * 1024))$" "$work/text"

# others FILES - is there a row of files that are not told apart?
others()
{
	"$work/gen-pagecache" -u "$1" "$work/uses"
	"$decode" pagecache "$work/uses" 2>"$work/log" | grep -F "(other files)"
}

check "USES_MAX: 2^18 files are told apart" test -z "$(others $((1 << 18)))"
check "USES_MAX: one more is among the other files" test -n "$(others $(((1 << 18) + 1)))"
finish

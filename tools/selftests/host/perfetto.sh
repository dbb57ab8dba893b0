#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perfetto.sh - traces for Perfetto: their tables are the tasks, to the ns; hostile names, losses, size

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

out=$work/out
trace=$out/trace.perfetto-trace

for program in gen-capture gen-report gen-activity gen-memory; do
	check "$program is built" build $program
done

# compared CAPTURE [OPTION...] - what the checker says is in $work/said
compared()
{
	capture=$1
	"$decode" "$@" -o "$out" --to perfetto,laplace --tracer "jsonl,file=$work/lines" \
		>/dev/null 2>"$work/log"
	# Without options, all of both is of the same records.
	if [ $# -eq 1 ]; then
		set -- "${with:---laplace}" "$out/laplace.txt"
	else
		set --
	fi
	python3 "$checkers/perfettocheck.py" "$@" --real "$capture/meta.json" "$trace" "$work/lines" >"$work/said"
	compared_status=$?
	rm -f "$work/lines"
	sed 's/^/# /' "$work/said"
	return "$compared_status"
}

said()
{
	sed -En "s/.*\<$1=([0-9]+).*/\1/p" "$work/said"
}

"$work/gen-report" known "$work/known"
check "known sums" compared "$work/known"
check "a sleep for a disk" test "$(said io)" -eq 1
check "no time of day is made up" test "$(said real)" -eq 0
sed -i 's/"anchors"/"walls":[{"realtime":1700000000123456789,"monotonic":4000,"width":301,"synced":true,"max_error":0}],&/' \
	"$work/known/meta.json"
check "the time of day" compared "$work/known"
check "it is there" test "$(said real)" -eq 1
check "of a part" compared "$work/known" --from 0.00001
"$work/gen-report" lossy "$work/lossy"
check "losses" compared "$work/lossy"
check "both are shown" test "$(said losses)" -eq 2
check "the CPU is marked" test "$(said lossy_cpus)" -eq 1
"$work/gen-report" empty "$work/empty"
check "an empty capture" compared "$work/empty"
"$work/gen-memory" "$work/memory" -n 4000 -c 2 -s 3
with=--mapped
check "memory and files" compared "$work/memory"
with=
check "mapped memory is what the mappings sum up to" test "$(said mapped)" -gt 1000
check "pages of files and of block devices are counted apart" \
	test "$(said cached)" -gt 100 -a "$(strings "$trace" | grep -c 'page cache of .*, since the beginning')" -eq 2
"$work/gen-activity" random "$work/activity" 10000 7 20
check "calls, faults and pages, with losses" compared "$work/activity"
"$work/gen-capture" random "$work/many" -n 20000 -c 4 -t 100 -s 5
check "waits for I/O are those for pages" test "$(said io)" -gt 5
check "numbers of tasks that are used again" compared "$work/many"
check "they are" test "$(said threads)" -gt 100
check "command lines are the programs that ran" test "$(said commands)" -gt 10
# There threads run on one CPU when a record of another one says of which process they are.
"$work/gen-capture" random "$work/gaps" -n 8000 -c 3 -t 60 -l 20 -s 11
check "the same with losses" compared "$work/gaps"
check "a part of it" compared "$work/gaps" --from 0.001 --until 0.003
check "some processes of it" compared "$work/gaps" --comm child
"$decode" "$work/gaps" -o "$out" --to perfetto >/dev/null 2>&1

if command -v protoc >/dev/null; then
	check "protoc reads it" sh -c "protoc --decode_raw <'$trace' >/dev/null"
else
	skip "protoc reads it" "there is no protoc"
fi

cp "$trace" "$work/first"
"$decode" "$work/gaps" -o "$out" --to perfetto --perfetto-gzip >/dev/null 2>&1
check "compressed, it is the same" sh -c "gzip -cd '$trace.gz' | cmp - '$work/first'"
check "the other one is gone" test ! -e "$trace"

# Switches alone: none of the columns needs more for real times, which differ by less.
"$work/gen-capture" random "$work/switches" -n 40000 -c 2 -t 60 -s 9
check "many switches" compared "$work/switches"
echo "# $(($(stat -c %s "$trace") / ($(said switches) + $(said wakeups)))) bytes a switch or wakeup"
check "12 bytes each, at most" test "$(stat -c %s "$trace")" -le $((12 * ($(said switches) + $(said wakeups))))

# Names that are markup, that reorder text, that are no text. No CRC, so that they can be put
# into the capture.
"$work/gen-capture" random "$work/names" -n 5000 -c 2 -t 50 -C
python3 - "$work/names" <<'END'
import glob
import sys
names = ["</script><b>x", "\"'&amp;\\", "\u202eevil\u2066", "\x1b[31m\x7f", "\x00after", "\n"]
names = [n.encode().ljust(16, b"\0") for n in names] + [b"\xff\xfe\xe2\x80\xed\xa0\x80".ljust(16, b"\0")]
for path in glob.glob(f"{sys.argv[1]}/cpu*.ovk"):
    with open(path, "rb") as f:
        parts = f.read().split(b"child".ljust(16, b"\0"))
    with open(path, "wb") as f:
        for i, part in enumerate(parts):
            f.write((names[i % len(names)] if i else b"") + part)
END
check "hostile names" compared "$work/names"
check "they are in the trace" grep -q '</script><b>x' "$trace"

finish

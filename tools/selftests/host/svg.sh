#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# svg.sh - pictures of --to svg: what their boxes sum up to, hostile names, size, a browser

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

: "${BROWSER:=chromium-headless-shell}"
picture=$work/out/timeline.svg

for program in gen-capture gen-report gen-activity gen-memory gen-pagecache; do
	check "$program is built" build $program
done

# draw CAPTURE [OPTION...]
draw()
{
	draw_capture=$1
	shift
	draw_status=0
	rm -f "$picture"
	"$decode" "$draw_capture" -o "$work/out" --to svg "$@" >"$work/log" 2>&1 || draw_status=$?
	# 4: events were lost.
	[ -s "$picture" ] && { [ $draw_status = 0 ] || [ $draw_status = 4 ]; }
}

# right CAPTURE FROM TO [OPTION...] - in us; a time of the capture, and the rows that the options ask for; \$only: of a
# part, as --pid=1
only=
right()
{
	right_capture=$1
	right_from=$2
	right_to=$3
	shift 3
	rm -f "$work/part"
	"$decode" "$right_capture" --from "${right_from}us" --until "${right_to}us" \
		--tracer "csv,file=$work/part" ${only:+"$only"} >/dev/null 2>&1
	draw "$right_capture" --to svg,laplace --from "${right_from}us" --until "${right_to}us" ${only:+"$only"} "$@" &&
		"$checkers/svgcheck.py" "$picture" "$work/part" $((right_to - right_from))000 \
			"$work/out/laplace.txt"
}

"$work/gen-capture" random "$work/random" -n 40000 -c 4 -t 60 -s 6
"$work/gen-capture" random "$work/lossy" -n 40000 -c 4 -t 60 -s 7 -l 12
"$work/gen-report" busy "$work/busy" 20000
check "runs and waits" right "$work/random" 2000 5000
check "the program and the CPU that ran longest have the only row" right "$work/random" 2000 5000 --svg-rows 1
draw "$work/random"
check "the processes of a program share a row" grep -q '<title>child ×[0-9]*<' "$picture"
check "the legend says out of what" grep -q '>out of the page cache<' "$picture"
"$work/gen-report" twins "$work/twins"
draw "$work/twins" --svg-rows 1
check "the heading of a single program" grep -q '>1 program<' "$picture"
check "of a short time" right "$work/random" 2000 2010
check "of all threads, on a page" right "$work/random" 1000 9000 --svg-rows 130 --svg-width 170
check "a column is 85 mm" sh -c "'$decode' '$work/busy' -o '$work/out' --to svg 2>/dev/null &&
	grep -q '<svg .* width=\"85mm\"' '$picture'"
check "waits for disks" right "$work/busy" 2000 9000
check "losses" right "$work/lossy" 2000 9000
check "are marked" grep -q 'class="loss".*missing' "$picture"
grep -c 'class="loss" d="M.*missing' "$picture" >"$work/losses"
draw "$work/lossy" --from 2000us --until 9000us --svg-rows 1
check "of CPUs without a row, too" eval "grep -q '>other losses<' '$picture' &&
	grep -c 'class=\"loss\" d=\"M.*missing' '$picture' | cmp - '$work/losses'"
draw "$work/lossy" --from 2500us --until 9500us
check_status 1 "the checker sees another time" \
	"$checkers/svgcheck.py" "$picture" "$work/part" 7000000

"$work/gen-activity" random "$work/activity" 100000 7 20
check "sums of calls, faults and pages" right "$work/activity" 1000 16000
check "there are files" test "$("$checkers/svgcheck.py" "$picture" "$work/part" 15000000 \
	"$work/out/laplace.txt" | sed -n 's/ sums of bytes//p')" -ge 5
"$work/gen-memory" "$work/files" -n 3000 -c 3 -s 4
check "of several files" right "$work/files" 0 50
check "the most used files have the rows" right "$work/files" 0 50 --svg-rows 3
# Twelve threads of six programs.
"$work/gen-pagecache" -n 3000 -c 3 -s 3 "$work/cache"
rm -f "$work/part"
draw "$work/cache" --from 500us --until 2500us --svg-rows 2 --tracer "csv,file=$work/part"
check "not all threads have rows" grep -q ">2 of 12 threads<" "$picture"
check "those that ran longest have them" "$checkers/svgcheck.py" "$picture" "$work/part" 2000000
check "calls, faults and pages" draw "$work/activity"
check "are there" eval "grep -q 'class=\"fault\" d=\"M' '$picture' &&
	grep -q 'class=\"read\" d=\"M.*bytes' '$picture' && grep -q 'page cache: ' '$picture'"
check "those that may be writes are no reads" grep -q 'class="call" d="M.*other calls on files: ' "$picture"
cp "$picture" "$work/first"
check "the same again" eval "draw '$work/activity' && cmp '$picture' '$work/first'"
# More than its rows have room for.
"$work/gen-activity" random "$work/large" 1500000 7 20
draw "$work/large"
cp "$picture" "$work/first"
check "the same beside a page" eval "draw '$work/large' --to html,svg && cmp '$picture' '$work/first'"
rm -r "$work/large"
"$work/gen-report" empty "$work/empty"
check "an empty capture" draw "$work/empty"
check "is a picture" python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" "$picture"

# A part: which one it is, and nothing of what is left out.
draw "$work/random"
check "of all, no part is said" sh -c "! grep -q 'class=\"part\"' '$picture'"
check "and what is white on a CPU is idle" sh -c "! grep -q '>other processes may run<' '$picture'"
only=--cpu=1
check "of a CPU" right "$work/random" 2000 5000
check "the picture says which CPU it is of" grep -q '<text class="part" .*>only on CPU 1, from 2.000 ms' "$picture"
check "so does its title" grep -q '<title>ovnik: 0.003000000 s, only on CPU 1, from 2.000 ms' "$picture"
check "CPUs that are left out have no row" eval "grep -q '>1 of 4 CPUs<' '$picture' &&
	[ \$(grep -c '<title>CPU [0-9]*</title></text>' '$picture') = 1 ]"
pid=$("$decode" report --json "$work/random" 2>/dev/null |
	python3 -c "import json, sys; print(json.load(sys.stdin)[0]['processes'][0]['pid'])")
threads=$("$decode" report --json "$work/random" 2>/dev/null |
	python3 -c "import json, sys; print(json.load(sys.stdin)[0]['processes'][0]['threads'])")
only=--pid=$pid
check "of a process" right "$work/random" 2000 5000
only=
draw "$work/random" --pid "$pid"
check "the picture says which process it is" grep -q "<text class=\"part\" .*>only PID $pid</text>" "$picture"
check "on each CPU, others may run" test "$(grep -c '<title>other processes may run<' "$picture")" -eq 4
check "they are no threads of it" eval "sed -n 's/.*<text class=\"h\" .*>\([0-9]* of \)\{0,1\}\([0-9]*\) threads*<.*/\2/p' '$picture' |
	grep -qx '$threads'"
"$work/gen-report" family "$work/family"
draw "$work/family"
check "the picture says what was recorded only" grep -q '>recorded only 1 process and its descendants</text>' "$picture"

# Bounded: 10 times the events are not 10 times the picture.
"$work/gen-capture" random "$work/large" -n 1000000 -c 8 -t 900 -s 3 -b 1048576 -C
check "a million events" draw "$work/large"
check "are a picture of 2 MB at most" test "$(stat -c %s "$picture")" -le 2000000

# So many run in turn that the row of a CPU tells few of them apart. There are two programs.
"$work/gen-capture" random "$work/turns" -n 3000000 -c 2 -t 3000 -s 3 -b 1048576 -C
check "3000 threads on two CPUs" draw "$work/turns"
rm -r "$work/turns"
check "each is of its program" eval "grep -q '<title>initial: ' '$picture' &&
	! grep -q '<title>others: ' '$picture'"

"$work/gen-report" threads "$work/threads"
check "a thread that nothing names" draw "$work/threads"
check "its program has a name in the legend" grep -q '>?</text>' "$picture"
draw "$work/threads" --svg-rows 1
check "no program has several processes" grep -q '>1 of 5 threads<' "$picture"

# There are 10,000 marks; the last ones stand for what is behind them, too.
"$work/gen-capture" random "$work/gaps" -n 500000 -c 2 -s 3 -l 12000 -b 4096
check "12000 losses" draw "$work/gaps"
marked=$(grep -o 'd="M[^"]*"><title>CPU [0-9]*: [0-9]* events are missing' "$picture" |
	awk '{ n += $(NF - 3) } END { print n }')
check "nothing that is missing is without a mark" test "$marked" -eq "$(events_missing)"

# Names that are markup, or that no XML may contain.
"$work/gen-capture" random "$work/names" -n 20000 -c 2 -t 50 -C
python3 - "$work/names" <<'END'
import glob
import sys
names = ["</svg><b>x", "<!--<script>", "\"'&amp;\\]]>", "\u202eevil\u2066", "\x1b[31m\x7f\x01", "\ufffe\uffff", "\x00after"]
names = [n.encode().ljust(16, b"\0") for n in names] + [b"\xff\xfe\xe2\x80".ljust(16, b"\0")]
for path in glob.glob(f"{sys.argv[1]}/cpu*.ovk"):
    with open(path, "rb") as f:
        parts = f.read().split(b"child".ljust(16, b"\0"))
    with open(path, "wb") as f:
        for i, part in enumerate(parts):
            f.write((names[i % len(names)] if i else b"") + part)
END
check "hostile names" draw "$work/names" --svg-rows 60
check "are text of a picture" python3 - "$picture" <<'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
text = "".join(root.itertext())
kinds = {e.tag.split("}")[1] for e in root.iter()}
assert kinds == {"svg", "title", "style", "defs", "pattern", "path", "text"}, kinds
assert "</svg><b>x" in text and "<!--<script>" in text and "\"'&amp;\\]]>" in text
assert not set("\u202e\u2066\x1b\x7f\x01\ufffe\uffff") & set(text)
END
if command -v "$BROWSER" >/dev/null; then
	HOME=$work timeout 600 "$BROWSER" --no-sandbox --disable-gpu --enable-logging=stderr \
		--screenshot="$work/shot.png" "file://$picture" >"$work/log" 2>&1
	check "a browser draws it" test -s "$work/shot.png"
	check "without an error" eval "! grep -E 'CONSOLE|error on line' '$work/log'"
else
	skip "a browser draws it" "there is none"
fi

for width in 0 39 1001 x 85mm; do
	check_status 2 "\"$width\" is no width" "$decode" "$work/empty" -o "$work/out" --to svg \
		--svg-width "$width"
done
check_status 2 "a width of nothing" "$decode" "$work/empty" -o "$work/out" --to ovni --svg-width 85
finish

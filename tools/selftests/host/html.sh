#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# html.sh - pages of --to html in a browser: their sums, what a user does, hostile names, size
#
# It takes over a minute: only a browser shows what a page does, and each look is a start of one.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
# shellcheck source=tools/selftests/lib/browse-lib.sh
. "$here/../lib/browse-lib.sh"

page=$work/out/timeline.html

check "there is a browser" command -v "$BROWSER"
for program in gen-capture gen-report gen-activity gen-memory; do
	check "$program is built" build $program
done

# Only the page itself.
alone()
{
	[ -s "$work/net" ] && ! grep -oE '"url":"(https?|ftp|ws)[^"]*"' "$work/net"
}

# shown NAME CAPTURE - its sums are the report's, in the browser and by another reader
shown()
{
	"$decode" "$2" -o "$work/out" --to html >/dev/null 2>&1
	sums_of_page "$1" "$page" "$2"
}

"$work/gen-report" known "$work/known"
shown "known sums" "$work/known"
check "nothing is asked for" alone
"$work/gen-report" lossy "$work/lossy"
shown "losses" "$work/lossy"
"$work/gen-report" empty "$work/empty"
shown "an empty capture" "$work/empty"
"$work/gen-activity" random "$work/activity" 100000 7 20
shown "calls, faults and pages, with losses" "$work/activity"
"$work/gen-capture" random "$work/many" -n "$(amount 60000 200000)" -c 4 -t 892 -l 200 -s 5
shown "892 threads, with losses" "$work/many"

# sums_are_reasons OPTION... - those of the page that uses() has left are those of top
sums_are_reasons()
{
	"$decode" top --by reason --json "$work/random" "$@" >"$work/reasons" 2>/dev/null
	python3 - "$work/dom" "$work/reasons" <<'END'
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
rows = re.search(r"Time of their threads.*?<table>(.*?)</table>", page, re.S)[1]
said = {}
for row in re.findall(r"<tr>(.*?)</tr>", rows):
    what, length, _ = [re.sub("<.*?>", "", cell) for cell in row.split("</td>")[:3]]
    said[what] = int(re.sub(r"\D", "", length))
right = {row["reason"].replace("running", "runs"): row["time_ns"] for row in json.load(open(sys.argv[2]))[0]["reasons"]
         if not row["reason"].startswith("all ") and row["time_ns"]}
print(said, right)
sys.exit(said != right or not said)
END
}

# Who ended waits, and where faults are. said WORD: how many were compared
ended()
{
	ended_capture=$1
	rm -f "$work/tasks"
	"$decode" "$ended_capture" -o "$work/out" --to html --tracer "jsonl,file=$work/tasks" \
		>"$work/log" 2>&1
	shift
	for pid in "$@"; do
		"$decode" why "$ended_capture" --pid "$pid" --json >"$work/why.$pid" 2>/dev/null
		shift
		set -- "$@" "$pid=$work/why.$pid"
	done
	"$checkers/endedcheck.py" "$page" "$work/tasks" "$@" >"$work/said"
}
said()
{
	sed -En "s/.*\<$1=([0-9]+).*/\1/p" "$work/said"
}
"$work/gen-capture" random "$work/random" -n 6000 -c 3 -t 60 -s 6
check "who ended waits" ended "$work/random"
check "there are some" test "$(said waits)" -gt 500
"$work/gen-capture" random "$work/gaps" -n 6000 -c 3 -t 60 -s 7 -l 12
check "who ended waits, with losses" ended "$work/gaps"
check "there are some, too" test "$(said waits)" -gt 500
for case in late successor; do
	"$work/gen-report" $case "$work/$case"
	check "who ended waits, and had ended: $case" ended "$work/$case"
	check "there are waits" test "$(said waits)" -gt 3
done
"$work/gen-report" memory "$work/memory"
check "where faults are" ended "$work/memory" 100
check "there are twelve" test "$(said faults)" -eq 12
"$work/gen-memory" "$work/forks" -n 3000 -c 3 -s 4
check "where faults are, of forks" ended "$work/forks" 1000 1001 1002
check "there are many" test "$(said faults)" -gt 20

# What ovnik-merge has counted, of processes with any names.
mkdir "$work/stat"
cat >"$work/stat/miss-ratio.csv" <<'END'
pid,name,pages,misses,references,ratio
0,"machine",1,500,1000,0.5
0,"machine",2,10,1000,0.01
7,"</script><script>alert(1)</script>",1,5,10,0.5
8,"a ""quoted"", one",1,5,10,0.5
END
cat >"$work/stat/working-set.csv" <<'END'
begin,end,references,pages,user_pages,file_pages
ff00,1ff00,100,7,3,2
1ff00,2ff00,100,9,4,2
END
check "with what ovnik-merge has counted" "$decode" "$work/known" -o "$work/out" --to html --memory "$work/stat"
browse_for selftest "$page"
check "three curves are there" test "$(attribute curves)" = 3
check "the page is whole" passed selftest
check "and has no error" silent
# not_shown DIR PATTERN
not_shown()
{
	! "$decode" "$work/known" -o "$work/none" --to html --memory "$1" 2>"$work/log" && grep -q "$2" "$work/log" &&
		[ ! -e "$work/none/timeline.html" ]
}
check "nothing was counted" not_shown "$work/known" "known/miss-ratio.csv: cannot open: No such file"
sed -i '1d' "$work/stat/working-set.csv"
check "another file" not_shown "$work/stat" "stat/working-set.csv: offset 0: this is not what ovnik-merge --stat writes"

# uses PAGE NAME [OPTION...] - as the user of html-NAME.js
uses()
{
	python3 - "$1" "$fixtures/html-$2.js" <<'END'
import sys
page, script = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write(page.replace("</body>", f"<script>{script}</script></body>"))
END
	uses_page=$1
	uses_name=$2
	shift 2
	browse_for "$uses_name" "$uses_page" "$@"
}
uses "$page" user
check "mouse, wheel, keys, search, selection, tip" passed user
check "no error while it is used" silent

# looks CAPTURE WIDTH NOT... - and links; what this capture cannot show
looks()
{
	"$decode" "$work/$1" -o "$work/out" --to html >/dev/null 2>&1
	uses "$page" look --window-size="$2,900" --virtual-time-budget=60000
	check "$1, $2 pixels wide: layout, bars, colors, files, search, arrows, links" looked "$3"
	check "$1: no error meanwhile" silent
}
looked()
{
	[ "$(attribute look)" = "passed$1" ] || { attribute look; return 1; }
}
looks activity 700 ", no search, no arrows"
looks known 1500 ", no search"
looks random 1000 ", no files"
"$decode" "$work/random" -o "$work/out" --to svg >/dev/null 2>&1
check "colors are told apart by the color-blind, and in grey; the picture has the same" \
	"$checkers/colorcheck.py" "$page" "$work/out/timeline.svg"

# lonely - a process with one thread gets a thread of another name
lonely()
{
	python3 - "$page" <<'END'
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
begin = re.search(r'<script id="data"[^>]*>', page).end()
end = page.index("</script>", begin)
data = json.loads(page[begin:end])
of = [thread[0] for thread in data["threads"]]
one = max((t for t in data["threads"] if t[0] and of.count(t[0]) == 1), key=lambda t: t[5])
one[4] = "lonely"
with open(sys.argv[1], "w", encoding="utf-8") as f:
    f.write(page[:begin] + json.dumps(data).replace("<", "\\u003c") + page[end:])
END
}
# links CAPTURE WIDTH
links()
{
	"$decode" "$work/$1" -o "$work/out" --to html >/dev/null 2>&1
	lonely
	uses "$page" link --window-size="$2,900" --virtual-time-budget=120000
	check "$1, $2 pixels wide: links by hand, what they unfold, and numbers beside names" passed link
	check "$1: no error meanwhile" silent
}
links known 700
links known 1500
links random 1500

# What is beside the rows, and tips, while the user moves.
for capture in many activity; do
	"$decode" "$work/$capture" -o "$work/out" --to html >/dev/null 2>&1
	uses "$page" follow --virtual-time-budget=600000
	check "$capture: numbers are those of the time that is shown" passed follow
	check "$capture: no error meanwhile" silent
done

"$work/gen-report" busy "$work/busy" 1000000
"$decode" "$work/busy" -o "$work/out" --to html >/dev/null 2>&1
uses "$page" mix --virtual-time-budget=600000
check "a tip over two mixes has the part of each" passed mix
check "no error meanwhile" silent
rm -r "$work/busy"

"$decode" "$work/many" -o "$work/out" --to html --from 2ms >/dev/null 2>&1
browse_for selftest "$page"
check "a part says where it begins" grep -q 'it begins in the capture at</td><td[^>]*>0.002' "$work/dom"

# facts_of CAPTURE [OPTION...] - of its page: what it says and draws of CPUs and programs; \$facts
facts_of()
{
	"$decode" "$@" -o "$work/out" --to html >/dev/null 2>&1
	# Frames are drawn at once: the browser need not want to.
	sed -i 's|^<body>|<script>window.requestAnimationFrame = f => f();</script>&|' "$page"
	uses "$page" facts
	facts=$(attribute facts)
}
# has PATTERN - among them
has()
{
	echo "$facts" | grep -Eq "$1" || { echo "$facts"; return 1; }
}
lacks_nothing()
{
	! has 'not all recorded' >/dev/null
}
facts_of "$work/random"
check "of all, no part is said" has '^title: host [^;]*, 3 CPUs,'
check "CPUs are idle" has ';sleep: [1-9][0-9]*;unknown: 0;'
check "no error meanwhile" silent
facts_of "$work/random" --cpu 1
check "the page says which CPU it is of" has '^title: only on CPU 1: host [^;]*, 1 of 3 CPUs,'
share=$("$decode" report --json --cpu 1 "$work/random" 2>/dev/null |
	python3 -c "import json, sys; r = json.load(sys.stdin)[0]; print('%.1f' % (100 * r['CPUs'][0]['busy_ns'] / r['length_ns']))")
check "CPUs that are left out have no row" has ";rows: 1 of 3 CPUs: which program runs,CPU 1,$share % busy;"
check "shares are of those that are chosen" has ";busy: CPUs busy,$share %;"
facts_of "$work/random" --from 500us --until 900us
check "the page says which time it is" has '^title: only from 500.000 us to 900.000 us: '

pid=$("$decode" report --json "$work/random" 2>/dev/null |
	python3 -c "import json, sys; print(json.load(sys.stdin)[0]['processes'][0]['pid'])")
facts_of "$work/random" --pid "$pid"
check "the page says which process it is" has "^title: only PID $pid: "
check "CPUs are busy with it" has ';busy: CPUs busy with these,[0-9.]* %;.*CPU 2,[0-9.]* % busy with these;'
check "where it does not run, they may not be idle" has ';sleep: 0;unknown: [1-9][0-9]*;'
check "what others do is no time that is not known" sums_are_reasons --pid "$pid"
check "they are no processes of the part" has ';processes: 1;'
check "no error meanwhile" silent
cp -r "$work/known" "$work/own"
recorded_by '{"pid": 100}' "$work/own"
facts_of "$work/own"
check "the recorder is behind the others, and its file has no row" \
	has ';names: .*,third,300,[^,]*,[^,]*,recorder .ovnik.,100,[^,]*,[^,]*Page cache, and 0 of 0 files '
check "it has no tint" has ';legend: runsotherchildthirdothers'
"$decode" "$work/own" -o "$work/out" --to svg >/dev/null 2>&1
check "nor in the picture" "$checkers/colorcheck.py" "$page" "$work/out/timeline.svg"
check "the page's own sums with it" passed selftest
check "no error meanwhile" silent
"$work/gen-report" family "$work/family"
facts_of "$work/family"
check "the page says what was recorded only" has '^title: recorded only 1 process and its descendants: '
check "CPUs are busy with them" has ';busy: CPUs busy with these,'
check "all that they did" lacks_nothing
sed -i 's/"host":/"lack":[{"events":["mremap"],"reason":"a reason"}],&/' "$work/family/meta.json"
facts_of "$work/family"
check "the page says what was not all recorded" has '^title: recorded only [^;]*, not all recorded: mremap \(a reason\)'

# Of those that do not run it is not known what they do, also in the row of several.
"$work/gen-capture" random "$work/cut" -n 6000 -c 2 -t 60 -s 6
truncate -s $(($(stat -c %s "$work/cut/cpu1.ovk") / 2)) "$work/cut/cpu1.ovk"
facts_of "$work/cut"
check "what is not known is no sleep, in a row of several" has ';last: child,sleep 0,unknown [1-9][0-9]*$'

# Names that are markup, or that a terminal or an editor would obey. No CRC, so that they can
# be put into the capture.
"$work/gen-capture" random "$work/names" -n 20000 -c 2 -t 50 -C
python3 - "$work/names" <<'END'
import glob
import sys
names = ["</script><b>x", "<!--<script>", "\"'&amp;\\", "\u202eevil\u2066", "\x1b[31m\x7f", "\x00after"]
names = [n.encode().ljust(16, b"\0") for n in names] + [b"\xff\xfe\xe2\x80".ljust(16, b"\0")]
for path in glob.glob(f"{sys.argv[1]}/cpu*.ovk"):
    with open(path, "rb") as f:
        parts = f.read().split(b"child".ljust(16, b"\0"))
    with open(path, "wb") as f:
        for i, part in enumerate(parts):
            f.write((names[i % len(names)] if i else b"") + part)
END
shown "hostile names" "$work/names"
check "they are in the page" grep -q 'u003c/script' "$page"
check "they are no markup" test "$(grep -o '<script' "$work/dom" | wc -l)" -eq 5
check "they are no bytes of their own" sh -c "! LC_ALL=C grep -q \"\$(printf '\\342\\200\\256\\|\\033\\|\\177')\" '$page'"

# Names that are shown alike if nobody takes care; in as many processes, each of which has a tint.
"$work/gen-capture" random "$work/alike" -n 20000 -c 2 -t 50 -C
python3 - "$work/alike" <<'END'
import glob
import sys
names = [n.ljust(16, b"\0") for n in (b"b\xff", b"b\xfe", "b\u200b".encode(), b"b\\u200b", b"?")]
for path in glob.glob(f"{sys.argv[1]}/cpu*.ovk"):
    with open(path, "rb") as f:
        parts = f.read().split(b"child".ljust(16, b"\0"))
    with open(path, "wb") as f:
        for i, part in enumerate(parts):
            f.write((names[i % len(names)] if i else b"") + part)
END
facts_of "$work/alike"
for name in 'b\\xff' 'b\\xfe' 'b\\u200b' 'b\\u005cu200b' '\\u003f'; do
	check "$(echo "$name" | tr -dc '[:alnum:]') is a program of its own" has ";legend: runs[^;]*$name"
done
check "no error with them" silent

# Levels of detail.
large=$(amount 1000000 10000000)
"$work/gen-capture" random "$work/large" -n "$large" -c 8 -t 900 -s 3 -b 1048576 -C
shown "$large events" "$work/large"
check "they are 30 MB at most" test "$(stat -c %s "$page")" -le 30000000
echo "# opened in $(attribute opened) ms"
# The time of the page stands still while the page computes: it waits for frames, however slow.
uses "$page" zoom --virtual-time-budget=60000
check "they are drawn, zoomed into, and found" passed zoom
check "no error meanwhile" silent
rm -r "$work/large"

finish

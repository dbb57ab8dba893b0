#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nodes.sh - several nodes in one timeline
#
# nodescheck.py compares it, record by record, with what is drawn of each node alone.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "gen-capture is built" build gen-capture
check "gen-activity is built" build gen-activity
check "gen-pagecache is built" build gen-pagecache

# node NAME SEED CPUS TASKS - a capture of it; tasks have other names on each node
node()
{
	"$work/gen-capture" random "$work/captures/$1" -n 1500 -s "$2" -c "$3" -t "$4" -C
	sed -i "s/\"host\":\"gen\"/\"host\":\"$1\"/" "$work/captures/$1/meta.json"
	sed -i "s/initial/${1}_i/" "$work/captures/$1"/*.ovk
	"$decode" "$work/captures/$1" -o "$work/$1" --to ovni,prv 2>"$work/$1.log"
}

# says NAME TEXT - on stderr, in one line
says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

# silent TEXT - that is not said
silent()
{
	! grep "$1" "$work/log"
}

run()
{
	"$@" 2>"$work/log"
}

mkdir "$work/captures" "$work/twins"
node first 1 2 8
node secnd 2 3 12
node third 3 4 10
# One of the first node's tasks is called the same everywhere.
a=0 b=5000000 c=-1234567
printf 'rank host median mean std\n0 first %d 0 0\n1 secnd %d 0 0\n2 third %d 0 0\n' \
	$a $b $c >"$work/table"

check "three traces are drawn" run "$emu" -c "$work/table" -o "$work/drawn" \
	"$work"/{third,first,secnd}/ovni
events=$(sed -n 's/^ovnik-emu: \([0-9]*\) events of [0-9]* streams; models: .*/\1/p' "$work/log")
check "what was read is said, and what to open" grep -qx "ovnik-emu: next: wxparaver $work/drawn/thread.prv" \
	"$work/log"
"$emu" -d -c "$work/table" -o "$work/debugged" "$work"/{third,first,secnd}/ovni 2>&1 |
	grep -Ec '^ovnik-emu: [0-9]+ [A-Z0-9][^ ]{2} [0-9]+ bytes, /' >"$work/printed"
check "-d prints each event" test "$(cat "$work/printed")" = "$events" -a "$events" -gt 0
# As the test of upstream's ovniemu looks for them.
"$emu" -h | awk '/emulation models/ { found = 1; next } found { print $1, $2 }' >"$work/models"
check "-h lists the models and their versions" grep -qx 'openmp 1.2.1' "$work/models"
check "and their letters" sh -c '"$1" -h | grep -qx "  openmp   1\.2\.1 .P."' sh "$emu"
check "all of them" test "$(wc -l <"$work/models")" -eq 8
check "they are silent about clocks" sh -c "! grep -Eq 'clock|warning|error' '$work/log'"
is_union()
{
	"$checkers/nodescheck.py" "$1" "third=$work/third:$4" "first=$work/first:$2" \
		"secnd=$work/secnd:$3"
}
check "the timeline is that of the three" is_union "$work/drawn" $a $b $c
check_status 1 "a wrong offset is noticed" is_union "$work/drawn" $a $b $((c + 1))
# shellcheck disable=SC2016 # for that shell
check_status 1 "a wrong name is noticed" sh -c '
	cp -r "$1" "$2" && sed -i "s/ first secnd third$/ first/" "$2/thread.pcf" &&
	shift 2 && "$@"' sh "$work/drawn" "$work/wrong" \
	"$checkers/nodescheck.py" "$work/wrong" "third=$work/third:$c" "first=$work/first:$a" \
	"secnd=$work/secnd:$b"
check "a strict reader takes it" "$top/build/selftests/prvcheck" "$work/drawn"

check "without offsets" run "$emu" -o "$work/drawn" "$work"/{first,secnd,third}/ovni
says "that is a warning" "warning: 3 of 3 looms, the first is first, have no clock offset"
sed -i '/secnd/d' "$work/table"
check "an offset is missing" run "$emu" -c "$work/table" -o "$work/drawn" \
	"$work"/{first,secnd,third}/ovni
says "that is a warning, too" "1 of 3 looms, the first is secnd, have no clock offset"

cp -r "$work/first" "$work/again"
check_status 1 "a loom in two traces is refused" run "$emu" -o "$work/none" \
	"$work"/{first,secnd,again}/ovni
says "with both names" "again/ovni: loom first is in .*/first/ovni, too"
check_status 2 "several traces go nowhere without -o" run "$emu" "$work"/{first,secnd}/ovni

# The same from captures.

# as_alone OUT NODE... - its streams are those of each alone, but for the numbers of applications
as_alone()
{
	local out=$1 node

	shift
	for node in "$@"; do
		rm -rf "$work/compared"
		mkdir "$work/compared"
		cp -r "$out/ovni/loom.$node" "$work/compared/got"
		cp -r "$work/$node/ovni/loom.$node" "$work/compared/want"
		find "$work/compared" -name stream.json -exec sed -i '/"app_id"/d' {} +
		diff -r "$work/compared/want" "$work/compared/got" || return
	done
	test "$(find "$out/ovni" -maxdepth 1 -name 'loom.*' | wc -l)" -eq $#
}

# Each amount has another node's event at its time: there is no room before it.
for twin in castor pollux; do
	"$work/gen-activity" random "$work/twins/$twin" 2000 1 0
	sed -i "s/\"host\":\"gen\"/\"host\":\"$twin\"/" "$work/twins/$twin/meta.json"
	"$decode" "$work/twins/$twin" -o "$work/twins/of-$twin" --to ovni,prv 2>"$work/log"
done
check "two nodes with the same times are drawn" run "$emu" -o "$work/twins/drawn" \
	"$work"/twins/of-{castor,pollux}/ovni
check "the timeline is that of the two, with all amounts" "$checkers/nodescheck.py" \
	"$work/twins/drawn" "castor=$work/twins/of-castor:0" "pollux=$work/twins/of-pollux:0"
check "there are amounts" grep -q ':307:[1-9]' "$work/twins/drawn/thread.prv"

three=("$work"/captures/{third,first,secnd})
check "three captures are decoded" run "$decode" -o "$work/out" "${three[@]}"
says "the summary counts them" "3 of 3 captures are in the trace"
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check "the timeline is that of the three" is_union "$work/out" 0 0 0
check "a strict reader takes it" "$top/build/selftests/prvcheck" "$work/out"
check "the streams are those of the three" as_alone "$work/out" first secnd third
check "a node's streams must be there" sh -c '! "$@"' sh \
	cmp -s "$work"/{out,first}/ovni/loom.first/proc.1000/thread.1000/stream.json
"$emu" -o "$work/drawn" "$work/out/ovni" 2>/dev/null
for file in {thread,cpu}.{prv,pcf,row}; do
	check "$file is that of the trace" \
		cmp <(sed '/^#Paraver/d' "$work/out/$file") <(sed '/^#Paraver/d' "$work/drawn/$file")
done
check "a directory of captures" run "$decode" -o "$work/dir" "$work/captures" --to ovni
check "the streams of three" as_alone "$work/dir" first secnd third
check "nothing else is made" test "$(ls -A "$work/dir")" = ovni
check "the timeline alone" run "$decode" -o "$work/dir" "$work/captures" --to prv -z
check "the trace is still there" test -d "$work/dir/ovni" -a -f "$work/dir/thread.prv.gz"
# kib_of EVENTS - what the decoder needs for three captures of so many, of the same threads
kib_of()
{
	local node

	rm -rf "$work/large" "$work/out"
	mkdir "$work/large"
	for node in first secnd third; do
		"$work/gen-pagecache" -n "$1" -c 2 -s 1 "$work/large/$node"
		sed -i "s/\"host\":\"[a-z]*\"/\"host\":\"$node\"/" "$work/large/$node/meta.json"
	done
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
		"$decode" "$work/large" -o "$work/out" --to ovni,prv
}

few=$(kib_of 50000)
many=$(kib_of 200000)
check "four times the events take no more memory: $few KiB, $many KiB" \
	test "$many" -lt $((few * 5 / 4))
rm -r "$work/large"
mkdir "$work/single"
ln -s "$work/captures/first" "$work/single/node"
check "a directory with one" run "$decode" -o "$work/one" "$work/single" --to laplace
check "processes by name" run "$decode" -o "$work/dir" "${three[@]}" --comm child

# A trace for Perfetto: each node is a machine.

# machine NUMBER NAME OFFSET - it is that of the node alone
machine()
{
	"$decode" "$work/captures/$2" -o "$work/$2" --to perfetto --tracer "jsonl,file=$work/$2.lines" 2>"$work/log"
	python3 "$checkers/perfettocheck.py" --machine "$1:$3:$2:$work/$2/trace.perfetto-trace" \
		"$work/pictures/trace.perfetto-trace" "$work/$2.lines"
}

printf 'rank host median mean std\n0 first %d 0 0\n1 secnd %d 0 0\n2 third %d 0 0\n' \
	$a $b $c >"$work/table"
check "a trace for Perfetto" run "$decode" -o "$work/pictures" "${three[@]}" --to perfetto -c "$work/table"
check "nothing else is there" test "$(ls -A "$work/pictures")" = trace.perfetto-trace
check "the first machine" machine 0 third $c
check "the second one" machine 1 first $a
check "the third one" machine 2 secnd $b
check_status 1 "a wrong offset is noticed in it" machine 2 secnd $((b + 1))
cp "$work/pictures/trace.perfetto-trace" "$work/plain"
check "compressed" run "$decode" -o "$work/pictures" "${three[@]}" --to ovni,perfetto -c "$work/table" --perfetto-gzip
check "it is the same" cmp "$work/plain" <(gzip -cd "$work/pictures/trace.perfetto-trace.gz")
check "the other one is gone" test ! -e "$work/pictures/trace.perfetto-trace" -a -d "$work/pictures/ovni"

# Captures that cannot be had, or not beside the others.

# merged STATUS NAME NODES TEXT CAPTURE... - the others are merged, the message names it
merged()
{
	local want=$1 name=$2 nodes=$3 text=$4

	shift 4
	rm -rf "$work/out"
	check_status "$want" "$name" run "$decode" -o "$work/out" --to ovni "$@"
	# shellcheck disable=SC2086 # words
	check "$name: the others are there" as_alone "$work/out" $nodes
	says "$name: it is named" "$text"
}

mkdir "$work/bad" "$work/bad/lost"
cp -r "$work/captures"/{first,secnd} "$work/bad"
merged 3 "a node is lost" "first secnd" "bad/lost: left out" "$work/bad"
merged 3 "a capture is not there" "first secnd" "bad/none: left out" \
	"$work/bad"/{none,first,secnd}
for file in "$work/bad/secnd"/*.ovk; do
	head -c 100 /dev/zero >"$file"
done
merged 3 "a capture is damaged" "first third" "bad/secnd: left out" \
	"$work/bad"/{first,secnd} "$work/captures/third"
cp -r "$work/captures/first" "$work/bad/again"
merged 3 "a node is there twice" "first secnd" \
	'bad/again: was recorded on host "first", as was .*captures/first' \
	"$work/captures"/{first,secnd} "$work/bad/again"
sed -i 's/"host":"first"/"host":"first.elsewhere.org"/' "$work/bad/again/meta.json"
merged 3 "a name is there twice" "first secnd" \
	'bad/again: was recorded on host "first.elsewhere.org", as was .*captures/first' \
	"$work/captures"/{first,secnd} "$work/bad/again"
rm "$work/bad/again/cpu0.ovk"
check "before" run "$decode" -o "$work/out" --to ovni "${three[@]}"
check_status 3 "for Perfetto, too" run "$decode" -o "$work/pictures" --to perfetto "$work/bad/lost" "$work/captures/first"
check_status 1 "none can be decoded" run "$decode" -o "$work/out" --to ovni \
	"$work/bad"/{lost,secnd}
says "that is said" "error: no capture could be decoded"
check "what was there is untouched" as_alone "$work/out" first secnd third

# refused TEXT ARGUMENT... - several captures make no sense of it
refused()
{
	local text=$1

	shift
	check_status 2 "$* is refused" run "$decode" "$@" "${three[@]}"
	says "$*: for that reason" "$text"
}

for output in laplace xray html svg; do
	refused "several captures: $output takes a single capture; these accept several: ovni, prv, perfetto" \
		-o "$work/none" --to ovni,$output
done
refused 'several captures: tracer "total" takes a single capture' --tracer total
refused "several captures: --from, --until and --cpu are of one" -o "$work/none" --from 1ms
refused "several captures: each node has another process 100" -o "$work/none" --pid 100
check "nothing was made" test ! -e "$work/none"

# However many at a time, it is the same, to the byte: what is written and what is said, of nodes that are
# there twice, too.

# jobs N CAPTURE... - into the directory of that number
jobs()
{
	"$decode" -j "$1" -o "$work/jobs" "${@:2}" 2>"$work/jobs.log"
	rm -rf "$work/jobs-$1"
	mv "$work/jobs" "$work/jobs-$1"
	mv "$work/jobs.log" "$work/jobs-$1.log"
}

several=("$work"/captures/{third,first} "$work/bad/lost" "$work/captures/secnd" "$work/bad/again"
	"$work"/captures/{secnd,first})
cp "$work/captures/first/cpu0.ovk" "$work/bad/again"
for n in 1 2 3 7; do
	jobs $n "${several[@]}"
	check "$n at a time: outputs" diff -r "$work/jobs-1" "$work/jobs-$n"
	check "$n at a time: messages" diff "$work/jobs-1.log" "$work/jobs-$n.log"
done
check "there are some" grep -q 'bad/again: was recorded on host "first.elsewhere.org", as was .*captures/first' \
	"$work/jobs-7.log"
check "three nodes are in it" grep -q "3 of 7 captures are in the trace" "$work/jobs-7.log"
for n in 0 x -1 1025; do
	refused "\"$n\" is not a number from 1 to 1024" -o "$work/none" --jobs="$n"
done

# Clocks. All captures begin about CLOCK_MONOTONIC 1.

boot=1700000000000000000

# wall NODE REALTIME [SYNCED [LATER]] - its meta.json says that the node booted then, and that
# the time of day was set by LATER during the recording
wall()
{
	local one='{"realtime":%d,"monotonic":%d,"width":%d,"synced":%s,"max_error":%d}'

	# shellcheck disable=SC2059 # the formats are the same
	sed -i "s/\"walls\":\[[^]]*\],//; s/\"anchors\"/\"walls\":[$(
		printf "$one,$one" $(($2 + 1000)) 900 200 "${3:-true}" 5000 \
			$(($2 + ${4:-0} + 4000)) 3900 200 "${3:-true}" 7000)],&/" \
		"$work/captures/$1/meta.json"
}

# Shifts are to the clock of the first one that is named, which is third.
wall third $boot
wall first $((boot + 300000))
wall secnd $((boot - 277777))
for name in third first secnd; do
	"$decode" "$work/captures/$name" -o "$work/$name" --to ovni,prv 2>/dev/null
done
check "aligned by the time of day" run "$decode" -o "$work/out" "${three[@]}"
says "how well: twice 7 us, and half of each width" \
	"clocks: aligned by the time of day: two nodes differ by at most 14202 ns"
check "no warning" silent warning
check "the timeline is that of the three" is_union "$work/out" 300000 -277777 0
check "the trace has the table" run "$emu" -o "$work/drawn" "$work/out/ovni"
check "which is enough" sh -c "! grep -Eq 'clock|warning|error' '$work/log'"
check "the timeline is the same" is_union "$work/drawn" 300000 -277777 0
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check "traces of one node each tell it, too" run "$emu" -o "$work/drawn" "$work"/{third,first,secnd}/ovni
says "how well" "clocks: aligned by the time of day: two nodes differ by at most 14202 ns"
check "the timeline is that of the three" is_union "$work/drawn" 300000 -277777 0
check "only the others" run "$decode" -o "$work/out" "$work/captures/"{first,secnd} --to ovni
check "relative to the first" grep -q '^1 secnd -577777 ' "$work/out/ovni/clock-offsets.txt"

printf 'rank host median mean std\n0 first 0 0 17\n1 secnd 100.9 101 3\n2 third -5 0 0\n9 x 1 1 99\n' \
	>"$work/table"
check "a table wins" run "$decode" -o "$work/out" "${three[@]}" --offsets "$work/table"
says "its deviation is told" "aligned by .*/table, whose standard deviation is at most 17 ns"
check "the timeline is that of the three" is_union "$work/out" 0 100 -5
sed -i '/third/d' "$work/table"
check "a table without one of them" run "$decode" -o "$work/out" "${three[@]}" -c "$work/table"
says "is a warning" "1 of 3 looms, the first is third, have no clock offset"
check_status 1 "a table that is none" run "$decode" -o "$work/out" "${three[@]}" -c "$work/third.log"
check "nothing is decoded for it" silent events
check "what was there is untouched" as_alone "$work/out" first secnd third
check_status 2 "a table for an output that is of one" run "$decode" -o "$work/none" "${three[0]}" \
	-c "$work/table" --to ovni,html
says "is refused" "offsets: html takes a single capture; these accept several: ovni, prv"

wall secnd $((boot - 277777)) false
check "nothing keeps the time of day" run "$decode" -o "$work/out" "${three[@]}" --to ovni
says "that is a warning" "but nothing kept that right on 1 of 3 nodes, the first is secnd"
wall secnd $((boot - 277777)) true -3000000000
check "the time of day was set" run "$decode" -o "$work/out" "${three[@]}" --to ovni
says "that is a warning" "node secnd: the time of day was set by -3000000000 ns during the recording"
says "and counts" "two nodes differ by at most 3000014202 ns"
wall secnd $((boot + 10000000000))
check "at another time" run "$decode" -o "$work/out" "${three[@]}" --to ovni
says "that is a warning" "node secnd: no other node was recorded at the time of its capture"
wall secnd $((boot - 7200000000000))
merged 3 "two hours earlier" "first third" \
	"node secnd: its capture begins 7200 s before the others: in one trace, all must begin within" \
	"${three[@]}"
sed -i 's/"walls":\[[^]]*\],//' "$work/captures/secnd/meta.json"
check "one does not tell the time of day" run "$decode" -o "$work/out" "${three[@]}"
says "that is a warning" "1 of 3 looms, the first is secnd, have no clock offset"
for walls in '[7]' '[{"realtime":10000000000000000000}]' '[{"width":5000000000000000000}]'; do
	sed -i "s/\"walls\":.*\"anchors\"/\"anchors\"/; s/\"anchors\"/\"walls\":$walls,&/" \
		"$work/captures/secnd/meta.json"
	run "$decode" -o "$work/out" "$work/captures/secnd" --to ovni
	says "walls $walls are noticed" "meta.json: a time of day is .*; going on without it"
done

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-bad.sh - captures that are damaged, outputs that cannot be written

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

magic=894f564e494b5342
good=$work/good
cap=$work/cap
out=$work/out

check "the generator is built" build gen-capture
"$work/gen-capture" random "$good" -n 4000 -c 2 -t 20 -b 4096 -s 6
"$decode" "$good" -o "$out" 2>"$work/log"
total=$(events_read)

# damaged FILE WHAT... - a copy of the good capture, damaged
damaged()
{
	rm -rf "$cap"
	cp -r "$good" "$cap"
	python3 "$gen/damage.py" "$cap/$1" "${@:2}"
}

# Where sub-buffer NUMBER of a file begins.
subbuf()
{
	python3 "$gen/damage.py" "$good/$1" find "$magic" "$2"
}

# decodes STATUS NAME PATTERN - and the messages match the pattern
decodes()
{
	local status=0

	rm -rf "$out"
	"$decode" "$cap" -o "$out" 2>"$work/log" || status=$?
	if [ "$status" -eq "$1" ] && grep -Eq "$3" "$work/log"; then
		ok "$2"
	else
		not_ok "$2"
		echo "status $status instead of $1, or no message matches $3:" | explain
		explain <"$work/log"
	fi
}

# accounted NAME - what was read and what is known to be missing is everything
accounted()
{
	check "$1: $(events_read) read + $(events_missing) missing" \
		test $(($(events_read) + $(events_missing))) -eq "$total"
	check "$1: the damaged header's counts are not called exact" \
		grep -q 'gap on CPU 1 .* (damaged):.* and an unknown number more$' "$work/log"
	check "$1: most is saved" test "$(events_read)" -gt $((total * 9 / 10))
	check "$1: the Laplace trace does not claim to be complete" \
		sh -c "! grep -qx c '$out/laplace.txt'"
	check "$1: the ovni trace is sound" "$emu" "$out/ovni" -o "$work"
}

# Where record NUMBER of the sub-buffer of CPU 1 at OFFSET begins.
record()
{
	python3 "$gen/damage.py" "$good/cpu1.ovk" record "$1" "$2"
}

third=$(subbuf cpu1.ovk 3)
fourth=$(subbuf cpu1.ovk 4)
early=$(record "$third" 20)
late=$(record "$third" 50)

damaged cpu1.ovk flip $((early + 9)) 3
decodes 3 "a flipped bit in a record" "cpu1.ovk: offset $third: the sub-buffer's CRC is wrong"

# The bit makes one number of a task into another: a task that never was, from then on.
"$decode" "$good" --tracer "csv,file=$work/good.csv" >"$work/log" 2>&1
"$decode" "$cap" --tracer "csv,file=$work/bad.csv" >"$work/log" 2>&1
wrong=$(cut -d , -f 3,5,6 "$work/bad.csv" | grep -vxFf <(cut -d , -f 3,5,6 "$work/good.csv") |
	sed -n 's/^thread,.*,//p')
python3 "$gen/damage.py" "$cap/cpu1.ovk" flip $(($(record "$fourth" 20) + 9)) 3
decodes 3 "another one in the next sub-buffer" "offset $fourth: the sub-buffer's CRC is wrong"
# Begin and end of both sub-buffers, in ns.
read -r from to next end < <(
	sed -n 's/.*CRC is wrong: its records from \(.*\) s to \(.*\) s of the capture may be wrong$/\1 \2/p' \
		"$work/log" | awk '{ printf "%.0f %.0f ", $1 * 1e9, $2 * 1e9 }')
check "the messages have times" test "${from:-0}" -lt "${to:-0}" -a "${next:-0}" -lt "${end:-0}"
check "one after the other" test "${to:-1}" -le "${next:-0}"
check "what is wrong is of that time" \
	test "${wrong:-0}" -gt "${from:-0}" -a "${wrong:-0}" -lt "${to:-0}"
damaged cpu1.ovk flip $((third + 63)) 3
decodes 3 "an end of a sub-buffer that cannot be" \
	"offset $third: the sub-buffer's CRC is wrong: its records from 0.00[0-9]* s of the capture on"

damaged cpu1.ovk put $((early + 4)) ee
decodes 3 "a record of an unknown type" "cpu1.ovk: offset $early: a record's type"
accounted "unknown type"

damaged cpu1.ovk put $((early + 4)) 0200
decodes 3 "a record of length 0" "cpu1.ovk: offset $early: a record's length"
accounted "length 0"

damaged cpu1.ovk put "$early" 01000000
decodes 3 "a record that goes back" "cpu1.ovk: offset $early: a record's time goes back"
accounted "time"

damaged cpu1.ovk put $((third + 128)) "$(printf '%*s' $((2 * (fourth - third - 128))) "" | tr ' ' 0)"
decodes 3 "zeros from within a header on" "cpu1.ovk: offset $third: the sub-buffer's CRC is wrong"
accounted "zeros"

mv "$good" "$work/crc"
"$work/gen-capture" random "$good" -n 4000 -c 2 -t 20 -b 4096 -s 6 -C
damaged cpu1.ovk put $((early + 4)) ee
decodes 3 "a record of an unknown type, no CRC" "gap on CPU 1 .* \(damaged\): sched_switch [0-9]+ "
check "no CRC: the counts of a header that fit are exact" \
	sh -c "! grep -q 'unknown number' '$work/log'"
check "no CRC: read and missing is everything" \
	test $(($(events_read) + $(events_missing))) -eq "$total"
rm -rf "$good"
mv "$work/crc" "$good"

damaged cpu1.ovk flip "$third" 0
decodes 3 "a flipped bit in the magic" "cpu1.ovk: offset $third: .* belong to no sub-buffer"
check "the neighbours of an unreadable sub-buffer do not know how much it held" \
	grep -q "unknown number more" "$work/log"
check "but the totals do" grep -q "in 1 gap, by the counts in meta.json: " "$work/log"
check "and are right" test $(($(events_read) + $(events_missing))) -eq "$total"

for field in cpu:12 nr_events:14 header_size:10 session:16 seq:24 used:72 committed:76 tsc:39 \
	tsc_end:62 ns:47 version:8 size:64; do
	damaged cpu1.ovk flip $((third + ${field#*:})) 6
	decodes 3 "a flipped bit in ${field%:*}" "cpu1.ovk: offset ($third|$fourth): "
	check "${field%:*}: most is saved" test "$(events_read)" -gt $((total * 8 / 10))
	check "${field%:*}: the ovni trace is sound" "$emu" "$out/ovni" -o "$work"
	check "${field%:*}: the capture does not grow longer" \
		sh -c "grep -Eq 'events in 0\.0[0-9]* s' '$work/log'"
done

damaged cpu1.ovk cut $((late + 3))
decodes 3 "a truncated file" "cpu1.ovk: offset $late: .*cut short"
check "truncated: everything before is there" test "$(events_read)" -gt $((total / 2))
check "truncated: read and missing is everything" \
	test $(($(events_read) + $(events_missing))) -eq "$total"

# It ended when its last sub-buffers were closed, which the header of a cut one says, too.
seconds()
{
	sed -n 's/.* events in \([0-9.]* s\) on .*/\1/p' "$work/log"
}

# look_later MS - at the clock, as a recorder does that has much to write after the stop
look_later()
{
	python3 - "$good" "$1" <<'PY'
import json, struct, sys

path, ms = sys.argv[1] + "/meta.json", int(sys.argv[2])
with open(sys.argv[1] + "/cpu0.ovk", "rb") as file:
    tsc, ns = struct.unpack("<QQ", file.read(48)[32:])
meta = json.load(open(path))
clock = meta["clock"]
clock["anchors"].append({"tsc": tsc + ms * clock["tsc_khz"], "ns": ns + ms * 1000000, "width": 100})
json.dump(meta, open(path, "w"))
PY
}

cp "$good/meta.json" "$work/"
check "the recorder looks at the clock after the stop" look_later 500
"$decode" "$good" -o "$out" 2>"$work/log"
whole=$(seconds)
for cpu in "$good"/cpu*.ovk; do
	name=${cpu##*/}
	damaged "$name" cut $(($(stat -c %s "$cpu") - 8))
	decodes 3 "$name lacks its end" "$name: offset .*cut short"
	check "$name: the capture does not grow longer" test "$(seconds)" = "$whole"
done
mv "$work/meta.json" "$good/"

damaged cpu1.ovk cut "$third"
decodes 3 "a file that ends with a sub-buffer" "cpu1.ovk: offset $third: the file ends here"
check "ends early: read and missing is everything" \
	test $(($(events_read) + $(events_missing))) -eq "$total"

damaged cpu1.ovk remove $((third + 1003)) 777
decodes 3 "bytes in the middle are missing" "cpu1.ovk: offset"
accounted "missing bytes"

damaged cpu1.ovk insert "$third" 333
decodes 3 "bytes between sub-buffers" "cpu1.ovk: offset $third: "
check "bytes between sub-buffers: nothing is lost" test "$(events_read)" -eq "$total"

damaged cpu1.ovk remove "$third" $((fourth - third))
decodes 3 "a whole sub-buffer is missing" "sub-buffers 3 to 3 are not in the file"

damaged cpu1.ovk cut 0
rm "$cap/cpu1.ovk"
decodes 3 "a file is missing" "cpu1.ovk: cannot read: No such file"

damaged meta.json cut 0
rm "$cap/meta.json"
decodes 3 "meta.json is missing" "meta.json: cannot open: No such file.*going on without it"
check "no meta.json: all events are there" test "$(events_read)" -eq "$total"
check "no meta.json: it is said what is not known because of that" \
	grep -q "meta.json is missing: losses at the end are unknown" "$work/log"
check "no meta.json: how far its times may be off" \
	grep -q "cap: without meta.json, all times may be wrong by [0-9.]* %" "$work/log"
# says_vague COMMAND ARGUMENT... - so does the answer itself
says_vague()
{
	"$decode" "$@" 2>/dev/null >"$work/answer"
	grep -Eq '(^  times  *|^ *"times":"|^    )may be wrong by [0-9.]* %' "$work/answer"
}
for question in report "report --json" top "why --pid 1003" pagecache "diff $good"; do
	# shellcheck disable=SC2086 # several words
	check "no meta.json: $question says it, too" says_vague $question "$cap"
done
check "no meta.json: so does the page" sh -c \
	"'$decode' '$cap' -o '$out' --to html 2>/dev/null; grep -q '\"times\":.*may be wrong by' '$out/timeline.html'"
check "no meta.json: nothing is called damaged" sh -c "! grep -q 'damaged in' '$work/log'"
check "no meta.json: the host is unknown" test -d "$out/ovni/loom.unknown"

damaged meta.json cut 1000
decodes 3 "meta.json is cut short" "meta.json: .*going on without it"
check "half a meta.json: all events are there" test "$(events_read)" -eq "$total"

damaged meta.json cut 0
decodes 3 "meta.json is empty" "meta.json: .*going on without it"

damaged meta.json cut 0
sed 's/"format_version":2/"format_version":9/' "$good/meta.json" >"$cap/meta.json"
decodes 1 "a newer format" "has format version 9, this ovnik-decode knows versions up to 2"

damaged meta.json cut 0
sed '/"checksum"/d; /"crc"/d; s/"host":/"missed":[{"runs":2}],&/' "$good/meta.json" >"$cap/meta.json"
decodes 4 "probes did not run" "BPF"

# lacks JSON NAME PATTERN - what its kernel did not let it record
lacks()
{
	damaged meta.json cut 0
	sed '/"checksum"/d; /"crc"/d' "$good/meta.json" >"$work/meta"
	awk -v lack="$1" '{ sub(/"host":/, "\"lack\":" lack ",&") } { print }' "$work/meta" >"$cap/meta.json"
	decodes 0 "$2" "$3"
}

lacks '[{"events":["mremap","mmap_file"],"reason":"a reason"},7,{"events":[]},{"events":["cow_break"]}]' \
	"what was not recorded is said" 'not all that happened was recorded: mremap, mmap_file \(a reason\); cow_break$'
lacks "[$(yes '{"events":["mremap"],"reason":"a reason"},' | head -n 999 | tr -d '\n')7]" \
	"of much some, and how much more" 'mremap \(a reason\) and 9[0-9][0-9] others$'
lacks '{"events":["mremap"]}' "what is no list is nothing" ' events in '
check "nothing is said of it" test "$(grep -c 'not all that' "$work/log")" -eq 0

# A clock that is not known, and one that is not what meta.json says.

# clock NAME WHAT STATUS PATTERN - the clock is described otherwise
clock()
{
	damaged meta.json cut 0
	sed "s/\"source\":\"tsc\"/$2/" "$good/meta.json" >"$cap/meta.json"
	decodes "$3" "$1" "$4"
}

unknown='cap/meta.json: the capture.s clock is .*, this ovnik-decode knows tsc and monotonic'
clock "an unknown clock" '"source":"tai"' 1 "${unknown/.\*/\"tai\"}"
clock "a clock without a name" '"source":null' 1 "${unknown/.\*/null}"
clock "a clock that is a number" '"source":[1,2]' 1 "${unknown/.\*/.*1,.*2.*}"
clock "a clock that counts ns, at 2 GHz" '"source":"monotonic"' 3 \
	"meta.json: its clock counts ns, but has another rate; going on without it"
check "a clock's wrong rate: all events are there" test "$(events_read)" -eq "$total"
clock "the clock is not named" '"nothing":0' 0 "clock: TSC, 2000.000 MHz; "
clock "a clock that no sub-buffer agrees with" '"source":"monotonic"/; s/2000000/1000000' 3 \
	"the sub-buffer's clock contradicts the rest of the capture"
check "its anchors are reported as wrong" grep -q 'clock: .* 0 anchors, [0-9]* rejected' "$work/log"

# pages SIZE STATUS PATTERN - the size of a page is described so
pages()
{
	damaged meta.json cut 0
	sed '/"checksum"/d; /"crc"/d' "$good/meta.json" >"$work/meta"
	sed "s/\"host\":/\"page_size\":$1,&/" "$work/meta" >"$cap/meta.json"
	decodes "$2" "pages of $1" "$3"
}

for size in 4096 16384 65536; do
	pages $size 0 ' events in '
done
for size in 0 1 2048 4095 4097 12288 131072 4294971392 -4096 null '"16384"' '[4096]'; do
	pages "$size" 1 "cap/meta.json: the capture's page_size is .*, this ovnik-decode knows powers of two from 4096 to 65536"
done

mv "$good" "$work/tsc"
"$work/gen-capture" random "$good" -n 4000 -c 2 -t 20 -b 4096 -s 6 -m
for field in tsc:39 tsc_end:62 ns:47; do
	damaged cpu1.ovk flip $((third + ${field#*:})) 6
	decodes 3 "a flipped bit in ${field%:*}, CLOCK_MONOTONIC" \
		"cpu1.ovk: offset ($third|$fourth): "
	check "${field%:*}: most is saved" test "$(events_read)" -gt $((total * 8 / 10))
	check "${field%:*}: the ovni trace is sound" "$emu" "$out/ovni" -o "$work"
done
damaged meta.json cut 0
rm "$cap/meta.json"
decodes 3 "CLOCK_MONOTONIC, but no meta.json" "clock: [0-9]* anchors, 0 rejected; residual 0 ns"
rm -rf "$good"
mv "$work/tsc" "$good"

rm -rf "$cap"
mkdir "$cap"
cp "$good/meta.json" "$cap"
for cpu in 0 1; do
	python3 - "$good/cpu$cpu.ovk" "$cap/cpu$cpu.ovk" <<-'END'
		import sys
		magic = bytes.fromhex("894f564e494b5342")
		data = open(sys.argv[1], "rb").read().replace(magic + b"\2\0", magic + b"\3\0")
		open(sys.argv[2], "wb").write(data)
	END
done
decodes 1 "sub-buffers of a newer format" "has format version 3, this .* versions up to 2"

rm -rf "$cap"
mkdir "$cap"
decodes 1 "an empty directory" "cap: not a capture: no cpuN.ovk"
check "that is all that is said" test "$(wc -l <"$work/log")" -eq 1
rm -rf "$cap"
decodes 1 "no directory" "cap: No such file or directory"
echo hello >"$cap"
decodes 1 "a file instead of a directory" "cap: not a capture"
rm "$cap"

"$work/gen-capture" random "$work/none" -n 0 -c 2 -t 1
cp -r "$work/none" "$cap"
: >"$cap/cpu0.ovk"
sed -i 's/"bytes":[0-9]*/"bytes":0/; s/"recorded":[0-9]*/"recorded":0/g' "$cap/meta.json"
decodes 0 "a capture without events" "warning: $cap: the capture holds no events$"
check "that is all that is said" test "$(wc -l <"$work/log")" -eq 1
check "there is no ovni trace of it" test ! -e "$out/ovni"

cp "$good/meta.json" "$cap"
: >"$cap/cpu1.ovk"
decodes 1 "nothing can be read" "error: $cap: the capture is damaged, and not one record"
check "no outputs of that, nor a directory for them" test ! -e "$out"
mkdir "$out"
check_status 1 "nothing can be read, Laplace alone" "$decode" "$cap" -o "$out" --to laplace
check "no Laplace trace of that, the directory stays" sh -c "[ -d '$out' ] && ! ls '$out' | grep -q ."
rm -rf "$cap"

# Root may read everything, unless it has given that up.
cp -r "$good" "$cap"
chmod 0 "$cap/cpu1.ovk"
powerful=$decode
decode=$work/powerless
cat >"$decode" <<END
#!/bin/sh
exec setpriv --bounding-set=-dac_override,-dac_read_search "$powerful" "\$@"
END
chmod +x "$decode"
decodes 3 "a file that may not be read" "cpu1.ovk: cannot read: Permission denied"
decode=$powerful
rm -rf "$cap"

# Outputs.

rm -rf "$out"
"$decode" "$good" -o "$out" 2>/dev/null
cksum "$out/thread.prv" >"$work/before"
check_status 1 "the emulator does not replace the decoder's views" "$emu" "$out"
check "it names the trace" sh -c "'$emu' '$out' 2>&1 | grep -q ': $out/ovni is the trace'"
check "and the views stay" sh -c "cksum '$out/thread.prv' | cmp -s - '$work/before'"
mv "$out" "$work/[x]*"
check_status 1 "not in a directory whose name is a pattern either" "$emu" "$work/[x]*"
rm -rf "$work/[x]*"

check_status 1 "the output directory is a file" "$decode" "$good" -o "$good/meta.json"
check_status 1 "the output directory has no parent" "$decode" "$good" -o "$work/no/such/dir"

rm -rf "$out"
mkdir -p "$out/ovni"
echo precious >"$out/ovni/mine"
check_status 1 "a directory that is no trace is not replaced" "$decode" "$good" -o "$out"
check "and what is in it is still there" grep -q precious "$out/ovni/mine"
check "and nothing else was begun" test "$(ls "$out")" = ovni

rm -rf "$out"
mkdir -p "$out/cpu.pcf"
echo old >"$out/laplace.txt"
check_status 1 "a directory in a file's place" "$decode" "$good" -o "$out"
check "what is there from before is still there" grep -q old "$out/laplace.txt"
check "only the output that needs that file fails" "$decode" "$good" -o "$out" --to ovni,laplace

rm -rf "$out"
mkdir -p "$out" "$work/elsewhere/loom.x"
ln -s "$work/elsewhere" "$out/ovni"
check_status 1 "a link instead of ovni is not followed" "$decode" "$good" -o "$out"
check "and what it points to is still there" test -d "$work/elsewhere/loom.x"
rm "$out/ovni"
echo precious >"$work/target"
ln -sf "$work/target" "$out/laplace.txt"
mkdir -p "$out/ovni/loom.x"
ln -s "$work/elsewhere" "$out/ovni/loom.x/link"
check "links in the way are replaced" "$decode" "$good" -o "$out"
check "and not written through" grep -q precious "$work/target"
check "nor emptied through" test -d "$work/elsewhere/loom.x"

# full NAME OUTPUT FILE - no room for an output
full()
{
	rm -rf "$out"
	"$decode" "$good" -o "$out" 2>/dev/null
	echo precious >"$out/mine"
	(
		trap '' XFSZ
		ulimit -f 4
		exec "$decode" "$good" -o "$out" --to "$2"
	) 2>"$work/log"
	check "$1: status 1" test $? -eq 1
	check "$1: the file is named" grep -Eq "error: .*$3.*(File too large|No space)" "$work/log"
}

# left NAME FILE... - all that is in the output directory
left()
{
	local name=$1

	shift
	check "$name" test "$(ls "$out")" = "$(printf '%s\n' "$@" | LC_ALL=C sort)"
}

views="cfg cpu.pcf cpu.prv cpu.row thread.pcf thread.prv thread.row"
# shellcheck disable=SC2086 # several words
{
	full "no room for the Laplace trace" laplace laplace.txt
	left "neither the old nor half a new one is left" mine ovni timeline.html $views
	full "no room for the ovni trace" ovni stream.obs
	left "no ovni trace is left" mine laplace.txt timeline.html $views
	full "no room for the views" prv prv
	left "no views are left" mine laplace.txt ovni timeline.html
	full "no room for anything" ovni,laplace,prv,html "(laplace.txt|stream.obs|prv|html)"
	left "what is not ours is left" mine
	for kind in html svg perfetto; do
		full "no room for $kind" $kind $kind
	done
}

mkdir -p "$work/small"
if mount -t tmpfs -o size=64k none "$work/small" 2>/dev/null; then
	out=$work/small/out
	"$decode" "$good" -o "$out" 2>"$work/log"
	check "a full file system: status 1" test $? -eq 1
	check "a full file system: it is said" grep -q "No space left" "$work/log"
	umount "$work/small"
else
	skip "a full file system" "cannot mount"
fi
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emu-hostile.sh - damaged and hostile traces: a clear message, nothing worse

# shellcheck disable=SC2317 # called through a variable

# The last command of a pipe counts results, so it must not run in a subshell.
shopt -s lastpipe

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
: "${EMU:=$top/build/ovnik-emu}"
# KiB of address space; "unlimited" for a build with AddressSanitizer.
: "${MEMORY:=1000000}"

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

if [ ! -x "$EMU" ]; then
	not_ok "ovnik-emu is built"
	finish
fi

# In memory if there is room: the last test makes 40000 files.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
if [ "${room:-0}" -gt 1000000 ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
t=$work/trace
stream=$t/loom.node.0/proc.100/thread.1

# le BYTES NUMBER - a number as the machine (little endian) stores it
le()
{
	local n=$2 i out=

	for ((i = 0; i < $1; i++)); do
		out+=$(printf '\\x%02x' $((n & 255)))
		n=$((n >> 8))
	done
	printf '%b' "$out"
}

magic()
{
	printf 'ovni'
	le 4 1
}

# event MCV CLOCK [BYTES] - without payload, or with one made of zeroes
event()
{
	le 1 $((${3:-0} > 0 ? ${3:-0} - 1 : 0))
	printf '%s' "$1"
	le 8 "$2"
	[ "${3:-0}" -eq 0 ] || head -c "$3" /dev/zero
}

# jumbo MCV CLOCK SIZE - without the data
jumbo()
{
	le 1 $((0x13))
	printf '%s' "$1"
	le 8 "$2"
	le 4 "$3"
}

# metadata TID [MEMBERS] - more members of the object ovni
metadata()
{
	printf '{"version":3,"ovni":{"lib":{"version":"1.14.0","commit":"x"},'
	printf '"part":"thread","pid":100,"loom":"node.0","app_id":1,"finished":1,'
	printf '"require":{"ovni":"1.1.0","kernel":"1.0.0"},'
	printf '"loom_cpus":[{"index":0,"phyid":0},{"index":1,"phyid":1}]'
	printf '%s,"tid":%d}}' "${2:-}" "$1"
}

# A sound trace with one thread: OHx at 10, offset 8; OHe at 20, offset 36.
fresh()
{
	rm -rf "$t"
	mkdir -p "$stream"
	metadata 1 >"$stream/stream.json"
	{ magic; event OHx 10 16; event OHe 20; } >"$stream/stream.obs"
}

# refused NAME PATTERN [OPTION...] - exit 1, and a message that matches
refused()
{
	local name=$1 pattern=$2 status=0 before

	shift 2
	before=$(ulimit -v)
	ulimit -S -v "$MEMORY"
	timeout 300 "$EMU" "$@" "$t" >"$work/out" 2>&1 || status=$?
	ulimit -S -v "$before"
	if [ "$status" -eq 1 ] && grep -Eq -- "$pattern" "$work/out"; then
		ok "$name"
	else
		not_ok "$name"
		echo "status $status, expected 1 and a message with: $pattern" | explain
		explain <"$work/out"
	fi
}

# obs NAME PATTERN - the stream is what stdin says
obs()
{
	fresh
	cat >"$stream/stream.obs"
	refused "$1" "thread.1/stream.obs: $2"
}

# json NAME PATTERN - the metadata is what stdin says
json()
{
	fresh
	cat >"$stream/stream.json"
	refused "$1" "thread.1/stream.json: .*$2"
}

# sed_json NAME PATTERN SCRIPT - the metadata is changed
sed_json()
{
	fresh
	sed -i "$3" "$stream/stream.json"
	refused "$1" "thread.1/stream.json: .*$2"
}

fresh
check "the sound trace is accepted" "$EMU" "$t"
fresh
chmod -R a-w "$t"
check "a read-only trace is accepted" "$EMU" -o "$work/elsewhere" "$t"
chmod -R u+w "$t"
check_status 2 "no trace directory on the command line" "$EMU"
check_status 2 "an unknown option" "$EMU" --no-such-option "$t"

# Streams

printf '' | obs "empty file" "offset 0: truncated"
printf 'ovni\1\0\0' | obs "header cut" "offset 0: truncated"
{ printf 'OVNI'; le 4 1; } | obs "wrong magic" "offset 0: wrong magic"
{ printf 'ovni'; le 4 2; } | obs "wrong version" "offset 4: stream version 2"
fresh
magic >"$stream/stream.obs"
refused "no events" "not dead"
{ magic; event OHx 10 16; event OHe 20 | head -c 11; } |
	obs "event header cut" "offset 36: truncated"
{ magic; event OHx 10 16 | head -c 27; } |
	obs "event runs past the end" "offset 8: event OHx at clock 10: truncated"
{ magic; event OHx 10 16; event OHe 9; } |
	obs "clock goes back" "offset 36: event OHe at clock 9: the clock goes back, it was 10: run ovnisort"
{ magic; event OHx -1 16; } | obs "clock too large" "offset 8: event OHx .*out of range"
{ magic; event OHx 10 16; jumbo OB1 11 4294967295; } |
	obs "jumbo size overflow" "offset 36: event OB1 at clock 11: truncated: the jumbo"
{ magic; event OHx 10 16; jumbo OB1 11 5 | head -c 14; } |
	obs "jumbo size cut" "offset 36: event OB1 at clock 11: truncated"
{ magic; event OHx 10 16; jumbo OB1 11 5; printf 'abcd'; } |
	obs "jumbo data cut" "offset 36: event OB1 at clock 11: truncated: the jumbo"
{ magic; le 1 $((0x10)); printf 'OB1'; le 8 10; } |
	obs "jumbo without size" "offset 8: event OB1 .*without 4 bytes"
{ magic; event $'\001\177Z' 10; } |
	obs "binary event" 'offset 8: event \\x01\\x7fZ at clock 10: unknown model'
{ magic; event VTx 10 8; } |
	obs "event of a model that is off" "offset 8: event VTx at clock 10: no thread requires"
{ magic; event OHx 10 2; } | obs "payload too short" "offset 8: event OHx .*at least 4"
{ magic; event OHx 10 16; event OM= 11 12; } |
	obs "undeclared mark" "offset 36: event OM= .*mark 0 is not declared"
{ magic; event OHx 10 16; event KCI 11; } |
	obs "KCI without KCO" "offset 36: event KCI .*stack is empty"
{ magic; event OHx 10 16; event KCO 11; event OHp 12; } |
	obs "ovni event while out of the CPU" "offset 48: event OHp .*thread 1 is out of the CPU"
head -c 100000 /dev/urandom | { magic; cat; } | obs "noise" "offset [0-9]*: "

fresh
truncate -s 3G "$stream/stream.obs"
refused "sparse file" "stream.obs: offset 48: "
fresh
rm "$stream/stream.obs"
refused "no stream.obs" "thread.1/stream.obs: cannot open"
fresh
rm "$stream/stream.obs"
mkfifo "$stream/stream.obs"
refused "stream.obs is a FIFO" "thread.1/stream.obs: is not a regular file"
fresh
rm "$stream/stream.obs"
mkdir "$stream/stream.obs"
refused "stream.obs is a directory" "thread.1/stream.obs: "

# Metadata

printf '' | json "empty JSON" "offset 0: no valid JSON"
printf '{"version":3,' | json "JSON cut" "offset [0-9]+: no valid JSON"
printf '[3]' | json "JSON array" "offset 0: is not a JSON object"
printf '3' | json "JSON number" "offset [0-9]: (is not|no valid)"
{ metadata 1; echo x; } | json "text after the JSON" "offset [0-9]+: no valid JSON: text after"
{ printf '{"version":'; printf '[%.0s' {1..100000}; } | json "deep JSON" "no valid JSON.*nest"
head -c 1000 /dev/urandom | json "noise as JSON" "offset [0-9]+: "
fresh
truncate -s 1G "$stream/stream.json"
refused "huge JSON" "stream.json: 1073741824 bytes are too much"
fresh
rm "$stream/stream.json"
mkfifo "$stream/stream.json"
refused "stream.json is a FIFO" "stream.json: is not a regular file"
fresh
rm "$stream/stream.json"
ln -s /nowhere "$stream/stream.json"
refused "stream.json is a dangling link" "stream.json: cannot open"
printf '{"version":3}' | json "no ovni object" '"ovni" is missing'
printf '{"version":3,"ovni":1}' | json "ovni is a number" '"ovni" is int, expected object'
sed_json "names that are no object" '"ovnik"' 's/"app_id":1/"app_id":1,"ovnik":7/'
sed_json "no name of the process" '"process"' 's/"app_id":1/"app_id":1,"ovnik":{"name":"x"}/'
sed_json "wrong version" '"version" is 2, expected 3' 's/"version":3/"version":2/'
sed_json "version is a string" '"version" is string' 's/"version":3/"version":"3"/'
sed_json "not finished" '"finished" is 0' 's/"finished":1/"finished":0/'
sed_json "what may be the cause" "did not end its stream by ovni_thread_free.*killed" 's/"finished":1/"finished":0/'
sed_json "finished is missing" '"finished" is missing' 's/"finished":1/"x":1/'
sed_json "tid is a string" '"tid" is string, expected int' 's/"tid":1/"tid":"1"/'
sed_json "tid is a fraction" '"tid" is not an integer' 's/"tid":1/"tid":1.5/'
sed_json "tid is 0" "thread 0 is not greater than 0" 's/"tid":1/"tid":0/'
sed_json "tid is huge" '"tid" is out of range' 's/"tid":1/"tid":99999999999999999999/'
sed_json "pid is negative" "process -5" 's/"pid":100/"pid":-5/'
sed_json "loom is an object" '"loom" is object' 's/"loom":"node.0"/"loom":{}/'
sed_json "loom has a NUL" '"loom" has a NUL' 's/"node.0"/"no\\u0000de"/'
sed_json "require is an array" '"require" is array' 's/"require":{[^}]*}/"require":[]/'
sed_json "require is missing" '"require" is missing' 's/"require"/"requires"/'
sed_json "unreadable version" 'cannot read version "x"' 's/"kernel":"1.0.0"/"kernel":"x"/'
sed_json "version from the future" "version 1.9.0 is required" 's/"kernel":"1.0.0"/"kernel":"1.9.0"/'
sed_json "app_id is 0" "app_id 0" 's/"app_id":1/"app_id":0/'
sed_json "CPUs are an object" '"loom_cpus" is not an array' 's/"loom_cpus":\[[^]]*\]/"loom_cpus":{}/'
sed_json "no CPU in the list" '"loom_cpus" is empty' 's/"loom_cpus":\[[^]]*\]/"loom_cpus":[]/'
# What upstream's parser refuses, and json-c takes.
sed_json "a number that is none" 'no valid JSON: a number is NaN' 's/"version":3/"version":3,"x":NaN/'
sed_json "a number beyond all" 'no valid JSON: .*too large' 's/"version":3/"version":3,"x":1e999/'
sed_json "a name twice" 'no valid JSON: an object has two members of one name' \
	's/"version":3/"version":3,"version":3/'
sed_json "a CPU is a number" '"loom_cpus" has an element' 's/"loom_cpus":\[[^]]*\]/"loom_cpus":[1]/'
sed_json "a CPU without phyid" '"phyid" is missing' 's/"phyid":0/"x":0/'
sed_json "one CPU, two numbers" "phyid 0 has index 0 and 1" 's/"phyid":1/"phyid":0/'
sed_json "mark is a number" '"mark" is not an object' 's/"tid"/"mark":1,"tid"/'
sed_json "mark without title" '"title" is missing' 's/"tid"/"mark":{"1":{}},"tid"/'
sed_json "mark type is no number" '"x" is not a number' 's/"tid"/"mark":{"x":{}},"tid"/'
sed_json "mark type is too large" "mark type 100" \
	's/"tid"/"mark":{"100":{"title":"a","chan_type":"stack"}},"tid"/'
sed_json "mark of a strange kind" "neither single nor stack" \
	's/"tid"/"mark":{"1":{"title":"a","chan_type":"queue"}},"tid"/'
sed_json "mark label is a number" '"5" is int, expected string' \
	's/"tid"/"mark":{"1":{"title":"a","chan_type":"stack","labels":{"5":6}}},"tid"/'
sed_json "a mark's activity is a number" '"ovnik" is int, expected string' \
	's/"tid"/"mark":{"1":{"title":"a","chan_type":"stack","ovnik":6}},"tid"/'
sed_json "a mark of the wrong kind for its activity" 'chan_type is not that of "bytes_read"' \
	's/"tid"/"mark":{"1":{"title":"a","chan_type":"stack","ovnik":"bytes_read"}},"tid"/'
sed_json "two marks are the same activity" '1 and 2 .*"bytes_read"' \
	's/"tid"/"mark":{"1":{"title":"a","chan_type":"single","ovnik":"bytes_read"},"2":{"title":"b","chan_type":"single","ovnik":"bytes_read"}},"tid"/'

# Activities: marks that are ours

# mark MCV CLOCK TYPE VALUE
mark()
{
	le 1 11
	printf '%s' "$1"
	le 8 "$2"
	le 8 "$4"
	le 4 "$3"
}

# activities - as fresh, the stream being what stdin says between OHx and OHe
activities()
{
	fresh
	metadata 1 ',"mark":{"1":{"title":"a","chan_type":"stack","ovnik":"page_fault"},
		"2":{"title":"b","chan_type":"single","ovnik":"bytes_read"},
		"3":{"title":"c","chan_type":"single","ovnik":"of a later version"}}' \
		>"$stream/stream.json"
	{ magic; event OHx 10 16; cat; event OHe 20; } >"$stream/stream.obs"
}

{ mark 'OM[' 11 1 2; mark OM= 12 2 7; mark 'OM]' 13 1 2; mark OM= 14 3 5; } | activities
check "activities are accepted" "$EMU" "$t"
for line in 1:302:2 1:307:7 2:307:0 3:302:0 4:103:5; do
	check "and rendered: $line" grep -qx "2:0:1:1:1:$line" "$t/thread.prv"
done
check "a mark of ours is rendered once" sh -c "! grep -Eq ':10[12]:' '$t/thread.prv' '$t/cpu.prv'"
{ mark 'OM[' 11 1 2; mark 'OM]' 12 1 3; } | activities
refused "an activity ends that did not begin" "event OM] at clock 12: .*kernel.page_fault.*another"
{ mark 'OM]' 12 1 3; } | activities
refused "the end of an activity alone" "event OM] at clock 12: .*stack is empty"
{ mark 'OM[' 11 2 7; } | activities
refused "a count is pushed" "event OM\\[ at clock 11: .*kernel.bytes_read"
{ mark OM= 11 2 0; } | activities
refused "a count of 0" "event OM= at clock 11: .*0 is not a value"
mark OM= 11 2 -1 | activities
refused "a negative count" "offset 36: event OM= at clock 11: mark 2: .*negative"
{ event KCO 11; mark OM= 11 2 1; } | activities
refused "an activity off the CPU" "event OM= at clock 11: .*out of the CPU"

fresh
sed -i 's/"index":1/"index":2/' "$stream/stream.json"
refused "CPU numbers with a gap" "none with index 1"
fresh
sed -i 's/"app_id":1,//' "$stream/stream.json"
refused "no app_id" "process 100 has no app_id"
fresh
sed -i 's/"loom_cpus"/"no_cpus"/' "$stream/stream.json"
refused "no CPUs" "loom node.0 has no CPUs"
fresh
sed -i 's/"kernel":"1.0.0"/"strange":"2.7.0"/' "$stream/stream.json"
{ magic; event OHx 10 16; event Zxy 10; event Zab 11 8; event @xy 12; event OHe 20; } \
	>"$stream/stream.obs"
check "a trace with an unknown model is accepted" "$EMU" "$t"
"$EMU" "$t" >"$work/out" 2>&1
check "the unknown model is reported" grep -q "requires the unknown model strange" "$work/out"
check "its events are counted" grep -q "unknown model Z: 2 events were skipped" "$work/out"
check "those of another, too" grep -q "unknown model @: 1 event was skipped" "$work/out"
check "and the rest is rendered" test "$(grep -c '' "$t/thread.prv")" -eq 7
refused "strict: an unknown model" "stream.json: requires the unknown model strange" --strict
sed -i 's/"strange":"2.7.0"/"kernel":"1.0.0"/' "$stream/stream.json"
refused "strict: its events" "offset 36: event Zxy at clock 10: unknown model" --strict
fresh
sed -i 's/"kernel":"1.0.0"/"nosv":"2.7.0"/' "$stream/stream.json"
{ magic; event KCO 10; } >"$stream/stream.obs"
refused "model that no thread requires" "offset 8: event KCO .*no thread requires the kernel model"
fresh
cp -r "$stream" "${stream}2"
refused "a thread twice" "thread.12/stream.json: process 100 has thread 1 twice"
fresh
sed -i 's/"part":"thread"/"part":"other"/' "$stream/stream.json"
cp -r "$stream" "$t/other"
metadata 1 >"$stream/stream.json"
refused "events of another part" "other/stream.obs: offset 8: event OHx .*not a thread"

# A CPU's own stream

# fresh_cpu - as fresh, and events of CPU 1 are missing from 12 to 15
fresh_cpu()
{
	fresh
	cpu=$t/loom.node.0/cpu.1
	mkdir "$cpu"
	metadata 1 | sed 's/"part":"thread"/"part":"cpu","index":1/' >"$cpu/cpu.json"
	{ magic; le 1 3; printf 'KL['; le 8 12; le 4 1; event 'KL]' 15; } >"$cpu/cpu.events"
}

# cpu_json NAME PATTERN SCRIPT - the metadata is changed
cpu_json()
{
	fresh_cpu
	sed -i "$3" "$cpu/cpu.json"
	refused "CPU's stream: $1" "cpu.1/cpu.json: .*$2"
}

# cpu_obs NAME PATTERN - the stream is what stdin says
cpu_obs()
{
	fresh_cpu
	cat >"$cpu/cpu.events"
	refused "CPU's stream: $1" "cpu.1/cpu.events: $2"
}

fresh_cpu
check "a CPU's stream is accepted" "$EMU" "$t"
check "it is rendered" grep -qx 2:0:1:1:2:5:301:0 "$t/cpu.prv"
fresh
mv "$t" "$work/without"
check "without it" "$EMU" "$work/without"
fresh_cpu
"$EMU" "$t"
check "nothing else changes" cmp "$t/thread.prv" "$work/without/thread.prv"
rm -rf "$work/without"
cpu_json "part" '"part" is "thread", expected "cpu"' 's/"part":"cpu"/"part":"thread"/'
cpu_json "not finished" '"finished" is 0' 's/"finished":1/"finished":0/'
cpu_json "index" 'no loom "node.0" has a CPU with index 2' 's/"index":1,/"index":2,/'
cpu_json "virtual CPU" "index -1" 's/"index":1,/"index":-1,/'
cpu_json "loom" 'no loom "other" has' 's/"loom":"node.0"/"loom":"other"/'
{ magic; event KCO 12; } | cpu_obs "event of a thread" "offset 8: event KCO .*a CPU has no such"
{ magic; event 'KL[' 12; } | cpu_obs "no payload" "offset 8: event KL\\[ .*4 expected"
{ magic; event 'KL]' 12; } | cpu_obs "end without beginning" "offset 8: event KL] .*already"
{ magic; le 1 7; printf 'KW]'; le 8 12; le 4 100; le 4 2; } |
	cpu_obs "a thread that is not there" "offset 8: event KW] .*has no thread 2"
fresh_cpu
{ magic; le 1 7; printf 'KW]'; le 8 12; le 4 100; le 4 1; } >"$cpu/cpu.events"
check "CPU's stream: a thread that does not wait is passed over" "$EMU" "$t"
{ magic; event 'KW[' 12; } | cpu_obs "a wait for nothing" "offset 8: event KW\\[ .*16 expected"
fresh_cpu
rm "$cpu/cpu.events"
refused "CPU's stream: no events file" "cpu.1/cpu.events: cannot open"
fresh_cpu
rm -r "$stream"
refused "CPU's stream: no thread" "no stream: there is no stream.json"

# Directories

fresh
find "$t" -type f -delete
refused "directory without streams" "trace: no stream: there is no stream.json below. A trace is"
touch "$stream/../thread.1.obs"
refused "a trace of an older libovni" "trace: no stream: this trace is of libovni up to 1.10"
rm -rf "$t"
refused "no directory" "trace: No such file"
echo x >"$t"
refused "a file instead of a directory" "trace: is a file: an ovni trace is a directory"
rm "$t"

fresh
ln -s . "$t/self"
ln -s .. "$stream/up"
ln -s loop "$t/loop"
check "symbolic links in a circle" timeout 300 "$EMU" "$t"

mkdir -p "$work/outside/deep"
: >"$work/outside/deep/stream.json"
fresh
ln -s "$work/outside" "$t/loom.out"
check "a link out of the trace" timeout 300 "$EMU" "$t"
check "is not followed" \
	sh -c '"$1" "$2" 2>&1 | grep -q "loom.out: this link leads out of the trace and is skipped"' \
	sh "$EMU" "$t"

# Everything else in that stream is as it should be.
for file in stream.json stream.obs; do
	fresh
	cp "$stream/$file" "$work/outside/$file"
	ln -sf "$work/outside/$file" "$stream/$file"
	refused "a link to a $file outside" \
		"$file: this link leads out of the trace and is skipped"
done

fresh
(
	cd "$t" || exit
	name=$(printf 'd%.0s' {1..200})
	for ((i = 0; i < 30; i++)); do
		mkdir "$name" && cd -P "$name" || exit
	done
)
refused "directories deeper than a path can say" "cannot (stat|open directory): File name too long"

# Clocks

fresh
metadata 2 >"$work/two.json"
mkdir "$t/thread.2"
mv "$work/two.json" "$t/thread.2/stream.json"
{ magic; event OHx 3600000000011 16; event OHe 3600000000012; } >"$t/thread.2/stream.obs"
refused "clock gate" "thread.2/stream.obs: offset 8: large clock gate"

offsets()
{
	fresh
	cat >"$t/clock-offsets.txt"
	refused "$1" "clock-offsets.txt: $2"
}

printf 'rank host median mean std\n' | offsets "offsets: empty table" "line 2: the table has no"
printf 'h\n0 node x 0 0\n' | offsets "offsets: no number" "line 2: expected"
printf 'h\n0 other 1 0 0\n' | offsets "offsets: unknown host" "line 2: no loom runs on host other"
printf 'h\n0 node1 1 0 0\n' | offsets "offsets: a longer name" "line 2: no loom runs on host node1"
printf 'h\n0 node 1e300 0 0\n' | offsets "offsets: out of range" "line 2: the offset is out"
printf 'h\n0 node nan 0 0\n' | offsets "offsets: not a number" "line 2: the offset is out"
printf 'h\n0 node 1 0 0\n1 node 1 0 0\n' | offsets "offsets: host twice" "line 3: this host"
head -c 5000 /dev/zero | tr '\0' x | offsets "offsets: long line" "line 1: the line is too long"
fresh
refused "offsets: no such file" "nowhere: cannot open" -c "$work/nowhere"

# Outputs

fresh
mkdir -p "$work/full"
# A page for each file, in a file system of its own.
disk_full()	# KIB PATTERN
{
	printf '#!/bin/sh\nexec unshare -m sh -c "mount -t tmpfs -o size=%sk none %s && exec \\"\\$@\\"" sh %s "$@"\n' \
		"$1" "$work/full" "$emu" >"$work/full-emu"
	chmod +x "$work/full-emu"
	EMU=$work/full-emu
	refused "disk full, $1 KiB" "$2: cannot write: No space left" -o "$work/full"
	EMU=$emu
}
emu=$EMU
disk_full 4 "cpu.prv"
disk_full 8 "thread.pcf"
disk_full 16 "thread.row"
ln -s /dev/full "$work/full/cpu.prv"
check "a trace's link is replaced" "$EMU" "$t" -o "$work/full"
check "by a file, too" test -s "$work/full/cpu.prv"
mkdir "$work/full/thread.prv.gz"
refused "a directory of a trace's name" "thread.prv.gz: cannot replace: Is a directory" \
	-o "$work/full"
rm -rf "$work"/full/*
mkdir -p "$work/full/cfg/cpu"
ln -sf /dev/full "$work/full/cfg/cpu/thread.cfg"
check "a view's link is replaced" "$EMU" "$t" -o "$work/full"
check "by a file" test -f "$work/full/cfg/cpu/thread.cfg"
rm -rf "$work"/full/*
ln -s /tmp "$work/full/cfg"
refused "cfg is a link" "full/cfg: cannot use this directory: Not a directory" -o "$work/full"
rm -f "$work"/full/cfg
mkdir -p "$work/full/cfg/cpu/thread.cfg"
refused "a view is a directory" "thread.cfg: cannot remove: Is a directory" -o "$work/full"
refused "output directory cannot be made" "cannot use this directory" -o "$work/no/such"
refused "output directory is a file" "stream.obs: is a file: name a directory for the outputs" \
	-o "$stream/stream.obs"

fresh
{ magic; event OHx 10 16; event KCO 15; event OHz 16; } >"$stream/stream.obs"
refused "rejected in the middle" "offset 48: event OHz"
check "what was rendered before can be read" \
	sh -c 'head -n 1 "$1/thread.prv" | grep -q ":00000000000000000006_ns:" &&
	       grep -q "^2:0:1:1:1:5:45:3$" "$1/thread.prv" && test -s "$1/cpu.pcf"' sh "$t"

# Masses

fresh
streams=$(amount 4000 20000)
python3 - "$t" "$streams" <<'PYTHON'
import json, os, struct, sys
root, n = sys.argv[1], int(sys.argv[2])
for i in range(2, n):
    path = f"{root}/many/{i}"
    os.makedirs(path)
    with open(f"{path}/stream.json", "w", encoding="utf-8") as f:
        json.dump({"version": 3, "ovni": {
            "lib": {"version": "1", "commit": "x"}, "part": "thread", "tid": i,
            "pid": 100, "loom": "node.0", "finished": 1,
            "require": {"ovni": "1.1.0"}}}, f)
    with open(f"{path}/stream.obs", "wb") as f:
        f.write(struct.pack("<4sI", b"ovni", 1))
        f.write(struct.pack("<B3sQiiQ", 15, b"OHx", 30 + i, -1, -1, 0))
        f.write(struct.pack("<B3sQ", 0, b"OHe", 2 * 10**6 + i))
PYTHON
check "$streams streams" sh -c 'ulimit -n 64; timeout 300 "$0" "$1"' "$EMU" "$t"

finish

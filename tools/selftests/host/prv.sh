#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# prv.sh - a strict reader takes every Paraver trace of ours, and notices what is
# wrong in one
#
# GOLDEN in the environment names the folder with upstream's traces.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
: "${GOLDEN:=$top/../shared/golden}"
checker=$top/build/selftests/prvcheck

if [ ! -x "$checker" ]; then
	not_ok "prvcheck is built"
	finish
fi

# What upstream has drawn, which forgets three types in cpu.pcf; what we draw of it.
if [ -d "$GOLDEN" ]; then
	for dir in "$GOLDEN"/*/expected; do
		name=$(basename "$(dirname "$dir")")
		check "upstream's $name" "$checker" -x 1,2,3 "$dir"
		check "ours is rendered" "$emu" -o "$work/golden" "${dir%/*}/trace"
		check "our $name" "$checker" "$work/golden"
	done
	dir=$GOLDEN/k-minimal/expected
	check_status 1 "what upstream forgets is noticed" "$checker" "$dir"
else
	skip "upstream's traces" "there are none in $GOLDEN"
fi

# of NAME GENERATOR ARGUMENT... - what ovnik-decode draws of what a generator makes
of()
{
	name=$1
	shift
	"$@" >/dev/null
	"$decode" "$work/capture" -o "$work/out" 2>/dev/null
	check "$name" "$checker" "$work/out"
	rm -rf "$work/capture"
}

for generator in gen-capture gen-activity gen-memory; do
	check "$generator is built" build $generator
done
of "of a scheduler" "$work/gen-capture" random "$work/capture" -n 30000 -c 4 -t 60 -s 3
of "with gaps" "$work/gen-capture" random "$work/capture" -n 30000 -c 4 -t 60 -s 4 -l 9
of "with a gap at the end" "$work/gen-capture" random "$work/capture" -n 2000 -c 3 -t 20 -s 6 -e
of "of a flight recorder" "$work/gen-capture" random "$work/capture" -n 2000 -c 2 -t 20 -s 7 -o
of "of many CPUs" "$work/gen-capture" random "$work/capture" -n 30000 -c 64 -t 300 -s 8 -m
of "of one event" "$work/gen-capture" random "$work/capture" -n 0 -c 1 -t 1
of "of mappings" "$work/gen-memory" "$work/capture" -n 5000 -c 3 -s 9
of "of files" "$work/gen-memory" "$work/capture" -n 5000 -c 3 -s 11 -C
of "of memory and files" "$work/gen-activity" random "$work/capture" 20000 1 0
of "of these with gaps" "$work/gen-activity" random "$work/capture" 20000 2 60
of "of known activity" "$work/gen-activity" known "$work/capture"
of "of known tasks" "$work/gen-capture" known "$work/capture"
# These and nothing else are mutated from here on.
mv "$work/out" "$work/sound"
for trace in thread cpu; do
	check "$trace.prv alone" "$checker" "$work/sound/$trace.prv"
	mkdir -p "$work/zipped"
	gzip -c "$work/sound/$trace.prv" >"$work/zipped/$trace.prv.gz"
	cp "$work/sound/$trace".{pcf,row} "$work/zipped"
done
check "compressed, both" "$checker" "$work/zipped"
check "compressed, one" "$checker" "$work/zipped/cpu.prv.gz"

# noticed REASON FILE SCRIPT [FILE] - the file changed by sed is complained of for that
# reason, perhaps in the other one
noticed()
{
	rm -rf "$work/bad"
	mkdir "$work/bad"
	cp "$work/sound"/*.{prv,pcf,row} "$work/bad"
	sed -i "$3" "$work/bad/$2"
	if cmp -s "$work/sound/$2" "$work/bad/$2"; then
		not_ok "$2: $3 changes something"
		return
	fi
	check_status 1 "$2: $3" "$checker" "$work/bad"
	check "it is reported: $1" grep -qE "^$work/bad/${4-}[a-z]*\.[a-z]*:[0-9]+: $1" <<<"$tap_output"
}

h='bad header'
noticed "$h" thread.prv '1s/^#Paraver/#paraver/'
noticed "$h" thread.prv '1s/19\/01/1\/01/'
noticed "$h" thread.prv '1s/:0/:/'
noticed "$h" thread.prv '1s/_ns/_us/'
noticed "$h" thread.prv '1s/(4:1)/(0:1)/'
noticed "$h" thread.prv '1s/(4:1)/(65536:1)/'
noticed "$h" thread.prv '1s/$/,1/'
noticed "$h" cpu.prv '1d'
noticed 'time 11000 is after the end, 10999' thread.prv '1s/00011000_ns/00010999_ns/'
noticed 'the end is 11001, that of thread.prv 11000' cpu.prv '1s/11000_ns/11001_ns/'
r='no record of the form 2:0:1:1:ROW:TIME:TYPE:VALUE'
noticed "$r" thread.prv '3s/^2/1/'
noticed "$r" thread.prv '3s/^2:0/2:1/'
noticed "$r" thread.prv '3s/$/:4:1/'
noticed "$r" thread.prv '3s/:\([0-9]*\)$/:-\1/'
noticed "$r" thread.prv '3s/:\([0-9]*\)$/:0\1/'
noticed "$r" thread.prv '3s/:\([0-9]*\)$/:/'
noticed "$r" thread.prv '3s/:\([0-9]*\)$/:9007199254740993/'
noticed "$r" thread.prv '3s/:\([0-9]*\)$/:99999999999999999999999/'
noticed "$r" thread.prv '3s/$/ /'
noticed "$r" thread.prv '3s/.*//'
noticed "$r" thread.prv '3s/.*/# nothing/'
noticed 'a NUL' thread.prv '3s/$/\x00/'
noticed 'row 0 of 4' thread.prv '3s/1:1:[0-9]*/1:1:0/'
noticed 'row 5 of 4' thread.prv '3s/1:1:[0-9]*/1:1:5/'
noticed 'time [0-9]* is before 8000' thread.prv '/:8000:/{p;s/:8000:/:7999:/}'
noticed 'type 999 is not declared' thread.prv '3s/:[0-9]*:\([0-9]*\)$/:999:\1/'
noticed 'type 4: value 9 has no label' thread.prv '0,/:4:1$/s/:4:1$/:4:9/'
noticed 'type 313: value 3 has no label' thread.pcf '/Waiting for/,$s/^3 .*//'
noticed 'type 6 is not declared' thread.pcf 's/^0 6 /0 66 /'
noticed 'the same line once more' thread.prv '/:313:3$/p'
rm -rf "$work/bad"
cp -r "$work/sound" "$work/bad"
truncate -s -1 "$work/bad/thread.prv"
check_status 1 "the end of the last line is missing" "$checker" "$work/bad/thread.prv"
check "it is reported" grep -q "the last line has no end" <<<"$tap_output"
head -c 2000000 /dev/zero | tr '\0' x >>"$work/bad/thread.prv"
check_status 1 "a line that is too long" "$checker" "$work/bad/thread.prv"
check "it is reported" grep -q "endless line" <<<"$tap_output"

noticed 'a line of blanks' thread.pcf '0,/^$/s/^$/ /'
noticed 'no section of a PCF' thread.pcf '1d'
noticed "no 'NAME VALUE'" thread.pcf 's/^LEVEL .*/LEVEL/'
noticed "no 'N {R, G, B}'" thread.pcf 's/^3   {230/3   {256/'
noticed "no 'N {R, G, B}'" thread.pcf 's/^3   {230/3   230/'
noticed "no '0 TYPE LABEL'" thread.pcf 's/^0 313 .*/0 313/'
noticed "no '0 TYPE LABEL'" thread.pcf 's/^0 313/1 313/'
noticed 'an empty label' thread.pcf 's/^0 313 .*/0 313  /'
noticed 'an empty label' thread.pcf 's/^1    Woken/1     /'
noticed 'an empty label' thread.pcf 's/^1    Woken/1    Wok\ten/'
noticed 'an empty label' thread.pcf 's/^1    Woken/1    \xc3/'
noticed 'no number that an int holds' thread.pcf 's/^1    Woken/2147483648 Woken/'
noticed 'no number that an int holds' thread.pcf 's/^1    Woken/-1 Woken/'
noticed 'no VALUES' thread.pcf '0,/^VALUES/s/^VALUES/VALUE/'
noticed 'type 313: value 2 has two labels' thread.pcf 's/^1    Woken/2    Woken/'
noticed 'type 300 is declared twice' thread.pcf 's/^0 313/0 300/'
noticed 'an empty line within an EVENT_TYPE' thread.pcf 's/^0 313 .*/&\n/'
noticed 'it ends within an EVENT_TYPE' thread.pcf '/^0 313/q'

noticed '3 rows, the trace has 4' thread.row 's/^LEVEL THREAD SIZE 4/LEVEL THREAD SIZE 3/'
noticed 'no .LEVEL NAME SIZE N' thread.row 's/^LEVEL THREAD SIZE 4/LEVEL THREAD SIZE 3/'
noticed '1 names are missing' cpu.row '$d'
noticed 'no .LEVEL NAME SIZE N' cpu.row 's/LEVEL NODE/LEVEL NODES/'
noticed 'no LEVEL THREAD' cpu.row 's/LEVEL THREAD/LEVEL TASK/'
noticed 'an empty name' thread.row 's/^TH 1.2.*//'
noticed 'an empty name' thread.row 's/^TH 1.2.*/&\r/'

# Both must agree: thread 100 runs from 9000 on; thread 101 waits from 8000 on.
noticed 'at [0-9]* row 1: 0 threads run there, by their own rows 1' cpu.prv 's/^\(2:0:1:1:1:[0-9]*:3\):1$/\1:0/'
noticed 'at [0-9]* row 1: TID 101, by the threads. rows' cpu.prv 's/^\(2:0:1:1:1:[0-9]*:2\):100$/\1:101/'
noticed 'at [0-9]* row .: 1 threads run there, by their own rows 0' thread.prv 's/:4:1$/:4:2/' cpu
noticed 'CPU 4 of 3' thread.prv '0,/:6:1$/s/:6:1$/:6:4/'
noticed 'at 8000 2 threads wait, by their own rows 1' cpu.prv 's/:8000:314:1$/:8000:314:2/'

check_status 2 "no PCF" sh -c "rm '$work/bad/thread.pcf'; '$checker' '$work/bad/thread.prv'"
check_status 2 "no file" "$checker" "$work/none.prv"
check_status 2 "nothing to check" "$checker"
check_status 2 "wrong usage" "$checker" -y
finish

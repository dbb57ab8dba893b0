#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-names.sh - a merged log's functions have the names that are in its binary
#
# Binaries are made here, with instrumentation maps of all kinds: what clang-14 makes of a
# program is tested by vm/xray-merge.sh.

# shellcheck disable=SC2317 # called through check
here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

: "${CASES:=$(amount 20 60)}"

check "the generator is built" build gen-merge

"$gen/xraymake.py" "$work/log" <<'END'
log 5
buffer 100/100 1000002000
1000004000 enter 1
1000004000 enter 2
1000004000 enter 3
1000005000 exit 3
1000006000 exit 2
1000007000 exit 1
END

# source_of WORD ORIGIN VERSION - three functions; the second has two entries, as all have
source_of()
{
	cat <<-END
		.text
		.globl main, _ZN3app4workEi
		.type main, @function
		.type _ZN3app4workEi, @function
		.type _ZL4idlev, @function
		main: xor %eax, %eax
		ret
		.size main, .-main
		_ZN3app4workEi: ret
		.size _ZN3app4workEi, .-_ZN3app4workEi
		_ZL4idlev: ret
		.size _ZL4idlev, .-_ZL4idlev
		.section xray_instr_map, "aw", @progbits
	END
	for function in main _ZN3app4workEi _ZN3app4workEi _ZL4idlev; do
		echo "$1 $function $2, $function $2"
		echo ".byte 0, 1, $3; .zero 13"
	done
	echo '.section .note.GNU-stack, "", @progbits'
}

# binary NAME ORIGIN VERSION [OPTION]... - $work/NAME
binary()
{
	name=$1
	source_of .quad "$2" "$3" >"$work/$name.s"
	shift 3
	"$CC" "$@" -o "$work/$name" "$work/$name.s" 2>"$work/log.$name"
}

# merge CAPTURE [OPTION]...
merge()
{
	capture=$1
	shift
	rm -rf "$work/out"
	"$decode" "$work/$capture" -o "$work/out" --merge "$work/log" "$@" 2>"$work/said"
}

# names - what the functions are called
names()
{
	sed -n '/Function (XRay)/,/^$/{s/^[0-9]\+ \+//p}' "$work/out/thread.pcf" |
		sed 's/^315.*//;/^$/d' | tr '\n' ','
}

# named TEXT WANT - the last run gave these names
named()
{
	check "$1: names are $2" test "$(names)" = "$2"
}

all="main,app::work(int),idle(),"
"$work/gen-merge" known "$work/known"

check "relative entries" binary relative -. 2 -pie
merge known --instr-map "$work/relative"
named "relative entries" "$all"
check "nothing is warned of" sh -c "! grep warning '$work/said'"
check "absolute ones" binary absolute "" 0 -no-pie
merge known --instr-map "$work/absolute"
named "absolute ones" "$all"
check "absolute ones that are relocated" binary moved "" 1 -pie
merge known --instr-map "$work/moved"
named "absolute ones that are relocated" "$all"
# GNU ld puts the addresses into the section, too; others do not.
objcopy --dump-section xray_instr_map="$work/map" "$work/moved" "$work/bare"
python3 - "$work/map" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(0, len(data), 32):
    data[at:at + 16] = bytes(16)
open(sys.argv[1], "wb").write(data)
END
objcopy --update-section xray_instr_map="$work/map" "$work/bare"
merge known --instr-map "$work/bare"
named "absolute ones that are in relocations only" "$all"

# Symbols that are elsewhere, or nowhere.
mkdir "$work/stripped"
strip -o "$work/stripped/relative" "$work/relative"
merge known --instr-map "$work/stripped/relative"
named "stripped" "#1,#2,#3,"
check "the message says so" grep -q "has no symbols of them: is it stripped" "$work/said"
check "a binary that exports functions" binary exports -. 2 -pie -rdynamic
strip "$work/exports"
merge known --instr-map "$work/exports"
named "stripped, but with what it exports" "main,app::work(int),#3,"

# What a binary names is not opened: it may be a pipe, unpack to gigabytes, or be on a server.
objcopy --only-keep-debug "$work/relative" "$work/stripped/symbols.debug"
objcopy --add-gnu-debuglink="$work/stripped/symbols.debug" "$work/stripped/relative"
rm "$work/stripped/symbols.debug" && mkfifo "$work/stripped/symbols.debug"
check "a file of debug information that is a pipe" \
	timeout 60 "$decode" "$work/known" -o "$work/piped" --merge "$work/log" --instr-map "$work/stripped/relative"
check "nothing that looks elsewhere is linked" \
	sh -c '! ldd "$0" | grep -E "libdw|debuginfod"' "$decode"

# Two names: each part of the first one is the one before, twice; each of the second one is walked
# through, before anything of it is written.
python3 - >"$work/names.txt" <<'END'
def back(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if not number:
        return "S_"
    number, text = number - 1, ""
    while True:
        text, number = digits[number % 36] + text, number // 36
        if not number:
            return f"S{text}_"

doubling = "_Z1f1a1bIS_S_E"
for part in range(2, 32):
    doubling += back(1) + "I" + back(part) + back(part) + "E"
silent = "S_I1AS0_E"
for part in range(2, 46):
    silent = "S_I" + silent + back(part) + "E"
print(doubling)
print("_Z1fDp1B" + silent[2:])
END
{ read -r doubling; read -r silent; } <"$work/names.txt"
check "a name that would have 2^30 characters" binary doubling -. 2 -pie
sed -i "s/_ZN3app4workEi/$doubling/g" "$work/doubling.s"
"$CC" -pie -o "$work/doubling" "$work/doubling.s"
merge known --instr-map "$work/doubling"
check "is cut off" grep -qE ' f\(a, b<a, a>, b<b<a, a>.{360,}\.\.\.$' "$work/out/thread.pcf"
sed "s/_ZN3app4workEi/$silent/g" "$work/relative.s" >"$work/silent.s"
"$CC" -pie -o "$work/silent" "$work/silent.s"
merge known --instr-map "$work/silent"
check "TIME_MAX_MS: a name that takes years stays as it is" grep -qF "$(echo "$silent" | cut -c 1-200)" "$work/out/thread.pcf"

# A table of strings that is compressed, or does not end.
python3 - "$work/relative" "$work" <<'END'
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
at, = struct.unpack_from("<Q", data, 40)
size, number, names = struct.unpack_from("<HHH", data, 58)
for index in range(number):
    kind, = struct.unpack_from("<I", data, at + index * size + 4)
    if kind == 2:
        strings, = struct.unpack_from("<I", data, at + index * size + 40)
head = at + strings * size
where, length = struct.unpack_from("<QQ", data, head + 24)
endless = bytearray(data)
endless[where + length - 1] = ord("x")
open(f"{sys.argv[2]}/endless", "wb").write(endless)
struct.pack_into("<Q", data, head + 8, 1 << 11)
open(f"{sys.argv[2]}/packed", "wb").write(data)
END
for name in endless packed; do
	merge known --instr-map "$work/$name"
	named "a table of strings that is $name" "#1,#2,#3,"
done
# one_name NAME - the function that has it in the picture
one_name()
{
	sed "s/_ZN3app4workEi/$1/g" "$work/relative.s" >"$work/long.s"
	"$CC" -pie -o "$work/long" "$work/long.s"
	merge known --instr-map "$work/long"
}

long=$(printf %399s '' | tr ' ' x)
one_name "$long"
check "XRAY_NAME_MAX: a name of 399 characters is whole" grep -q " $long\$" "$work/out/thread.pcf"
one_name "${long}x"
check "XRAY_NAME_MAX: one of 400 is cut off" grep -q " ${long%xxx}\.\.\.\$" "$work/out/thread.pcf"
long=_Z1f$(printf %4090s '' | tr ' ' P)
for name in "${long}i" "${long}PPi"; do
	one_name "$name"
	grep -oE ' (f\(\*|_Z1fP).*' "$work/out/thread.pcf" | cut -c 1-5
done >"$work/long.names"
check "DEMANGLE_LENGTH_MAX: a name of 4,096 characters is demangled, a longer one stays as it is" \
	test "$(tr -d '\n' <"$work/long.names")" = " f(** _Z1f"

# The capture says which binary it was.
inode=$(stat -c %i "$work/relative")
"$work/gen-merge" known "$work/ran" "$work/relative" "$inode"
merge ran
named "the binary that ran" "$all"
check "nothing is warned of" sh -c "! grep warning '$work/said'"
touch -d "+1 hour" "$work/relative"
merge ran
named "a binary that was written again" "#1,#2,#3,"
check "the message says so" grep -q "relative was written after the capture" "$work/said"
touch "$work/relative"
"$work/gen-merge" known "$work/ran" "$work/relative" $((inode + 1))
merge ran
named "another file of that name" "#1,#2,#3,"
check "the message says so" grep -q "relative is not here, or not the file that process 100 ran" \
	"$work/said"
"$work/gen-merge" known "$work/ran" "$work/nowhere" 1
merge ran
named "a binary that is gone" "#1,#2,#3,"
merge known
named "a binary that is unknown" "#1,#2,#3,"
check "the message says so" grep -q "the capture does not say which binary process 100 runs" "$work/said"

# Shared objects (-fxray-shared): a function is object * 2^24 + its number there. A record has 28 bits.
mv "$work/log" "$work/plain"
"$gen/xraymake.py" "$work/log" <<'END'
log 5
buffer 100/100 1000002000
1000004000 enter 1
1000004000 enter 16777217
1000004000 enter 33554434
1000004000 enter 33554435
1000005000 exit 33554435
1000005000 exit 33554434
1000006000 exit 16777217
1000007000 exit 1
END
merge known --instr-map "$work/relative"
named "objects that are not named" "main,#1:1,#2:2,#2:3,"
merge known --instr-map "$work/relative" --instr-map "$work/absolute" --instr-map "$work/moved"
named "the program and two objects" "main,main,app::work(int),idle(),"
sed '/^\.quad _ZL4idlev/,$d' "$work/relative.s" >"$work/few.s"
"$CC" -pie -o "$work/few" "$work/few.s" 2>/dev/null
merge known --instr-map "$work/relative" --instr-map "$work/absolute" --instr-map "$work/few"
check "an object of another binary is refused" test ! -e "$work/out/ovni"
check_status 1 "an object that is not there is, too" "$decode" "$work/known" -o "$work/out" \
	--merge "$work/log" --instr-map "$work/relative" --instr-map "$work/gone"
mv "$work/plain" "$work/log"

# Another program's.
sed '/^\.quad _ZL4idlev/,$d' "$work/relative.s" >"$work/other.s"
"$CC" -pie -o "$work/other" "$work/other.s" 2>/dev/null
merge known --instr-map "$work/other"
check "another binary is none of this log" test ! -e "$work/out/ovni"
check "the message says so" grep -q "1 of . calls are of functions that .*/other does not have" "$work/said"

# refused NAME REASON - as --instr-map
refused()
{
	rm -rf "$work/out"
	check_status 1 "$1 is refused" "$decode" "$work/known" -o "$work/out" \
		--merge "$work/log" --instr-map "$work/$1"
	merge known --instr-map "$work/$1"
	check "$1: for that reason" grep -q "error: $work/$1: $2" "$work/said"
	check "$1: nothing is written" sh -c "[ -z \"\$(ls -A '$work/out')\" ]"
}

refused gone "cannot open"
cp "$work/log" "$work/text"
refused text "is no ELF file"
: >"$work/empty"
refused empty "is no ELF file"
# Sparse: it takes no room.
cp "$work/relative" "$work/vast" && truncate -s 4294967296 "$work/vast"
merge known --instr-map "$work/vast"
check "XRAY_BINARY_MAX: so many bytes are read" test "$(grep -c error "$work/said")" = 0
truncate -s 4294967297 "$work/vast"
refused vast "has 4294967297 bytes, the limit is 4294967296: without debug information"
cp /bin/true "$work/true"
refused true "has no section xray_instr_map"
sed 's/zero 13$/zero 12/' "$work/relative.s" >"$work/odd.s"
"$CC" -pie -o "$work/odd" "$work/odd.s" 2>/dev/null
refused odd "section xray_instr_map has another size"
mkdir "$work/directory"
refused directory "is no ELF file"
# It names the files of the capture, too: there it is a warning.
"$work/gen-merge" known "$work/ran" /bin/true "$(stat -L -c %i /bin/true)"
check "a binary without XRay that ran" merge ran
check "is warned of" grep -q "warning: /bin/true: has no section xray_instr_map" "$work/said"

# no_log NAME REASON - in place of the log
no_log()
{
	check_status 1 "$1 is no log" "$decode" "$work/known" -o "$work/out" --merge "$work/$1"
	"$decode" "$work/known" -o "$work/out" --merge "$work/$1" 2>"$work/said"
	check "$1: what it is, and what to do, is said" grep -q "error: $work/$1: $2" "$work/said"
}

echo "---" >"$work/yaml"
gzip -c "$work/log" >"$work/gz"
zstd -q -o "$work/zst" "$work/log"
xz -c "$work/log" >"$work/xz"
head -c 3 "$work/log" >"$work/cut"
no_log yaml "is text, as of llvm-xray convert: name the log itself"
no_log true "is a program: name the log that it wrote"
for packed in gz zst xz; do
	no_log $packed "is compressed: unpack it first"
done
no_log cut "offset 3: the header must have 32 bytes"

# Hostile ones: cut off, or with bytes that are wrong.
cat >"$work/damage.py" <<'END'
import random, sys
seed = int(sys.argv[3])
rng = random.Random(seed)
data = bytearray(open(sys.argv[1], "rb").read())
if seed % 5 == 0:
    del data[rng.randrange(len(data)):]
where = [64, len(data)][seed % 2]
if seed % 3 == 0:
    table = int.from_bytes(data[40:48], "little")
    if table < len(data):
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(table, len(data))] = rng.choice((0, 1, 127, 128, 255))
for _ in range(rng.randint(1, 10)):
    if data:
        data[rng.randrange(min(where, len(data)))] = rng.randrange(256)
open(sys.argv[2], "wb").write(data)
END

hostile()
{
	merged=0
	for seed in $(seq "$CASES"); do
		python3 "$work/damage.py" "$work/relative" "$work/hostile" "$seed"
		merge known --instr-map "$work/hostile" --to ovni
		status=$?
		[ $status -le 1 ] || { echo "seed $seed: status $status"; return 1; }
		merged=$((merged + 1 - status))
	done
}

if hostile; then
	ok "$CASES hostile binaries"
else
	not_ok "$CASES hostile binaries"
fi
check "some are merged, some are not: $merged are" test "$merged" -gt 0 -a "$merged" -lt "$CASES"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# refs.sh - raw memory references from binary to text and back
#
# It takes half a minute on a busy machine: each form of as many references is read by Python.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
: "${REFS:=$top/build/ovnik-refs}"
: "${FUZZ:=2000}"
make_refs=$here/../check/refs.py

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"
: "${RECORDS:=$(amount 200000 1000000)}"

if [ ! -x "$REFS" ]; then
	not_ok "ovnik-refs is built"
	finish
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
in=$work/in
out=$work/out
log=$work/log

# The same reference, narrow and wide, in binary.
sample='r\xf0\xde\xbc\x9a\x78\x56\x34\x12\x04\xe7\xf8\x09\x00\x6d\x7c\x8b\x9a'
wide='R\xf0\xde\xbc\x9a\x78\x56\x34\x12\x04\xe7\xf8\x09\x00\x6d\x7c\x8b\x9a\xff\x7f\x00\x00'
sample_text='r 123456789abcdef0 4 9f8e7 9a8b7c6d\n'
wide_text='R 123456789abcdef0 4 9f8e7 7fff9a8b7c6d\n'

# converts NAME INPUT OUTPUT OPTION... - INPUT and OUTPUT as for printf %b
converts()
{
	printf '%b' "$2" >"$in"
	printf '%b' "$3" >"$work/want"
	check "$1" "$REFS" "${@:4}" "$in" -o "$out"
	check "$1: the output" cmp "$out" "$work/want"
}

# refuses NAME INPUT OUTPUT PATTERN OPTION... - OUTPUT being of what comes before
refuses()
{
	local status=0

	printf '%b' "$2" >"$in"
	printf '%b' "$3" >"$work/want"
	"$REFS" "${@:5}" "$in" >"$out" 2>"$log" || status=$?
	if [ "$status" -eq 1 ] && grep -Eq "^ovnik-refs: error: $in: offset $4" "$log" &&
		[ "$(wc -l <"$log")" -eq 1 ] && cmp -s "$out" "$work/want"; then
		ok "$1"
	else
		not_ok "$1"
		echo "status $status instead of 1, no message $4, or a wrong output:" | explain
		cat "$log" <(od -c "$out") | explain
	fi
}

# fails STATUS NAME PATTERN COMMAND... - and says so
fails()
{
	local status=0

	"${@:4}" >/dev/null 2>"$log" || status=$?
	if [ "$status" -eq "$1" ] && grep -Eq "^ovnik-refs: (error: )?$3" "$log"; then
		ok "$2"
	else
		not_ok "$2"
		echo "status $status instead of $1, or no message $3:" | explain
		explain <"$log"
	fi
}

# One by one.

converts "Laplace's sample to text" "$sample" "$sample_text" --to-text
converts "Laplace's sample to binary" "$sample_text" "$sample" --to-binary
converts "a wide reference to text" "$wide" "$wide_text" --to-text --wide
converts "a wide reference to binary" "$wide_text" "$wide" --to-binary --wide
converts "all zero but the length" 'i\0\0\0\0\0\0\0\0\01\0\0\0\0\0\0\0\0' 'i 0 1 0 0\n' --to-text
converts "nothing to text" '' '' --to-text
converts "nothing to binary" '' '' --to-binary
converts "nothing to wide text" '' '' --to-text --wide
converts "capitals and leading zeros are read" 'r 123456789ABCDEF0 04 0009F8e7 9A8B7C6D\n' \
	"$sample" --to-binary
converts "leading zeros of a wide address are read" \
	'R 123456789abcdef0 4 9f8e7 00007fff9a8b7c6d\n' "$wide" --to-binary --wide

# Many.

# round_trip NAME BASE OPTION... - by files and by pipes
round_trip()
{
	check "$1: to text" "$REFS" "${@:3}" --to-text "$2.bin" -o "$out"
	check "$1: the text" cmp "$out" "$2.txt"
	check "$1: to binary" "$REFS" "${@:3}" --to-binary "$2.txt" -o "$out"
	check "$1: the binary" cmp "$out" "$2.bin"
	# In pieces that end anywhere.
	check "$1: binary, text, binary in odd pieces" bash -o pipefail -c '
		dd if="$0.bin" bs=100003 status=none | "$@" --to-text | dd bs=70001 status=none |
			"$@" --to-binary - | cmp - "$0.bin"' "$2" "$REFS" "${@:3}"
	check "$1: text, binary, text in odd pieces" bash -o pipefail -c '
		dd if="$0.txt" bs=100003 status=none | "$@" --to-binary | dd bs=70001 status=none |
			"$@" --to-text - | cmp - "$0.txt"' "$2" "$REFS" "${@:3}"
}

"$make_refs" make "$RECORDS" "$work/narrow"
"$make_refs" make "$RECORDS" "$work/wide" wide
round_trip "$RECORDS narrow" "$work/narrow"
round_trip "$RECORDS wide" "$work/wide" --wide
check "memory does not grow with the trace" \
	bash -c 'ulimit -v 8000; exec "$0" --to-text "$1" -o /dev/null' "$REFS" "$work/narrow.bin"

head -c 1800 "$work/narrow.bin" >"$work/few"
head -n 100 "$work/narrow.txt" >"$work/few.txt"
check "byte by byte to text" bash -o pipefail -c \
	'dd if="$0" bs=1 status=none | "$1" --to-text | cmp - "$0.txt"' "$work/few" "$REFS"
check "byte by byte to binary" bash -o pipefail -c \
	'dd if="$0.txt" bs=1 status=none | "$1" --to-binary | cmp - "$0"' "$work/few" "$REFS"

# A reference comes out before the next one goes in.
live()
{
	local line

	coproc "$REFS" --to-text
	printf '%b' "$sample" >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}" && [ "$line" = "$(printf '%b' "$sample_text")" ]
}
check "what was read is written before it waits" live

# What is no reference: binary.

refuses "a length of 0" "$sample"'r\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' "$sample_text" \
	"18: length is 0x0, not 1 to 8" --to-text
refuses "a length of 9" 'w\0\0\0\0\0\0\0\0\011\0\0\0\0\0\0\0\0' '' \
	"0: length is 0x9, not 1 to 8" --to-text
refuses "an unknown type" "$sample$sample"'s\0\0\0\0\0\0\0\0\01\0\0\0\0\0\0\0\0' \
	"$sample_text$sample_text" "36: type is 's', not r, w or i" --to-text
refuses "a type that is no letter" '\x89\0' '' '0: type is \\x89, not r, w or i' --to-text
refuses "a record that is cut short" "${sample}w123" "$sample_text" \
	"18: the input ends after 4 of a reference's 18 bytes" --to-text
refuses "a wide record that is cut short" "${wide}W12345678901234567" "$wide_text" \
	"22: the input ends after 18 of a reference's 22 bytes" --to-text --wide
refuses "text read as binary" "$sample_text" '' "0: length is 0x[0-9a-f]*, not 1 to 8" --to-text

# Wide and narrow never pass for each other.

refuses "wide binary read as narrow" "$wide" '' \
	"0: type 'R' belongs to a wide reference: add --wide" --to-text
refuses "narrow binary read as wide" "$sample$sample" '' \
	"0: type 'r' belongs to a narrow reference: omit --wide" --to-text --wide
refuses "wide binary after narrow" "$sample$wide" "$sample_text" \
	"18: type 'R' belongs to a wide reference" --to-text
refuses "narrow binary after wide" "$wide$sample" "$wide_text" \
	"22: type 'r' belongs to a narrow reference" --to-text --wide
refuses "wide text read as narrow" "$wide_text" '' \
	"0: line 1: type 'R' belongs to a wide reference: add --wide" --to-binary
refuses "narrow text read as wide" "$sample_text" '' \
	"0: line 1: type 'r' belongs to a narrow reference: omit --wide" --to-binary --wide
refuses "wide text with a small address read as narrow" 'R 1 4 1 1\n' '' \
	"0: line 1: type 'R' belongs to a wide reference" --to-binary
refuses "an address above 32 bits" "${sample_text}r 1 4 9f8e7 7fff9a8b7c6d\n" "$sample" \
	"36: line 2: address has more than 8 digits \(32 bits\): wide references have 64" \
	--to-binary

# What is no reference: text.

# refuses_line NAME LINE PATTERN OPTION... - after a good line; LINE with its newline
refuses_line()
{
	refuses "$1" "$sample_text$2" "$sample" "36: line 2: $3" --to-binary "${@:4}"
}

long=$(printf '%0100000d' 7)
refuses_line "an empty line" '\n' "the line is empty"
refuses_line "a carriage return" 'r 1 4 2 3\r\n' "there is a carriage return before the newline"
refuses_line "no newline" 'r 1 4 2 3' "the input ends without a newline"
refuses_line "a record of the kernel trace" 's 123456789abcdef0 100\n' \
	"type is 's', not r, w or i"
refuses_line "a type of two letters" 'rw 1 4 2 3\n' "after the type is 'w', not a blank"
refuses_line "no type" ' 1 4 2 3\n' "type is ' ', not r, w or i"
refuses_line "a type alone" 'r\n' "there is no timestamp"
refuses_line "no length" 'r 1\n' "there is no length"
refuses_line "no address space" 'r 1 4\n' "there is no address space"
refuses_line "no address" 'r 1 4 2\n' "there is no address$"
refuses_line "an empty address" 'r 1 4 2 \n' "address is empty"
refuses_line "a sixth field" 'r 1 4 2 3 4\n' "there are more than five fields"
refuses_line "a blank at the end" 'r 1 4 2 3 \n' "there are more than five fields"
refuses_line "two blanks" 'r 1  4 2 3\n' "length is empty"
refuses_line "a tab" 'r\t1 4 2 3\n' 'after the type is \\x09, not a blank'
refuses_line "a tab further on" 'r 1 4\t2 3\n' 'length has \\x09, which is not a hex digit'
refuses_line "a prefix" 'r 0x1 4 2 3\n' "timestamp has 'x', which is not a hex digit"
refuses_line "a sign" 'r 1 4 -2 3\n' "address space has '-', which is not a hex digit"
refuses_line "a letter after f" 'r 1 4 2 3g\n' "address has 'g', which is not a hex digit"
refuses_line "a byte above 127" 'r 1 4 2 \xff\n' 'address has \\xff, which is not a hex digit'
refuses_line "a zero byte" 'r 1 4 2 \00003\n' "there is a zero byte in the line"
refuses_line "a length of 0 in text" 'r 1 0 2 3\n' "length is 0x0, not 1 to 8"
refuses_line "a length of 9 in text" 'r 1 9 2 3\n' "length is 0x9, not 1 to 8"
refuses_line "a length of 0x14" 'r 1 14 2 3\n' "length is 0x14, not 1 to 8"
refuses_line "a length beyond 8 bits" 'r 1 104 2 3\n' "length has more than 2 digits \(8 bits\)"
refuses_line "a timestamp beyond 64 bits" 'r 123456789abcdef01 4 2 3\n' \
	"timestamp has more than 16 digits \(64 bits\)"
refuses_line "an address space beyond 32 bits" 'r 1 4 123456789 3\n' \
	"address space has more than 8 digits \(32 bits\)"
refuses_line "an endless line" "r $long" "timestamp has more than 16 digits"
refuses_line "an endless address" "r 1 4 2 $long\n" "address has more than 8 digits"
refuses_line "an endless line of fields" "r 1 4 2 3 $long" "there are more than five fields"
refuses "a wide address beyond 64 bits" "${wide_text}R 1 4 2 12345678123456781\n" "$wide" \
	"40: line 2: address has more than 16 digits \(64 bits\)$" --to-binary --wide
refuses "binary read as text" "$sample" '' "0: line 1: the input ends without a newline" --to-binary

# Far into a file.
refuses_late()
{
	local option=$1 bad=$2 message=$3

	cat "$4" <(printf '%b' "$bad") "$4" >"$in"
	"$REFS" "$option" <"$in" 2>"$log" | cmp - "$5" || return
	grep -q "standard input: offset $(stat -c %s "$4"): $message" "$log"
}
check "an error after $RECORDS references" refuses_late \
	--to-text '\0' 'type is .x00' "$work/narrow.bin" "$work/narrow.txt"
check "an error after $RECORDS lines" refuses_late \
	--to-binary '\n' "line $((RECORDS + 1)): the line is empty" \
	"$work/narrow.txt" "$work/narrow.bin"

check "$FUZZ damaged narrow inputs" "$make_refs" fuzz "$REFS" "$FUZZ"
check "$FUZZ damaged wide inputs" "$make_refs" fuzz "$REFS" "$FUZZ" wide
if command -v valgrind >/dev/null; then
	head -n 10000 "$work/narrow.txt" | head -c -5 >"$in"
	fails 1 "valgrind has nothing to say" "$in: offset .*without a newline" \
		valgrind -q --error-exitcode=9 "$REFS" --to-binary "$in"
else
	skip "valgrind has nothing to say" "no valgrind"
fi

# To a log and back.

# logged NAME BLOCKS [wide|data] - what a machine does comes out as it was, and is small
logged()
{
	local wide=(--wide)

	[ "${3-}" ] || wide=()
	"$make_refs" run "$2" "$work/ran" "${@:3}"
	check "$1: to a log" "$REFS" --to-log "${wide[@]}" "$work/ran" -o "$work/made"
	check "$1: and back" "$REFS" --to-binary "${wide[@]}" "$work/made" -o "$out"
	check "$1: as it was" cmp "$out" "$work/ran"
	check "$1: a fifth of the size, or less" \
		test "$(stat -c %s "$work/made")" -lt $(($(stat -c %s "$work/ran") / 5))
}

logged "narrow" 3000
logged "wide" 3000 wide
logged "without fetches" 3000 data
check "from a pipe to a pipe" bash -o pipefail -c \
	'cat "$1" | "$0" --to-log --wide | cmp - "$2"' "$REFS" "$work/ran" "$work/made"
check "60 traces, some of them damaged, to logs" "$make_refs" logfuzz "$REFS" 60 "$work"
fails 1 "a log of a log" "$work/made: this is a log already" "$REFS" --to-log --wide "$work/made"
fails 1 "a log on a full disk" "/dev/full: cannot write: No space left" \
	"$REFS" --to-log --wide "$work/ran" -o /dev/full
printf 'I 5 2 1 7000\nR 6 4 1 8000\n' | "$REFS" --to-binary --wide >"$in"
fails 1 "an access without its instruction" \
	"$in: offset 22: an access without its instruction before it" "$REFS" --to-log --wide "$in"
printf 'R 5 2 1 7000\nI 6 4 1 8000\n' | "$REFS" --to-binary --wide >"$in"
fails 1 "a fetch that comes late" \
	"$in: offset 22: a fetch, in a trace that has begun without fetches" \
	"$REFS" --to-log --wide "$in"
printf 'I 5 2 1 7000\nI 6 4 1 800000000000\n' | "$REFS" --to-binary --wide >"$in"
fails 1 "an address that no CPU has" "$in: offset 22: the address has more than 48 bits" \
	"$REFS" --to-log --wide "$in"
printf 'I 1000000000000000 2 1 7000\n' | "$REFS" --to-binary --wide >"$in"
fails 1 "a time beyond all" "$in: offset 0: the time has more than 60 bits" \
	"$REFS" --to-log --wide "$in"
check "a log of nothing" "$REFS" --to-log /dev/null -o "$out"
check "has nothing" sh -c '"$0" --to-binary "$1" | cmp - /dev/null' "$REFS" "$out"

# Of time that goes back, a part is found wherever it is.

printf 'I %x 2 1 7000\n' 500 501 100 101 600 102 601 | "$REFS" --to-binary --wide >"$in"
check "time that goes back" "$REFS" --to-log --wide "$in" -o "$work/back"
check "stays so" sh -c '"$0" --to-binary --wide "$1" | cmp - "$2"' "$REFS" "$work/back" "$in"
check "the early part" bash -c '
	"$0" --to-text --wide --from 64 --until 66 "$1" | cmp - <(printf "I %x 2 1 7000\n" 100 101 102)' \
	"$REFS" "$work/back"
check "the late part" bash -c '
	"$0" --to-text --wide --from 1f4 "$1" | cmp - <(printf "I %x 2 1 7000\n" 500 501 600 601)' \
	"$REFS" "$work/back"

# A log on standard input.

check "a log on standard input" sh -c '"$0" --to-binary --wide <"$1" | cmp - "$2"' \
	"$REFS" "$work/back" "$in"
check "its contents" sh -c '"$0" --info <"$1" | grep -q "^fetches *7$"' "$REFS" "$work/back"
fails 1 "in a pipe" "standard input: this is a log of QEMU's plugin, which is not read from a pipe" \
	sh -c 'cat "$1" | "$0" --to-text' "$REFS" "$work/back"

# Files.

fails 1 "no such input" "$work/none: cannot open: No such file" "$REFS" --to-text "$work/none"
check "no such input: no output is made" \
	bash -c '! "$0" --to-text "$1/none" -o "$1/never" 2>/dev/null && [ ! -e "$1/never" ]' \
	"$REFS" "$work"
fails 1 "a directory as input" "$work: cannot read: Is a directory" "$REFS" --to-text "$work"
fails 1 "a directory as output" "$work: cannot open: Is a directory" \
	"$REFS" --to-text "$work/few" -o "$work"
cp "$work/few" "$in"
ln -sf "$in" "$work/link"
fails 1 "the input as output" "$in: the input is the output" "$REFS" --to-text "$in" -o "$in"
fails 1 "the input as output, by a link" "$in: the input is the output" \
	"$REFS" --to-text "$in" -o "$work/link"
fails 1 "the input as output, by the shell" "$in: the input is the output" \
	sh -c '"$0" --to-text "$1" >>"$1"' "$REFS" "$in"
check "the input is still there" cmp "$in" "$work/few"
echo "something long that is not to stay" >"$out"
check "an output that is there is replaced" "$REFS" --to-text /dev/null -o "$out"
check "and is empty" test ! -s "$out"
fails 1 "a full disk" "standard output: cannot write: No space left" \
	sh -c '"$0" --to-text "$1" >/dev/full' "$REFS" "$work/few"
fails 1 "a full disk, by name" "/dev/full: cannot write: No space left" \
	"$REFS" --to-binary "$work/few.txt" -o /dev/full
fails 1 "a file size limit" "$out: cannot write: File too large" \
	bash -c 'ulimit -f 4; exec "$0" --to-text "$1" -o "$2"' "$REFS" "$work/narrow.bin" "$out"
check "nothing of that is left" test ! -e "$out.part"
check "and what was there stays" test -e "$out" -a ! -s "$out"
check "a reader that goes ends it, without a word" bash -c '
	"$0" --to-text "$1" 2>"$2" | head -1 >/dev/null
	[ "${PIPESTATUS[0]}" = 141 ] && [ ! -s "$2" ]' "$REFS" "$work/narrow.bin" "$log"
fails 1 "a closed output" "standard output: cannot write: Bad file descriptor" \
	sh -c 'exec "$0" --to-text "$1" >&-' "$REFS" "$work/few"
fails 1 "a closed input" "standard input: cannot (read|stat): Bad file descriptor" \
	sh -c 'exec "$0" --to-text <&-' "$REFS"

# The command line.

fails 2 "no direction" "one of --to-text, --to-binary, --to-reduced, --to-log and --info is needed" "$REFS"
fails 2 "both directions" "one of --to-text, --to-binary, --to-reduced, --to-log and --info is needed" \
	"$REFS" --to-text --to-binary
check "an end by its old name" sh -c '"$0" --to-text --to 5 "$1" 2>&1 >/dev/null | grep -q -- "--to is called --until now"' \
	"$REFS" "$work/back"
fails 2 "an end before the beginning" "--from is behind --until" "$REFS" --to-text --from 2 --until 1 "$in"
fails 2 "a time with a sign" " -1: --from must be a number in hex" "$REFS" --to-text --from " -1" "$in"
fails 2 "no kinds" "--kinds takes r, w and i" "$REFS" --to-text --kinds= "$in"
fails 2 "the contents of a part" "--info describes the whole file" "$REFS" --info --from 1 "$in"
fails 2 "two inputs" "there is more than one INPUT" "$REFS" --to-text "$in" "$in"
fails 2 "an unknown option" "there is no option --broad" "$REFS" --to-text --broad
check "the version" sh -c '"$0" --version | grep -q "^ovnik-refs [0-9]"' "$REFS"
check "help" sh -c '"$0" --help | grep -q -- --to-binary' "$REFS"
finish

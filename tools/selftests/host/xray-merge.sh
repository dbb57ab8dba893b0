#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-merge.sh - XRay logs of programs are merged with a capture
#
# Captures are those of gen-merge.c, logs of xraymake.py. What is drawn is compared with
# what xraysteps.py makes of the same descriptions; names are tested by xray-names.sh.
#
# It takes over a minute on a slow machine: Python makes each step of each merge again.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generator is built" build gen-merge
for kind in known reuse monotonic forked; do
	"$work/gen-merge" $kind "$work/$kind"
done

# log NAME - a log, described on stdin
log()
{
	cat >"$work/$1.txt"
	rm -f "$work/$1"
	"$gen/xraymake.py" "$work/$1" <"$work/$1.txt"
}

# merge CAPTURE LOG... - to $work/out
merge()
{
	capture=$1
	shift
	rm -rf "$work/out"
	args=
	while [ $# -gt 0 ] && [ "$1" = "${1#-}" ]; do
		args="$args --merge $work/$1"
		shift
	done
	# shellcheck disable=SC2086 # a word each
	"$decode" "$work/$capture" -o "$work/out" $args "$@" 2>"$work/log"
}

# says TEXT [REGEX] - the last run printed this
says()
{
	check "$1" grep -aq "${2:-$1}" "$work/log"
}

# quiet - the last run has not warned of anything but names
quiet()
{
	check "nothing else is warned of" \
		sh -c "! grep -a warning '$work/log' | grep -v 'shown by number'"
}

# sound NAME DESCRIPTION... - upstream, our emulator and a strict reader take it
sound()
{
	name=$1
	shift
	check "$name: the rows show what is in the logs" "$checkers/xraysteps.py" "$work/out" "$@"
	check "$name: upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
	check "$name: a strict reader accepts the timelines" \
		"$top/build/selftests/prvcheck" "$work/out"
	rm -rf "$work/emulated"
	mkdir "$work/emulated"
	check "$name: ovnik-emu accepts it" "$emu" --strict "$work/out/ovni" -o "$work/emulated"
	check "$name: and renders the same" "$checkers/prvcmp.py" "$work/emulated" "$work/out"
	check "$name: nothing is left of what is in between" \
		sh -c "[ -z \"\$(find '$work/out' -name '.xray*')\" ]"
}

# refused TEXT REGEX - the command before had status 1, said why, and left no trace
refused()
{
	check "$1 is refused" test $? -eq 1
	says "$1: for that reason" "error: .*$2"
	check "$1: no trace is left" sh -c "[ -z \"\$(ls -A '$work/out' 2>/dev/null)\" ]"
}

# calls WHO - its marks of functions, a word each: ns after 5 s, [ or ], value
calls()
{
	"$checkers/ovnidump.py" "$work/out/ovni" |
		sed -n "s|^$1 50000*\([0-9]*\) OM\([][]\) \([0-9]*\) 0 91$|\1\2\3|p" | tr '\n' ' '
}

# shows WHO WANT TEXT
shows()
{
	check "$3" test "$(calls "$1")" = "$2 "
}

# The rules, one by one. 100 is on a CPU from 1 us to 10, 30 to 70 and 80 to 100.
log rules <<'END'
# 0
log 5
buffer 100/100 1000002000
1000002000 exit 9
1000004000 enter 1
1000006000 enter 2
1000008000 enter 3
1000010000 exit 2
1000012000 tail 1
1000062000 args 1
1000064000 enter 1
1000066000 enter 1
1000068000 exit 1
1000070000 exit 4
1000072000 event begun
1000074000 exit 1
1000090000 exit 1
1000092000 enter 5
1000094000 enter 6
1000096000 event \xff
END
check "a log" merge known rules
quiet
popped="2000[1 3000[2 4000[3 5000]3 5000]2 6000]1"
nested="31000[1 32000[1 33000[1 34000]1 37000]1 45000]1"
shows 100/100 "$popped $nested 46000[5 47000[6 48000]6 48000]5" "calls are what the log says"
sound "the rules" "$work/rules.txt"
says "calls and events are counted" "8 calls and 2 custom events of 1 thread"
says "exits without entry" "2 exits of functions whose entry is not in the log"
says "entries without exit" "3 calls without exit"
check "custom events have numbers" test "$("$checkers/ovnidump.py" "$work/out/ovni" |
	sed -n 's/.* OM= \([0-9]* 0 92\)$/\1/p' | tr '\n' ';')" = "1 0 92;258 0 92;"
check "and labels" sh -c "grep -A9 'XRay custom event' '$work/out/thread.pcf' |
	grep -q '^1 *begun$' && grep -q '^258 *(data)$' '$work/out/thread.pcf'"
check "a view of functions" grep -q 'evt_type 1 315$' "$work/out/cfg/thread/function.cfg"
check "and one of CPUs" grep -q 'evt_type 1 315$' "$work/out/cfg/cpu/function.cfg"
check "decoded without the log" "$decode" "$work/known" -o "$work/plain"
check "the kernel's events are what they are without it" \
	"$checkers/mergecheck.py" - "$work/plain" "$work/out" 0 0 --views

# While the thread is off the CPU its row shows where it was, and that CPU's row does not.
log off <<'END'
# 0
log 5
buffer 100/100 1000004000
1000004000 enter 1
1000180000 exit 1
END
check "a function that is not on the CPU" merge known off
sound "off the CPU" "$work/off.txt"
check "the thread's row shows it all the time" test \
	"$(grep -c ':1:1:1:[0-9]*:315:' "$work/out/thread.prv")" -eq 2

# Made up, all versions and both byte orders.
"$checkers/ovnidump.py" "$work/plain/ovni" >"$work/dump"
for version in 1 2 3 4 5; do
	for order in "" big; do
		# shellcheck disable=SC2086 # empty, or one word
		"$gen/xraygen.py" $version$version $version $order <"$work/dump" | log random
		check "version $version $order" merge known random
		sound "version $version $order" "$work/random.txt"
	done
done

# Deeper than any emulator's stack, and left again.
python3 - >"$work/deep.in" <<'END'
print("# 0\nlog 5\nbuffer 100/100 1000060000")
for i in range(2000):
    print(1000060000 + i, "enter", 1 + i % 7)
for i in reversed(range(2000)):
    print(1000070000 + 2000 - i, "exit", 1 + i % 7)
print("1000090000 enter 9\n1000091000 exit 9")
END
log deep <"$work/deep.in"
check "a deep stack" merge known deep
says "what is too deep is counted" "warning: merged: 1488 calls too deep to be shown"
check "512 are shown, and the one after them" \
	test "$("$checkers/ovnidump.py" "$work/out/ovni" | grep -c 'OM\[ . 0 91')" -eq 513
check "upstream's rules are kept" "$checkers/ovnirules.py" "$work/out/ovni"
check "ovnik-emu accepts it" "$emu" --strict "$work/out/ovni" -o "$work/emulated"

# Deeper than what is remembered.
python3 - >"$work/deep.in" <<'END'
print("log 5\nbuffer 100/100 1000060000\n1000060000 enter 2")
print("1000060000 enter 1\n" * 1100000 + "1000070000 exit 1\n" * 1100000)
print("1000090000 exit 2\n1000090000 enter 3\n1000091000 exit 3")
END
log deep <"$work/deep.in"
check "a stack of 1100001" merge known deep
check "is empty again in the end" test \
	"$(calls 100/100 | tr ' ' '\n' | tail -3 | tr '\n' ' ')" = "45000]2 45000[3 45500]3 "
says "no exit is without its entry there" "1099489 calls too deep"
check "nor an entry without exit" sh -c "! grep -q 'without exit' '$work/log'"

# One log a process; and two of one thread, the second maybe of another binary.
log first <<'END'
# 0
log 5
buffer 100/100 1000004000
1000004000 enter 1
1000008000 enter 2
END
log second <<'END'
# 536870912
log 5
buffer 100/100 1000062000
1000062000 exit 2
1000064000 enter 2
1000066000 exit 2
END
log third <<'END'
# 1073741824
log 5
buffer 200/200 1000042000
1000042000 enter 1
1000046000 exit 1
END
check "three logs, and a process" merge known first second third --pid 100
says "the log of another process is left out" "third: of other processes: left out"
shows 100/100 "2000[1 4000[2 4000]2 4000]1 32000[536870914 33000]536870914" \
	"a process has the calls that it had"
merge known third --pid 100
check "a log of another process only" test $? -eq 1
says "is refused" "the capture has none of its threads"
check "three logs" merge known first second third
sound "three logs" "$work/first.txt" "$work/second.txt" "$work/third.txt"
shows 100/100 "2000[1 4000[2 4000]2 4000]1 32000[536870914 33000]536870914" \
	"what one log leaves open ends with it"

# Before version 3 the capture says whose thread it is.
for version in 1 2; do
	log old <<-END
		log $version
		buffer 0/101 1000024000
		1000024000 enter 1
		1000026000 exit 1
	END
	check "version $version: no process in the log" merge known old
	shows 100/101 "12000[1 13000]1" "version $version: it is the capture's"
	quiet
done

# Threads that the capture has not; its other ones are in it.
log some <<'END'
log 5
buffer 100/100 1000004000
1000004000 enter 1
1000008000 exit 1
buffer 100/177 1000042000
1000042000 enter 1
1000046000 exit 1
buffer 100/0 1000042000
1000042000 enter 1
END
check "threads that are not in the capture" merge known some
says "this is reported" "some: 1 thread of it is not in the capture: left out"
says "no thread has these numbers" "1 thread of logs whose numbers no thread has"
check "it is in no stream" test ! -e "$work/out/ovni/loom.gen/proc.100/thread.177"

# A log without a function is none of another run.
log idle <<END
log 5
buffer 100/100 1000042000
END
check "a log without a function beside others" merge known idle rules
says "none is in it" "idle: 0 calls and 0 custom events of 1 thread"
log typed <<END
log 5
buffer 100/100 1000042000
1000042100 typed 3 text
END
check "a log of nothing but typed events" merge known typed
says "they are reported" "1 typed event left out"

# One log twice: each buffer overlaps its copy.
check "a log that is given twice" merge known rules rules
says "what it says twice is left out" "buffers* of logs within the time of others"
cp "$work/out/thread.prv" "$work/twice.prv"
merge known rules
check "it is rendered as if given once" cmp "$work/out/thread.prv" "$work/twice.prv"

# The log of a child that was forked: it has the parent's record, its own, and the parent's number. The capture knows that there
# is a child, but not whose log it is.
log twin <<'END'
log 5
buffer 100/100 1000002000
1000002000 enter 1
1000126000 enter 2
1000150000 exit 2
END
check "the log of a child that was forked, alone" merge forked twin
says "it is said whose row it is on" \
	"warning: merged: .*twin: process 100 forked 400, which ran no other program, .* the row of 100$"
check "a child that ran another program is not named" sh -c "! grep -q 'forked 500' '$work/log'"
log before <<'END'
log 5
buffer 100/100 1000002000
1000002000 enter 1
1000004000 exit 1
END
# not_forked - the last run has not named a child
not_forked()
{
	! grep 'forked' "$work/log"
}
check "a log that ended before the fork" merge forked before
check "is nobody's child's" not_forked
check "a log where nobody was forked" merge known twin
check "neither" not_forked

# Of two lives of a number a log of version 1 means the one that its TSC lies in.
log first <<END
log 1
buffer 100/102 1000024000
1000024000 enter 7
1000028000 exit 7
END
log second <<END
log 1
buffer 100/102 1006024000
1006024000 enter 8
1006028000 exit 8
END
check "the first life of a number" merge reuse first
sound "the first life" "$work/first.txt"
check "the second life of a number" merge reuse second
sound "the second life" "$work/second.txt"

# Delta by delta, a record may lead away; the next buffer leads back.
log leads <<END
log 5
buffer 100/100 1000002000
1000002000 enter 1
1000900000 enter 2
1000901000 exit 2
buffer 100/100 1000004000
1000004000 enter 3
1000005000 exit 3
END
check "a record leads past the next buffer" merge known leads
says "what lies there is left out" "2 records of logs after the next buffer"
log astray <<END
log 5
buffer 100/102 1000024000
1000024000 enter 1
1000024500 exit 1
1000024600 enter 1
1000024700 exit 1
1000024800 enter 1
1003000000 exit 1
END
check "a record lies where its thread was on no CPU" merge reuse astray
says "it is shown at the nearest time" "1 record of logs where the thread was on no CPU"

"$decode" "$work/known" -o "$work/ours" --to xray 2>/dev/null
cp "$work/ours/xray.fdr" "$work/made"
merge known made
refused "a log that we have made" "made: was made from a capture, not written by a program"
printf '\1\0\0\0%028d' 0 >"$work/basic"
merge known basic
refused "a log of XRay's basic mode" "basic: offset 2: type 0, XRay's basic mode, is not read"

# What is of another run, or of none.
sed 's/100\/100/900\/900/' "$work/rules.txt" | log others
merge known others
refused "a log of others" "others: the capture has none of its threads"
sed 's/\<10000/90000/' "$work/rules.txt" | log behind
merge known behind
refused "a log from after the capture" "behind: its clock goes from 9000002000 to 9000096000"
sed 's/\<10000/5000/' "$work/rules.txt" | log before
merge known before
refused "a log from before the capture" "before: its clock goes from"
log odd <<'END'
log 5 3000000000
buffer 100/100 1000004000
1000004000 enter 1
1000008000 exit 1
cpu 0 9000000000000000
9000000000000000 enter 2
cpu 0 1000009000
1000009000 enter 3
cpu 0 1000008500
1000008500 exit 3
END
check "impossible times" merge known odd
says "too far away" "warning: .* 1 record of logs after the next buffer, or more than an hour"
says "a clock that goes back" "warning: .* 1 record of logs whose clock goes back"
says "another rate" "odd says that the TSC has 3000.000 MHz, the capture measured 2000.000"
shows 100/100 "2000[1 4000]1 4500[3 4500]3" "the rest is there"

# Stamps that are no TSC.
merge monotonic rules
refused "a capture by CLOCK_MONOTONIC" "monotonic: .*CLOCK_MONOTONIC, those of XRay the TSC"

# A damaged log: what is open at the end of a buffer is taken to end there.
log whole <<'END'
log 5
buffer 100/100 1000004000
1000004000 enter 1
buffer 100/100 1000006000
1000006000 enter 2
1000007000 exit 2
raw ff00000000000000
buffer 100/100 1000008000
1000008000 exit 1
1000009000 enter 3
1000010000 exit 3
END
check_status 3 "a damaged log" merge known whole
says "damage is reported" "warning: merged: .*whole: is damaged in 1 place"
shows 100/100 "2000[1 2000]1 3000[2 3500]2 4500[3 5000]3" "nothing is open after it"
grep -v raw "$work/whole.txt" | log mended
check "the same log, sound" merge known mended
shows 100/100 "2000[1 3000[2 3500]2 4000]1 4500[3 5000]3" "a call spans its buffers"
head -c 31 "$work/rules" >"$work/short"
check_status 1 "a header that is cut off is no log" \
	"$decode" "$work/known" -o "$work/out" --merge "$work/short"
echo "log 5" | log empty 2>/dev/null
merge known empty
check "a log without a buffer is refused" test $? -eq 1

# The command line.
mkdir -p "$work/trace"
check_status 2 "a log and a trace" "$decode" "$work/known" -o "$work/out" \
	--merge "$work/rules" --merge "$work/trace"
check_status 2 "a binary without a log" "$decode" "$work/known" -o "$work/out" \
	--instr-map /bin/true
check_status 2 "without ovni among the outputs" "$decode" "$work/known" -o "$work/out" \
	--merge "$work/rules" --to prv
finish

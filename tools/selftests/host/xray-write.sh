#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-write.sh - FDR logs of captures whose content is known: by the format's rules, by
# llvm-xray, and against what the other outputs say of the same capture
#
# It takes over a minute: llvm-xray reads each of the logs.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

xray=$checkers/fdrcheck.py
if ! command -v llvm-xray-14 >/dev/null; then
	skip "FDR logs" "no llvm-xray-14"
	finish
fi
for generator in gen-xray gen-activity gen-capture gen-memory; do
	check "$generator is built" build $generator
done

# What must come of gen-xray known: PID/TID CPU TSC, + entered or - left, function
"$work/gen-xray" known "$work/known"
check_status 4 "a capture with gaps" "$decode" "$work/known" -o "$work/out" --to xray
cat >"$work/calls" <<'END'
100/100 0 1000002000 + off-CPU: Not seen on a CPU yet
100/100 0 1000002000 - off-CPU: Not seen on a CPU yet
100/100 0 1000002000 + run (continued)
100/100 0 1000010000 - run (continued)
100/100 0 1000010000 + read
100/100 0 1000010000 + run (continued)
100/100 0 1000011000 - run (continued)
100/100 0 1000011000 + off-CPU: Disk sleep (uninterruptible)
100/100 0 1000012000 - off-CPU: Disk sleep (uninterruptible)
100/100 0 1000012000 + run
100/100 0 1000012100 - run
100/100 0 1000012100 + page fault: Read
100/100 0 1000012100 + run (continued)
100/100 0 1000012200 - run (continued)
100/100 0 1000012200 - page fault: Read
100/100 0 1000012200 + run (continued)
100/100 0 1000013000 - run (continued)
100/100 0 1000013000 - read
100/100 0 1000013000 + run (continued)
100/100 0 1000020000 - run (continued)
100/100 0 1000020000 + write
100/100 0 1000020000 + run (continued)
100/100 0 1000020000 - run (continued)
100/100 0 1000020000 - write
100/100 0 1000020000 + run (continued)
100/100 0 1000020000 - run (continued)
100/100 0 1000020000 + unknown: records missing
100/100 0 1000030000 - unknown: records missing
100/100 0 1000030000 + run (continued)
100/100 0 1000030000 - run (continued)
100/100 0 1000030000 + page fault: Read
100/100 0 1000030000 + run (continued)
100/100 0 1000031000 - run (continued)
100/100 0 1000031000 - page fault: Read
100/100 0 1000031000 + run (continued)
100/100 0 1000032000 - run (continued)
100/100 0 1000032000 + preadv/preadv2
100/100 0 1000032000 + run (continued)
100/100 0 1000032000 - run (continued)
100/100 0 1000032000 - preadv/preadv2
100/100 0 1000032000 + run (continued)
100/100 0 1000083200 - run (continued)
100/100 0 1000083200 + off-CPU: Runnable (preempted in the kernel)
100/100 0 1000084500 - off-CPU: Runnable (preempted in the kernel)
100/100 0 1000084500 + run
100/100 0 18179929184 - run
100/101 0 1000002000 + off-CPU: Not seen on a CPU yet
100/101 0 1000002200 - off-CPU: Not seen on a CPU yet
100/101 0 1000002200 + off-CPU: Sleeping (interruptible)
100/101 0 1000030000 - off-CPU: Sleeping (interruptible)
100/101 0 1000030000 + unknown: records missing
100/101 1 1000040000 - unknown: records missing
100/101 1 1000040000 + run
100/101 1 1000050000 - run
100/101 1 1000050000 + off-CPU: Sleeping (interruptible)
100/101 1 13884951888 - off-CPU: Sleeping (interruptible)
100/101 1 13884951888 + run
100/101 1 18179929184 - run
100/101 1 18179929184 + Another call
100/101 1 18179929184 + run (continued)
100/101 1 18179929184 - run (continued)
100/101 1 18179929184 - Another call
102/102 0 1000060000 + off-CPU: New, has not run yet
102/102 1 1000061000 - off-CPU: New, has not run yet
102/102 1 1000061000 + run
102/102 1 1000063000 - run
102/102 0 1000070000 + off-CPU: New, has not run yet
102/102 1 1000071000 - off-CPU: New, has not run yet
102/102 1 1000071000 + run
102/102 1 1000073000 - run
200/200 0 1000080000 + off-CPU: New, has not run yet
200/200 1 1000081000 - off-CPU: New, has not run yet
200/200 1 1000081000 + run
200/200 1 1000083000 - run
200/200 1 1000083000 + off-CPU: Sleeping (interruptible)
200/200 0 1000083200 - off-CPU: Sleeping (interruptible)
200/200 0 1000083200 + run
200/200 1 1000084000 - run
200/200 1 1000084000 + run (continued)
200/200 1 1000085000 - run (continued)
200/200 1 1000085000 + off-CPU: Runnable (preempted in the kernel)
200/200 1 18179929184 - off-CPU: Runnable (preempted in the kernel)
200/201 1 1000082000 + off-CPU: New, has not run yet
200/201 1 1000083000 - off-CPU: New, has not run yet
200/201 1 1000083000 + run
200/201 1 1000084000 - run
200/201 1 1000084000 + run (continued)
200/201 0 1000084500 - run (continued)
300/300 1 1000002000 + off-CPU: Not seen on a CPU yet
300/300 1 1000014000 - off-CPU: Not seen on a CPU yet
300/300 1 1000014000 + run
300/300 1 1000014100 - run
300/300 1 1000014100 + read
300/300 1 1000014100 + run (continued)
300/300 1 1000014200 - run (continued)
300/300 1 1000014200 + page fault: Read
300/300 1 1000014200 + run (continued)
300/300 1 1000014300 - run (continued)
300/300 1 1000014300 + off-CPU: Disk sleep (uninterruptible)
300/300 1 1000030000 - off-CPU: Disk sleep (uninterruptible)
300/300 1 1000030000 + unknown: records missing
300/300 1 1000032000 - unknown: records missing
300/300 1 1000032000 - page fault: Read
300/300 1 1000032000 - read
300/300 1 1000032000 + unknown: records missing
300/300 1 1000034000 - unknown: records missing
300/300 1 1000034000 + run
300/300 1 1000034200 - run
300/300 1 1000034200 + read
300/300 1 1000034200 + run (continued)
300/300 1 1000034300 - run (continued)
300/300 1 1000034300 + off-CPU: Disk sleep (uninterruptible)
300/300 1 1000035000 - off-CPU: Disk sleep (uninterruptible)
300/300 1 1000035000 + run
300/300 1 1000035100 - run
300/300 1 1000035100 - read
300/300 1 1000035100 + run (continued)
300/300 1 1000035200 - run (continued)
300/300 1 1000035200 + off-CPU: Sleeping (interruptible)
300/300 1 18179929184 - off-CPU: Sleeping (interruptible)
END
"$xray" dump "$work/out/xray.fdr" "$work/out/xray.elf" >"$work/dump"
grep -v ' ! ' "$work/dump" >"$work/got"
check "the calls are the ones expected" diff "$work/calls" "$work/got"

# Events: of the task that ran there, or that is concerned if none did. One is lost with its thread.
cat >"$work/events" <<'END'
100/100 0 1000002000 ! capture begins
100/100 0 1000002000 ! dump_task cpu=0 tid=100 tgid=100 parent_tgid=1 state=0x0 flags=0x0 start=100000 mm=7 pgd=0x1a2b3 comm="quo\x22te \x5c\x01\xff"
100/100 0 1000002200 ! dump_task cpu=0 tid=101 tgid=100 parent_tgid=1 state=0x1 flags=0x0 start=101000 mm=7 pgd=0x1a2b3 comm="sleeper"
100/100 0 1000011500 ! sched_wakeup cpu=0 tid=100 waker_tid=0
100/100 0 1000012050 ! file_write op=12 tid=100 dev=0x0 ino=4711 offset=0 generation=0 result=512
100/100 0 1000012100 ! page_fault error=0x4 tid=100 address=0x7fffffffffff ip=0x0
100/100 0 1000012200 ! page_fault_end result=0 tid=100
100/100 0 1000013000 ! file_read op=1 tid=100 dev=0x0 ino=4711 offset=0 generation=0 result=-5
100/100 0 1000030000 ! page_fault error=0x4 tid=100 address=0x7fffffffffff ip=0x0
100/100 0 1000031000 ! page_fault_end result=0 tid=100
100/100 0 1000033000 ! sched_wakeup cpu=1 tid=101 waker_tid=100
END
grep '^100/100 .* ! ' "$work/dump" | grep -v task_fork | sed 's/ *$//' >"$work/got"
check "the events of a thread are the ones expected" diff "$work/events" "$work/got"
check "a pause of more than 32 bits of ticks, and of 31" \
	grep -q '^100/101 1 17106177360 ! page_add ' "$work/dump"

# accepted NAME - $work/NAME in both versions, whole and split; REUSED is for fdrcheck
accepted()
{
	one=$work/one.$1
	split=$work/split.$1
	"$decode" "$work/$1" -o "$work/out" --to xray 2>"$work/log"
	status=$?
	check_status $status "$1: version 1" \
		"$decode" "$work/$1" -o "$one" --to xray --xray-version=1
	check_status $status "$1: a log a process" \
		"$decode" "$work/$1" -o "$split" --to xray --xray-split=process
	check "$1: sound" "$xray" sound "$work/out/xray.fdr" "$one/xray.fdr" "$split"/xray.pid*.fdr
	check "$1: llvm-xray reads what is there" "$xray" llvm "$work/out/xray.fdr" \
		"$work/out/xray.elf"
	check "$1: our reader reads what is there" \
		"$xray" ours "$work/out/xray.fdr" "$top/build/selftests/check/xraydump"
	check "$1: every record is an event or call" \
		"$xray" events "$work/log" "$work/out/xray.fdr"
	check "$1: both versions say the same" "$xray" same "$one/xray.fdr" "$work/out/xray.fdr"
	# The other readers of what says the same: of some of the captures.
	case $1 in
	overwritten | activity | memory) [ -n "$LONG" ] || return 0 ;;
	esac
	check "$1: and in version 1" "$xray" llvm "$one/xray.fdr" "$one/xray.elf"
	check "$1: and in version 1, too" \
		"$xray" ours "$one/xray.fdr" "$top/build/selftests/check/xraydump"
	for log in "$split"/xray.pid*.fdr; do
		llvm-xray-14 account --instr_map="$split/xray.elf" "$log" >/dev/null 2>"$work/err" ||
			break
	done
	check "$1: and in each process's log" test ! -s "$work/err"
}

# agrees NAME - the logs made last, with the other outputs
agrees()
{
	"$decode" "$work/$1" -o "$work/out" --to xray,ovni,laplace 2>/dev/null
	check "$1: switches, reasons, calls and faults as in the other outputs" \
		"$xray" counts "$work/out" "$work/out/laplace.txt" "$work/out/xray.fdr"
	check "$1: of all processes together, too" \
		"$xray" counts "$work/out" "$work/out/laplace.txt" "$split"/xray.pid*.fdr
}

export REUSED="102/102 0/102"
accepted known
export REUSED=
"$work/gen-capture" random "$work/sched" -n 20000 -c 4 -t 300
accepted sched
agrees sched
"$work/gen-capture" random "$work/lossy" -n 12000 -c 4 -t 100 -l 40 -e -m
accepted lossy
agrees lossy
"$work/gen-capture" random "$work/overwritten" -n 12000 -c 3 -t 100 -o
accepted overwritten
"$work/gen-activity" random "$work/activity" 12000 1 0
accepted activity
agrees activity
"$work/gen-activity" random "$work/gaps" 12000 2 60
accepted gaps
agrees gaps
"$work/gen-memory" "$work/memory" -n 5000 -c 3 -b 4096 -s 9
accepted memory
"$work/gen-xray" threads "$work/threads" 1000
accepted threads
check "threads: tids of more than 16 bits" sh -c \
	"llvm-xray-14 convert -f yaml '$work/one.threads/xray.fdr' | grep -q 'thread: 70999,'"

# The header, by llvm-xray: rate and kind of the clock.
for what in "sched 2000000000 true" "lossy 1000000000 true"; do
	# shellcheck disable=SC2086 # three words
	set -- $what
	"$decode" "$work/$1" -o "$work/out" --to xray 2>/dev/null
	check "$1: its clock" test "$(llvm-xray-14 convert -f yaml "$work/out/xray.fdr" |
		sed -n 's/^  \(constant-tsc\|nonstop-tsc\|cycle-frequency\): *//p' | tr '\n' ' ')" = \
		"$3 $3 $2 "
done

# That switches are recorded from here on is no record, which a log could leave out.
"$work/gen-activity" random "$work/part" 300 1 0
"$decode" "$work/part" -o "$work/out" --to xray --pid 1006 2>"$work/log"
check "a part of a capture: no record is left out" test -s "$work/out/xray.fdr" -a \
	"$(grep -c 'without a known thread' "$work/log")" -eq 0
rm -rf "$work/part"

# More than memory takes. Records of each thread stay in order in the file that takes the rest.
"$work/gen-capture" random "$work/large" -n 1500000 -c 4 -t 3000
"$decode" "$work/large" -o "$work/out" --to xray,laplace 2>"$work/log"
# llvm-xray counts its switches below; each event by Python is a minute on a busy machine.
[ -z "$LONG" ] || check "more than 64 MiB: sound" "$xray" sound "$work/out/xray.fdr"
check "more than 64 MiB" test "$(stat -c %s "$work/out/xray.fdr")" -gt $((64 << 20))
check "every switch is there" test \
	"$(llvm-xray-14 account --instr_map="$work/out/xray.elf" --format=csv "$work/out/xray.fdr" |
		sed -n 's/^1,\([0-9]*\),.*/\1/p')" -eq \
	"$(grep -c '^s [0-9a-f]* [1-9a-f]' "$work/out/laplace.txt")"
check "nothing else is left" test "$(find "$work/out" -name 'xray*' | wc -l)" -eq 2
rm -rf "$work/large"

# Only what is ours is touched.
mkdir "$work/mine"
touch "$work/mine/xray.pid7.fdr" "$work/mine/xray.fdr" "$work/mine/xray.pidx.fdr" \
	"$work/mine/xray.pid7.fdr.bak" "$work/mine/laplace.txt"
"$decode" "$work/sched" -o "$work/mine" --to xray 2>/dev/null
check "logs of an earlier run are removed" test ! -e "$work/mine/xray.pid7.fdr"
check "other files are not" test -e "$work/mine/xray.pidx.fdr" -a \
	-e "$work/mine/xray.pid7.fdr.bak" -a -e "$work/mine/laplace.txt"
"$decode" "$work/sched" -o "$work/mine" --to laplace 2>/dev/null
check "what was not asked for stays" test -s "$work/mine/xray.fdr"

rm "$work/mine/xray.fdr"
mkdir "$work/mine/xray.fdr"
check_status 1 "a directory is in the way" "$decode" "$work/sched" -o "$work/mine" --to xray
rmdir "$work/mine/xray.fdr"

# A capture of nothing.
mkdir "$work/empty"
: >"$work/empty/cpu0.ovk"
"$decode" "$work/empty" -o "$work/none" --to xray 2>"$work/log"
check "of nothing there is no log" test ! -e "$work/none/xray.fdr" -a ! -e "$work/none/xray.elf"

# No room. (A full disk is a limit of the size of files to the program.)
check_status 1 "no room for the log" sh -c "
	trap '' XFSZ
	ulimit -f 100
	'$decode' '$work/sched' -o '$work/full' --to xray 2>'$work/log'"
check "which is said" grep -q "error: $work/full/xray.fdr: cannot write: File too large" "$work/log"
check "no log is left" sh -c "! ls '$work/full' | grep -q ."

check_status 2 "another version" "$decode" "$work/sched" -o "$work/out" --to xray --xray-version=4
check_status 2 "another split" "$decode" "$work/sched" -o "$work/out" --to xray --xray-split=cpu
check_status 2 "a split of nothing" "$decode" "$work/sched" -o "$work/out" --xray-split=process
finish

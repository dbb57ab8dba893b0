#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refs.sh - are logged memory references those that the guest made?
#
# A program in the guest knows its references, and when it stores its TSC. Then processes
# are recorded by the module, whose address spaces are those of the references.
#
# It takes minutes: two boots with the log of each instruction, and two million references that Python
# looks at one by one.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

# What the guest shall reach must lie in the repository.
run=$(mktemp -d "$top/build/refs.XXXXXX")
trap 'rm -rf "$work" "$run"' EXIT
refs=$top/build/ovnik-refs

# guest OPTION... - what is in vm-guest/refs.sh; with ALONE as its argument
guest()
{
	"$top/tools/vm/run" "$@" --quiet --log "$work/console.log" -- \
		env "LONG=$LONG" sh /host/tools/selftests/vm-guest/refs.sh "/host/${run#"$top/"}" ${alone:+"$alone"}
}

in_guest()
{
	guest --refs "$run/log.refs" --plugin "$top/build/selftests/count.so,out=$run/counts"
}

without_log()
{
	alone=alone guest --refs-not
}

undisturbed()
{
	"$checkers/refscheck.py" pace "$run/pace.alone" "$run/pace.$1"
}

same_records()
{
	"$decode" "$run/same" --to laplace -o "$work/same" &&
		"$decode" "$run/same-alone" --to laplace -o "$work/same-alone" &&
		"$checkers/refscheck.py" kinds "$work/same/laplace.txt" "$work/same-alone/laplace.txt"
}

as_lackey()
{
	valgrind --tool=lackey --trace-mem=yes --log-file="$work/lackey" "$top/build/selftests/guest/plain" &&
		"$checkers/refscheck.py" lackey "$run/expected" "$run/plain" "$work/lackey" "$work/refs"
}

# no_drift LOG
no_drift()
{
	"$refs" --info "$1" >"$1.info" || return
	grep -qx 'drift  *0 ticks' "$1.info" || { "$checkers/refscheck.py" drift "$1" "$refs"; return 1; }
}

# The emulator executes each load from a device alone. Files are read meanwhile, whose interrupts come when
# the host has them.
in_device_guest()
{
	alone=device guest --refs "$run/device.refs" && no_drift "$run/device.refs"
}

# In the time of which are instructions that fault in any way.
with_traps()
{
	awk -F ': ' '$2 == 20 { n++ } { print } END { exit n < 64 }' "$run/traps"
}

# A log that breaks off, as on a disk that is full. The guest does its work, but the run has failed.
not_written()
{
	status=0
	mkfifo "$run/fifo.refs"
	head -c 1000 "$run/fifo.refs" >/dev/null &
	"$top/tools/vm/run" --refs "$run/fifo.refs" -- \
		sh -c '/host/build/selftests/guest/refsload >/dev/null && echo whole' >"$work/out" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = 96 ] && [ "$(cat "$work/out")" = whole ] &&
		[ "$(grep -c "ovnik-refs.so: .*fifo.refs: Broken pipe$" "$work/log")" = 1 ]
}

# refuses_plugin OPTIONS PATTERN
refuses_plugin()
{
	status=0
	"$top/tools/vm/run" --refs "$run/none.refs" --refs-options "$1" --timeout 600 -- true 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" != 0 ] && grep -q "ovnik-refs.so: $2" "$work/log"
}

refuses_options()
{
	for option in every=5abc every=-1 every=0 every=4294967296 every=; do
		refuses_plugin "$option" "$option: is no option, or its value is wrong" || return 1
	done
	refuses_plugin only=user,only=kernel "only=user and only=kernel exclude each other"
}

# Without -icount the guest's clock is the host's.
refuses_clock()
{
	qemu=$("$top/tools/vm/fetch-qemu") || return
	for icount in "" "-icount shift=auto" "-icount shift=7,sleep=off"; do
		# shellcheck disable=SC2086 # two words or none
		QEMU_MODULE_DIR=$qemu/usr/lib/x86_64-linux-gnu/qemu timeout 60 \
			"$qemu/usr/bin/qemu-system-x86_64" -L "$qemu/usr/share/qemu" \
			-L "$qemu/usr/share/seabios" -accel tcg,thread=single -nodefaults -display none \
			-plugin "$top/build/ovnik-refs.so,log=$run/clock.refs" $icount >"$work/log" 2>&1
		status=$?
		cat "$work/log"
		[ "$status" = 1 ] && grep -q 'QEMU needs -icount shift=0' "$work/log" || return 1
	done
	[ ! -e "$run/clock.refs" ]
}

# Loads and stores are equal. A fetch that QEMU itself breaks off and repeats is counted twice by
# the other plugin, and so is the code behind the switch in its block.
# as_counted COUNTS LOG
as_counted()
{
	awk 'NR == FNR { want[$1] = $2; next }
		$1 in want {
			more = want[$1] - $2
			print $1, want[$1], "counted,", $2, "logged"
			seen++
			bad += more < 0 || more > ($1 == "fetches" ? want[$1] / 10000 : 0)
		}
		END { exit bad || seen != 3 }' "$1" "$2.info"
}

# QEMU 11 takes plugins of another interface only.
newer_qemu()
{
	newer=$("$top/tools/vm/fetch-qemu" sid) && newer=$newer/usr/bin/qemu-system-x86_64 &&
		"$newer" --version | tee /dev/stderr | grep -q "^QEMU emulator version 11\."
}

in_newer_guest()
{
	# shellcheck disable=SC2016 # for the guest's shell
	"$top/tools/vm/run" --refs-suite sid --refs "$run/newer.refs" \
		--plugin "$top/build/selftests/count-qemu11.so,out=$run/newer.counts" --quiet --log "$work/console.log" -- \
		sh -c '/host/build/selftests/guest/refsload preempted >"/host/$1/newer"' sh "${run#"$top/"}" &&
		no_drift "$run/newer.refs" && as_counted "$run/newer.counts" "$run/newer.refs"
}

known_in_newer()
{
	"$refs" --to-binary --wide "$run/newer.refs" -o "$work/newer" &&
		"$checkers/refscheck.py" known "$run/newer" "$work/newer" &&
		"$checkers/refscheck.py" times "$run/newer" "$work/newer"
}

# By the message that refs.rst has.
refuses_other()
{
	status=0
	"$newer" -accel tcg,thread=single -nodefaults -display none \
		-plugin "$top/build/ovnik-refs.so,log=$run/other.refs" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = 1 ] && grep -q "requires API version 4, but this QEMU supports only a minimum version of 7" "$work/log"
}

# record N CAPTURE - print the time of its record number N of the decoded trace; $ is the last one
record()
{
	grep -v '^c' "$work/$2/laplace.txt" | sed -n "$1{s/^. //; s/ .*//; p}"
}

# Of a tree of processes, the module switches the log by sysfs.
in_guest_tree()
{
	alone=tree guest --refs "$run/tree.refs" &&
		"$decode" "$run/tree" --to laplace -o "$work/tree" &&
		"$refs" --to-binary --wide "$run/tree.refs" -o "$work/tree.refs"
}

# Without what is logged for the last check, which is long.
expanded()
{
	"$decode" "$run/capture" --to laplace -o "$work/capture" &&
		"$refs" --to-binary --wide --until "$(record '$' capture)" "$run/log.refs" -o "$work/refs"
}

# Of a log without its end, all that is whole comes out.
cut_short()
{
	head -c -200 "$run/log.refs" >"$work/cut.refs"
	status=0
	"$refs" --to-binary --wide --until "$(record '$' capture)" "$work/cut.refs" -o "$work/less" 2>"$work/log" || status=$?
	[ "$status" = 1 ] && grep -q "cut.refs: offset [0-9]*: the file has been cut" "$work/log" &&
		[ "$(stat -c %s "$work/less")" -gt 22000000 ] &&
		cmp -n "$(stat -c %s "$work/less")" "$work/less" "$work/refs"
}

# Both traces of a short time, in each form.
merged()
{
	"$top/build/ovnik-merge" "$run/small" "$run/log.refs" -o "$work/merged" \
		--interleave --basic --per-process --stat
}

# The log is off from the small recording's end until the next one has begun.
one_by_one()
{
	"$decode" "$run/small" --to laplace -o "$work/small" &&
		"$refs" --to-binary --wide --from "$(record 1 small)" --until "$(record 1 capture)" \
			"$run/log.refs" -o "$work/small.refs" &&
		"$checkers/refsmergecheck.py" "$work/small/laplace.txt" "$work/small.refs" "$work/merged"
}

# What the log has comes out of a log of it as well.
logged_again()
{
	"$refs" --to-log --wide "$work/small.refs" -o "$work/again" &&
		"$refs" --to-binary --wide "$work/again" | cmp - "$work/small.refs"
}

# Cut by ovnik-refs, a process has the fetches of user code that the merge gives it, and the
# kernel's references meanwhile, of which some are to user memory. By their times: the merge makes
# two of one that is in two pages.
of_processes()
{
	seen=0
	largest=$(wc -l "$work"/merged/processes/*/*.txt | sort -rn |
		sed -n 's|.*/processes/\([0-9]*\)/.*|\1|p' | awk '!had[$1]++' | head -4)
	for pid in $largest; do
		merged=$(awk '/^i/ && !had[$2]++ { n++ } END { print n + 0 }' \
			"$work/merged/processes/$pid"/*.txt)
		cut=$("$refs" --to-text --wide --kinds i --pid "$pid" --capture "$run/small" \
			"$run/log.refs" | awk 'length($5) < 16 && !had[$2]++ { n++ } END { print n + 0 }')
		echo "$pid: $merged fetches merged, $cut cut"
		[ "$merged" = "$cut" ] || return 1
		seen=$((seen + (merged > 3000)))
	done
	[ "$seen" -gt 1 ]
}

counted()
{
	"$decode" top --by process --self --json "$run/small" >"$work/top" &&
		"$checkers/refsstatcheck.py" "$work/merged" "$work/top"
}

# has COUNT WHAT... - canoncheck has counted so many of each
has()
{
	want=$1
	shift
	for what; do
		grep -qx "$what $want" "$work/canon" || return 1
	done
}

# Of a part of the time, pages have the numbers that they have in the whole.
part()
{
	from=$("$refs" --to-text --wide "$work/small.refs" | awk -v nr="$(amount 500000 1000000)" 'NR == nr { print $2; exit }')
	"$top/build/ovnik-merge" --basic --from "$from" "$run/small" "$run/log.refs" -o "$work/part" &&
		lines=$(wc -l <"$work/part/basic.txt") && [ "$lines" -gt "$(amount 300000 500000)" ] &&
		tail -n "$lines" "$work/merged/basic.txt" | cmp - "$work/part/basic.txt"
}


# refused STATUS PATTERN ARGUMENT...
refused()
{
	want=$1
	pattern=$2
	shift 2
	status=0
	"$top/build/ovnik-merge" "$@" 2>"$work/log" || status=$?
	cat "$work/log"
	[ "$status" = "$want" ] && grep -q "$pattern" "$work/log" && [ "$(grep -c error: "$work/log")" -le 1 ]
}

refuses()
{
	head -c 100000 "$run/log.refs" >"$work/begin.refs"
	mkdir "$work/there"
	: >"$work/there/references.csv"
	refused 1 "begin.refs: offset [0-9]*: the file has been cut" --basic "$run/small" "$work/begin.refs" -o "$work/no" &&
		refused 2 "from is behind --until" --from 2 --until 1 "$run/small" "$run/log.refs" -o "$work/no" &&
		refused 1 "references.csv: is there already" --stat "$run/small" "$run/log.refs" -o "$work/there" &&
		[ ! -e "$work/no" ]
}

# canonical CAPTURE [LOG] - the frames that the log has say which pages are the same.
canonical()
{
	"$top/build/selftests/check/canoncheck" "$run/$1" "$run/${2:-log}.refs" >"$work/canon" 2>"$work/canon.err" &&
		cat "$work/canon" &&
		has 0 moved shared no_frame no_page unmapped spaces &&
		awk '$1 == "linear" { nr = $2 } END { exit nr < 20 }' "$work/canon"
}

# moves KIND... - all parts of moveload: these kinds of moves are as many as it says, in sum; of no
# other kind is any
moves()
{
	part=$1
	shift
	canonical "$part" || return 1
	want=$(sed -n "s/^$part //p" "$run/$part.log")
	echo "$part: $want moved for sure"
	awk -v kinds="$*" -v want="$want" '
		BEGIN { n = split(kinds, list); for (i = 1; i <= n; i++) is[list[i]] = 1 }
		/^moved_(swap|collapse|copy) / { if ($1 in is) sum += $2; else bad += $2 }
		END { exit bad || sum < want || (!want && sum) }' "$work/canon"
}

check "references are logged in a guest" in_guest
check "each read of the TSC is as far from the one before as the log says" no_drift "$run/log.refs"
[ -z "$LONG" ] || check "also where interrupts come behind loads from a device" in_device_guest
check "with all faults that there were" with_traps
check "another plugin, which only counts, agrees" as_counted "$run/counts" "$run/log.refs"
# The archive of sid changes without a commit of ours.
if [ -n "$LONG" ] && newer_qemu >"$work/newer.log" 2>&1; then
	check "QEMU 11 logs references by the plugin for it, as many as are counted" in_newer_guest
	check "they are those that a program knows of" known_in_newer
	check "it refuses the one for QEMU 10" refuses_other
elif [ -n "$LONG" ]; then
	explain <"$work/newer.log"
	skip "the plugin for QEMU 11" "Debian's sid cannot be reached, or has another one"
fi
check "the log is expanded" expanded
check "a program's references are those that it knows of" \
	"$checkers/refscheck.py" known "$run/expected" "$work/refs"
check "stores of the TSC are logged at that time" \
	"$checkers/refscheck.py" times "$run/expected" "$work/refs"
check "user code runs in the address space of the task that was scheduled" \
	"$checkers/refscheck.py" spaces "$work/capture/laplace.txt" "$work/refs"
[ -z "$LONG" ] || check "Valgrind's lackey sees the same references of a program" as_lackey
check "a log that was cut" cut_short
check "the same work in a guest without the log" without_log
check "the guest's clock counts as many ticks for the same while the log is on" undisturbed on
check "and while it is off" undisturbed off
check "the kernel has as many records of each kind" same_records
if [ -n "$LONG" ]; then
	check "the log of a tree of processes, of some that the recorder names, and by sysfs" in_guest_tree
	check "has what its processes do, all of it and nothing else" \
		"$checkers/refscheck.py" tree "$run/tree.log" "$work/tree/laplace.txt" "$work/tree.refs"
	check "and pages of these are canonical, too" canonical tree tree
fi
check "both traces are merged" merged
check "each record and each reference is where it belongs" one_by_one
check "references that become a log again stay the same" logged_again
check "those of one process alone are those of its merge" of_processes
check "and what is counted is what they are" counted
check "what cannot be merged is refused" refuses
[ -z "$LONG" ] || check "a log that cannot be written is an error of the run" not_written
check "what is no option of the plugin is refused" refuses_options
check "and so is a QEMU whose clock does not count instructions" refuses_clock
check "a part of the time has the pages of the whole" part
check "canonical pages of shell commands have one frame each, and no frame has two" canonical capture
check "of files that are cut while there are copies of their pages" moves cut
check "of pages that were swapped out" moves swap moved_swap
if [ -n "$LONG" ]; then
	check "of programs that fork, copy on write and fill the page cache, too" canonical pages
	check "of huge pages, of which small ones were collapsed into one" moves huge moved_collapse
	check "of System V segments" moves sysv
	check "of pages that are moved, not inherited, spliced and written from outside" moves odd
	# One in 512 gets a frame as if it were part of a huge page.
	check "of pages that were migrated" moves migrate moved_copy moved_collapse
fi
finish

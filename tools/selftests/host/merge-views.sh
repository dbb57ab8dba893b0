#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge-views.sh - what a merged trace makes of waits for a CPU, of marks, of metadata
#
# merge.sh compares events. Captures are those of gen-merge.c.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"

for kind in known waits woken pulled unseen; do
	"$work/gen-merge" $kind "$work/$kind"
done

# refused NAME TEXT - the status of the command before was 1, for this reason
refused()
{
	check "$1 is refused" test $? -eq 1
	check "$1: for that reason" grep -aq "error: .*$2" "$work/log"
}

# emulated [OPTION]... - ovnik-emu takes the merged trace
emulated()
{
	rm -rf "$work/emulated"
	mkdir "$work/emulated"
	"$emu" "$@" "$work/out/ovni" -o "$work/emulated" 2>"$work/log"
}

mark='"mark": {"3": {"title": "x", "chan_type": "single"}}'

# one_event CLOCK - of thread 100, in us after the capture began; a trace "one"
one_event()
{
	app one <<-END
		! 100/100 gen.1 {$mark}
		100/100 5000002000 OHx 0 -1 0 0
		100/100 $((5000000 + $1))000 OM= 5 0 3
		100/100 5010015000 OHe
	END
}

# Waits are no gaps: before the first, within one, after its move to another CPU.
for at in 2500 5000 8500; do
	one_event $at
	rm -rf "$work/out"
	merge waits one --to ovni
	refused "an event $at us after the beginning, where its thread was on no CPU" \
		"offset 36: .*was on no CPU.*not clocks of the same run"
done

# The application has events during a wait, or before one; that is not refused.
for kind in woken pulled unseen; do
	for at in 5000 9000; do
		one_event $at
		rm -rf "$work/out"
		merge $kind one
		check "$kind, $at us: merged, with losses" test $? -eq 4
		check "$kind, $at us: its waits end" "$checkers/waitsend.py" "$work/out"
		check "$kind, $at us: ovnik-emu accepts it" emulated -l
		check "$kind, $at us: and renders the same" "$checkers/prvcmp.py" "$work/emulated" \
			"$work/out"
	done
done

# Offsets that cannot be used: what is there stays.
one_event 3
check "outputs that are there" merge known one
cp -r "$work/out" "$work/kept"
for line in '0 nobody x 0 0' '0 elsewhere 1 0 0' '0 gen 1e300 0 0' '\0377\0033[2J'; do
	printf 'rank hostname a b c\n%b\n' "$line" >"$work/one/clock-offsets.txt"
	for to in ovni,prv ovni; do
		merge known one --to $to
		refused "offsets '$line', --to $to," "clock-offsets.txt: line 2"
		check "offsets '$line', --to $to: what was there is untouched" \
			diff -r "$work/kept" "$work/out"
	done
done
printf 'rank hostname a b c\n0 gen 0 0 0\n' >"$work/one/clock-offsets.txt"
check "offsets that can be used" merge known one
app others <<'END'
! 500/500 gen.1
500/500 5000002000 OHx 0 -1 0 0
500/500 5000003000 OHe
END
rm -rf "$work/out"
merge known others --to ovni
refused "a trace of which the capture has no thread" "the capture has none of its threads"
check "a trace without a thread of the capture: none is left" test ! -e "$work/out/ovni"

# A breakdown asks all threads, those that are added, too.
app runtime <<'END'
! 100/100 gen.1 {"require": {"ovni": "1.1.0", "nosv": "2.7.0"}}
100/100 5000001500 OHx 0 -1 0 0
100/100 5000002000 VS[
100/100 5000003000 VS]
100/100 5000250000 OHe
! 100/101 gen.1 {"require": {"ovni": "1.1.0", "nosv": "2.7.0"}}
100/101 5000011000 OHx 1 -1 0 0
100/101 5000012000 VS[
100/101 5000013000 VS]
100/101 5000048000 OHe
END

# nosv TID MEMBERS - what this thread's metadata say of nosv
nosv()
{
	python3 - "$work/runtime/loom.gen.1/proc.100/thread.$1/stream.json" "$2" <<-'END'
		import json, sys
		root = json.load(open(sys.argv[1]))
		root["nosv"] = json.loads(sys.argv[2])
		json.dump(root, open(sys.argv[1], "w"))
	END
}

# said - what each thread of the merged trace says of nosv
said()
{
	python3 - "$work/out/ovni" <<-'END'
		import glob, json, sys
		for path in sorted(glob.glob(sys.argv[1] + "/loom.*/proc.*/thread.*/stream.json")):
		    root = json.load(open(path))
		    print(root["ovni"]["tid"], json.dumps(root.get("nosv")))
	END
}

nosv 100 '{"can_breakdown": true}'
nosv 101 '{"can_breakdown": true, "hwc": {"0": {"name": "cycles"}}}'
check "a runtime that can be broken down" merge known runtime
check "it is broken down" emulated -b
check "into a trace" test -s "$work/emulated/nosv-breakdown.prv"
cat >"$work/want" <<'END'
100 {"can_breakdown": true}
101 {"can_breakdown": true, "hwc": {"0": {"name": "cycles"}}}
102 {"can_breakdown": true}
200 {"can_breakdown": true}
300 {"can_breakdown": true}
END
said >"$work/got"
check "all threads say that they can be" diff "$work/want" "$work/got"
for other in '{"can_breakdown": false}' '{}'; do
	nosv 101 "$other"
	check "one thread says $other" merge known runtime
	cat >"$work/want" <<-END
		100 {"can_breakdown": true}
		101 $other
		102 null
		200 null
		300 null
	END
	said >"$work/got"
	check "one thread says $other: the added ones say nothing" diff "$work/want" "$work/got"
done

# A mark of the application is none of ours, whatever it says.
marks='"3": {"title": "x", "chan_type": "single", "ovnik": "bytes_read", "labels": {"5": "five"}}'
marks="$marks, \"4\": {\"title\": \"y\", \"chan_type\": \"stack\", \"ovnik\": 7}"
app marked <<END
! 100/100 gen.1 {"mark": {$marks}}
100/100 5000002000 OHx 0 -1 0 0
100/100 5000003000 OM= 5 0 3
100/100 5000250000 OHe
END
check "marks that say they are ours" merge known marked
cat >"$work/want" <<'END'
{'title': 'x', 'chan_type': 'single', 'labels': {'5': 'five'}}
{'title': 'y', 'chan_type': 'stack'}
page_fault
END
python3 - "$work/out/ovni/loom.gen/proc.100/thread.100/stream.json" >"$work/got" <<'END'
import json, sys
marks = json.load(open(sys.argv[1]))["ovni"]["mark"]
print(marks["3"], marks["4"], marks["80"]["ovnik"], sep="\n")
END
check "do not say so any more, ours do" diff "$work/want" "$work/got"
check "ovnik-emu accepts it" emulated -l
check "and renders them as what they are" grep -q '^2:0:1:1:1:[0-9]*:103:5$' \
	"$work/emulated/thread.prv"
finish

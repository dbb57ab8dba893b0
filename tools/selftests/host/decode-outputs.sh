#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-outputs.sh - what ovnik-decode makes of captures whose content is known

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generator is built" build gen-capture

"$work/gen-capture" known "$work/known"
check "a complete capture gives status 0" "$decode" "$work/known" -o "$work/out"

cat >"$work/laplace" <<'END'
A 3b9ad1d0 64 1a2b3
A 3b9ad9a0 65 1a2b3
F 3b9ae940 64 66
A 3b9ae94a 66 2b3c4
s 3b9af110 66
A 3b9af8e0 66 3c4d5
u 3b9afad4 2b3c4
X 3b9b00b0 66 1a2b 103 2 /bin/odd\x0ana\x5cme
s 3b9b0880 65
s 3b9b1050 0
u 3b9b1438 3c4d5
T 3b9b1820 66
s 3b9b1ff0 64
s 3b9b1ff0 65
s 3b9b27c0 0
c
END
check "the Laplace trace is the one expected" diff "$work/laplace" "$work/out/laplace.txt"
check "nothing is lost, so there is no sidecar" test ! -e "$work/out/laplace.txt.lost"

# PID/TID CLOCK EVENT PAYLOAD; 1 preempted, 2 sleeping, 3 disk, 8 idle, 9 new, 10 unknown
cat >"$work/events" <<'END'
2/2 5000003000 OHx -1 -1 0 0
2/2 5000003000 OHp
2/2 5000003000 KCO 8
2/2 5000012000 KCI
2/2 5000012000 OHr
2/2 5000012000 OHe
100/100 5000001000 OHx -1 -1 0 0
100/100 5000001000 OHp
100/100 5000001000 KCO 10
100/100 5000001000 KCI
100/100 5000001000 OHr
100/100 5000001000 OAs 0
100/100 5000008000 OAs -1
100/100 5000008000 OHp
100/100 5000008000 KCO 2
100/100 5000011000 KCI
100/100 5000011000 OHr
100/100 5000011000 OAs 0
100/100 5000012000 OHe
100/101 5000002000 OHx -1 -1 0 0
100/101 5000002000 OHp
100/101 5000002000 KCO 2
100/101 5000008001 KCI
100/101 5000008001 OHr
100/101 5000008001 OAs 0
100/101 5000009000 OAs -1
100/101 5000009000 OHp
100/101 5000009000 KCO 1
100/101 5000011001 KCI
100/101 5000011001 OHr
100/101 5000011001 OAs 1
100/101 5000012000 OAs -1
100/101 5000012000 OHp
100/101 5000012000 KCO 3
100/101 5000012000 KCI
100/101 5000012000 OHr
100/101 5000012000 OHe
102/102 5000004000 OHx -1 100 0 0
102/102 5000004000 OHp
102/102 5000004000 KCO 9
102/102 5000005000 KCI
102/102 5000005000 OHr
102/102 5000005000 OAs 1
102/102 5000011000 OHe
END
python3 "$lib/ovnidump.py" "$work/out/ovni" >"$work/got"
check "the ovni events are the ones expected" diff "$work/events" "$work/got"

loom=$work/out/ovni/loom.gen
check "one process, one app_id" \
	sh -c "cat '$loom'/proc.*/thread.*/stream.json | grep -c app_id | grep -qx 4"
check "the loom's CPUs stand in one stream" \
	sh -c "test \$(grep -l loom_cpus '$loom'/proc.*/thread.*/stream.json | wc -l) -eq 1"

# same_views NAME - what we draw and what the emulator draws of our ovni trace
same_views()
{
	mkdir -p "$work/emulated"
	check "$1: ovnik-emu accepts the ovni trace" \
		"$emu" -l "$work/out/ovni" -o "$work/emulated"
	# Only we know names: rows and values are compared, labels are not.
	cp "$work/out/"*.pcf "$work/emulated"
	check "$1: the views are the same" "$here/../prvcmp.py" "$work/emulated" "$work/out"
}

same_views "known"

# All of a capture is in its Laplace trace, and decoding twice gives the same.
"$work/gen-capture" random "$work/random" -n 20000 -c 4 -t 60 -s 3
check "again into the same directory" "$decode" "$work/random" -o "$work/out"
same_views "random"
switches=$("$decode" "$work/random" -o "$work/out2" --to laplace 2>&1 |
	sed -n 's/.* sched_switch \([0-9]*\).*/\1/p')
check "as many s lines as switches" \
	test "$switches" -eq "$(grep -c '^s ' "$work/out/laplace.txt")"
check "Laplace alone is the same" cmp "$work/out/laplace.txt" "$work/out2/laplace.txt"
check "only what is wanted is made" test ! -e "$work/out2/ovni"

# Lost events, none of them a switch: nobody's time is in doubt.
"$work/gen-capture" random "$work/lossy" -n 20000 -c 4 -t 60 -s 4 -l 5
"$decode" "$work/lossy" -o "$work/out" 2>"$work/log"
check "losses give status 4" test $? -eq 4
check "a trace with losses has no end marker" sh -c "! grep -qx c '$work/out/laplace.txt'"
check "each gap has its line" test "$(wc -l <"$work/out/laplace.txt.lost")" -eq 5
check "nothing is inconsistent" sh -c "! grep -q inconsistent '$work/log'"
same_views "lossy"
"$decode" "$work/known" -o "$work/out" 2>/dev/null
check "a sidecar of another run is removed" test ! -e "$work/out/laplace.txt.lost"

check "the hook positions are listed" "$decode" --list-hooks
check_status 2 "no capture is wrong usage" "$decode" -o "$work/out"
check_status 2 "an unknown output is wrong usage" "$decode" x -o "$work/out" --to pdf
finish

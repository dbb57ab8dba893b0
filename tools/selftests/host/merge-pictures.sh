#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge-pictures.sh - marks and functions of a merged application in pictures
#
# They are compared with the merged ovni trace, which merge.sh and xray-merge.sh test.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/merge-lib.sh
. "$here/../lib/merge-lib.sh"
# shellcheck source=tools/selftests/lib/browse-lib.sh
. "$here/../lib/browse-lib.sh"

page=$work/out/timeline.html

for kind in known reuse lossy; do
	"$work/gen-merge" $kind "$work/$kind"
done

# shown NAME LEAST CAPTURE TRACE [PID/TID...] - the values in pictures are those of the ovni trace, at
# least so many; the threads are not in the capture
shown()
{
	shown_name=$1
	least=$2
	rm -rf "$work/out"
	merge "$3" "$4" --to ovni,perfetto,html,svg
	check "$shown_name: merged" test $? -ne 1
	shown_capture=$work/$3
	shift 4
	check "$shown_name: the trace for Perfetto has them" sh -c '"$@" >"$0"' "$work/said" \
		"$checkers/markscheck.py" "$work/out/ovni" "$work/out/trace.perfetto-trace" "$@"
	check "$shown_name: there are some" \
		test "$(sed -n 's/values=//p' "$work/said")" -ge "$least"
	check "$shown_name: the page has them" "$checkers/markscheck.py" "$work/out/ovni" "$page" "$@"
	check "$shown_name: the SVG has them" "$checkers/markscheck.py" "$work/out/ovni" \
		"$work/out/timeline.svg" "$@"
	sums_of_page "$shown_name" "$page" "$shown_capture"
}

marks='{"3": {"title": "Phase", "chan_type": "stack", "labels": {"5": "five", "6": "</script><b>"}}'
marks="$marks, \"4\": {\"title\": \"St/e\\\"p\", \"chan_type\": \"single\"}"
marks="$marks, \"80\": {\"title\": \"Mine\", \"chan_type\": \"single\"}}"

# Values before, within and after the capture; moved; of a thread that it does not have; never
# declared; no text; open at the end; popped more often than pushed; beside jumbo events.
app app <<END
! 100/100 gen.1 {"app_id": 2, "mark": $marks}
100/100 4999990000 OHx 0 -1 0 0
100/100 4999995000 OM[ 5 0 3
100/100 5000005000 OM[ 6 0 3
100/100 5000006000 OM= 9 0 7
100/100 5000010300 OM] 6 0 3
100/100 5000029900 OM= 7 0 4
100/100 5000032000 OM= 1 0 80
100/100 5000033000 VYc jumbo OM[ and more than the events of one item are
100/100 5000069900 OB.
100/100 5000085000 OM= 0 0 4
100/100 5000090000 OF[
100/100 5000091000 OF]
100/100 5000100500 OM= 8 0 4
100/100 5000250000 OM] 5 0 3
100/100 5000260000 OHe
! 100/101 gen.1 {"app_id": null, "loom_cpus": null}
100/101 5000010500 OHx 0 100 0 0
100/101 5000013000 OM= 1 0 4
100/101 5000014000 OM[ 5 0 3
100/101 5000014500 OM[ 5 0 3
100/101 5000015000 OM[ 6 0 3
100/101 5000015000 OM] 6 0 3
100/101 5000016000 OM= -5 -1 4
100/101 5000049000 OHe
! 100/102 gen.2 {"app_id": 2}
100/102 5000050500 OHx 1 100 0 0
100/102 5000055000 OM= 6 0 4
100/102 5000060050 OM] 6 0 3
100/102 5000060060 OM= 7 0 4
100/102 5000060100 OHe
! 400/400 gen.2 {"app_id": 1}
400/400 5000020000 OHx 1 -1 0 0
400/400 5000030000 OM= 9 0 4
400/400 5000120000 OHe
END
shown "marks" 10 known app 400/400
check "a thread that is not in the capture is in the trace" \
	grep -q . "$work/out/ovni/loom.gen/proc.400/thread.400/stream.obs"
"$decode" "$work/known" -o "$work/plain" --to perfetto --tracer "jsonl,file=$work/lines" 2>/dev/null
check "and all else is as it is without them" python3 "$checkers/perfettocheck.py" \
	"$work/out/trace.perfetto-trace" "$work/lines"

# Made up: each thread at any time.
"$decode" "$work/lossy" -o "$work/plain" --to ovni 2>/dev/null
"$checkers/ovnidump.py" "$work/plain/ovni" | "$gen/genapp.py" 5 0 | app random
shown "made up, with losses" 5 lossy random

# A log of XRay.
cat >"$work/calls.txt" <<'END'
# 0
log 5
buffer 100/100 1000002000
1000004000 enter 1
1000006000 enter 2
1000008000 enter 3
1000010000 exit 2
1000062000 args 1
1000064000 enter 1
1000068000 exit 1
1000072000 event begun
1000074000 exit 1
1000092000 enter 5
1000094000 enter 6
1000096000 event \xff
END
"$gen/xraymake.py" "$work/calls" <"$work/calls.txt"
shown "functions" 8 known calls
check "they are called that" grep -aq function "$work/out/trace.perfetto-trace"
check "nothing is left of what is in between" \
	sh -c "[ -z \"\$(find '$work/out' -name '.xray*')\" ]"

# Alone, without the trace.
mv "$work/out/trace.perfetto-trace" "$work/first"
rm -rf "$work/out"
check "a picture alone" merge known calls --to perfetto
check "it is the same" cmp "$work/first" "$work/out/trace.perfetto-trace"
check "no other output is there" test "$(ls -A "$work/out")" = trace.perfetto-trace
check_status 2 "timelines of a trace that is not written" "$decode" "$work/known" -o "$work/out" \
	--merge "$work/calls" --to perfetto,prv
check_status 2 "an output that shows nothing of it" "$decode" "$work/known" -o "$work/out" \
	--merge "$work/calls" --to laplace

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode-activity.sh - memory, page cache and files as marks and as views of ours

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generator is built" build gen-activity

"$work/gen-activity" known "$work/known"
"$decode" "$work/known" -o "$work/out" 2>"$work/log"
check "a complete capture gives status 0" test $? -eq 0
check "what an idle CPU does is charged to no task, and counted" \
	grep -q "^ovnik-decode: 1 event of memory and files where no task is known" "$work/log"
check "a copied page of an unknown address space is no line, and counted" \
	grep -q "^ovnik-decode: Laplace: 1 change of address spaces .* left out" "$work/log"

# PID/TID CLOCK EVENT VALUE TYPE
cat >"$work/marks" <<'END'
100/100 5000002000 OM= 64 0 90
100/100 5000003000 OM[ 1 0 84
100/100 5000003100 OM[ 5 0 80
100/100 5000009001 OM= 48 0 90
100/100 5000010000 OM= 1 0 82
100/100 5000010000 OM] 5 0 80
100/100 5000011000 OM= 4096 0 85
100/100 5000011000 OM] 1 0 84
100/100 5000012000 OM[ 3 0 80
100/100 5000013000 OM= 1 0 81
100/100 5000013000 OM] 3 0 80
100/100 5000014000 OM= 512 0 86
100/100 5000018000 OM= 2 0 89
100/100 5000019000 OM[ 6 0 84
100/100 5000021000 OM] 6 0 84
100/101 5000004001 OM= 64 0 90
100/101 5000005000 OM= 1 0 87
100/101 5000005100 OM= 2 0 87
100/101 5000006000 OM= 4 0 88
100/101 5000007000 OM= 5 0 88
100/101 5000008000 OM= 48 0 90
END
python3 "$checkers/ovnidump.py" "$work/out/ovni" | grep ' OM' >"$work/got"
check "the marks are the ones expected" diff "$work/marks" "$work/got"

# ROW:TIME:TYPE:VALUE. Row 2 is thread 101, which runs from 3001 to 8000.
cat >"$work/thread" <<'END'
1:1000:312:64
1:2000:306:1
1:2100:302:5
2:3001:312:64
2:3999:309:1
2:4000:309:0
2:4099:309:1
2:4100:309:0
2:4999:310:4
2:5000:310:0
2:5999:310:1
2:6000:310:0
2:7000:312:48
1:8001:312:48
1:8999:304:1
1:9000:304:0
1:9000:302:0
1:9999:307:4096
1:10000:307:0
1:10000:306:0
1:11000:302:3
1:11999:303:1
1:12000:303:0
1:12000:302:0
1:12999:308:512
1:13000:308:0
1:16999:311:2
1:17000:311:0
1:18000:306:6
1:20000:306:0
1:20000:312:0
2:20000:312:0
END
# activity FILE [ROWS] - the lines of the types from 302 on, but what lasts no time
activity()
{
	sed -n "s/^2:0:1:1:\($2\)\(:[0-9]*:30[2-9]:\|:[0-9]*:31[0-2]:\)/\1\2/p" "$1"
}
activity "$work/out/thread.prv" '[12]' >"$work/got"
check "the rows of threads are the ones expected" diff "$work/thread" "$work/got"

# On the CPU a state is seen while the thread is there; the level is not.
cat >"$work/cpu" <<'END'
1:2000:306:1
1:2100:302:5
1:3000:302:0
1:3000:306:0
1:3999:309:1
1:4000:309:0
1:4099:309:1
1:4100:309:0
1:4999:310:4
1:5000:310:0
1:5999:310:1
1:6000:310:0
1:8001:302:5
1:8001:306:1
1:8999:304:1
1:9000:304:0
1:9000:302:0
1:9999:307:4096
1:10000:307:0
1:10000:306:0
1:11000:302:3
1:11999:303:1
1:12000:303:0
1:12000:302:0
1:12999:308:512
1:13000:308:0
1:16999:311:2
1:17000:311:0
1:18000:306:6
1:20000:306:0
END
activity "$work/out/cpu.prv" '[12]' >"$work/got"
check "the rows of CPUs are the ones expected" diff "$work/cpu" "$work/got"

for label in '0 302 .*Page fault' '5    Write by the kernel' '6    writev' \
	'0 307 .*Bytes read' '0 312 .*Mapped memory of the process (KiB)'; do
	check "thread.pcf has a label: $label" grep -q "^$label\$" "$work/out/thread.pcf"
done
check "what did not happen has no label" sh -c "! grep -q '0 305 ' '$work/out/thread.pcf'"

# views TRACE - each type from 300 on has a view, and no view shows anything else
views()
{
	check "$1: each type has its view" test \
		"$(sed -n 's/^window_filter_module evt_type 1 \(3..\)$/\1/p' \
			"$work/out/cfg/$1/"*.cfg | sort)" = \
		"$(sed -n 's/^0 \(3[0-9][0-9]\) .*/\1/p' "$work/out/$1.pcf" | sort)"
	check "$1: each view has a type" sh -c "
		sed -n 's/^window_filter_module evt_type 1 //p' '$work/out/cfg/$1/'*.cfg |
		while read -r type; do
			grep -q \"^0 \$type \" '$work/out/$1.pcf' || exit 1
		done"
	check "$1: the views are those that are installed" sh -c "
		cd '$work/out/cfg/$1' &&
		for file in *.cfg; do cmp \$file '$top/build/cfg/$1'/\$file || exit 1; done"
}

# look FILE - a view without what is its own
look()
{
	grep -v -e '^< NEW DISPLAYING WINDOW [CT]' -e '^window_name [CT]' \
		-e '^window_filter_module evt_type 1 [1-9][0-9]*$' \
		-e '^window_filter_module evt_type_label 1 "[^"]*"$' "$1"
}

# looks - a view is a state's or a quantity's, with a line for each of its own
looks()
{
	look "$fixtures/view-state.cfg" >"$work/state"
	look "$fixtures/view-quantity.cfg" >"$work/quantity"
	find "$top/build/cfg" -type f >"$work/installed"
	[ -s "$work/installed" ] || return
	while read -r file; do
		look "$file" >"$work/look"
		cmp -s "$work/look" "$work/state" || cmp "$work/look" "$work/quantity" || return
		[ "$(wc -l <"$file")" -eq $(($(wc -l <"$work/look") + 4)) ] || return
	done <"$work/installed"
}

views thread
views cpu
check "a state looks as it should" cmp "$work/out/cfg/thread/state.cfg" "$fixtures/view-state.cfg"
check "a quantity, too" cmp "$work/out/cfg/cpu/bytes_read.cfg" "$fixtures/view-quantity.cfg"
check "and all others like these" looks
check "every view has a row, and every row a view" test \
	"$(find "$top/build/cfg" -type f | wc -l)" -eq \
	"$(grep -c '^	row(\(thread\|cpu\), ' "$top/user/emu/cfg_table.h")"

# sound NAME - the marks are by upstream's rules, and both ways to draw them agree
sound()
{
	check "$1: the marks keep the rules" \
		sh -c "'$checkers/ovnirules.py' '$work/out/ovni' >'$work/kinds'"
	mkdir -p "$work/emulated"
	check "$1: ovnik-emu accepts the trace" "$emu" -l "$work/out/ovni" -o "$work/emulated"
	check "$1: the views are the same" "$checkers/prvcmp.py" "$work/emulated" "$work/out"
}

sound "known"
(cd "$work/out/cfg" && find . -name '*.cfg' -printf '%P\n') | grep -v '/\(hwc\|mark\)-' | sort >"$work/views"
cut -d ' ' -f 1 "$work/out/cfg/INDEX" | sort >"$work/listed"
check "INDEX has each view, and no other" diff "$work/views" "$work/listed"
check "and a question for each" test "$(grep -c '^[^ ]*  *[A-Z].*?$' "$work/out/cfg/INDEX")" -eq \
	"$(wc -l <"$work/out/cfg/INDEX")"
"$work/gen-activity" random "$work/random" 30000 1 0
check "anything at any time" "$decode" "$work/random" -o "$work/out"
sound "random"
check "every mark occurs" test "$(wc -l <"$work/kinds")" -eq 13
"$work/gen-activity" random "$work/lossy" 30000 2 60
check_status 4 "gaps" "$decode" "$work/lossy" -o "$work/out"
sound "lossy"

# The rules are not kept: both see it. A mark's value is 0, after 12 bytes of header.
stream=$(grep -l . "$work/out/ovni"/loom.*/proc.*/thread.*/stream.obs | head -n 1)
at=$(grep -abo 'OM=' "$stream" | head -n 1 | cut -d: -f1)
head -c 8 /dev/zero | dd of="$stream" bs=1 seek=$((at + 11)) conv=notrunc 2>/dev/null
check_status 1 "a value of 0 is against the rules" "$checkers/ovnirules.py" "$work/out/ovni"
check_status 1 "and refused" "$emu" "$work/out/ovni" -o "$work/emulated"
check "for that reason" \
	sh -c "'$emu' '$work/out/ovni' -o '$work/emulated' 2>&1 | grep -q '0 is not a value'"

# Without such events there is nothing of it.
build gen-capture
"$work/gen-capture" known "$work/sched"
"$decode" "$work/sched" -o "$work/out" 2>/dev/null
check "a capture of the scheduler alone has no marks" \
	sh -c "! grep -rq '\"mark\"' '$work/out/ovni'"
check "and no such views" test ! -e "$work/out/cfg/thread/page_fault.cfg"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guest runner takes from a console before it looks for complaints: reports of data
# races of the kernel itself, and nothing else.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# report ADDRESS FUNCTION [LINE]... - LINE is somewhere in it
report()
{
	address=$1
	function=$2
	shift 2
	line="=================================================================="
	printf '[   12.345678] %s\r\n' "$line" "BUG: KCSAN: data-race in tick_tock / vfs_read" "" \
		"write to $address of 8 bytes by interrupt on cpu 1:" " tick_tock+0x1/0x20" \
		"  |" "  +-> reordered to: vfs_read+0x16/0x20" "" "$@" \
		"read (marked) to $address of 8 bytes by task 12 on cpu 0:" " vfs_read+0x3/0x90" \
		" $function" "" "value changed: 0x0000000000000001 -> 0x0000000000000002" "" \
		"Reported by Kernel Concurrency Sanitizer on:" \
		"CPU: 0 PID: 12 Comm: sh Tainted: G O 6.1.192-kcsan #1" \
		"Hardware name: QEMU" "$line"
}

plain=0xffff888003f0f9d8
own="ksys_read+0x1/0x20"

# left LINES - so many are not empty, and none has moved
left()
{
	awk -f tools/vm/races.awk "$work/console" >"$work/left" || return
	cat "$work/left"
	[ "$(grep -c . "$work/left")" = "$1" ] &&
		[ "$(wc -l <"$work/left")" = "$(wc -l <"$work/console")" ] &&
		awk 'NR == FNR { line[NR] = $0; sub(/\r$/, "", line[NR]) }
			NR != FNR && $0 != "" && $0 != line[FNR] { exit 1 }' \
			"$work/console" "$work/left"
}

kernel_itself()
{
	{ echo "[    1.0] before"; report "$plain" "$own"; report "$plain" "$own"; echo after; } >"$work/console"
	left 2
}

in_module()
{
	{ report "$plain" "probe_switch+0x1/0x20 [ovnik]"; report "$plain" "$own"; } >"$work/console"
	left 18 && grep -q 'probe_switch' "$work/left"
}

interrupted()
{
	report "$plain" "asm_sysvec_apic_timer_interrupt+0x1a/0x20" | sed \
		's/^\(.*\) asm_sysvec.*/&\n\1 probe_switch+0x1\/0x20 [ovnik]\r/' >"$work/console"
	left 0
}

clock()
{
	report "$plain" "read_clocks+0x1/0x20 [ovnik]" | sed \
		's/ vfs_read+0x3/ ktime_get_mono_fast_ns+0xb3/' >"$work/console"
	left 0
}

in_interrupt()
{
	report "$plain" "probe_switch+0x1/0x20 [ovnik]" | sed \
		's/^\(.*\) probe_switch.*/&\n\1 asm_sysvec_apic_timer_interrupt+0x1a\/0x20\r/' \
		>"$work/console"
	left 19
}

# In the first stack is an interrupt, in the second one the module.
other_stack()
{
	report "$plain" "probe_switch+0x1/0x20 [ovnik]" " asm_common_interrupt+0x1a/0x20" >"$work/console"
	left 19
}

data_of_module()
{
	report 0xffffffffa0012340 "$own" >"$work/console"
	left 18
}

with_others()
{
	report "$plain" "$own" "WARNING: CPU: 0 PID: 1 at mm/slub.c:1" >"$work/console"
	left 19 && grep -q WARNING "$work/left"
}

not_whole()
{
	report "$plain" "$own" | head -n 9 >"$work/console"
	left 9
}

other_sanitizer()
{
	report "$plain" "$own" | sed 's/KCSAN: data-race/KASAN: use-after-free/' >"$work/console"
	left 18
}

check "races of the kernel itself are taken away" kernel_itself
check "not one with a function of a module" in_module
check "unless an interrupt has found it there" interrupted
check "or it has called ktime_get_mono_fast_ns()" clock
check "and not if it is in the interrupt" in_interrupt
check "or in the other stack" other_stack
check "nor one about data of a module" data_of_module
check "nor one with a line of something else in it" with_others
check "nor one that has no end" not_whole
check "nor reports of another kind" other_sanitizer
finish

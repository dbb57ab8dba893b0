#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# As debug-kernel.sh: the module and the recorder are refused memory and system calls.

# shellcheck source=tools/selftests/lib/module-kernels.sh
. "$(dirname "$0")/../lib/module-kernels.sh"

# shellcheck disable=SC2317 # called through check
unhooked()
{
	tools/vm/run --single --quiet --kernel kasan --mem 3072 --log "$work/console" \
		--with /usr/bin/kmod --timeout 7200 -- tools/selftests/vm-guest/unhook.sh >"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" = 99 ] && grep -q '^1\.\.7$' "$work/log" && ! grep -q '^not ok' "$work/log" &&
		! grep 'BUG:' "$work/console"
}

guest_options=(--mem 3072)
on_kernel kasan 12000 vm-guest/memory.sh vm-guest/refused.sh
check "kasan: a stop or an unload without memory for what it must do" unhooked
finish

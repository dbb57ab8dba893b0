#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# As debug-kernel.sh: the module is refused memory for a stop or an
# unload.

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

check "kasan: the module is built" tools/vm/build-module kasan
check "kasan: a stop or an unload without memory for what it must do" unhooked
finish

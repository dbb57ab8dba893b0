#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# threads.sh - the decoder's and the emulator's threads under gcc's ThreadSanitizer: no data race,
# on captures with losses and damage

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

threads=$top/build/threads
# The sanitizer knows only some layouts of the address space.
fixed="setarch -R"
export TSAN_OPTIONS="exitcode=66 halt_on_error=1"

compile()
{
	make -C "$top" -j"$(nproc)" build/threads/ovnik-decode build/threads/ovnik-emu
}

# clean PROGRAM ARGUMENT... - status 0, 3 and 4 are not the sanitizer's
clean()
{
	rm -rf "$work/out"
	$fixed "$@"
	status=$?
	echo "status $status"
	[ "$status" = 0 ] || [ "$status" = 3 ] || [ "$status" = 4 ]
}

check "the programs are built" compile
check "the generator is built" build gen-capture
"$work/gen-capture" random "$work/whole" -n 60000 -c 4 -t 60 -s 3
"$work/gen-capture" random "$work/lossy" -n 60000 -c 4 -t 60 -s 4 -l 9
cp -r "$work/lossy" "$work/damaged"
python3 "$gen/damage.py" "$work/damaged/cpu0.ovk" flip 9000 3
for capture in whole lossy damaged; do
	"$decode" "$work/$capture" -o "$work/traced-$capture" --to ovni >"$work/log" 2>&1
	for jobs in 1 2 4; do
		check "$capture, $jobs jobs" clean "$threads/ovnik-decode" -j $jobs "$work/$capture" \
			-o "$work/out" --to ovni,laplace,prv,xray
		check "$capture, $jobs jobs, emulator" clean "$threads/ovnik-emu" -j $jobs \
			-o "$work/out" "$work/traced-$capture/ovni"
	done
done
finish

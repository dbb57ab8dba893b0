#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge.sh - a program in a guest writes an ovni trace while we record: both become one
#
# ovniload.c is the program. Its trace is merged as it is, and with clocks that are made
# wrong, which a real run's are too little to move an event.
#
# It takes over a minute on a slow machine: each merge is compared event by event, and drawn.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

# What the guest shall reach must lie in the repository.
traces=$(mktemp -d "$top/build/merge.XXXXXX")
trap 'rm -rf "$work" "$traces"' EXIT

# merge NAME APP [OPTION]... - to $traces/NAME/out; sets status, moved, farthest
merge()
{
	name=$1
	app=$2
	shift 2
	"$decode" "$traces/$name/capture" -o "$traces/$name/out" --merge "$app" "$@" \
		2>"$work/log"
	status=$?
	moved=$(sed -n 's/.* merged: \([0-9]*\) events* moved to .*/\1/p' "$work/log")
	farthest=$(sed -n 's/.*, by at most \([0-9]*\) ns (thread .*/\1/p' "$work/log")
}

# sound NAME TEXT APP OPTION - both are in it, by upstream's rules; --views: and drawn
sound()
{
	check "$2: both traces are in it, and nothing else" "$checkers/mergecheck.py" "$3" \
		"$traces/$1/plain" "$traces/$1/out" "${moved:-0}" "${farthest:-0}" "$4"
	check "$2: upstream's rules are kept" "$checkers/ovnirules.py" "$traces/$1/out/ovni"
	check "$2: no event where the capture does not say where its thread is" \
		sh -c "! grep -q 'virtual CPU' '$work/log'"
}

# emulated NAME TEXT - ovnik-emu accepts the trace
emulated()
{
	rm -rf "$work/emulated"
	mkdir "$work/emulated"
	check "$2: ovnik-emu accepts it" "$emu" -l "$traces/$1/out/ovni" -o "$work/emulated"
}

check "a program is recorded in a guest, by module and BPF" \
	"$top/tools/vm/run" --single --quiet --log "$work/console.log" -- \
	sh /host/tools/selftests/vm-guest/merge.sh "/host/${traces#"$top/"}"

for name in module bpf runtime; do
	check "$name: decoded without the trace" \
		"$decode" "$traces/$name/capture" -o "$traces/$name/plain"
done

for name in module bpf; do
	merge "$name" "$traces/$name/app"
	check "$name: merged" test "$status" -eq 0
	sound "$name" "$name" "$traces/$name/app" --views
	emulated "$name" "$name"
done

# 100 us more, or less: nothing goes farther than that.
for by in 100000 -100000; do
	rm -rf "$work/app"
	cp -r "$traces/module/app" "$work/app"
	"$gen/ovnishift.py" "$work/app" $by
	merge module "$work/app"
	check "clocks wrong by $by ns: some are moved: $moved by up to $farthest ns" \
		test "${moved:-0}" -gt 10 -a "${farthest:-0}" -le 100000
	sound module "clocks wrong by $by ns" "$work/app" --views
	emulated module "clocks wrong by $by ns"
done

# Far away, it is refused, and the message says where it is.
"$gen/ovnishift.py" "$work/app" 300000000
merge module "$work/app"
check "clocks wrong by 0.3 s are those of another run" test "$status" -eq 1
check "which is said with the place" grep -q \
	"error: .*stream.obs: offset [0-9]*: event .* at clock [0-9]*: .*not clocks of the same run" \
	"$work/log"
check "no trace is left" test ! -e "$traces/module/out/ovni"

merge runtime "$traces/runtime/app" --to ovni
check "events of runtimes" test "$status" -eq 0
sound runtime runtime "$traces/runtime/app" ""
if "$emu" "$traces/runtime/out/ovni" -o "$work" 2>&1 | grep -q "unknown model"; then
	skip "runtime: drawn" "this emulator knows no runtimes"
else
	merge runtime "$traces/runtime/app"
	check "runtime: drawn" test "$status" -eq 0
	emulated runtime runtime
	check "runtime: kernel and runtime in one view" \
		sh -c "grep -q ':45:' '$traces/runtime/out/thread.prv' &&
			grep -q ':13:' '$traces/runtime/out/thread.prv' &&
			grep -q ':50:' '$traces/runtime/out/thread.prv' &&
			grep -q ':25:' '$traces/runtime/out/thread.prv'"
fi
finish

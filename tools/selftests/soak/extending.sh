#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# extending.sh - the worked example of Documentation/extending.rst
#
# Applies the patch to a copy of the tree, builds it, decodes a capture with the new event, and
# makes the reference. In a guest, module and BPF probes record the event; a module whose table of
# probes lacks it, and one with more hooks than room for them, do not load. Then leaves out one
# step at a time: the build, or the test that is named here, must refuse it and say why.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
tree=$top/build/extending
patch=$top/Documentation/extending-event.patch

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sources only: the patch changes a header that nearly every object depends on.
copy_tree()
{
	rm -rf "$tree"
	mkdir -p "$tree/build/bpf"
	cd "$top" || return
	git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
		[ ! -f "$file" ] || printf '%s\0' "$file"
	done | xargs -0 cp -a --parents -t "$tree"
	ln -s "$top/build/vm" "$top/build/kselftest" "$tree/build/"
	# From the kernel's types, which no event changes.
	cp -a build/bpf/vmlinux.h "$tree/build/bpf/"
}

apply_patch()
{
	patch -p1 -s -F0 --no-backup-if-mismatch <"$patch"
}

# in_tree TARGET... - without optimization, which nothing here depends on
in_tree()
{
	make --no-print-directory -C "$tree" -j2 WERROR=1 \
		CFLAGS="-O0 -std=gnu11 -Wall -Wextra -Werror" "$@"
}

generate()
{
	gcc -O0 -std=gnu11 -D_GNU_SOURCE= -Iuser -Ikmod/include/uapi -o "$work/gen-capture" \
		tools/selftests/gen/gen-capture.c build/libovnik.a -ljson-c -lelf -lz -lpthread &&
		"$work/gen-capture" signal "$work/capture"
}

decode()
{
	build/ovnik-decode "$work/capture" -o "$work/out" --to ovni,laplace,prv,xray
}

summary_counts_it()
{
	decode 2>&1 | grep 'task_signal 1'
}

log_has_it()
{
	grep -ao 'task_signal signal=15 tid=100 tgid=100' "$work/out/xray.fdr"
}

page_has_it()
{
	grep -A8 -x task_signal Documentation/events.rst | grep ':Number: 41'
}

# without TEXT REASON FILE SED COMMAND... - change FILE, and COMMAND fails and says REASON
without()
{
	local text=$1 reason=$2 file=$3 edit=$4 status=0

	shift 4
	cp -a "$file" "$work/saved"
	sed -i "$edit" "$file"
	if cmp -s "$file" "$work/saved"; then
		not_ok "without $text: $file has nothing to leave out"
		return
	fi
	"$@" >"$work/log" 2>&1 || status=$?
	cp "$work/saved" "$file"
	if [ "$status" != 0 ] && grep -Eq -- "$reason" "$work/log"; then
		ok "without $text: refused"
		grep -Em1 -- "$reason" "$work/log" | cut -c 1-160 | explain
	else
		not_ok "without $text: status $status, no \"$reason\""
		tail -n 20 "$work/log" | explain
	fi
}

# The objects and the loader's table must agree, and the objects come first.
bpf_agrees()
{
	in_tree bpf >/dev/null && bash tools/selftests/host/bpf.sh | tee "$work/tap"
	! grep -q '^not ok' "$work/tap"
}

page_is_fresh()
{
	in_tree build/gen-events && build/gen-events | diff Documentation/events.rst -
}

# wrong_module NAME FILE EDIT - as NAME.ko, with FILE edited. Not WERROR: a warning says that a
# probe is not used.
wrong_module()
{
	cp "$2" "$work/saved" &&
		cp -a "$tree/build/kmod/ovnik.ko" "$tree/right.ko" &&
		sed -i "$3" "$2" &&
		make --no-print-directory module WERROR= &&
		cp "$work/saved" "$2" &&
		cp "$tree/build/kmod/ovnik.ko" "$tree/$1.ko" &&
		mv "$tree/right.ko" "$tree/build/kmod/ovnik.ko"
}

# recorded NAME - SIGUSR1, which the shell has sent to itself
recorded()
{
	build/ovnik-decode "$1" -o "$1.out" --to xray &&
		grep -ao 'task_signal signal=10 tid=[0-9]*' "$1.out/xray.fdr"
}

cd "$top" || exit 1
check "a copy of the sources" copy_tree
cd "$tree" || exit 1
check "Documentation/extending-event.patch applies" apply_patch
check "decoder, recorder and BPF objects build" in_tree user tools
check "the module builds" in_tree module
check "a capture with the new event is made" generate
check "it can be decoded" decode
check "the decoder's summary counts the event" summary_counts_it
check "the XRay log has it" log_has_it
check "there is a hook position for it" sh -c 'build/ovnik-decode --list-hooks | grep "^signal "'
check "make docs" in_tree docs
check "the reference has it" page_has_it
check "host/bpf.sh is content" bpf_agrees

check "the module builds without the probe's event" \
	wrong_module incomplete kmod/task.c '/OVNIK_BIT(task_signal)/d'
check "the module builds with room for two hooks" \
	wrong_module crowded kmod/probe.c 's/^#define HOOKS_MAX.*/#define HOOKS_MAX 2/'
cd "$top" || exit 1
check "the guest records with both back ends and refuses the other two modules" \
	tools/vm/run --single --quiet -- sh /host/tools/selftests/vm-guest/extending.sh
cd "$tree" || exit 1
check "the module has recorded a signal" recorded of-module
check "the BPF probes have recorded a signal" recorded of-bpf

events=kmod/include/uapi/ovnik_events.h
without "the family's row" 'OVNIK_INTERNAL_task' $events '/FAMILY(task, 0)/d' \
	in_tree build/obj/tools/ovnik/control.o
without "the row of WORLD_RECORDS" 'WORLD_ROW_task_signal|row for task_signal' \
	user/world/records.h '/dump_file, NAMES/s/\\$//; /task_signal/d' \
	in_tree build/obj/user/world/world.o
without "the world's function" 'undefined reference to .world_task_signal' \
	user/world/life.c '/^int world_task_signal/,/^}/d' in_tree user
without "the hook position" 'WORLD_SIGNAL' \
	user/world/world.h '/P(SIGNAL/d' in_tree build/obj/user/world/life.o
without "the row of the BPF program" 'every event has a program' \
	tools/ovnik/bpf_programs.c '/ovnik_task_signal/d' in_tree build/obj/tools/ovnik/bpf_programs.o
without "the unit's row" 'units\[\] has no row for signal' \
	tools/gen-events.c '/{ "signal"/d' page_is_fresh
without "the unit's row for private captures" 'OVNIK_HIDDEN_signal' \
	kmod/shared/hidden.h '/OVNIK_HIDDEN_signal/d' in_tree module
without "make docs" 'task_signal' \
	Documentation/events.rst '/^task_signal$/,$d' page_is_fresh
without "the row of the module's probe" 'probe_signal.* defined but not used' \
	kmod/task.c '/OVNIK_TRACEPOINT(signal_deliver/d' in_tree module
without "the types of the tracepoint's parameters" 'OVNIK_TRACEPOINT\(signal_deliver' \
	kmod/task.c 's/unused, int sig, struct/unused, long sig, struct/' in_tree module
without "the BPF program" 'not ok .*each row has a program' \
	bpf/task.bpf.c '/signal_deliver/,$d' bpf_agrees

# Outputs, tracers and models that exist.
without "an output's row" 'laplace_output.* undeclared' \
	user/output/output.h '/row(laplace)/d' in_tree build/obj/user/output/laplace/laplace_output.o
without "a tracer's row" 'tracer_top.* undeclared' \
	user/output/tracers/builtin/builtin.h '/TRACER(top)/d' \
	in_tree build/obj/user/output/tracers/builtin/top.o
without "a model's row" 'model_nodes.* undeclared' \
	user/emu/model_id.h '/row(NODES, nodes)/d' in_tree build/obj/user/emu/nodes/nodes_model.o
finish

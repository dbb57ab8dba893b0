# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lib.sh - for the parts that measure in a guest to source in the top folder:
# ". tools/bench/lib.sh"

# KERNEL in the environment is the name of another one in tools/vm/kernels.
: "${KERNEL:=}"

out=build/bench

# need COMMAND PACKAGE
need()
{
	if ! command -v "$1" >/dev/null; then
		echo "$(basename "$0"): no $1, install $2 (tools/deps)" >&2
		exit 1
	fi
}

# The module for the kernel that is measured.
module()
{
	if [ -z "$KERNEL" ] || [ -n "${MODULE-}" ]; then
		echo "${MODULE-build/kmod/ovnik.ko}"
	else
		tools/vm/build-module "$KERNEL"
	fi
}

build_workload()
{
	mkdir -p $out
	gcc -O2 -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -static -o $out/workload \
		tools/bench/workload.c tools/bench/workload/*.c -lpthread
	clang -g -O2 -mcpu=v3 -target bpf -D__TARGET_ARCH_x86 -Ibuild/bpf -c \
		-o $out/ringbuf.bpf.o tools/bench/ringbuf.bpf.c
	# Copies, so that a make cannot change them while the guest boots.
	cp "$(module)" $out/ovnik.ko
	cp build/ovnik $out/ovnik
}

# measure NAME PROGRAMS ARGUMENT... - run guest/NAME.sh, which may use these programs of
# the host, and make a table from what it prints
measure()
{
	local name=$1 part=$1${KERNEL:+-$KERNEL} status program with=()

	for program in $2; do
		with+=(--with "$(command -v "$program")")
	done
	shift 2
	build_workload
	tools/vm/run ${KERNEL:+--kernel "$KERNEL"} --icount --quiet --timeout "${TIMEOUT-900}" --log "$out/$part.console" \
		"${with[@]}" --with "$(tools/vm/fetch-bpftool)" -- \
		sh "tools/bench/guest/$name.sh" "$@" >"$out/$part.raw" ||
		{
			status=$?
			tail -n 5 "$out/$part.raw" >&2
			exit $status
		}
	awk -f tools/bench/tables/windows.awk -f "tools/bench/tables/$name.awk" \
		-v json="$out/$part.json" "$out/$part.raw"
	tools/bench/history "$part" "$out/$part.json"
}

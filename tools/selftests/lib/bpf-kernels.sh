# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bpf-kernels.sh - for tests to source: on other kernels, the probes that are for it are
# loaded, by bpftool and by ovnik; all families are recorded; and what was recorded is what the
# record ABI says, and is decoded.
#
# Which kernels is for the sourcing script to say, which lies in a directory beside this one's.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$PWD/build/selftests/bpf-kernels
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

if ! bpftool=$(tools/vm/fetch-bpftool); then
	echo "Bail out! no bpftool"
	exit 1
fi

# object KERNEL - the probes for it, of the newest kernel if it is newer; PREEMPT_RT changes no hook
object()
{
	if [ "$1" = next ]; then
		printf '%s\n' build/bpf/[0-9]*/ovnik.bpf.o | sort -V | tail -n 1
	else
		echo "build/bpf/${1%-rt}/ovnik.bpf.o"
	fi
}

# in_guest KERNEL - the guest's own results go to a file
in_guest()
{
	tools/vm/run --single --quiet --log "$work/console" --timeout 900 --kernel "$1" \
		--with "$bpftool" -- sh tools/selftests/vm-guest/kernels.sh \
		"/host/$(object "$1")" "/host/build/selftests/bpf-kernels/$1" \
		>"$work/$1.log" 2>&1
	status=$?
	cat "$work/$1.log"
	return "$status"
}

# Status 4 is for what a probe did not see, see vm-guest/kernels.sh.
decoded()
{
	build/selftests/guest/examine -a "$1"/*.ovk || return
	build/ovnik-decode "$1" -o "$1/out" >"$1/log" 2>&1
	status=$?
	cat "$1/log"
	[ "$status" = 0 ] || { [ "$status" = 4 ] && grep -q "did not take place" "$1/log"; } || return
	[ -s "$1/out/laplace.txt" ] && build/selftests/prvcheck "$1/out"
}

# no_helper_reads DIR - what the kernel reads of a program that it starts is none of the program's reads. On 6.1 the
# compiler has put what is hooked into kernel_read(): there none is seen in any case.
no_helper_reads()
{
	build/ovnik-decode "$1" -o "$1/out" --tracer "csv,file=$1/rows" >/dev/null 2>&1
	awk -F, '
		NR == FNR && $3 == "process" && $4 == "helper" { helpers[$12] }
		NR > FNR && $3 == "call" && $4 == "read" && $12 in helpers { reads++ }
		END { print length(helpers), "helpers,", reads + 0, "reads"; exit length(helpers) < 5 || reads }' \
		"$1/rows" "$1/rows"
}

# on_kernels CONDITION - of tools/vm/kernels those that Debian has built and that meet awk's
# CONDITION, in which nr counts them from 1
on_kernels()
{
	kernels=$(awk '!/^#/ && NF && $2 != "source" { nr++; if ('"$1"') print $1 }' tools/vm/kernels)
	for kernel in $kernels; do
		mkdir "$work/$kernel"
		check "$kernel: loaded and recorded" in_guest "$kernel"
		grep '^# ovnik:' "$work/$kernel.log"
		for by in bpftool ovnik; do
			check "$kernel: the capture of probes loaded by $by is decoded" \
				decoded "$work/$kernel/$by"
		done
		check "$kernel: no program that the kernel has started has read anything" \
			no_helper_reads "$work/$kernel/ovnik"
	done
	finish
}

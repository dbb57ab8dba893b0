#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernels of Debian's that a commit names boot; their types are those that were taken from their
# images; bpftool works, the same one in all. In "make check", host/vm.sh and vm/bpf-kernels.sh look
# for that in guests that they have anyway.

# shellcheck disable=SC2016 # expanded in the guest

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT

in_guest='
	[ "$(uname -r)" = "$1" ] &&
	cmp /sys/kernel/btf/vmlinux "build/vm/$(uname -r)/vmlinux.btf" &&
	bpftool prog help 2>&1 | grep -w autoattach &&
	bpftool prog list &&
	bpftool map create /sys/fs/bpf/ours type array key 4 value 8 entries 1 name ours &&
	bpftool map show pinned /sys/fs/bpf/ours | grep "name ours"'

if ! bpftool=$(tools/vm/fetch-bpftool); then
	echo "Bail out! no bpftool"
	exit 1
fi
kernels=$(awk '!/^#/ && NF && $2 != "source" && $3 != "newest" { print $1 }' tools/vm/kernels)
for kernel in $kernels; do
	release=$(basename "$(tools/vm/fetch-kernel "$kernel")")
	check "$kernel with bpftool" tools/vm/run --single --log "$log" --timeout 900 \
		--kernel "$kernel" --with "$bpftool" -- sh -c "$in_guest" sh "$release"
done
finish

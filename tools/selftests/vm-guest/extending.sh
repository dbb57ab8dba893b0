#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# extending.sh - in the guest: the module and the probes with the event that the worked example
# adds record a signal each; a module whose table of probes lacks the event does not load
set -eu

tree=/host/build/extending
PATH=$tree/build:$PATH

insmod $tree/build/kmod/ovnik.ko
ovnik record -o $tree/of-module -- sh -c 'trap : USR1; kill -USR1 $$; :'
rmmod ovnik

ovnik record --backend bpf -o $tree/of-bpf -- sh -c 'trap : USR1; kill -USR1 $$; :'

if insmod $tree/incomplete.ko; then
	exit 1
fi
dmesg | grep 'no probe records event task_signal'

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# extending.sh - in the guest: the module and the probes with the event that the worked example
# adds record a signal each; a module whose table of probes lacks the event does not load, nor one
# with more hooks than room for them
set -eu

tree=/host/build/extending
PATH=$tree/build:$PATH

insmod $tree/build/kmod/ovnik.ko
ovnik record --no-selftest -o $tree/of-module -- sh -c 'trap : USR1; kill -USR1 $$; :'
rmmod ovnik

ovnik record --no-selftest --backend bpf -o $tree/of-bpf -- sh -c 'trap : USR1; kill -USR1 $$; :'

# refused MODULE REASON
refused()
{
	! insmod "$tree/$1" && dmesg | grep "$2"
}

refused crowded.ko 'returns of functions to hook, room for 2 of each'
refused incomplete.ko 'no probe records event task_signal'

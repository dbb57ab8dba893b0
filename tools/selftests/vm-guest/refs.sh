#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refs.sh OUT - in a guest whose memory references are logged: references that are known,
# then processes that are recorded by the module, too

set -e
out=$1
/host/build/selftests/guest/refsload >"$out/expected"
insmod /host/build/kmod/ovnik.ko
# shellcheck disable=SC2016 # for the shell that is recorded
/host/build/ovnik record --backend module --refs -o "$out/capture" -- sh -c '
	for i in 1 2 3; do
		cat /proc/self/maps | wc -l
		sleep 0.01
	done
	find /etc | sort >/dev/null'
rmmod ovnik

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray-merge.sh DIR - in the guest of vm/xray-merge.sh: record xrayload, keep all it wrote
#
# DIR is below /host. There are DIR/capture, DIR/log and DIR/truth.txt in the end.

mkdir /tmp/xray && insmod /host/build/kmod/ovnik.ko &&
	/host/build/ovnik record --no-selftest --backend module -b 16M -o /tmp/xray/capture -- \
		/host/build/selftests/gen/xrayload /tmp/xray 3 2000 &&
	rmmod ovnik && cp -r /tmp/xray/. "$1/"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# references.sh DIR packed|pipelines - record a workload with its memory references, and say
# when it begins and ends. DIR gets the capture, and has the text.
set -eu

PATH=/usr/bin:/usr/sbin:/sbin:$PATH
dir=$1
mkdir -p "$dir"

if [ "$2" = pipelines ]; then
	# Says itself when.
	exec bash /host/tools/demo/guest refs "$dir/capture"
fi
cp "${dir%/without}/text" /tmp/text
insmod /host/build/kmod/ovnik.ko
echo "the recording begins"
/host/build/ovnik record --no-selftest --refs -o "$dir/capture" -- gzip -9c /tmp/text >/dev/null
echo "the recording has ended"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xray.sh DIR - in the guest of vm/xray-read.sh: a program writes its logs
#
# DIR is below /host. In the end, DIR/many and DIR/few have log and truth.txt: of three
# threads with many buffers, and of one with few.

# record NAME [THREADS ROUNDS]
record()
{
	to=$1
	shift
	mkdir "/tmp/$to" || return
	/host/build/selftests/gen/xrayload "/tmp/$to" "$@" || return
	cp -r "/tmp/$to" "$out/"
}

out=$1
record many && record few 1 300

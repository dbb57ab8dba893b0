#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The members of a group record and read, by the module's parameter gid or with BPF's capabilities;
# others do not, and nobody but root does by default. In a guest of its own, for it needs users.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --single --quiet --log "$log" --with setpriv --with script -- \
	sh tools/selftests/vm-guest/group.sh

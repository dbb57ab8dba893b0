#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The members of a group record and read, by the module's parameter gid or with BPF's capabilities;
# others do not, and nobody but root does by default. In a guest of its own, for it needs users.
#
# It takes over a minute on a slow machine: each of the users starts a recording, with either back end.

cd "$(dirname "$0")/../../.." || exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/vm/run --single --quiet --log "$log" --with setpriv --with script --with flock -- \
	sh tools/selftests/vm-guest/group.sh

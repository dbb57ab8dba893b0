# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz-lib.sh - what the tests with damaged input share; to be sourced
#
# Needs $here. Goes to the top of the tree. "make tests" builds fuzz-decode and the like
# with gcc's sanitizers. SEED in the environment is the first case.
# shellcheck disable=SC2154 # what is set there

# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
: "${SEED:=1}"

cd "$top" || exit

# Where files need no disk, if there is such a place.
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
	rm -rf "$work"
	work=$(mktemp -d /dev/shm/ovnik-fuzz.XXXXXX)
fi

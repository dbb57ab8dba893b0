# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge-lib.sh - what the tests of ovnik-decode --merge share; to be sourced
#
# Needs $here. Captures are those of gen-merge.c, which is built.
# shellcheck disable=SC2154 # what is set there

# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

check "the generator is built" build gen-merge

# app NAME - an application's trace, described on stdin
app()
{
	rm -rf "${work:?}/$1"
	"$gen/ovniwrite.py" "$work/$1"
}

# merge CAPTURE TRACE [OPTION]...
merge()
{
	capture=$1
	trace=$2
	shift 2
	"$decode" "$work/$capture" -o "$work/out" --merge "$work/$trace" "$@" 2>"$work/log"
}

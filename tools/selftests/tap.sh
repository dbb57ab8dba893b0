# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tap.sh - for test scripts to source: results in the Test Anything Protocol
#
#	. "$(dirname "$0")/../tap.sh"
#	check "true is true" true
#	check_status 42 "the status gets through" sh -c 'exit 42'
#	[ -e /dev/kvm ] || skip "needs KVM" "no /dev/kvm"
#	finish

tap_count=0
tap_failed=0
# "make soak" sets it: all is done that can be; "make check" does what it has the time for.
: "${LONG=}"

# amount FEW MANY - the second one with LONG
amount()
{
	if [ -n "$LONG" ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

ok()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count $*"
}

not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count $*"
}

# skip NAME REASON
skip()
{
	ok "$1 # SKIP $2"
}

# Comments on the result before, from stdin.
explain()
{
	sed 's/^/# /'
}

# check_status STATUS NAME COMMAND... - its output is shown if it fails
check_status()
{
	tap_want=$1
	tap_name=$2
	shift 2
	tap_status=0
	tap_output=$("$@" 2>&1) || tap_status=$?
	if [ "$tap_status" -eq "$tap_want" ]; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		echo "status $tap_status instead of $tap_want: $*" | explain
		echo "$tap_output" | explain
	fi
}

# check NAME COMMAND...
check()
{
	check_status 0 "$@"
}

# says STATUS TEXT COMMAND... - for check: it ends with this status, and the text is in what it says
says()
{
	says_want=$1
	says_text=$2
	shift 2
	says_status=0
	says_output=$("$@" 2>&1) || says_status=$?
	echo "$says_output"
	[ "$says_status" = "$says_want" ] && printf '%s\n' "$says_output" | grep -qF -e "$says_text"
}

# The plan comes last: without it a test has died.
finish()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

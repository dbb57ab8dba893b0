# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# browse-lib.sh - pages of --to html in a browser; to be sourced
#
# Needs $work, $decode and $checkers.
# shellcheck disable=SC2154 # what is set there

: "${BROWSER:=chromium-headless-shell}"

# browse PAGE [OPTION...] - the document after the page's script; $work/net: what it asked for
browse()
{
	browse_page=$1
	shift
	HOME=$work timeout 600 "$BROWSER" --no-sandbox --disable-gpu --window-size=1500,950 \
		--enable-logging=stderr --log-net-log="$work/net" --dump-dom \
		"$@" "file://$browse_page#test" >"$work/dom" 2>"$work/log"
}

# browse_for NAME PAGE [OPTION...] - until its script has written data-NAME, or has an error: the
# browser's time may be over before, on a busy machine or by chance, in up to every second try
browse_for()
{
	browse_name=$1
	shift
	for _ in $(seq 16); do
		browse "$@"
		if [ -n "$(attribute "$browse_name")" ] || ! silent >/dev/null; then
			return
		fi
		echo "# there is no data-$browse_name"
	done
}

attribute()
{
	sed -En "s/.*<html[^>]* data-$1=\"([^\"]*)\".*/\1/p" "$work/dom"
}

passed()
{
	case $(attribute "$1") in
	passed*) return 0 ;;
	esac
	attribute "$1"
	return 1
}

silent()
{
	! grep -E 'CONSOLE|Uncaught|Refused' "$work/log"
}

# sums_of_page NAME PAGE CAPTURE - they are the report's, in the browser and by another reader
sums_of_page()
{
	"$decode" report --json "$3" >"$work/json" 2>/dev/null
	check "$1: its lanes have the report's sums" \
		python3 "$checkers/htmlcheck.py" "$2" "$work/json"
	browse_for selftest "$2"
	check "$1: the page's own sums" passed selftest
	check "$1: no error in the page" silent
}

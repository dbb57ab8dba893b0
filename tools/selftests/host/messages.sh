#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# messages.sh - each command of Documentation/messages.rst says what the page says, with that status

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/examples" "$work/here"
tools/selftests/check/examples.py Documentation/messages.rst "$work/examples"

# stream TRACE HOST METADATA - one thread, which the capture has, if it is of its host
stream()
{
	printf '%s\n' "! 122/122 $2.0 $3" '122/122 1000 OHx 0 -1 0 0' '122/122 2000 OHe' |
		"$top/tools/selftests/gen/ovniwrite.py" "$1"
}

cd "$work/here" || exit
for capture in module flight; do
	tar -xzf "$top/tools/selftests/captures/0.1/$capture.tar.gz"
done
mv module capture
mkdir two empty
cp -r capture two/first
cp -r capture two/second
cp -r capture unknown && rm unknown/meta.json
cp -r capture pages && sed -i 's/"host":/"page_size":3000,&/' pages/meta.json
cp -r capture short && truncate -s -100 short/cpu0.ovk
stream trace ovnik '{}'
stream other node '{}'
stream open ovnik '{"finished": 0}'
stream twice ovnik '{}'
sed -i 's/"version": *3/&,&/' twice/loom.*/proc.*/thread.*/stream.json
echo hello >text
# Root is not asked for permission unless it gives up the right, as powerless() does.
cp -r capture locked && chmod -R go-rwx locked && chown -R 65534 locked
cp -r capture part && chmod go-rwx part/cpu1.ovk && chown 65534 part/cpu1.ovk
"$top/build/ovnik-decode" capture -o out --to ovni 2>/dev/null

# Whatever the page has, nothing is loaded into this kernel.
powerless()
{
	setpriv --bounding-set=-bpf,-perfmon,-sys_admin,-sys_module,-dac_override,-dac_read_search "$@"
}

# says EXAMPLE - is it what the page has? All but what names --help.
says()
{
	local status=0 want

	want=$(cat "$1.status")
	PATH=$top/build:$PATH powerless sh -c "$(cat "$1.command")" >/dev/null 2>said </dev/null || status=$?
	sed -i '/^Try [`"]/,$d' said
	[ "$status" = "$want" ] || echo "status $status, and not $want"
	diff "$1.said" said && [ "$status" = "$want" ]
}

nr=0
for example in "$work"/examples/*.command; do
	read -r program rest <"$example"
	[ -x "$top/build/$program" ] || continue
	check "$program $rest" says "${example%.command}"
	nr=$((nr + 1))
done
check "$nr examples" test "$nr" -gt 30
check "nothing was made" sh -c '[ ! -e new ] && [ ! -e no ]'
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# habits.sh - what somebody who knows other tracers types first: -h, help, a word misspelt, an output
# in the wrong place; and the exit status of each program in each case that its page names

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$PWD/build
PATH=$build:$PATH
programs=()
for page in Documentation/man/*.1; do
	name=$(basename "$page" .1)
	[ ! -x "build/$name" ] || programs+=("$name")
done
for capture in module flight; do
	tar -C "$work" -xzf "tools/selftests/captures/0.1/$capture.tar.gz"
done
cd "$work" || exit

# says STATUS TEXT COMMAND...
says()
{
	local status=0 output

	output=$("${@:3}" 2>&1 </dev/null) || status=$?
	echo "$output"
	[ "$status" = "$1" ] && grep -qF -- "$2" <<<"$output"
}

# By ovnik report the decoder prints its own.
prints_usage()
{
	"$@" 2>messages </dev/null >usage && grep -q "^Usage: $1[ -]" usage && [ ! -s messages ]
}

# Each status of a page is in $tried; and none but these.
all_statuses_tried()
{
	sed -n '/^\.SH EXIT STATUS/,/^\.SH [^E]/p' "$OLDPWD/Documentation/man/$1.1" |
		sed -n 's/^\.B \([0-9]\)$/\1/p' | diff - <(printf '%s\n' "${@:2}")
}

once()
{
	[ "$(grep -c '^\.SH EXIT STATUS' "$OLDPWD/Documentation/man/$1.1")" = 1 ]
}

for name in "${programs[@]}"; do
	check "$name -h" prints_usage "$name" -h
	check "$name --help" prints_usage "$name" --help
	[ "$name" = ovnik ] || [ "$name" = ovnik-job ] ||
		check "$name: an option misspelt" says 2 'did you mean --version?' "$name" --versoin
	check "$name: its page has one list of statuses" once "$name"
done
for command in record start stop snapshot status report; do
	check "ovnik $command -h" prints_usage ovnik $command -h
	check "ovnik help $command" prints_usage ovnik help $command
done
for name in ovnik-decode ovnik-emu ovnik-refs ovnik-merge; do
	[ ! -x "$build/$name" ] || check "$name help" prints_usage "$name" help
done
check "a file called help is one" says 1 'help: not a capture' \
	sh -c ': >help; ovnik-decode help --tracer total; status=$?; rm help; exit $status'
for command in diff pagecache report top why; do
	check "the decoder's help has $command" says 0 "  $command  " ovnik-decode --help
	check "ovnik-decode help $command" prints_usage ovnik-decode help $command
	check "it has the statuses" grep -q '^Exit status: 0 .*; 1 ' usage
done
check "ovnik help" prints_usage ovnik help
check "ovnik-job: an option misspelt" says 2 'unknown option --versoin' ovnik-job --versoin
check "ovnik: an option misspelt" says 2 'did you mean "--version"?' ovnik --versoin
check "ovnik: a command misspelt" says 2 'did you mean "status"?' ovnik stauts
check "ovnik-decode: a command misspelt" says 2 \
	'there is no command "reprot", and no capture of that name; did you mean "report"?' \
	ovnik-decode reprot module
check "ovnik: a command of the decoder" says 2 \
	'there is no command "why" here: ovnik-decode has it' ovnik why module
check "ovnik record: an option misspelt" says 2 'did you mean --duration?' ovnik record --duratoin 5

check "an output misspelt" says 2 'did you mean "html"?' ovnik-decode module -o none --to htlm
check "a tracer misspelt" says 2 'did you mean "top"?' ovnik-decode module --tracer tosp
check "a family of events misspelt" says 2 'did you mean "sched"?' ovnik record -e schd -- true
check "make demo: a back end misspelt" says 2 'BACKEND=bfp: the back ends are module and bpf' \
	make --no-print-directory -n -C "$OLDPWD" demo BACKEND=bfp

mkdir "a place" && cp "$OLDPWD/Makefile" "a place"
check "make in a directory with a blank in its name" says 2 \
	'a place: has a blank in its name, and make cannot build there: move it' make -C "a place" kmod

reports_the_same()
{
	ovnik "$@" >one && ovnik-decode "$@" >two && [ -s one ] && cmp one two
}

check "ovnik report" reports_the_same report module
check "with options" reports_the_same report --tables waits module
check "its status" says 4 "2119 overwritten" ovnik report flight
alone=$work/alone/ovnik
mkdir alone && cp "$build/ovnik" alone
check "where there is no decoder" says 1 'cannot run ovnik-decode: No such file or directory' \
	env PATH=/nowhere "$alone" report module

# answers_the_same OPTION OPTION - by its old name and by its own
answers_the_same()
{
	# shellcheck disable=SC2086 # an option and its value
	ovnik-decode report module $1 >one 2>said && ovnik-decode report module $2 >two 2>/dev/null &&
		[ -s one ] && cmp one two && grep -q 'ovnik 0.3 will refuse the old name' said
}

# No help and no hint has them.
has_no_old_names()
{
	! ovnik-decode report --help | grep -E -- '--(top|to)\b' &&
		! ovnik-decode top module --tos 2>&1 | grep 'did you mean --to?'
}

check "the end of a window by its old name" answers_the_same "--to 5ms" "--until 5ms"
check "is said" says 0 '--to TIME is called --until now' ovnik-decode report module --to 5ms
check "with outputs, too" says 0 '--to TIME is called --until now' \
	ovnik-decode module -o old --to prv --to 5ms
check "how many rows by its old name" answers_the_same "--top 2" "--rows 2"
check "is said" says 0 '--top is called --rows now' ovnik-decode report module --top 2
check "none is offered" has_no_old_names
check "an output of a command" says 2 '--to prv: "report" prints its answer, and makes nothing else' \
	ovnik-decode report module --to prv
check "not every word is a time" says 2 '--until: "prv" is not a time' ovnik-decode report module --until prv
check "what --pid is in a question" says 0 'Ask about this process' ovnik-decode why --help
[ ! -x "$build/ovnik-merge" ] || check "ovnik-merge: the end by its old name" says 1 \
	'--to is called --until now' ovnik-merge module no-such.refs -o none --to 5

# What is no capture, and what stands in the wrong place.
cp -r module before && cp -r module unknown && rm unknown/meta.json
check "a capture misspelt" says 2 'there is no capture "befor"; did you mean "before"?' ovnik-decode diff befor after
cp -r module $'\e]0;shell'
says_plain()
{
	! ovnik-decode report ']0;shell' 2>&1 | grep $'\e'
}
check "a directory's name does nothing to the terminal" says_plain
rm -r $'\e]0;shell'
# word_is_plain COMMAND... - what a shell's "*" may be
word_is_plain()
{
	! "$@" >messages 2>&1 || return
	cat -v messages
	grep -q '\\x1b' messages && ! grep -q $'\e' messages
}
name=$'\e]0;word\a'
check "nor does a word: of a capture" word_is_plain ovnik-decode report "$name"
check "of an output" word_is_plain ovnik-decode module -o none --to "$name"
check "of a time" word_is_plain ovnik-decode report module --from "$name"
check "an event's" word_is_plain ovnik record -e "$name" -- true
check "an option" word_is_plain ovnik-decode "--$name"
check "one that is not there is no program" says 2 'there is no capture "capp"' ovnik-decode report capp
check "nothing is said of programs" sh -c '! ovnik-decode report capp 2>&1 | grep comm'
for words in "top capp module" "pagecache module capp"; do
	# shellcheck disable=SC2086 # words
	check "nor beside one that is there: $words" eval "says 2 'there is no capture \"capp\"' ovnik-decode $words &&
		! ovnik-decode $words 2>&1 | grep comm"
done
check "of two, the nearest is named" says 2 'there is no capture "modul"; did you mean "module"?' ovnik-decode top modul flight
for words in "-o new report module" "module --gzip report" "module -o new report --all" "-o new report"; do
	# shellcheck disable=SC2086 # words
	check "a command behind options: $words" says 2 'the command comes first: ovnik-decode report' ovnik-decode $words
done
check "with the capture" says 2 'comes first: ovnik-decode report module' ovnik-decode -o . report module
check "a table misspelt" says 2 'did you mean "queue"?' ovnik-decode report module --tables cpu,queu
check "a sort of rows misspelt" says 2 'did you mean "process"?' ovnik-decode top module --by proces
check "a column misspelt" says 2 'did you mean "sleep"?' ovnik-decode top module --sort slep
check "what is compared misspelt" says 2 'did you mean "reason"?' ovnik-decode diff module flight --by reson
check "JSON of nothing" says 2 '--json without a question: a command, all of which have it' ovnik-decode module --json
check "what --to takes is told apart" sh -c \
	"ovnik-decode --list-outputs | grep -qx 'top  *command .*' && ovnik-decode --list-outputs | grep -qx 'tracers  *--tracer .*'"
check "a capture on both sides" says 0 'module/.: is one and the same capture on both sides' ovnik-decode diff module module/.
check "one given twice" says 0 'module: is one and the same capture, given twice' ovnik-decode diff module module -- before
check "two that are equal are two" sh -c '! ovnik-decode diff module before 2>&1 | grep "one and the same"'
check "what was recorded is not known without meta.json" says 2 'without meta.json, it is not known which command' \
	ovnik-decode why unknown
for command in top pagecache "report --tables losses"; do
	# shellcheck disable=SC2086 # a command and its options
	check "$command: nor what was lost at the end" says 3 ', and not known how many at the end' ovnik-decode $command unknown
	# shellcheck disable=SC2086
	check "$command: in JSON, too" says 3 '"events_lost_at_the_end":"not known"' ovnik-decode $command --json unknown
done

# takes_no_option OPTION NEXT PROGRAM... - in place of its value; no program goes further
takes_no_option()
{
	says 2 "$1 needs a" "${@:3}" "$1" "$2" /no/such && says 2 "and \"$2\" is an option" "${@:3}" "$1" "$2"
}
# Should the option be taken, there is no such command to record.
check "the end of options is no directory" takes_no_option -o -- ovnik record
check "of a snapshot" takes_no_option -o --strict ovnik snapshot
check "nor is an option of one letter" takes_no_option -o -F ovnik record
check "of the decoder" takes_no_option -o --to ovnik-decode module
check "an option is no list" takes_no_option --to --gzip ovnik-decode module
check "nor a table of offsets" takes_no_option --offsets -o ovnik-emu out
check "nothing is made of it" sh -c '[ ! -e ./-- ] && [ ! -e ./--to ] && [ ! -e ./-F ]'
check "a directory may be called so" says 0 'has the outputs' ovnik-decode module -o ./--to --to prv
check "a shell may be called so" says 1 'there is no such process in the capture: "-z"' ovnik-decode top module --comm=-z
check "a time may begin so" says 0 '' ovnik-decode report module --from -1ms

# proposes TEXT... - the lines "next:", in order
proposes()
{
	diff <(sed -n 's/^ovnik-decode: next: //p' said) <(printf '%s\n' "$@")
}
ovnik-decode module -o both --to html,perfetto 2>said
check "the page is proposed, and what was made last" proposes 'open both/timeline.html in a browser' \
	'open both/trace.perfetto-trace in https://ui.perfetto.dev'
ovnik-decode module -o both --to html,prv 2>said
check "the page alone, if it was made last" proposes 'open both/timeline.html in a browser'
ovnik-decode module -o both --to prv,perfetto 2>said
check "without the page what was made last" proposes 'open both/trace.perfetto-trace in https://ui.perfetto.dev'

asks()
{
	ovnik-decode report module "${@:2}" 2>&1 | sed -n 's/^  next .*ovnik-decode //p' | grep -qxF -- "$1"
}
check "a question about a tree is about the tree" asks 'why --tree 128 module' --tree 128
check "about some is about these" asks 'why --pid 128 --comm sh module' --pid 128 --comm sh
check "of a time and CPUs, too" asks 'why --comm sh --from 1ms --until 70ms --cpu 0 module' \
	--comm sh --from 1ms --until 70ms --cpu 0

untouched()
{
	find module -type f -exec sha256sum {} + | sort | diff sums -
}

find module -type f -exec sha256sum {} + | sort >sums
check "outputs into the capture" says 1 'module: is the capture to read' ovnik-decode module -o module
check "by another path" says 1 'is the capture to read' ovnik-decode module -o ./flight/../module
ln -s module link
check "by a link" says 1 'is the capture to read' ovnik-decode module -o link
check "of several nodes" says 1 'flight: is the capture to read' ovnik-decode module flight -o flight
[ ! -x "$build/ovnik-merge" ] || check "ovnik-merge" says 1 'is the capture to read' \
	ovnik-merge module log.refs -o module
check "the capture is what it was" untouched
check "beside it is a good place" says 0 'events in' ovnik-decode module -o module/out --to prv

check "a time without a unit" says 2 'from=5: not a time with a unit, such as 1.5ms' \
	ovnik-decode module --tracer total,from=5

# The statuses of the pages. Those that need a kernel are tested in guests: ovnik's 4 by guest/tool.sh,
# ovnik-merge's by vm/refs.sh.
check "ovnik: 0" says 0 '' ovnik version
check "ovnik: 1" says 1 'the module is not loaded' ovnik status --backend module
check "ovnik: 2" says 2 'not an option' ovnik stop now
check "these and 4 are all" all_statuses_tried ovnik 0 1 2 4
cp -r module damaged && truncate -s -100 damaged/cpu0.ovk
check "ovnik-decode: 0" says 0 '' ovnik-decode module -o out
check "ovnik-decode: 1" says 1 'no-such' ovnik-decode no-such -o out2
check "ovnik-decode: 2" says 2 '' ovnik-decode module --to nonsense
check "ovnik-decode: 3" says 3 '' ovnik-decode damaged -o out3
check "ovnik-decode: 4" says 4 '' ovnik-decode flight -o out4
check "these are all" all_statuses_tried ovnik-decode 0 1 2 3 4
check "ovnik-emu: 0" says 0 'next: wxparaver' ovnik-emu out/ovni
check "a name with a blank is quoted" says 0 "next: wxparaver 'two words/thread.prv'" \
	ovnik-emu -o 'two words' out/ovni
check "ovnik-emu: 1" says 1 'is a capture, not an ovni trace' ovnik-emu module
check "ovnik-emu: 2" says 2 '' ovnik-emu
check "these are all" all_statuses_tried ovnik-emu 0 1 2
if [ -x "$build/ovnik-refs" ]; then
	echo 'r 123456789abcdef0 4 9f8e7 9a8b7c6d' >refs.txt
	check "ovnik-refs: 0" says 0 '' ovnik-refs --to-binary refs.txt -o refs
	check "ovnik-refs: 1" says 1 'offset 0' ovnik-refs --to-binary usage -o none
	check "ovnik-refs: 2" says 2 '' ovnik-refs refs
	check "these are all" all_statuses_tried ovnik-refs 0 1 2
fi
finish

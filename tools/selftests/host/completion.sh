#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# completion.sh - bash, zsh and fish complete what the programs have: commands, options, events,
# families, outputs, tracers, modes

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files" "$work/zsh"
touch "$work/files/plain"
mkdir "$work/files/cap"

# by_bash WORD... - what bash would offer for the last word, one a line, sorted
by_bash()
{
	(
		cd "$work/files" || exit
		# shellcheck source=/dev/null
		. "$work/$1.bash"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMPREPLY=()
		"_${1//-/_}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
	)
}

by_fish()
{
	local line=$*

	(cd "$work/files" && fish --no-config -c "source '$work/$1.fish'; complete -C \$argv" "$line" |
		cut -f 1 | LC_ALL=C sort)
}

# by_zsh WORD... - the line after the tabulator key, typed at a terminal of its own
by_zsh()
{
	rm -f "$work/line"
	(cd "$work/files" && WORK=$work timeout 600 zsh -f "$work/type" "$*")
	cat "$work/line"
}

# The widget writes the line beside and then under its name, so that it is read whole.
cat >"$work/type" <<'END'
zmodload zsh/zpty
cat >$WORK/rc <<'RC'
PS1= RPS1= PROMPT_EOL_MARK=
fpath=($WORK/zsh $fpath)
autoload -Uz compinit
compinit -u -d $WORK/dump
complete-and-write() { zle complete-word; print -r -- "$BUFFER" >$WORK/half; mv $WORK/half $WORK/line }
zle -N complete-and-write
bindkey '^I' complete-and-write
print ready >$WORK/ready
RC
rm -f $WORK/ready
zpty typed zsh -f -i
zpty -w typed "source $WORK/rc"
while [[ ! -e $WORK/ready ]]; do zpty -rt typed line || sleep 0.05; done
zpty -n -w typed "$1"$'\t'
while [[ ! -e $WORK/line ]]; do zpty -rt typed line || sleep 0.05; done
zpty -d typed
END

# offers SHELL EXPECTED WORD... - EXPECTED has blanks between
offers()
{
	diff <(tr ' ' '\n' <<<"$2" | sed '/^$/d' | LC_ALL=C sort) <("by_$1" "${@:3}")
}

long_options()
{
	"$@" --help | grep -oE '^ +(-., )?--[a-z][a-z-]*' | sed 's/.*--/--/' | LC_ALL=C sort -u
}

# bash_has_options PROGRAM [COMMAND]
bash_has_options()
{
	long_options "build/$1" "${@:2}" >"$work/expected"
	[ -s "$work/expected" ] && by_bash "$@" -- | diff "$work/expected" -
}

# fish knows which options are spelt out already.
fish_has_options()
{
	long_options "build/$1" "${@:2}" >"$work/expected"
	[ -s "$work/expected" ] && by_fish "$@" -- | sed 's/=$//' | LC_ALL=C sort -u | diff "$work/expected" -
}

# From the table of the kernel's header, not from what generates the pages.
bash_has_events()
{
	sed -n 's/^\tEV([0-9]*, \([a-z_]*\), \([a-z]*\),.*/\1\n\2/p' kmod/include/uapi/ovnik_events.h |
		sort -u >"$work/table"
	by_bash ovnik record -e '' | sort -u >"$work/offered"
	[ "$(wc -l <"$work/offered")" -gt 30 ] && [ -z "$(comm -13 "$work/table" "$work/offered")" ] || return
	# What is missing always comes: it cannot be chosen.
	comm -23 "$work/table" "$work/offered" | while read -r name; do
		family=$(sed -n "s/^\tEV([0-9]*, $name, \([a-z]*\),.*/\1/p" kmod/include/uapi/ovnik_events.h)
		[ "${family:-$name}" = meta ] || { echo "$name is not offered"; exit 1; }
	done
}

bash_has_outputs()
{
	build/ovnik-decode --list-outputs | awk '!/on stdout$/ && $1 != "tracers" { print $1 }' | sort |
		diff - <(by_bash ovnik-decode cap --to '' | sort)
}

bash_has_tracers()
{
	build/ovnik-decode --list-tracers | cut -d ' ' -f 1 | sort |
		diff - <(by_bash ovnik-decode cap --tracer '' | sort)
}

# The shells' own check of the grammar.
reads()
{
	local file

	for file in "$work"/*."$1"; do
		"$1" -n "$file" || return
	done
}

check "completions are made" tools/completion/make build "$work"
for file in "$work"/*.zsh; do
	cp "$file" "$work/zsh/_$(basename "$file" .zsh)"
done

check "bash reads them" reads bash
for command in record start stop snapshot status; do
	check "bash: options of ovnik $command" bash_has_options ovnik $command
done
for command in report top why pagecache diff; do
	check "bash: options of ovnik-decode $command" bash_has_options ovnik-decode $command
done
for page in Documentation/man/*.1; do
	program=$(basename "$page" .1)
	[ "$program" != ovnik ] || continue
	if [ -x "build/$program" ]; then
		check "bash: options of $program" bash_has_options "$program"
	else
		skip "bash: options of $program" "it is not built"
	fi
done
check "bash: commands" offers bash 'record' ovnik rec
check "bash: a command or a capture" offers bash 'cap' ovnik-decode c
check "bash: what help is wanted for" offers bash 'selftest snapshot start status stop' ovnik help s
check "bash: events and families" bash_has_events
check "bash: the next event of a list" offers bash 'sched,task_exec sched,task_exit' \
	ovnik record -e sched,task_ex
check "bash: outputs" bash_has_outputs
check "bash: tracers" bash_has_tracers
check "bash: modes" offers bash 'overwrite' ovnik start --mode = o
check "bash: back ends" offers bash 'auto bpf module' ovnik status --backend = ''
check "bash: rows of top" offers bash 'comm cpu file process reason thread' ovnik-decode top cap --by ''
check "bash: tables of the report" offers bash 'cpu,calls' ovnik-decode report cap --tables cpu,cal
check "bash: folders only" offers bash 'cap' ovnik record -o ''
check "bash: files" offers bash 'cap plain' ovnik-emu ''
check "bash: options of what is recorded are not ours" offers bash '' ovnik record -- ls --b
check "bash: a number is not guessed" offers bash '' ovnik record -p ''

if command -v fish >/dev/null; then
	check "fish reads them" reads fish
	check "fish: options of ovnik record" fish_has_options ovnik record
	check "fish: options of ovnik-decode top" fish_has_options ovnik-decode top
	check "fish: options of ovnik-emu" fish_has_options ovnik-emu
	check "fish: commands" offers fish 'record' ovnik rec
	check "fish: what help is wanted for" offers fish 'selftest snapshot start status stop' ovnik help s
	check "fish: the next event of a list" offers fish 'sched,task_exec sched,task_exit' \
		ovnik record -e sched,task_ex
	check "fish: outputs" offers fish 'ovni,perfetto' ovnik-decode cap --to ovni,per
	check "fish: tracers" offers fish 'concurrency' ovnik-decode cap --tracer conc
	check "fish: modes" offers fish 'overwrite' ovnik start -m ov
else
	skip "fish" "there is no fish"
fi

# zsh_makes LINE WORD... - after a name of a list comes ",", which a blank replaces
zsh_makes()
{
	local made

	made=$(by_zsh "${@:2}")
	echo "$made"
	[ "${made%[ ,]}" = "$1" ]
}

if command -v zsh >/dev/null; then
	check "zsh reads them" reads zsh
	check "zsh: commands" zsh_makes 'ovnik record' ovnik rec
	check "zsh: what help is wanted for" zsh_makes 'ovnik help snapshot' ovnik help sn
	check "zsh: options" zsh_makes 'ovnik record --no-children' ovnik record --no-c
	check "zsh: the next event of a list" zsh_makes 'ovnik record -e sched,task_fork' \
		ovnik record -e sched,task_f
	check "zsh: outputs" zsh_makes 'ovnik-decode cap --to=ovni,perfetto' ovnik-decode cap --to=ovni,per
	check "zsh: tracers" zsh_makes 'ovnik-decode cap --tracer=concurrency' \
		ovnik-decode cap --tracer=conc
	check "zsh: modes" zsh_makes 'ovnik start --mode=overwrite' ovnik start --mode=ov
	check "zsh: a command of the decoder" zsh_makes 'ovnik-decode top cap --by=reason' \
		ovnik-decode top cap --by=rea
	check "zsh: files" zsh_makes 'ovnik-emu plain' ovnik-emu pla
else
	skip "zsh" "there is no zsh"
fi
finish

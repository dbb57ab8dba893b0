# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of PROGRAM for a shell (bash, zsh or fish), from the lines of options.
#
#	awk -v program=PROGRAM -v shell=SHELL -f write.awk LINES

function quoted(text)
{
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

function words_of(values)
{
	return substr(values, index(values, ":") + 1)
}

function command_line()
{
	nr_commands++
	commands[nr_commands] = $3
	texts[nr_commands] = $4
}

function option_line()
{
	nr++
	of[nr] = $3
	short[nr] = $4 == "-" ? "" : $4
	long[nr] = $5
	values[nr] = $6
	text[nr] = $7
}

function all_commands(between, i, all)
{
	for (i = 1; i <= nr_commands; i++)
		all = all (i > 1 ? between : "") commands[i]
	return all
}

# The command "help" is followed by another.
function has_help(i)
{
	for (i = 1; i <= nr_commands; i++) {
		if (commands[i] == "help")
			return 1
	}
	return 0
}

# bash

function bash_case(i, pattern)
{
	pattern = of[i] ":--" long[i]
	if (short[i] != "")
		pattern = pattern " | " of[i] ":-" short[i]
	if (values[i] == "dirs")
		return pattern ") kind=-d ;;"
	if (values[i] == "files")
		return pattern ") kind=-f ;;"
	if (values[i] == "any")
		return pattern ") return ;;"
	if (values[i] ~ /^list:/)
		return pattern ") kind=list words=" quoted(words_of(values[i])) " ;;"
	return pattern ") kind=words words=" quoted(words_of(values[i])) " ;;"
}

# The options of a command are those of its name; "-" has the program's own.
function bash_options(command, i, all)
{
	for (i = 1; i <= nr; i++) {
		if (of[i] == command)
			all = all " --" long[i] (short[i] != "" ? " -" short[i] : "")
	}
	return substr(all, 2)
}

function write_bash(name, i)
{
	name = program
	gsub(/-/, "_", name)
	print "_" name "()\n{"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tlocal command=- kind=-f words options head="
	print "\n\t# \"=\" is a word of its own."
	print "\tif [[ $cur == = ]]; then\n\t\tcur=\n\telif [[ $prev == = ]]; then"
	print "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi"
	if (nr_commands) {
		print "\tcase ${COMP_WORDS[1]} in"
		print "\t" all_commands(" | ") ") ((COMP_CWORD < 2)) || command=${COMP_WORDS[1]} ;;"
		print "\tesac"
	}
	print "\tcase $command in"
	print "\t-) options=" quoted(bash_options("-")) " ;;"
	for (i = 1; i <= nr_commands; i++)
		print "\t" commands[i] ") options=" quoted(bash_options(commands[i])) " ;;"
	print "\tesac"
	# What is recorded has options of its own.
	print "\tif [[ \" ${COMP_WORDS[*]:0:COMP_CWORD} \" == *\" -- \"* ]]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\t\treturn\n\tfi"
	print "\tcase $command:$prev in"
	for (i = 1; i <= nr; i++) {
		if (values[i] != "-")
			print "\t" bash_case(i)
	}
	if (has_help())
		print "\thelp:help) kind=words words=" quoted(all_commands(" ")) " ;;"
	print "\t*)\n\t\t[[ $cur != -* ]] || kind=options"
	if (nr_commands) {
		print "\t\tif ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then"
		print "\t\t\tmapfile -t COMPREPLY < <(compgen -f -W " quoted(all_commands(" ")) " -- \"$cur\")"
		print "\t\t\treturn\n\t\tfi"
	}
	print "\t\t;;\n\tesac\n\tcase $kind in"
	print "\toptions) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\") ;;"
	print "\twords) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;"
	print "\tlist)\n\t\t[[ $cur != *,* ]] || head=${cur%,*},"
	print "\t\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"${cur##*,}\")\n\t\t;;"
	print "\t*) mapfile -t COMPREPLY < <(compgen \"$kind\" -- \"$cur\") ;;"
	print "\tesac\n}\ncomplete -o filenames -F _" name " " program
}

# zsh

function zsh_action(values)
{
	if (values == "dirs")
		return ":directory:_files -/"
	if (values == "files")
		return ":file:_files"
	if (values == "any")
		return ":value:"
	if (values ~ /^list:/)
		return ":names:_values -s , name " words_of(values)
	return ":name:(" words_of(values) ")"
}

function zsh_option(i, names, rest)
{
	rest = text[i]
	gsub(/[\]\[:]/, "\\\\&", rest)
	rest = "[" rest "]"
	if (values[i] == "-")
		names = "--" long[i]
	else
		names = "--" long[i] "="
	if (values[i] != "-")
		rest = rest zsh_action(values[i])
	if (short[i] != "")
		return "\t\t'*'" (values[i] == "-" ? "-" short[i] : "-" short[i] "+") quoted(rest) \
			" \\\n\t\t'*'" names quoted(rest) " \\"
	return "\t\t'*'" names quoted(rest) " \\"
}

function zsh_options(command, i)
{
	print "\t_arguments \\"
	for (i = 1; i <= nr; i++) {
		if (of[i] == command)
			print zsh_option(i)
	}
	print "\t\t'*:file:_files'"
}

function write_zsh(i)
{
	print "#compdef " program
	if (nr_commands) {
		print "local -a commands=("
		for (i = 1; i <= nr_commands; i++) {
			gsub(/:/, "\\:", texts[i])
			print "\t" quoted(commands[i] ":" texts[i])
		}
		print ")"
		print "if ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then"
		print "\t_describe command commands\n\t_files\n\treturn\nfi"
	}
	print "case $words[2] in"
	for (i = 1; i <= nr_commands; i++) {
		print commands[i] ")"
		if (commands[i] == "help") {
			print "\t_describe command commands"
		} else {
			print "\tshift words\n\t((CURRENT--))"
			zsh_options(commands[i])
		}
		print "\t;;"
	}
	print "*)"
	zsh_options("-")
	print "\t;;\nesac"
}

# fish

function fish_values(i, words, list)
{
	if (values[i] == "dirs")
		return " -x -a '(__fish_complete_directories)'"
	if (values[i] == "files")
		return " -r -F"
	if (values[i] == "any")
		return " -x"
	words = words_of(values[i])
	if (values[i] ~ /^list:/) {
		gsub(/ /, "\\n", words)
		return " -x -a '(__fish_append , (printf " quoted_again(words) "))'"
	}
	return " -x -a " quoted(words)
}

# In double quotes inside of single ones.
function quoted_again(text)
{
	return "\"" text "\\n\""
}

function write_fish(i, when)
{
	for (i = 1; i <= nr_commands; i++)
		print "complete -c " program " -n __fish_use_subcommand -a " commands[i] " -d " \
			quoted(texts[i])
	if (has_help())
		print "complete -c " program " -n '__fish_seen_subcommand_from help' -x -a " \
			quoted(all_commands(" "))
	for (i = 1; i <= nr; i++) {
		when = of[i] != "-" ? " -n '__fish_seen_subcommand_from " of[i] "'" : ""
		if (of[i] == "-" && nr_commands)
			when = " -n 'not __fish_seen_subcommand_from " all_commands(" ") "'"
		print "complete -c " program when (short[i] != "" ? " -s " short[i] : "") " -l " long[i] \
			(values[i] == "-" ? "" : fish_values(i)) " -d " quoted(text[i])
	}
}

BEGIN { FS = "\t" }
$2 != program { next }
$1 == "command" { command_line() }
$1 == "option" { option_line() }
END {
	# zsh wants #compdef in the first line.
	if (shell != "zsh")
		print "# Made by tools/completion.\n"
	if (shell == "bash")
		write_bash()
	else if (shell == "zsh")
		write_zsh()
	else
		write_fish()
}

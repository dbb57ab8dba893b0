# SPDX-License-Identifier: GPL-2.0-only
#
# Options from what argp prints for --help; see options.

# Words of a sentence such as "A row for each: process (the default), comm or file; ...".
function enumerated(words)
{
	sub(/^[^:]*: /, "", words)
	sub(/;.*/, "", words)
	gsub(/\([^)]*\)|,| or /, " ", words)
	gsub(/  +/, " ", words)
	sub(/ $/, "", words)
	return words
}

function values_of(arg)
{
	if (arg == "")
		return "-"
	if (arg == "EVENTS")
		return "list:" events
	if (long == "to" && arg == "LIST")
		return "list:" outputs
	if (long == "tracer")
		return "words:" tracers
	if (arg == "NAME" && long == "backend")
		return "words:module bpf auto"
	if (long == "mode")
		return "words:overwrite discard"
	if (arg == "HOW" && match(text, /HOW is: [a-z]+/))
		return "words:" substr(text, RSTART + 8, RLENGTH - 8)
	if (text ~ /^(A row for each|Compare only): /)
		return "words:" enumerated(text)
	if (text ~ /^Also these tables: /)
		return "list:" enumerated(text)
	if (arg == "DIR")
		return "dirs"
	if (arg == "FILE" || arg == "TRACE")
		return "files"
	return "any"
}

function flush_option()
{
	if (long != "") {
		values = values_of(arg)
		sub(/([;.] | \().*/, "", text)
		sub(/[. ]*$/, "", text)
		print "option\t" program "\t" command "\t" short "\t" long "\t" values "\t" text
	}
	long = ""
}

/^ +(-., )?--[a-z]/ {
	flush_option()
	short = $1 ~ /^-[a-zA-Z],$/ ? substr($1, 2, 1) : "-"
	match($0, /--[a-z][^ ]*/)
	long = substr($0, RSTART + 2, RLENGTH - 2)
	text = substr($0, RSTART + RLENGTH)
	sub(/^ */, "", text)
	arg = ""
	# A value that may be left out is not asked for.
	sub(/\[=.*/, "", long)
	if (match(long, /=/)) {
		arg = substr(long, RSTART + 1)
		long = substr(long, 1, RSTART - 1)
	}
	next
}

/^                    / {
	sub(/^ */, "")
	text = text (text == "" ? "" : " ") $0
	next
}

{ flush_option() }

END { flush_option() }

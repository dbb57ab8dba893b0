#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Generated documentation is up to date, every option and every control file is documented, docutils
# can read all pages, their links lead somewhere, the index lists all of them, and tables of examples
# are such as the programs print.
set -u

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

# is_fresh PAGE GENERATOR...
is_fresh()
{
	page=$1
	shift
	"$@" | diff -u "$page" -
}

# As ovnik-decode prints them: name, "default" or blanks, sentence.
list_long_name()
{
	printf '%-10s %-8s %s\n' a-long-name-of-an-output default "one thing" short "" "another"
}

long_names()
{
	printf '#!/bin/sh\ncat <<END\n%s\nEND\n' "$(list_long_name)" >build/long-names
	chmod +x build/long-names
	printf '%s\n' '.\" Table of outputs' '.\" End of the table' >build/long-names.1
	tools/man-outputs build/long-names build/long-names.1 | diff - /dev/fd/3 3<<'END'
.\" Table of outputs
.TP
.B a\-long\-name\-of\-an\-output
one thing (default)
.TP
.B short
another
.\" End of the table
END
}

# Long options as the program prints them, against its man page.
page_has_options()	# MANPAGE COMMAND...
{
	page=Documentation/man/$1.1
	shift
	help=$("$@" --help) || return
	missing=$(echo "$help" | grep -oE -- '--[a-z][a-z-]+' | sort -u | while read -r option; do
		case $option in --help | --usage | --version) continue ;; esac
		tr -d '\134' <"$page" | grep -q -- "$option" || echo "$page: $option"
	done)
	echo "$missing"
	[ -z "$missing" ]
}

# Options of a question as its help has them, against its part of the SYNOPSIS.
synopsis_has_options()	# COMMAND
{
	part=$(tr -d '\134' <Documentation/man/ovnik-decode.1 | sed -n '/^\.SH SYN/,/^\.SH DES/p' |
		sed -n "/^\.B ovnik-decode $1\$/,/^\.br/p")
	missing=$(build/ovnik-decode "$1" --help | grep -oE '^ +(-[a-z], )?--[a-z][a-z-]+' |
		grep -oE -- '--.*' | while read -r option; do
		case $option in
		--help | --usage | --version) continue ;;
		--from | --until | --pid | --comm | --tree | --cpu) option=PART ;;
		esac
		echo "$part" | grep -q -- "$option" || echo "$1: $option"
	done)
	echo "$missing"
	[ -n "$part" ] && [ -z "$missing" ]
}

abi_has_files()
{
	missing=$(grep -ohE '__ATTR(_R[OW]_MODE)?\(\w+' kmod/*.c | sed 's/.*(//' | sort -u |
		while read -r name; do
			grep -qE "/$name\$" Documentation/ABI/testing/sysfs-kernel-ovnik ||
				echo "$name"
		done)
	echo "$missing"
	[ -z "$missing" ]
}

# A line of seven "=" at a title as short is a heading.
no_conflicts()
{
	marked=$(
		git grep -InE '^(<{7}|>{7}|[|]{7}) '
		git grep -IlE '^={7}$' | while read -r file; do
			awk '
				function title(text) { return text ~ /^[^ ]/ && length(text) <= 7 }
				{ line[NR] = $0 }
				END {
					for (i = 1; i <= NR; i++)
						if (line[i] == "=======" && !(FILENAME ~ /\.rst$/ &&
						    (title(line[i - 1]) ||
						     title(line[i + 1]) && line[i + 2] == line[i])))
							print FILENAME ":" i ":" line[i]
				}' "$file"
		done
	)
	echo "$marked"
	[ -z "$marked" ]
}

# Warnings are errors. Debian's own Python has the package; another may come first.
rst_is_read()	# FILE
{
	/usr/bin/python3 - "$1" <<-'END'
		import sys
		from docutils.core import publish_file
		publish_file(source_path=sys.argv[1], writer_name="null",
		             settings_overrides={"halt_level": 2, "traceback": True})
	END
}

# Every page has a link in the index.
index_is_complete()
{
	missing=$(for page in $pages; do
		page=${page#Documentation/}
		[ "$page" = index.rst ] ||
			grep -q "\`$page\`_" Documentation/index.rst || echo "$page"
	done)
	echo "$missing"
	[ -z "$missing" ]
}

# Tables as the programs print them, of a capture that has all of them.
print_tables()
{
	build/ovnik-decode report --all "$1"
	build/ovnik-decode why --comm sh "$1"
	for by in comm file reason; do
		build/ovnik-decode top --by "$by" "$1"
	done
	build/ovnik-decode pagecache "$1"
	build/ovnik-decode diff "$1" "$1"
	build/ovnik-decode diff "$1" "$1" -- "$1" "$1"
	build/ovnik-decode "$1" --tracer top,by=what --tracer tags
}

examples_are_like_output()
{
	print_tables "$work/module" >"$work/printed" 2>"$work/log" || return
	# shellcheck disable=SC2086 # several pages
	tools/selftests/check/docexamples.py "$work/printed" $pages ./*.md Documentation/man/*.1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf tools/selftests/captures/0.1/module.tar.gz
pages=$(git ls-files --cached --others --exclude-standard -- 'Documentation/*.rst')

check "Documentation/events.rst is what make docs makes" \
	is_fresh Documentation/events.rst build/gen-events
check "Documentation/tasks-tables.rst is what make docs makes" \
	is_fresh Documentation/tasks-tables.rst build/gen-tasks
check "ovnik-decode(1) has the table of outputs that make docs makes" \
	is_fresh Documentation/man/ovnik-decode.1 \
	tools/man-outputs build/ovnik-decode Documentation/man/ovnik-decode.1
check "a name of an output may be long" long_names
for command in record start stop snapshot status; do
	check "ovnik(1) has every option of ovnik $command" \
		page_has_options ovnik build/ovnik $command
done
for program in ovnik-decode ovnik-emu ovnik-refs ovnik-merge ovnik-job; do
	check "$program(1) has every option" page_has_options $program build/$program
done
if [ -x build/ovnik-sync ]; then
	check "ovnik-sync(1) has every option" page_has_options ovnik-sync build/ovnik-sync
else
	skip "ovnik-sync(1) has every option" "no Open MPI"
fi
check "ovnik-decode(1) has every option of its report" \
	page_has_options ovnik-decode build/ovnik-decode report
for command in report top why pagecache diff; do
	check "ovnik-decode(1): the synopsis has what $command takes" synopsis_has_options $command
done
check "the sysfs ABI file has every file" abi_has_files
check "no conflict of a merge was left" no_conflicts
for page in $pages; do
	check "docutils reads $page" rst_is_read "$page"
done
check "the index lists all pages" index_is_complete
check "tables of examples have the form of those that are printed" examples_are_like_output
check "Documentation/limits.rst has the limits of the sources, each with a test" \
	find user tools kmod/include -path tools/selftests -prune -o -name '*.[ch]' \
	-exec python3 tools/selftests/check/limitcheck.py Documentation/limits.rst {} +
# shellcheck disable=SC2086 # several pages
check "links and file names in the pages lead somewhere" \
	/usr/bin/python3 tools/selftests/check/doclinks.py $pages ./*.md Documentation/man/*.[18]
finish

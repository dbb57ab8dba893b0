#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What can be said about the sources without running them: about those that have changed on this
# branch, or where it is the main one in the three hours before this commit; with LONG, about all, which
# takes two minutes.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

# Makes no sense out of the kernel's tree, or for X-macros.
ignored=FILE_PATH_CHANGES,CONFIG_DESCRIPTION,COMPLEX_MACRO,MACRO_ARG_REUSE
ignored+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON,EMBEDDED_FILENAME
# Takes "#define EVENT(nr, ...) [nr] = {" for an index.
ignored+=,BRACKET_SPACE
# A message is not to be split, whatever its length.
ignored+=,LONG_LINE_STRING
# Userspace has no kernel types, no kstrto*(), no strscpy(), no pr_*() ...
ignored_user=$ignored,PREFER_KERNEL_TYPES,SSCANF_TO_KSTRTO,CONSIDER_KSTRTO,STRCPY,STRLCPY
# Long help texts and sentences are split.
ignored_user+=,SPLIT_STRING,STRNCPY,AVOID_BUG,NAKED_SSCANF,ALLOC_SIZEOF_STRUCT,AVOID_EXTERNS,CAMELCASE
ignored_user+=,PREFER_DEFINED_ATTRIBUTE_MACRO,VOLATILE,BIT_MACRO,EMBEDDED_FUNCTION_NAME
# errno_name() has all of them.
ignored_user+=,ENOSYS

# older - where this branch has left the main one, or else a commit that is three hours older than this one;
# none where history does not go back so far
older()
{
	local left

	left=$(git merge-base HEAD origin/HEAD 2>/dev/null)
	if [ -n "$left" ] && [ "$left" != "$(git rev-parse HEAD)" ]; then
		echo "$left"
		return
	fi
	git log -1 --format=%H --before="$(($(git log -1 --format=%ct) - 10800))"
}

# Every file of ours, tracked or new. Of some, only those that have changed, see above.
all_sources()
{
	git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

changed_sources()
{
	local base

	base=$(older)
	if [ -n "$LONG" ] || [ -z "$base" ]; then
		all_sources "$@"
		return
	fi
	comm -12 <(all_sources "$@" | sort) \
		<({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } | sort -u)
}

c_sources()
{
	all_sources "$@" | grep '\.[ch]$'
}

changed_c_sources()
{
	changed_sources "$@" | grep '\.[ch]$'
}

# A link is to a script that is checked itself.
shell_scripts()
{
	changed_sources . | while read -r file; do
		[ -L "$file" ] || echo "$file"
	done | xargs -r -d '\n' awk '
		FNR == 1 && (FILENAME ~ /\.sh$/ || /^#!.*(\/| )(ba)?sh$/) { print FILENAME }
		{ nextfile }'
}

# checkpatch IGNORED FILE... - on all CPUs, for it takes a minute
checkpatch()
{
	local ignore=$1 status

	shift
	printf '%s\0' "$@" | xargs -0r -n 150 -P "$(nproc)" build/kselftest/checkpatch.pl \
		--no-tree --strict --terse --show-types --no-summary \
		--max-line-length=100 --ignore "$ignore" -f
	status=$?
	# It leaves a cache where it runs.
	rm -f .checkpatch-camelcase.*
	return "$status"
}

spdx_missing()
{
	local file

	all_sources . | while read -r file; do
		case $file in
		LICENSE | .gitignore | .editorconfig | *.md | Documentation/ABI/*) continue ;;
		debian/changelog | debian/copyright | debian/source/format) continue ;;
		*.json | *.prv | *.pcf | *.row | *.golden | *.sums) continue ;;
		esac
		echo "$file"
	done | xargs -d '\n' grep -Il . | xargs -d '\n' awk '	# not what is empty or binary
		FNR == 1 { last = FILENAME; found[last] = 0 }
		/SPDX-License-Identifier/ { found[last] = 1 }
		FNR == 3 { nextfile }
		END { for (file in found) if (!found[file]) print file }'
}

# Those of the files that debian/copyright does not have.
license_missing()
{
	local license

	all_sources kmod user tools bpf | xargs -d '\n' sed -n '1,2s,.*SPDX-License-Identifier: \(GPL[^*"]*[^ *"]\).*,\1,p' |
		sort -u | while read -r license; do
		grep -qxF "License: ${license/ WITH Linux-syscall-note/ with Linux-syscall-note exception}" debian/copyright ||
			echo "$license"
	done
}

# nothing COMMAND... - success if it prints nothing
nothing()
{
	local output

	output=$("$@")
	echo "$output"
	[ -z "$output" ]
}

version_tests()
{
	c_sources . | grep -vx kmod/compat.h |
		xargs -r grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' /dev/null
}

# What patch and merges leave.
left_by_patch()
{
	git ls-files -- '*.orig' '*.rej'
}

# unit/capture_clock.c tests user/capture/clock.c.
unit_tests_of_no_file()
{
	local file found

	found=$(c_sources user | sed 's,^user/,,; s,\.[ch]$,,; s,/,_,g')
	for file in tools/selftests/unit/*.c; do
		grep -qx "$(basename "$file" .c)" <<<"$found" || echo "$file"
	done
}

# What BPF includes, too, cannot use the kernel's macros.
mapfile -t kernel < <(changed_c_sources kmod ':!kmod/include/uapi' ':!kmod/shared')
mapfile -t userspace < <(changed_c_sources user tools bpf kmod/include/uapi kmod/shared)
mapfile -t scripts < <(shell_scripts)

if [ -x build/kselftest/checkpatch.pl ]; then
	check "checkpatch: kmod" checkpatch "$ignored" "${kernel[@]}"
	check "checkpatch: userspace" checkpatch "$ignored_user" "${userspace[@]}"
else
	skip "checkpatch: kmod" "no checkpatch.pl, see make tests"
	skip "checkpatch: userspace" "no checkpatch.pl, see make tests"
fi
# Code given to a function looks unreachable (SC2317) or wrongly quoted (SC2016);
# dash and busybox know "local" (SC3043).
shellcheck_all()
{
	[ $# = 0 ] || printf "%s\0" "$@" | xargs -0r -n 30 -P "$(nproc)" shellcheck -x -e SC2016,SC2317,SC3043
}
check "shellcheck" shellcheck_all "${scripts[@]}"
check "no file that patch has left is tracked" nothing left_by_patch
check "every file names its license" nothing spdx_missing
check "debian/copyright has each license" nothing license_missing
check "kernel versions are tested in kmod/compat.h only" nothing version_tests
check "a unit test is named after the file it tests" nothing unit_tests_of_no_file
finish

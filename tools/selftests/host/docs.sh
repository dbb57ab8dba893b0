#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Documentation that is made from the sources is up to date, and every option and
# every control file has its place.
set -u

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

events_are_fresh()
{
	build/gen-events | diff -u Documentation/events.rst -
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

check "Documentation/events.rst is what make docs makes" events_are_fresh
for command in record start snapshot; do
	check "ovnik(1) has every option of ovnik $command" \
		page_has_options ovnik build/ovnik $command
done
for program in ovnik-decode ovnik-emu ovnik-refs; do
	check "$program(1) has every option" page_has_options $program build/$program
done
check "the sysfs ABI file has every file" abi_has_files
finish

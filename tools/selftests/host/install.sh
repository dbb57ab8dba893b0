#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh - "make install" into an empty folder: what is installed works from there, and
# "make uninstall" takes all of it away

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../../..")
cd "$top" || exit
. tools/selftests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A name that shows where quotes are missing.
root="$work/a root"
version=$(awk -F '"' '/define OVNIK_VERSION / { print $2 }' kmod/include/uapi/ovnik_version.h)
module_source=$root/usr/src/ovnik-$version
kdir=/usr/src/linux-headers-$(PATH=$PATH:/sbin modinfo -F vermagic build/kmod/ovnik.ko | cut -d ' ' -f 1)

# From this make the other must not inherit anything.
make_()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@"
}

installed()
{
	(cd "$root" && find . ! -type d -printf '%m %P\n' | LC_ALL=C sort -k 2)
}

# has MODE FILE...
has()
{
	local mode=$1 file

	shift
	for file; do
		grep -qxF "$mode $file" "$work/installed" || { echo "no $file ($mode)"; return 1; }
	done
}

has_all_of()	# FOLDER PATTERN TARGET
{
	(cd "$1" && find . -name "$2" -printf '%P\n') >"$work/names"
	[ -s "$work/names" ] || { echo "no $2 in $1"; return 1; }
	while read -r name; do
		cmp "$1/$name" "$root/usr/$3/$name" || return
	done <"$work/names"
}

# Nothing else than what belongs to ovnik, and nothing half written.
only_ovnik()
{
	! grep -v 'ovnik' "$work/installed" && ! grep '\.new$' "$work/installed"
}

# A place that is filled in: "@NAME@".
nothing_to_fill_in()
{
	! grep -rnI '@[A-Z]\+@' "$root" --exclude-dir=doc
}

# Of all that has one.
one_version()
{
	local program

	for program in ovnik ovnik-decode ovnik-emu ovnik-merge ovnik-refs ovnik-sync ovnik-job; do
		[ -e "build/$program" ] || continue
		"$root/usr/bin/$program" --version | head -n 1 | grep -x "$program $version" || return
		grep "^\\.TH .* \"ovnik $version\" " "$root/usr/share/man/man1/$program.1" || return
	done
	grep -x "PACKAGE_VERSION=\"$version\"" "$module_source/dkms.conf" || return
	[ "$(pkg --modversion ovnik)" = "$version" ] || return
	[ "$(PATH=$PATH:/sbin modinfo -F version build/kmod/ovnik.ko)" = "$version" ] || return
	grep -x "Version:	$version" tools/install/ovnik.spec || return
	grep "^ovnik ($version) " debian/changelog && grep "^## $version " CHANGELOG.md
}

pkg()
{
	PKG_CONFIG_LIBDIR=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config "$@"
}

man_pages_are_read()
{
	local page

	for page in "$root"/usr/share/man/man[18]/*; do
		man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null | tee "$work/warnings"
		[ ! -s "$work/warnings" ] || return
	done
}

# In another folder, as another machine would: nothing but the installed program is known.
decodes()
{
	local outputs

	outputs=$("$root/usr/bin/ovnik-decode" --list-outputs |
		awk '!/on stdout$/ && $1 != "tracers" { print $1 }' | paste -s -d ,)
	tar -C "$work" -xzf tools/selftests/captures/0.1/module.tar.gz || return
	(cd "$work" && env -i "$root/usr/bin/ovnik-decode" module -o out --to "$outputs") || return
	# Each output says after its last colon what it writes.
	"$root/usr/bin/ovnik-decode" --list-outputs |
		awk '!/on stdout$/ && $1 != "tracers"' | sed 's/.*: //; s/, /\n/g' >"$work/names"
	[ "$(wc -l <"$work/names")" -ge 10 ] || return
	while read -r name; do
		[ -n "$(find "$work/out/$name" -type f -size +0 2>&1)" ] || { echo "no $name"; return 1; }
	done <"$work/names"
}

reports()
{
	(cd "$work" && env -i "$root/usr/bin/ovnik-decode" "$1" module "${@:2}") | grep .
}

emulates()
{
	(cd "$work" && env -i "$root/usr/bin/ovnik-emu" -o emu out/ovni) || return
	# At one time, changes may come in another order.
	[ "$(wc -l <"$work/emu/thread.prv")" = "$(wc -l <"$work/out/thread.prv")" ]
}

queries()
{
	(cd "$work" && env -i "$root/usr/bin/ovnik-decode" module --tracer database,file=tasks.db) || return
	for query in "$root"/usr/share/ovnik/queries/*.sql; do
		sqlite3 "$work/tasks.db" <"$query" >"$work/answer" || return
	done
}

# The tracer of the tests, compiled with what is installed only.
tracer()
{
	local flags

	# The folder has a blank in its name.
	ln -sfn "$root" "$work/root"
	read -ra flags < <(pkg --cflags ovnik)
	cp tools/selftests/fixture/tracer-example.c "$work/example.c"
	(cd "$work" && gcc -shared -fPIC -Wall -Wextra -Werror "${flags[@]}" -o example.so example.c &&
		env -i "$root/usr/bin/ovnik-decode" module --tracer ./example.so) | grep '^  runs  *[1-9]'
}

builds_module()
{
	cp -a "$module_source" "$work/module source"
	mv "$work/module source" "$work/source"
	make_ -C "$work/source" KDIR="$kdir" || return
	[ "$(PATH=$PATH:/sbin modinfo -F version "$work/source/kmod/ovnik.ko")" = "$version" ]
}

# What dkms.conf says is what make makes; it is a piece of shell.
dkms_finds_module()
{
	# shellcheck disable=SC2034 # for dkms.conf
	local kernel_source_dir=$kdir
	local -a BUILT_MODULE_NAME BUILT_MODULE_LOCATION MAKE

	# shellcheck source=tools/install/dkms.conf
	. "$module_source/dkms.conf"
	[ -f "$work/source/${BUILT_MODULE_LOCATION[0]}/${BUILT_MODULE_NAME[0]}.ko" ] &&
		[ "${MAKE[0]}" = "make KDIR=$kdir" ]
}

same_as_before()
{
	make_ install DESTDIR="$root" PREFIX=/usr && installed | diff "$work/installed" -
}

# systemd looks for the programs that the unit names, so this is not below DESTDIR.
unit_is_right()
{
	make_ install PREFIX="$work/prefix" SYSCONFDIR="$work/etc" || return
	systemd-analyze verify --man=no "$work/prefix/lib/systemd/system/ovnik-flight.service" \
		>"$work/verify" 2>&1 || { cat "$work/verify"; return 1; }
	# What it warns of.
	! grep 'ovnik-flight' "$work/verify"
}

# By systemd's own marks: 100 is a unit without limits. CAP_SYS_ADMIN and the module keep it from being low.
unit_is_limited()
{
	systemd-analyze security --no-pager --offline=yes --threshold=60 \
		"$work/prefix/lib/systemd/system/ovnik-flight.service" >"$work/exposure" 2>&1 ||
		{ cat "$work/exposure"; return 1; }
}

# unit_value KEY - of the unit, as systemd hands it on: "$$" is "$", "%%" is "%"
unit_value()
{
	sed -n "s/^$1=//p" "$work/prefix/lib/systemd/system/ovnik-flight.service" |
		sed 's/\$\$/$/g; s/%%/%/g'
}

# With a program in ovnik's place that writes down what it was asked for. "$OVNIK_OPTIONS" is
# split into words by systemd as by the shell.
unit_runs()
{
	local key

	printf '#!/bin/sh\necho "$@" >>%s\n' "$work/asked" >"$work/prefix/bin/ovnik"
	for key in ExecStart ExecReload ExecStop; do
		# shellcheck source=tools/install/default
		(set -a && . "$work/etc/default/ovnik" && eval "$(unit_value "$key")") || return
	done
	sed 's/[0-9][0-9]*-[0-9:T-]*$/TIME/' "$work/asked" | diff - /dev/fd/3 3<<-'END'
		start -b 16M
		snapshot -o /var/lib/ovnik/TIME
		stop
	END
}

# In a root of their own: the group gets a number, and the files of the locks get the group.
group_is_made()
{
	local root=$work/sysroot

	mkdir -p "$root/etc" "$root/run" && make_ install DESTDIR="$root" PREFIX=/usr || return
	systemd-sysusers --root="$root" ovnik.conf || return
	gid=$(awk -F : '$1 == "ovnik" { print $3 }' "$root/etc/group")
	[ "$gid" -gt 0 ] && [ "$(awk -F : '$1 == "ovnik" { print $4 }' "$root/etc/group")" = '' ] &&
		systemd-tmpfiles --root="$root" --create ovnik.conf || return
	for name in module bpf; do
		[ "$(stat -c '%u:%g %a' "$root/run/ovnik-$name.lock")" = "0:$gid 660" ] || return
	done
}

changed_settings_stay()
{
	local file=$work/etc/default/ovnik

	echo 'OVNIK_OPTIONS="-b 1M"' >"$file"
	make_ install PREFIX="$work/prefix" SYSCONFDIR="$work/etc" 2>&1 |
		grep -F "$file was changed and stays" || return
	make_ uninstall PREFIX="$work/prefix" SYSCONFDIR="$work/etc" || return
	[ "$(cat "$file")" = 'OVNIK_OPTIONS="-b 1M"' ] &&
		[ "$(cd "$work/prefix" && find . ! -type d)" = '' ]
}

nothing_left()
{
	find "$root" ! -type d -o -name 'ovnik*' | tee "$work/left"
	[ ! -s "$work/left" ]
}

# Somebody else's file in a folder of ours.
keeps_others()
{
	make_ install DESTDIR="$root" PREFIX=/usr && touch "$root/usr/share/ovnik/cfg/mine.cfg" &&
		make_ uninstall DESTDIR="$root" PREFIX=/usr &&
		[ "$(cd "$root" && find . ! -type d)" = ./usr/share/ovnik/cfg/mine.cfg ]
}

# A tree in which only the decoder was built.
decoder_only()
{
	mkdir "$work/tree" && git ls-files --cached --others --exclude-standard |
		tar -c -T - 2>/dev/null | tar -x -C "$work/tree"
	says 2 'nothing is built: run "make"' make_ -C "$work/tree" install DESTDIR="$work/few" || return
	mkdir "$work/tree/build" && cp build/ovnik-decode "$work/tree/build/"
	make_ -C "$work/tree" install DESTDIR="$work/few" || return
	(cd "$work/few" && find usr/local/bin usr/local/lib usr/local/share/man etc -type f 2>/dev/null | sort) |
		diff - <(printf 'usr/local/%s\n' bin/ovnik-decode lib/pkgconfig/ovnik.pc \
			share/man/man1/ovnik-decode.1)
}

check "it is installed" make_ install DESTDIR="$root" PREFIX=/usr
installed >"$work/installed"
check "programs" has 755 usr/bin/ovnik usr/bin/ovnik-decode usr/bin/ovnik-emu usr/bin/ovnik-merge \
	usr/bin/ovnik-refs usr/bin/ovnik-job
check "QEMU's plugin" has 644 usr/lib/ovnik/ovnik-refs.so
check "that for QEMU 11" has 644 usr/lib/ovnik/ovnik-refs-qemu11.so
check "the group and its locks" has 644 usr/lib/sysusers.d/ovnik.conf usr/lib/tmpfiles.d/ovnik.conf
if [ -e build/ovnik_spank.so ]; then
	check "the plugin for Slurm" has 644 usr/lib/ovnik/ovnik_spank.so usr/share/man/man8/ovnik_spank.8
	check "what it runs" has 755 usr/lib/ovnik/spank-record
else
	skip "the plugin for Slurm" "it is not built"
fi
check "completion" has 644 usr/share/bash-completion/completions/ovnik \
	usr/share/zsh/site-functions/_ovnik-decode usr/share/fish/vendor_completions.d/ovnik-emu.fish
check "views" has_all_of build/cfg '*.cfg' share/ovnik/cfg
check "one for each row" test "$(grep -c '/share/ovnik/cfg/.*\.cfg$' "$work/installed")" -eq \
	"$(grep -c '^	row(\(thread\|cpu\), ' user/emu/cfg_table.h)"
check "queries" has_all_of Documentation/queries '*.sql' share/ovnik/queries
check "pages" has_all_of Documentation '*.rst' share/doc/ovnik/Documentation
check "nothing else" only_ovnik
check "nothing is left to fill in" nothing_to_fill_in
check "everything has one version" one_version
check "the man pages are read without warnings" man_pages_are_read
check "a capture is decoded to every output" decodes
check "and reported" reports report
check "and its page cache" reports pagecache
check "the emulator draws it again" emulates
check "the queries are answered" queries
check "a tracer is compiled with pkg-config" tracer
if [ -z "$LONG" ]; then
	: # a module is built by "make check" itself, and by DKMS in soak/debian.sh
elif [ -d "$kdir" ]; then
	check "the module is built of its installed source" builds_module
	check "DKMS finds it" dkms_finds_module
else
	skip "the module is built of its installed source" "no kernel headers"
fi
if command -v systemd-analyze >/dev/null; then
	check "systemd reads the unit" unit_is_right
	if systemd-analyze --help | grep -q -e --offline; then
		check "it has no rights that it does not need" unit_is_limited
	else
		skip "it has no rights that it does not need" "systemd is older than 250"
	fi
	check "it starts, writes and stops with its settings" unit_runs
	if [ "$(id -u)" = 0 ]; then
		check "the group is made, without members, and has the locks" group_is_made
	else
		skip "the group is made, without members, and has the locks" "needs root"
	fi
	[ -z "$LONG" ] || check "settings that were changed stay" changed_settings_stay
else
	skip "systemd reads the unit" "there is no systemd"
fi
[ -z "$LONG" ] || check "to install again changes nothing" same_as_before
check "it is removed" make_ uninstall DESTDIR="$root" PREFIX=/usr
check "nothing is left" nothing_left
if [ -n "$LONG" ]; then
	check "to remove it again is no error" make_ uninstall DESTDIR="$root" PREFIX=/usr
	check "what others put there stays" keeps_others
	check "only what was built is installed" decoder_only
fi
check "a relative PREFIX is refused" says 2 'paths must begin with /' make_ install PREFIX=usr
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs are built in roots that have compilers and libraries only, as on a distribution without
# apt: no apt, no dpkg, no bpftool, no types of the kernel. What is made there decodes captures that were
# made elsewhere. Without a library, one line says what is missing while building, and the program says
# so when it is asked for it.
#
# The roots are of Debian 12, of 11, the oldest that the archive still has whole, and of the newest. They
# have the oldest gcc (9) and clang (14) that are supported, the newest, and one between:
# no warning of any.
# Debian 11 and later have no gcc 8.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh
. tools/selftests/lib/root-lib.sh

if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
	skip "bare roots" "needs mmdebstrap and root"
	finish
	exit
fi

work=$(mktemp -d)
# A root that was not finished may have the machine's /dev mounted.
trap 'rm -rf --one-file-system "$work"' EXIT

# make_root NAME PACKAGES [SUITE] - with our sources in /ovnik. A mirror's list of the newest suite may be
# older than it says it is good for.
make_root()
{
	local root=$work/$1

	mmdebstrap --quiet --variant=minbase --include="gcc,make,libjson-c-dev,zlib1g-dev$2" \
		--aptopt='Acquire::Check-Valid-Until "false"' "${3-bookworm}" "$root" && rm -f "$root"/usr/bin/apt* "$root"/usr/bin/dpkg* &&
		mkdir "$root/ovnik" || return
	git ls-files --cached --others --exclude-standard | tar -c -T - | tar -x -C "$root/ovnik"
}

# inside NAME COMMAND
inside()
{
	chroot "$work/$1" /bin/sh -c "cd /ovnik && $2"
}

# builds NAME [COMPILER]
builds()
{
	inside "$1" "make clean && make -j2 CC=${2-gcc} user tools 2>messages" || { cat "$work/$1/ovnik/messages"; return 1; }
	! grep 'warning:' "$work/$1/ovnik/messages"
}

# no_warnings NAME COMPILER
no_warnings()
{
	check "$(inside "$1" "$2 --version" | head -n 1): no warning" builds "$1" "$2"
}

# messages_are NAME - of the build: what each missing library costs, and nothing else
messages_are()
{
	grep -v '^make' "$work/$1/ovnik/messages" | sed 's/ (.*//' | diff - /dev/fd/3
}

prepare_capture()
{
	inside "$1" 'tar -xzf tools/selftests/captures/0.1/module.tar.gz'
}

# refused NAME STATUS MESSAGE COMMAND
refused()
{
	local status=0 output

	output=$(inside "$1" "$4" 2>&1) || status=$?
	echo "$output"
	[ "$status" = "$2" ] && grep -qF -- "$3" <<<"$output"
}

# By the installed decoder, on a capture that was recorded in a guest.
every_output()
{
	# shellcheck disable=SC2016 # of that shell
	inside "$1" 'make install DESTDIR=/tmp/x PREFIX=/usr && rm -rf out module &&
		tar -xzf tools/selftests/captures/0.1/module.tar.gz &&
		outputs=$(/tmp/x/usr/bin/ovnik-decode --list-outputs |
			grep -v "on stdout$" | cut -d " " -f 1 | grep -vx tracers | paste -s -d ,) &&
		/tmp/x/usr/bin/ovnik-decode module -o out --to "$outputs" \
			--tracer database,file=out/tasks.db &&
		/tmp/x/usr/bin/ovnik-decode report module &&
		for file in thread.prv cpu.prv laplace.txt xray.fdr timeline.html timeline.svg \
			trace.perfetto-trace tasks.db ovni; do
			[ -n "$(find "out/$file" -type f -size +0)" ] || exit
		done'
}

says()
{
	inside "$1" "$2" | grep -qxF -- "$3"
}

check "a root with a compiler, json-c and zlib" make_root few ''
check "programs are built there" builds few
check "each missing library is named in a line" messages_are few 3<<'END'
probe: no gelf.h: no --to xray, no names of functions of merged XRay logs, no BPF
probe: no demangle.h: names of C++ functions in merged XRay logs as they are in the binary
probe: no sqlite3.h: no tracer "database"
probe: no zstd.h: no ovnik-refs, no ovnik-merge
probe: no bpf/libbpf.h: no BPF, ovnik records with the module only
probe: no mpi.h: no ovnik-sync
probe: no slurm/spank.h: no plugin for Slurm
END
check "a capture" prepare_capture few
check "ovnik-decode says what it lacks" says few 'build/ovnik-decode --version' \
	'-sqlite -libelf -libiberty'
check "ovnik says what it lacks" says few 'build/ovnik version' -bpf
check "a capture is decoded" inside few \
	'build/ovnik-decode module -o out --to ovni,laplace,prv,html,svg,perfetto'
check "and reported" inside few 'build/ovnik-decode report module'
check "XRay logs are refused" refused few 1 'built without libelf' \
	'build/ovnik-decode module -o x --to xray'
check "nothing is written then" test ! -e "$work/few/ovnik/x/xray.fdr"
check "the database is refused" refused few 2 'built without SQLite' \
	'build/ovnik-decode module --tracer database,file=db'
check "BPF is refused" refused few 1 'built without BPF' \
	'build/ovnik record --backend bpf -o cap -- true'
check "so is a recording where no module is loaded" refused few 1 'built without BPF' \
	'build/ovnik record -o cap -- true'
rm -rf "$work/few"

# Those host tests that need no program of the tests' own.
host_tests()
{
	local name failed=0

	for name in decode-activity decode-outputs diff merge narrow old-captures pagecache report svg \
		top tracers why; do
		in_root "$work/$1" "cd /ovnik && tools/selftests/host/$name.sh" \
			>"$work/log" 2>&1 </dev/null && continue
		echo "$name:"
		grep -A 10 '^not ok' "$work/log"
		failed=1
	done
	return "$failed"
}

libraries=,libiberty-dev,libsqlite3-dev,libelf-dev,libzstd-dev
tests=,python3,sqlite3,file,git,bsdextrautils

check "a root with the libraries" make_root libraries \
	"$libraries$tests,clang-14,clang-19"
no_warnings libraries gcc
check "only BPF, MPI and Slurm are missing" messages_are libraries 3<<'END'
probe: no bpf/libbpf.h: no BPF, ovnik records with the module only
probe: no mpi.h: no ovnik-sync
probe: no slurm/spank.h: no plugin for Slurm
END
check "ovnik-decode has all" says libraries 'build/ovnik-decode --version' '+sqlite +libelf +libiberty'
check "host tests pass there" host_tests libraries
check "it is installed" inside libraries 'make install DESTDIR=/tmp/x PREFIX=/usr'
check "and runs from there" inside libraries '/tmp/x/usr/bin/ovnik-decode --version'
check "and makes every output of a capture made elsewhere" every_output libraries
for compiler in clang-14 clang-19; do
	no_warnings libraries $compiler
done
rm -rf "$work/libraries"

check "a root of the oldest Debian that is there" make_root oldest "$libraries,gcc-9" bullseye
no_warnings oldest gcc-9
check "a capture is decoded there" every_output oldest
rm -rf "$work/oldest"

check "a root of the newest Debian" make_root newest "$libraries$tests,clang" sid
for compiler in clang gcc; do
	no_warnings newest $compiler
done
check "host tests pass there" host_tests newest
finish

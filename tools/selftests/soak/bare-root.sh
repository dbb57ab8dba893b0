#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs are built in roots of Debian 12 that have a compiler and libraries only, as on a
# distribution without apt: no apt, no dpkg, no bpftool, no types of the kernel. What is made there
# decodes captures that were made elsewhere. Without a library, one line says what is missing while
# building, and the program says so when it is asked for it.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
	skip "bare roots" "needs mmdebstrap and root"
	finish
	exit
fi

work=$(mktemp -d)
# A root that was not finished may have the machine's /dev mounted.
trap 'rm -rf --one-file-system "$work"' EXIT

# make_root NAME PACKAGES - with our sources in /ovnik
make_root()
{
	local root=$work/$1

	mmdebstrap --quiet --variant=minbase --include="gcc,make,libjson-c-dev,zlib1g-dev$2" \
		bookworm "$root" && rm -f "$root"/usr/bin/apt* "$root"/usr/bin/dpkg* &&
		mkdir "$root/ovnik" || return
	git ls-files --cached --others --exclude-standard | tar -c -T - | tar -x -C "$root/ovnik"
}

# inside NAME COMMAND
inside()
{
	chroot "$work/$1" /bin/sh -c "cd /ovnik && $2"
}

builds()
{
	inside "$1" 'make -j2 user tools 2>messages' || { cat "$work/$1/ovnik/messages"; return 1; }
	! grep 'warning:' "$work/$1/ovnik/messages"
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

says()
{
	inside "$1" "$2" | grep -qxF -- "$3"
}

check "a root with a compiler, json-c and zlib" make_root few ''
check "programs are built there" builds few
check "each missing library is named in a line" messages_are few 3<<'END'
probe: no gelf.h: no --to xray, no BPF
probe: no elfutils/libdwfl.h: no names of functions of merged XRay logs
probe: no sqlite3.h: no tracer "database"
probe: no zstd.h: no ovnik-refs, no ovnik-merge
probe: no bpf/libbpf.h: no BPF, ovnik records with the module only
probe: no mpi.h: no ovnik-sync
probe: no slurm/spank.h: no plugin for Slurm
END
check "a capture" prepare_capture few
check "ovnik-decode says what it lacks" says few 'build/ovnik-decode --version' \
	'-sqlite -libelf -libdw'
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

check "a root with the libraries" make_root libraries ,libsqlite3-dev,libdw-dev,libelf-dev,libzstd-dev
check "programs are built there, too" builds libraries
check "only BPF, MPI and Slurm are missing" messages_are libraries 3<<'END'
probe: no bpf/libbpf.h: no BPF, ovnik records with the module only
probe: no mpi.h: no ovnik-sync
probe: no slurm/spank.h: no plugin for Slurm
END
check "ovnik-decode has all" says libraries 'build/ovnik-decode --version' '+sqlite +libelf +libdw'
check "captures are decoded as ever" inside libraries 'tools/selftests/host/old-captures.sh'
check "it is installed" inside libraries 'make install DESTDIR=/tmp/x PREFIX=/usr'
check "and runs from there" inside libraries '/tmp/x/usr/bin/ovnik-decode --version'
finish

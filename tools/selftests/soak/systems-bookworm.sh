#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# systems-RELEASE.sh - the programs on a stranger's system: in a root of that release of Debian they are
# built by each compiler that is packaged there, and what they make of a capture that was recorded in a
# guest is the same, to the byte, as what this tree's own build makes of it. By the first compiler of each
# kind, also with other options.
#
# COMPILERS="gcc-12 clang-19" takes only these. What Debian's archive does not have is skipped by name.

# shellcheck disable=SC2317 # called through check

cd "$(dirname "$0")/../../.." || exit
. tools/selftests/tap.sh

if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
	skip "strangers' systems" "needs mmdebstrap and root"
	finish
	exit
fi

release=$(basename "$0" .sh)
release=${release#systems-}
# The newest of each kind first.
declare -A packaged=(
	[bullseye]="gcc-10 gcc-9 clang-13 clang-11"
	[bookworm]="gcc-12 gcc-11 clang-19 clang-16 clang-15 clang-14"
	[trixie]="gcc-14 gcc-13 clang-19 clang-18 clang-17"
	[sid]="gcc-16 gcc-15 clang-22 clang-21"
)
# What is built with other options than -O2 -g; the language is the Makefile's.
options=("-O2 -flto=auto" -O0 -O3 "-O2 -D_FORTIFY_SOURCE=3" -std=gnu23)
libraries=make,libjson-c-dev,zlib1g-dev,libiberty-dev,libsqlite3-dev,libelf-dev,libzstd-dev

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# A mirror's list of the newest release may be older than it says it is good for.
make_root()
{
	mmdebstrap --quiet --variant=minbase --skip=cleanup/apt --include="$libraries" \
		--aptopt='Acquire::Check-Valid-Until "false"' "$1" "$root" && mkdir "$root/ovnik"
}

# What a release does not package is no fault of ours; what cannot be installed is.
has()
{
	chroot "$root" apt-cache show "$1" >/dev/null 2>&1
}

install()
{
	chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@" \
		>"$work/log" 2>&1 </dev/null || { tail "$work/log"; return 1; }
}

# archiver COMPILER - for -flto, the archive of our objects needs that of the compiler
archiver()
{
	local name=llvm-ar${1#clang}

	[ "${1%%-*}" = clang ] || name=gcc-ar${1#gcc}
	echo "$name"
}

# builds COMPILER OPTIONS - the sources anew: -std is the Makefile's own
builds()
{
	local flags=$2 ldflags='' archiver=ar

	if [ "${2#*-flto}" != "$2" ]; then
		archiver=$(archiver "$1")
		[ "${1%%-*}" = gcc ] || ldflags=-fuse-ld=lld
	fi
	git ls-files --cached --others --exclude-standard | tar -c -T - | tar -x -C "$root/ovnik" || return
	if [ "${2#-std=}" != "$2" ]; then
		sed -i "s/-std=gnu11/$2/" "$root/ovnik/Makefile"
		flags="-O2 -g"
	fi
	# shellcheck disable=SC2016 # of that shell
	if chroot "$root" sh -c 'cd /ovnik && make clean && make -j2 CC="$1" CFLAGS="$2" LDFLAGS="$3" AR="$4" user' - \
		"$1" "$flags" "$ldflags" "$archiver" >"$work/log" 2>&1; then
		! grep 'warning:' "$work/log"
	else
		tail "$work/log"
		return 1
	fi
}

# The root's programs run here, with the root's libraries.
wrap()
{
	local program

	mkdir -p "$work/build"
	for program in ovnik-decode ovnik-emu; do
		printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$root/lib64/ld-linux-x86-64.so.2" \
			"$root/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu" \
			"$root/ovnik/build/$program" >"$work/build/$program"
		chmod +x "$work/build/$program"
	done
}

same()
{
	wrap
	tools/selftests/same-outputs --quick -f "$work/module" "$work/build" build "$work/module" >"$work/log" && return
	grep -v ^same "$work/log"
	return 1
}

# compiled COMPILER OPTIONS
compiled()
{
	local name

	name="$release, json-c $json, $1 $2"
	if ! chroot "$root" sh -c "echo 'int main(void) { return 0; }' | $1 $2 -x c -o /dev/null - 2>/dev/null"; then
		skip "$name" "the compiler does not take this"
		return
	fi
	check "$name: builds without a warning" builds "$1" "$2"
	check "$name: the same outputs" same
}

check "a capture" tar -xzf tools/selftests/captures/0.1/module.tar.gz -C "$work"
root=$work/root
check "a root of $release" make_root "$release" || finish
# shellcheck disable=SC2016 # of dpkg-query
json=$(chroot "$root" dpkg-query -W -f '${Version}' libjson-c-dev)
seen=
for compiler in ${COMPILERS:-${packaged[$release]}}; do
	if ! has "$compiler"; then
		skip "$release, $compiler" "not packaged there"
		continue
	fi
	check "$release: $compiler is installed" install "$compiler" libc6-dev || continue
	compiled "$compiler" "-O2 -g"
	[[ $seen == *"${compiler%%-*}"* ]] && continue
	seen+=" ${compiler%%-*}"
	# Its linker's plugin for -flto.
	[ "${compiler%%-*}" = gcc ] || ! has "lld${compiler#clang}" || install "lld${compiler#clang}" "llvm${compiler#clang}"
	for option in "${options[@]}"; do
		compiled "$compiler" "$option"
	done
done
finish

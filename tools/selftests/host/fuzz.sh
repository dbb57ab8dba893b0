#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz.sh - the fuzzers' files in memory have what the decoder calls
#
# A function that is not replaced would look for the input on the disk, and find nothing there.

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

# Functions on files that a program may call; those on a FILE need no path or descriptor.
file_functions="access chdir chmod close closedir copy_file_range creat dirfd dup dup2 dup3 eaccess
euidaccess faccessat fallocate fchdir fchmod fchmodat fchown fchownat fdatasync fdopen fdopendir
flock fopen freopen fstat fstatat fstatvfs fsync ftruncate fts_open ftw futimens glob ioctl link
linkat lockf lseek lstat mkdir mkdirat mkdtemp mkfifo mknod mkostemp mkstemp mmap nftw open openat
opendir posix_fadvise posix_fallocate pread preadv pwrite pwritev read readahead readdir readlink
readlinkat readv realpath remove rename renameat renameat2 rmdir scandir sendfile splice stat
statfs statvfs statx symlink symlinkat sync_file_range syncfs tmpfile truncate unlink unlinkat
utime utimensat write writev"

# Those of the library that the linker does not replace, but for mmap() of no file, for what asks a
# terminal for its width, and for what gives a child its stderr: there are children only if there are
# several captures.
not_replaced()
{
	comm -12 <(nm -u "$top/build/libovnik.a" 2>/dev/null | awk '/ U / { print $2 }' | sort -u) \
		<(tr -s ' \n' '\n' <<<"$file_functions" | sort -u) |
		comm -23 - <(sed 1d "$here/../fuzz/wraps" | tr -s ' \n' '\n' | sort -u) | grep -vxE "mmap|dup2|ioctl"
}

missing=$(not_replaced | tr '\n' ' ')
check "all functions on files are in tools/selftests/fuzz/wraps: ${missing:-none is missing}" \
	test -z "$missing"
check "the shares of the fuzzers make a hundred" sh -c "
	sed -n 's/^targets=\"\\(.*\\)\"/\\1/p' '$here/../fuzz/run' |
	awk '{ for (i = 2; i <= NF; i += 2) n += \$i; exit n != 100 }'"
finish

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# extending-lib.sh - the worked example of Documentation/extending.rst, as a tree of its own
#
# shellcheck disable=SC2154 # $here is set there
#
# Needs $here. Sets $tree, a copy of the sources with the patch applied: host/ and vm/ build
# there, and what is built stays in build/extending/.

top=$(realpath "$here/../../..")
tree=$top/build/extending
patch=$top/Documentation/extending-event.patch

# shellcheck source=tools/selftests/tap.sh
. "$here/../tap.sh"

# Sources only: the patch changes a header that nearly every object depends on.
copy_tree()
{
	rm -rf "$tree"
	mkdir -p "$tree/build/bpf"
	cd "$top" || return
	git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
		[ ! -f "$file" ] || printf '%s\0' "$file"
	done | xargs -0 cp -a --parents -t "$tree"
	ln -s "$top/build/vm" "$top/build/kselftest" "$tree/build/"
	# From the kernel's types, which no event changes.
	cp -a build/bpf/vmlinux.h "$tree/build/bpf/"
}

apply_patch()
{
	patch -p1 -s -F0 --no-backup-if-mismatch <"$patch"
}

# in_tree TARGET... - without optimization, which nothing here depends on
in_tree()
{
	make --no-print-directory -C "$tree" -j2 WERROR=1 \
		CFLAGS="-O0 -std=gnu11 -Wall -Wextra -Werror" "$@"
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# root-lib.sh - for tests to source that make roots of Debian's packages

# in_root ROOT COMMAND - as on a machine of its own, with /proc, /dev and /sys: all that it starts ends
# with it, and what is mounted goes with the name space
in_root()
{
	# shellcheck disable=SC2016 # of that shell
	unshare --mount --propagation private --pid --fork --kill-child \
		sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
			mount --rbind -o ro /sys "$1/sys" && exec chroot "$1" env -i HOME=/root \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"' - "$1" "$2"
}

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# part.sh - for NAME-1-of-4.sh, and its links, to source: $part is 1/4

# shellcheck disable=SC2034 # used there
part=$(basename "$0" .sh | sed 's/.*-\([0-9]*\)-of-\([0-9]*\)$/\1\/\2/')

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# host/callers.sh for the newest kernel that Debian has: see next-module.sh.

exec "$(dirname "$0")/../host/callers.sh" '^next$'

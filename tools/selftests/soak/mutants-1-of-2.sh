#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants-N-of-M.sh - each bug of a part of tools/selftests/mutants is found by the test that it names

here=$(dirname "$0")
# shellcheck source=tools/selftests/lib/part.sh
. "$here/../lib/part.sh"
exec "$here/../mutate" -p "$part"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# agree-N-of-M.sh - of 10000 captures at random, a part: Paraver, the tasks and XRay say the same of
# each, as of those in host/agree.sh

here=$(dirname "$0")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"
# shellcheck source=tools/selftests/lib/part.sh
. "$here/../lib/part.sh"

number=$((10000 / ${part#*/}))
first=$((1 + number * (${part%/*} - 1)))
for generator in gen-activity gen-capture gen-memory; do
	check "$generator is built" build $generator
done
mkdir "$work/random"
check "$number captures at random from $first on" \
	"$checkers/agreerandom.py" "$decode" "$work" "$work/random" "$first" "$number"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sync.sh - ovnik-sync measures clocks that are apart by known amounts
#
# Each rank has a name and a time namespace of its own: the truth is exact.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

sync=$top/build/ovnik-sync
if [ ! -x "$sync" ] || ! command -v mpirun >/dev/null; then
	skip "ovnik-sync measures offsets" "no Open MPI"
	finish
fi
# Of clocks that are made up. Between real ones, an error of some microseconds is no wonder.
estimates()
{
	"$CC" -O2 -std=gnu11 -D_GNU_SOURCE= -I"$top/user" -I"$top/tools/ovnik-sync" -o "$work/estimates" \
		"$checkers/estimates.c" "$top/tools/ovnik-sync/estimate.c" -lm
}
check "estimates are built" estimates
check "the offset is in the middle of the way there and back" "$work/estimates" middle
check "each message bounds the offset" "$work/estimates" bounds
check "of two passes, drift cancels" "$work/estimates" passes
check "at another moment, it is known by as much less as clocks may drift" "$work/estimates" moved
if ! unshare -u -T --fork true 2>/dev/null; then
	skip "ovnik-sync measures offsets" "time namespaces need root"
	finish
fi
export TMPDIR=$work OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

cat >"$work/rank" <<'END'
#!/bin/bash
# rank NAME:SECONDS... -- COMMAND... - as the rank of that place, on a node of that clock
at=$((OMPI_COMM_WORLD_RANK + 1))
export node=${!at}
while [ "$1" != -- ]; do shift; done
shift
exec unshare -u -T --fork --monotonic "${node#*:}" \
	sh -c 'hostname "${node%%:*}" && exec "$@"' sh "$@"
END
chmod +x "$work/rank"

# job NAME:SECONDS... -- COMMAND... - run it on these nodes
job()
{
	local nodes=0 arg

	for arg; do
		[ "$arg" != -- ] || break
		nodes=$((nodes + 1))
	done
	mpirun -n "$nodes" "$work/rank" "$@" >"$work/stdout" 2>"$work/log"
}

says()
{
	check "$1" grep -q -e "$2" "$work/log"
}

# is_true TABLE NAME:SECONDS... - offsets are within 5 us, and within what the table promises
is_true()
{
	python3 - "$@" <<'END'
import os
import sys

path, *truth = sys.argv[1:]
head, *lines = open(path).read().splitlines()
assert len(head) < 1000, "upstream's reader takes 1023 characters"
assert head.startswith("rank hostname offset_median offset_mean offset_std ")
says = dict(word.split("=") for word in head.split()[5:])
assert len(lines) == len(truth), f"{len(lines)} nodes"
off = []
for line, node in zip(lines, truth):
    rank, name, median, mean, std = line.split()
    want, seconds = node.split(":")
    assert name == want, f"{name} instead of {want}"
    off.append(int(median) + int(seconds) * 1000000000)
    assert "BUSY" in os.environ or abs(float(mean) + int(seconds) * 1e9) < 1e6 > float(std) >= 0, line
print(off, says)
assert "BUSY" in os.environ or max(map(abs, off)) <= 5000, "more than 5 us off"
assert max(off) - min(off) <= int(says["within"]), "more than it says"
assert off[0] == 0, "the first node is the reference"
END
}

# quiet NAME:SECONDS... - measure, until the least round trip of the worst node allows 5 us, and
# they are right by that
#
# An offset is known to half a round trip. Where that is more, others had the CPUs all the time.
# If they had it most of the time, the median is off, but never by more than is said.
quiet()
{
	local begun=$SECONDS took

	while [ $((SECONDS - begun)) -lt 600 ]; do
		job "$@" -- "$sync" -o "$work/table" || return
		took=$(sed -n 's/.* round trip \([0-9]*\) ns$/\1/p' "$work/log")
		[ -n "$took" ] || return
		BUSY=1 is_true "$work/table" "$@" || return
		[ "$took" -gt 10000 ] || ! is_true "$work/table" "$@" || return 0
		echo "# the machine is too busy: a round trip took $took ns"
	done
	return 1
}

four=(alpha:0 beta:5000 gamma:12345 delta:3)
check "four clocks are measured" quiet "${four[@]}"
says "how well is said" "ovnik-sync: 4 nodes; with these offsets two of them differ by at most [0-9]* ns"
check "the offsets are right, and what is said of them" is_true "$work/table" "${four[@]}"
check_status 1 "a wrong one is noticed" is_true "$work/table" alpha:0 beta:5000 gamma:12345 delta:4
awk 'NR == 4 { $3 += 20000 } 1' CONVFMT=%.0f OFMT=%.0f "$work/table" >"$work/wrong"
check_status 1 "also by 20 us" is_true "$work/wrong" "${four[@]}"
says "of a time namespace it warns" \
	"warning: node beta: its rank is in a time namespace, 5000000000000 ns from the kernel's"
check "when it was is this machine's time" python3 -c '
import sys, time
at = int(open(sys.argv[1]).readline().split("at=")[1].split()[0])
assert 0 < time.monotonic_ns() - at < 3600e9' "$work/table"

# Where the CPUs are busy, it may be worse, but not worse than it says.
yes >/dev/null &
first=$!
yes >/dev/null &
second=$!
check "while all CPUs are busy" job "${four[@]}" -- "$sync" -n 200 -o "$work/table"
kill $first $second
BUSY=1 check "it is as good as it says" is_true "$work/table" "${four[@]}"

check "several ranks on a node" job alpha:0 beta:7 alpha:0 beta:7 gamma:1 -- "$sync" -n 100
BUSY=1 check "one line each, on standard output" is_true "$work/stdout" alpha:0 beta:7 gamma:1
check "with the first rank of each" test "$(cut -d ' ' -f 1 "$work/stdout" | tr '\n' ' ')" = "rank 0 1 4 "
check "of a name, what is up to the first dot" job alpha.some.where:0 beta.some.where:2 -- "$sync"
BUSY=1 check "as the names of looms" is_true "$work/stdout" alpha:0 beta:2
check "one node" job alpha:0 alpha:0 -- "$sync"
says "that is a warning" "warning: all ranks run on node alpha"

# The second rank has another boot's number.
cat >"$work/other" <<'END'
#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
	echo other >"$TMPDIR/boot"
	mount --bind "$TMPDIR/boot" /proc/sys/kernel/random/boot_id
fi
exec "$@"
END
chmod +x "$work/other"
check_status 1 "two nodes of one name" job alpha:0 alpha:0 beta:0 -- \
	unshare -m "$work/other" "$sync" -o "$work/none"
says "both are named" \
	"error: ranks 0 and 1 run on two nodes that are both called alpha: a table cannot tell them apart"
check "there is no table" test ! -e "$work/none"

check_status 1 "a directory that is not there" job alpha:0 beta:0 -- "$sync" -o "$work/none/table"
says "that is said" "error: .*/none/table: cannot use this directory: there is no directory none on the way to it"
for n in 1 x -5 1000001; do
	check_status 2 "-n $n is refused" "$sync" -n "$n"
done
check_status 2 "an argument is refused" "$sync" file

finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# exchange.sh - messages between nodes whose clocks are apart are drawn in their order
#
# Time namespaces set the clocks of three processes apart; ovnik-sync measures them. The order is as
# exact as its table says, which on a busy machine may be less than a message takes.

# shellcheck disable=SC2317 # called through check

here=$(dirname "$(realpath "$0")")
# shellcheck source=tools/selftests/lib/decode-lib.sh
. "$here/../lib/decode-lib.sh"

sync=$top/build/ovnik-sync
if [ ! -x "$sync" ] || ! command -v mpirun >/dev/null; then
	skip "messages are drawn in their order" "no Open MPI"
	finish
fi
if ! unshare -u -T --fork true 2>/dev/null; then
	skip "messages are drawn in their order" "time namespaces need root"
	finish
fi
export TMPDIR=$work OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
nodes=(alpha:0 beta:777 gamma:12)

# A rank on each node.
cat >"$work/rank" <<'END'
#!/bin/bash
at=$((OMPI_COMM_WORLD_RANK + 1))
export node=${!at}
exec unshare -u -T --fork --monotonic "${node#*:}" sh -c 'hostname "${node%%:*}" && exec "$@"' sh "${@:4}"
END
chmod +x "$work/rank"

measure()
{
	mpirun -n 3 "$work/rank" "${nodes[@]}" "$sync" -o "$work/table"
}

draw()
{
	"$emu" -c "$1" -o "$work/drawn" "$work"/traces/*
}

in_order()
{
	"$gen/exchange.py" check "$work/drawn" "$work/table" alpha beta gamma
}

check "three clocks are measured" measure
check "messages between three nodes" "$gen/exchange.py" run "$work/traces" "${nodes[@]}"
check "they are drawn" draw "$work/table"
check "in their order" in_order
check "strictly right" "$top/build/selftests/prvcheck" "$work/drawn"
# Its offset may be wrong by what the table says, and as much is allowed.
awk 'NR == 1 { off = 1000000 + 2 * substr($0, index($0, "within=") + 7) }
	$2 == "gamma" { $3 -= off } 1' CONVFMT=%.0f OFMT=%.0f "$work/table" >"$work/wrong"
check "with a clock that is 1 ms off, beyond that" draw "$work/wrong"
check_status 3 "they are not" in_order
check "as by upstream's rules" "$checkers/ovnirules.py" "$work/traces/alpha"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 25-references.sh - how fast memory references are logged, expanded, merged and counted, and
# what QEMU without the plugin and Valgrind's lackey take. PACKED (lines of a text for gzip, and a
# fiftieth of them for lackey) controls the workload; a pipeline of many processes is the demo's.
# All times are those of a clock: the machine should be idle.

set -eu -o pipefail

cd "$(dirname "$0")/../../.."
. tools/bench/lib.sh

: "${PACKED:=60000}"

need valgrind valgrind
need gzip gzip

work=$(mktemp -d)
shared=$(mktemp -d build/bench.XXXXXX)
trap 'rm -rf "$work" "$shared"' EXIT
programs=(bash find xargs sort uniq gzip xz awk split seq cat sleep perl mke2fs cp mv rm sync truncate)

text()	# LINES
{
	seq 1 "$1" | awk '{ print $1 * 7919 % 99991, "line", $1 % 977 }'
}

# put NAME REFERENCES SECONDS [BYTES] [KIB] - one row
put()
{
	awk -v what="$1" -v refs="$2" -v seconds="$3" -v bytes="${4:--}" -v kib="${5:--}" 'BEGIN {
		printf "  %-40s %9.1f %9.2f %9.1f %8s %9s\n", what, refs / 1e6, seconds,
		       refs / seconds / 1e6, bytes == "-" ? "-" : sprintf("%.3f", bytes / refs),
		       kib == "-" ? "-" : sprintf("%.1f", kib / 1024) }'
}

# seconds - between two lines that the guest has printed
seconds()
{
	awk '/the recording begins$/ { begin = $1 } /the recording has ended$/ { print $1 - begin }' \
		"$work/times"
}

# guest OPTION... -- SCRIPT ARGUMENT... - print when it said what
guest()
{
	local line with=()

	for line in "${programs[@]}"; do
		with+=(--with "$line")
	done
	tools/vm/run --quiet --timeout 900 --log "$out/references.console" "${with[@]}" "$@" |
		while read -r line; do
			echo "$EPOCHREALTIME $line"
		done >"$work/times"
}

# references LOG
references()
{
	build/ovnik-refs --info "$1" |
		awk '$1 ~ /^(fetches|loads|stores)$/ { sum += $2 } END { print sum }'
}

# logged NAME WORKLOAD - with the plugin, and without it
logged()
{
	local refs

	guest --refs "$shared/log.refs" -- bash /host/tools/bench/guest/references.sh "/host/$shared" "$2"
	refs=$(references "$shared/log.refs")
	put "$1, logged" "$refs" "$(seconds)" "$(stat -c %s "$shared/log.refs")"
	guest --refs-not -- bash /host/tools/bench/guest/references.sh "/host/$shared/without" "$2"
	put "$1, QEMU without the plugin" "$refs" "$(seconds)"
}

# measured COMMAND... - "SECONDS KIB"
measured()
{
	python3 - "$@" <<-'END'
		import resource, subprocess, sys, time
		begin = time.monotonic()
		subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
		print(time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

# processed NAME REFERENCES COMMAND...
processed()
{
	local name=$1 refs=$2 time kib

	shift 2
	read -r time kib < <(measured "$@")
	put "$name" "$refs" "$time" - "$kib"
	rm -rf "$work/out"
}

# Of the program alone, and only its user part.
lackey()
{
	local refs begin

	text $((PACKED / 50)) >"$work/text"
	begin=$EPOCHREALTIME
	valgrind --tool=lackey --trace-mem=yes --log-fd=9 gzip -9c "$work/text" 9>"$work/lackey" >/dev/null
	put "gzip, by Valgrind's lackey" \
		"$(awk '$1 ~ /^[ILS]$/ { n++ } $1 == "M" { n += 2 } END { print n }' "$work/lackey")" \
		"$(awk -v from="$begin" -v to="$EPOCHREALTIME" 'BEGIN { print to - from }')" \
		"$(stat -c %s "$work/lackey")"
	rm "$work/lackey"
}

mkdir -p "$out"
text "$PACKED" >"$shared/text"
{
	echo "Memory references: millions, seconds, millions a second, bytes a reference, peak memory."
	printf '\n%-42s %9s %9s %9s %8s %9s\n' "" "M refs" s "M/s" "B/ref" "peak MiB"
	logged gzip packed
	lackey
	rm -rf "$shared/capture" "$shared/without"
	logged "pipelines of processes" pipelines
	refs=$(references "$shared/log.refs")
	processed "expanded to binary" "$refs" \
		build/ovnik-refs --to-binary --wide "$shared/log.refs" -o /dev/null
	processed "merged, basic, with its text" "$refs" \
		build/ovnik-merge --basic "$shared/capture" "$shared/log.refs" -o "$work/out"
	processed "counted, with the miss ratio curve" "$refs" \
		build/ovnik-merge --stat "$shared/capture" "$shared/log.refs" -o "$work/out"
} | tee "$out/references.txt"

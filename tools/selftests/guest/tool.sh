#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The program ovnik, end to end in the guest: what it records, how it ends, and
# what it does when it cannot go on.
# shellcheck disable=SC2034 # the conditions of "holds" see $status
set -u

# shellcheck source=tools/selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

ovnik=/host/build/ovnik
control=/sys/kernel/ovnik
work=$(mktemp -d)

cleanup()
{
	umount "$work/full" 2>/dev/null
	rm -rf "$work"
	rmmod ovnik 2>/dev/null
}
trap cleanup EXIT

# holds CONDITION NAME
holds()
{
	check "$2" eval "$1"
	[ "$tap_status" -eq 0 ] || explain < "$work/log"
}

load()
{
	for _ in 1 2 3 4 5 6 7 8; do
		find /sys/kernel/ovnik | sort > /dev/null
	done
}

recorded_of()	# DIR EVENT: sum over the CPUs, from meta.json
{
	awk -v event="\"$2\":" '$1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { print sum + 0 }' "$1/meta.json"
}

wait_until()	# CONDITION
{
	for _ in $(seq 100); do
		eval "$1" && return 0
		sleep 0.1
	done
	return 1
}

"$ovnik" status > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "not loaded" "$work/log"' "says that the module is not loaded"

insmod /host/build/kmod/ovnik.ko || exit 1

"$ovnik" record -o "$work/a" -- sh -c 'for i in 1 2 3 4 5; do ls / > /dev/null; done; true' > "$work/log" 2>&1
status=$?
holds '[ $status -eq 0 ]' "record -- COMMAND ends with 0 when nothing is lost"
holds '[ -s "$work/a/cpu0.ovk" ] && [ -s "$work/a/cpu1.ovk" ]' "every CPU has a file"
holds '[ "$(recorded_of "$work/a" task_exec)" -ge 1 ]' "the command's exec is recorded"
holds '[ "$(cat $control/enable)" = 0 ]' "the capture is stopped afterwards"
# What the kernel counted is what the files hold.
sum=0
for event in "$control"/events/*; do
	sum=$((sum + $(recorded_of "$work/a" "$(basename "$event")")))
done
holds '[ "$sum" -eq "$(cat $control/recorded)" ]' "all that was recorded is in the files ($sum)"

"$ovnik" record -o "$work/sig" > "$work/log" 2>&1 &
pid=$!
wait_until '[ "$(cat $control/enable)" = 1 ]'
load
kill -TERM "$pid"
wait "$pid"
status=$?
holds '[ $status -eq 0 ] && [ -s "$work/sig/meta.json" ]' "SIGTERM ends a recording cleanly"
holds '[ "$(cat $control/enable)" = 0 ]' "and stops the capture"

"$ovnik" record -o "$work/kill" > "$work/log" 2>&1 &
pid=$!
wait_until '[ "$(cat $control/enable)" = 1 ]'
kill -KILL "$pid"
wait "$pid" 2>/dev/null
load
holds '[ "$(cat $control/enable)" = 1 ]' "a killed recorder leaves the capture running"
"$ovnik" record -o "$work/b" > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "runs already" "$work/log"' "which the next one is told"
"$ovnik" stop
status=$?
holds '[ $status -eq 0 ] && [ "$(cat $control/enable)" = 0 ]' "stop ends it"
"$ovnik" snapshot -o "$work/kill" > "$work/log" 2>&1
holds '[ -s "$work/kill/meta.json" ]' "and what the killed one left can be saved"
holds 'grep -q ", $(cat $control/lost) lost" "$work/log"' "what the killed one took is not lost"

# A buffer too small for its load, with no reader at all.
"$ovnik" start -m discard -b 8K
wait_until 'load; [ "$(cat $control/lost)" -gt 0 ]'
"$ovnik" stop
"$ovnik" snapshot -o "$work/lost" > "$work/log" 2>&1
status=$?
holds '[ $status -eq 4 ] && grep -q "lost" "$work/log"' "losses are told by status 4"
"$ovnik" snapshot -o "$work/lost" > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "was read already" "$work/log"' "what was read cannot be read again"
holds '[ -s "$work/lost/meta.json" ] && [ -s "$work/lost/cpu0.ovk" ]' "and the snapshot that has it is not replaced"

"$ovnik" start -b 64K
load
"$ovnik" snapshot -o "$work/flight" > "$work/log" 2>&1
holds '[ "$(cat $control/enable)" = 1 ] && [ -s "$work/flight/cpu0.ovk" ]' "a snapshot does not stop a flight recorder"
holds 'grep -q "[0-9] overwritten" "$work/log" && ! grep -q warning "$work/log"' "what it overwrote is no reason to warn"
"$ovnik" stop

# The command outlives nothing: recorded alone, with its children.
"$ovnik" record -F -o "$work/follow" -- sh -c 'ls / > /dev/null; ls / > /dev/null; true' > "$work/log" 2>&1
holds '[ "$(recorded_of "$work/follow" task_fork)" -eq 2 ]' "-F records the command's forks and no others"

mkdir "$work/full"
mount -t tmpfs -o size=64k none "$work/full"
"$ovnik" record -o "$work/full/cap" -b 64K -- sh -c 'for i in $(seq 300); do /host/build/ovnik --version > /dev/null; done' > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "offset" "$work/log"' "a full disk: status 1, file and offset are named"
holds '[ "$(cat $control/enable)" = 0 ]' "and the capture is stopped"

"$ovnik" record -o "$work/c" -- /no/such/program > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "/no/such/program: No such file" "$work/log"' "a command that cannot be started: status 1"
holds '[ "$(wc -l < "$work/log")" -eq 1 ]' "and one message"
holds '[ -z "$(cat $control/filter_pid)" ]' "and no filter stays behind"
"$ovnik" record -o "$work/follow" -- no-such-program > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "cannot run no-such-program: No such file" "$work/log"' "nor one that is not in PATH"
holds '[ -s "$work/follow/meta.json" ]' "and an older capture is not replaced"

# Two at once in one directory: the second does no harm to the first.
"$ovnik" record -o "$work/two" > "$work/log" 2>&1 &
pid=$!
wait_until '[ "$(cat $control/enable)" = 1 ]'
"$ovnik" snapshot -o "$work/two" > "$work/log2" 2>&1
status=$?
load
"$ovnik" stop
wait "$pid"
holds '[ $status -eq 1 ] && grep -q "somebody else" "$work/log2"' "a data file has one reader"
holds '[ -s "$work/two/cpu0.ovk" ] && [ -s "$work/two/meta.json" ]' "a recording ends when somebody else stops it, with its data"

echo untouched > "$work/victim"
mkdir "$work/link"
ln -s "$work/victim" "$work/link/meta.json.new"
ln -s "$work/victim" "$work/link/cpu0.ovk"
"$ovnik" record -o "$work/link" -- true > "$work/log" 2>&1
holds '[ "$(cat "$work/victim")" = untouched ]' "links in the directory are not followed"

"$ovnik" record -o "$work/pipe" -- true 2>&1 | true
holds '[ "$(cat $control/enable)" = 0 ] && [ -s "$work/pipe/meta.json" ]' "a closed pipe does not kill it"

# misused WORD ARGUMENT... - refused with status 2 and a message about WORD
misused()
{
	word=$1
	shift
	"$ovnik" "$@" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 2 ] && grep -q "$word" "$work/log"' "refused: ovnik $*"
}

misused nonsense record -e sched,nonsense -o "$work/d"
misused 4097X record -b 4097X
misused 2G start -b 2G
misused 12a record -p 1,12a
misused backwards start -m backwards
misused now stop now
misused bogus bogus
holds '[ ! -e "$work/d" ]' "and no directory was made"
"$ovnik" record -p 4194303 -o "$work/c" > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "no process 4194303" "$work/log"' "a process that is not there is named"
"$ovnik" record -p 1 -- true > "$work/log" 2>&1
status=$?
holds '[ $status -eq 2 ]' "-p and COMMAND exclude each other"

finish

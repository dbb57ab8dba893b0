#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The program ovnik, end to end in the guest: what it records, how it ends, and
# what it does when it cannot go on. bpf-tool.sh is a link: the same with BPF.
#
# With BPF it takes over a minute: how a recorder ends can only be tried with one that has begun, and
# each start of BPF takes seconds.

# shellcheck disable=SC2034,SC2086 # the conditions of "holds" see $status; $few has two words
set -u

# shellcheck source=tools/selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

case ${0##*/} in
bpf-*) backend=bpf ;;
*) backend=module ;;
esac
control=/sys/kernel/ovnik
work=$(mktemp -d)
# From 9p each start would take a third of a second.
mkdir "$work/bin"
cp /host/build/ovnik /host/build/selftests/guest/signals /host/build/selftests/guest/syscalls \
	/host/build/selftests/guest/shut /host/build/selftests/guest/flightload \
	/host/build/selftests/guest/metacheck /host/build/selftests/guest/settime \
	/host/build/selftests/guest/timens /host/build/selftests/guest/ownerload \
	/host/build/selftests/guest/ownercheck "$work/bin/"
program=$work/bin/ovnik
signals=$work/bin/signals
syscalls=$work/bin/syscalls
# Where it does not matter what is recorded: to attach all probes takes seconds.
few="-e sched,task"

# For a shell of its own; the module is what it takes if that is loaded.
start_ovnik()
{
	if [ "$backend" = bpf ] && [ $# -gt 0 ]; then
		command=$1
		shift
		set -- "$command" --backend bpf "$@"
	fi
	exec "$program" "$@"
}

ovnik()
{
	(start_ovnik "$@")
}

cleanup()
{
	rm -rf "$work"
	[ ! -e /sys/fs/bpf/ovnik ] || ovnik stop
	rmmod ovnik 2>/dev/null
}
trap cleanup EXIT

# Is this the turn of what is the same whatever records? With LONG, of both.
common()
{
	[ "$backend" = module ] || [ -n "$LONG" ]
}

# holds CONDITION NAME
holds()
{
	check "$2" eval "$1"
	[ "$tap_status" -eq 0 ] || explain < "$work/log"
}

load()
{
	for _ in $(seq "$(amount 2 8)"); do
		find /sys/kernel/slab | sort > /dev/null
	done
}

recorded_of()	# DIR EVENT: sum over the CPUs, from meta.json
{
	awk -v event="\"$2\":" '/^  "events":/ { exit } $1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { print sum + 0 }' "$1/meta.json"
}

wait_until()	# CONDITION, for ten minutes at most: the host may be busy with something else
{
	for _ in $(seq 3000); do
		eval "$1" && return 0
		sleep 0.2
	done
	return 1
}

probes()	# how many are loaded; iterators and those of bpftool count
{
	bpftool prog list | grep -c ' name ovnik_'
}

capturing()	# a capture runs; with BPF: there are probes
{
	if [ "$backend" = module ]; then
		[ "$(cat "$control/enable")" = 1 ]
	else
		[ "$(probes)" != 0 ]
	fi
}

# No capture runs. With BPF the kernel frees what was pinned, or a process had, some time
# after it has gone.
stopped()
{
	if [ "$backend" = module ]; then
		! capturing
	else
		wait_until '! capturing'
	fi
}

recording()	# DIR: "ovnik record", whose process is $pid, has begun and waits in poll()
{
	[ "$backend" = bpf ] || { capturing && return; }
	[ -e "$1/cpu1.ovk" ] && grep -q "^7 " "/proc/$pid/syscall"
}

lost_now()
{
	ovnik status | awk '$1 == "lost" { print $2 }'
}

says()	# NAME TEXT: a line of "ovnik status" in the log
{
	awk -v name="$1" -v text="$2" '
		index($0, name " ") == 1 { sub(/^[a-z_]* +/, ""); found = index($0, text) == 1 }
		END { exit !found }' "$work/log"
}

event_names()
{
	sed -n 's/^      "name":"\([a-z_]*\)",$/\1/p' "$1/meta.json"
}

ovnik status > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "not loaded\|no BPF probes" "$work/log"' "says that the module is not loaded"

if [ "$backend" = module ] && ! insmod /host/build/kmod/ovnik.ko 2>/dev/null &&
	! insmod "/host/build/$(uname -r)/kmod/ovnik.ko"; then
	echo "Bail out! no module, see make kmod KDIR="
	exit 1
fi

ovnik record --no-selftest -o "$work/a" -- sh -c 'for i in 1 2 3 4 5; do ls / > /dev/null; done; true' > "$work/log" 2>&1
status=$?
holds '[ $status -eq 0 ]' "record -- COMMAND ends with 0"
holds 'grep -Eq ": [1-9][0-9]* events, [0-9.]+ [KM]iB, [0-9]+ lost, [0-9.]+ s$" "$work/log" && grep -q "next: ovnik-decode report $work/a$" "$work/log"' "and says what it has, how long it was and what to do next"
holds '[ -s "$work/a/cpu0.ovk" ] && [ -s "$work/a/cpu1.ovk" ]' "every CPU has a file"
holds '[ "$(recorded_of "$work/a" task_exec)" -ge 1 ]' "the command's exec is recorded"
holds 'stopped' "the capture is stopped afterwards"
# What the kernel counted is what the files hold.
sum=0
for event in $(event_names "$work/a"); do
	sum=$((sum + $(recorded_of "$work/a" "$event")))
done
if [ "$backend" = module ]; then
	holds '[ "$sum" -eq "$(cat $control/recorded)" ]' "all that was recorded is in the files ($sum)"
else
	# The kernel's counts have gone with the probes: what they had more is "lost".
	holds '[ "$sum" -gt 0 ] && grep -q ": $sum events, .* 0 lost" "$work/log"' "all that was recorded is in the files ($sum)"
fi

if common; then
	# As in a work tree: the decoder is beside it.
	ln -s /bin/true "$work/bin/ovnik-decode"
	ovnik record --no-selftest $few -o "$work/a b" -- true > "$work/log" 2>&1
	rm "$work/bin/ovnik-decode"
	holds 'grep -q "^ovnik: next: ${program}-decode report .$work/a b.$" "$work/log"' "in a form that a shell can read"
fi

# As nohup starts it.
(trap '' HUP && start_ovnik record --no-selftest $few -o "$work/sig") > "$work/log" 2>&1 &
pid=$!
wait_until 'recording "$work/sig"'
holds 'wait_until "cat /proc/$pid/task/*/comm | grep -qx ovnik-cpu1"' "its reading threads have names"
ovnik status > "$work/log"
holds 'says recording yes && says reader "PID $pid" && grep -qx "back end  *$backend" "$work/log"' "status says what records and who reads"
# BPF probes that are not pinned are of that recorder alone.
if [ "$backend" = module ]; then
	holds 'grep -Eq "^started .* \([0-9.]+ s ago\)$" "$work/log" && grep -Eq "^rate  *[0-9]+ events/s" "$work/log"' "and since when, and how fast"
fi
kill -HUP "$pid"
load
holds 'capturing' "SIGHUP that was ignored does not end a recording"
kill -TERM "$pid"
wait "$pid"
status=$?
holds '[ $status -eq 0 ] && [ -s "$work/sig/meta.json" ]' "SIGTERM ends a recording cleanly"
holds 'tr -d " \n" < "$work/sig/meta.json" | grep -q "\"recorder\":{\"pid\":$pid}"' "meta.json says who recorded"
holds 'stopped' "and stops the capture"

"$signals" pending 15 "$program" record --no-selftest --backend "$backend" $few -o "$work/early" > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q interrupted "$work/log" && [ ! -e "$work/early" ]' "SIGTERM before it records: nothing is recorded"
# A process that holds the lock of an address space for ever keeps the iterators waiting.
if [ "$backend" = bpf ]; then
	"$signals" pending 3 "$program" start --no-selftest --backend bpf $few > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 131 ] && stopped' "SIGQUIT ends a statedump, and nothing stays"
fi

# These are the same whatever records.
if [ "$backend" = module ]; then
	"$signals" type "$work/typed" "$syscalls" slow "$program" record --no-selftest -o "$work/key" -- \
		sh -c "exec $signals count $work/typed > $work/typed.nr" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 0 ] && [ "$(cat "$work/typed.nr")" = 1 ]' "^C comes to the command once"
	# There is so much to dump that ^C comes while it begins.
	"$work/bin/flightload" 40 900 "$work/mapped" > "$work/ready" &
	many=$!
	wait_until '[ -s "$work/ready" ]'
	"$signals" type "$work/start/cpu0.ovk" "$program" record --no-selftest -o "$work/start" -- sleep 2000 > "$work/log" 2>&1
	holds 'grep -Eq "killed by signal 2|interrupted before" "$work/log" && ! grep -q Broken "$work/log"' "^C while it begins is one"
	kill "$many"
	wait "$many" 2>/dev/null
	timeout -s KILL 300 "$signals" ignore "$program" record --no-selftest -o "$work/chld" -- true > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 0 ]' "where SIGCHLD is ignored, the command's end is seen, too"
	"$syscalls" fail cpu1.ovk "$program" record --no-selftest -o "$work/late" -- true > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "cpu1.ovk: Input/output" "$work/log" && [ -s "$work/late/meta.json" ]' "an error of close() is reported"
	"$syscalls" fail meta.json.new "$program" record --no-selftest -o "$work/late" -- true > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "meta.json: Input/output" "$work/log" && [ ! -e "$work/late/meta.json" ]' "of meta.json, too"
fi

if common; then
	# A recorder has signals ignored that its command is not to have so, nor otherwise.
	ovnik record --no-selftest $few -o "$work/ign" -- grep SigIgn /proc/self/status > "$work/log2" 2>"$work/log"
	(trap '' PIPE XFSZ && ovnik record --no-selftest $few -o "$work/ign" -- grep SigIgn /proc/self/status) > "$work/log" 2>&1
	holds 'grep -q "SigIgn:.*0..0...$" "$work/log2" && grep -q "SigIgn:.*1..1...$" "$work/log"' "the command ignores the signals that it would without a recorder"
fi

# What a recorder leaves that is killed: with BPF nothing, see backends.sh.
if [ "$backend" = module ]; then
	start_ovnik record --no-selftest $few -o "$work/kill" > "$work/log" 2>&1 &
	pid=$!
	wait_until capturing
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	load
	holds 'capturing' "a killed recorder leaves the capture running"
	ovnik record --no-selftest $few -o "$work/b" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "already running, and no program reads it; .ovnik stop -o DIR" "$work/log"' "which the next recorder reports"
	ovnik status > "$work/log"
	holds 'says recording yes && says reader none && grep -q "^next: \"$program snapshot -o DIR\"" "$work/log"' "and status, too"
	ovnik stop > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 0 ] && stopped' "stop ends it"
	holds 'grep -q "stopped: [1-9][0-9]* events, .* lost$" "$work/log" && grep -q "next: \"$program snapshot -o DIR\"" "$work/log"' "and says what there is"
	ovnik snapshot -o "$work/kill" > "$work/log" 2>&1
	holds '[ -s "$work/kill/meta.json" ]' "and what the killed one left can be saved"
	holds 'grep -q ", $(cat $control/lost) lost" "$work/log"' "what the killed one took is not lost"
fi

# A buffer too small for its load, with no reader at all; BPF's is 32 KiB at least.
# With BPF "stop" takes away what it does not save.
if [ "$backend" = module ]; then
	ovnik start --no-selftest $few -m discard -b 8K
	wait_until 'load; [ "$(lost_now)" -gt 0 ]'
	# What comes while a snapshot is written is not for it: 8K are two sub-buffers.
	while load; do :; done &
	pid=$!
	timeout -s KILL 300 "$syscalls" slow "$program" snapshot -o "$work/lost" > "$work/log" 2>&1
	kill "$pid"
	wait "$pid" 2>/dev/null
	most=$(sed -n 's/.*"subbufs":\([0-9]*\).*/\1/p' "$work/lost/meta.json" | sort -n | tail -n 1)
	holds '[ "$most" -eq 2 ]' "a snapshot has no more than there was when it began ($most)"
	ovnik stop
	"$signals" pending 15 "$program" snapshot -o "$work/cut" > "$work/cut.log" 2>&1
	cut=$?
	ovnik snapshot --strict -o "$work/lost" > "$work/log" 2>&1
else
	ovnik start --no-selftest $few -m discard -b 32K
	wait_until 'load; [ "$(lost_now)" -gt 0 ]'
	"$signals" pending 15 "$program" stop -o "$work/cut" > "$work/cut.log" 2>&1
	cut=$?
	ovnik stop --strict -o "$work/lost" > "$work/log" 2>&1
fi
status=$?
holds '[ $cut -eq 1 ] && grep -q interrupted "$work/cut.log" && [ -s "$work/cut/meta.json" ]' "a snapshot that is interrupted says so"
holds '[ $status -eq 4 ] && grep -q " [1-9][0-9]* lost" "$work/log"' "with --strict losses give status 4"
ovnik snapshot -o "$work/lost" > "$work/log" 2>&1
status=$?
again="has already been read"
[ "$backend" = module ] || again="no BPF probes"
holds '[ $status -eq 1 ] && grep -q "$again" "$work/log"' "what was read cannot be read again"
holds '[ -s "$work/lost/meta.json" ] && [ -s "$work/lost/cpu0.ovk" ]' "and the snapshot that has it is not replaced"

# What a killed one has shut is mended by the next.
if [ "$backend" = bpf ]; then
	for mode in $(amount overwrite "discard overwrite"); do
		ovnik start --no-selftest $few -m "$mode" -b 8M
		load
		"$work/bin/shut" > "$work/log"
		load
		ovnik stop -o "$work/mended" > "$work/log" 2>&1
		status=$?
		holds '[ $status -eq 0 ] && grep -q ": [1-9].* events, .*B, \(0 overwritten, \)\?0 lost" "$work/log"' "in mode $mode nothing is lost by a recorder killed while it shuts a sub-buffer"
		holds 'grep -q "\"recorder\"" "$work/mended/meta.json"' "in mode $mode who stops it is in it"
	done
fi

if [ "$backend" = module ]; then
	ovnik start --no-selftest $few -m discard -b 64K
	load
	ovnik stop
	"$syscalls" fail cpu1.ovk "$program" snapshot -o "$work/half" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && [ -s "$work/half/cpu0.ovk" ] && [ -s "$work/half/meta.json" ]' "what a snapshot took that fails is described"
	holds '! grep -q "\"recorder\"" "$work/half/meta.json"' "who writes it after a stop is not in it"

	# Of the next capture there is something to read, or nothing yet.
	for size in 64K 8M; do
		rm -f "$work/restarted"
		ovnik start --no-selftest -e sched -b "$size"
		load
		"$syscalls" wait "$work/restarted" "$program" snapshot -o "$work/mixed$size" > "$work/log" 2>&1 &
		pid=$!
		wait_until '[ -s "$work/mixed$size/cpu0.ovk" ]'
		ovnik stop
		echo 1 > "$control/enable"
		[ "$size" = 8M ] || load
		: > "$work/restarted"
		wait "$pid"
		status=$?
		ovnik stop
		holds '[ $status -eq 1 ] && grep -q "another capture was started" "$work/log"' "a snapshot is of one capture ($size)"
	done
fi

ovnik start --no-selftest $few -b 64K
load
ovnik snapshot -o "$work/flight" > "$work/log" 2>&1
ovnik status > "$work/status"
holds 'capturing && [ -s "$work/flight/cpu0.ovk" ]' "a snapshot does not stop a flight recorder"
holds 'grep -q "\"recorder\"" "$work/flight/meta.json"' "and says who wrote it"
holds 'grep -q "[0-9] overwritten" "$work/log" && ! grep -q warning "$work/log"' "what it overwrote is no reason to warn"
overwritten=$(sed -n 's/.* \([0-9]*\) overwritten.*/\1/p' "$work/log")
holds '[ "$overwritten" -le "$(awk "\$1 == \"lost\" { print \$2 }" "$work/status")" ]' "nor is it more than status says later ($overwritten)"
holds 'grep -q "^reader  *none (flight recorder)$" "$work/status"' "status names a flight recorder"
ovnik start --no-selftest $few > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "already running" "$work/log"' "a second start is refused"
ovnik stop
status=$?
holds '[ $status -eq 0 ] && stopped' "and a stop ends it"

# Sizes that are those of before empty no ring.
if [ "$backend" = module ]; then
	for mode in discard overwrite; do
		ovnik start --no-selftest $few -m "$mode" -b 32K
		find /sys/kernel/slab > /dev/null
		ovnik stop
		ovnik record --no-selftest -b 32K -e task -o "$work/rest" -- true > "$work/log" 2>&1
		status=$?
		holds '[ $status -ne 1 ] && ! grep -q another "$work/log"' "what a capture in mode $mode left is not in the next"
	done
fi

# The command outlives nothing: recorded alone, with its children.
ovnik record --no-selftest $few -F -o "$work/follow" -- sh -c 'ls / > /dev/null; ls / > /dev/null; true' > "$work/log" 2>&1
holds '[ "$(recorded_of "$work/follow" task_fork)" -eq 2 ]' "-F records the command's forks and no others"

if common; then
	# As perf does.
	cp "$work/follow/meta.json" "$work/first"
	ovnik record --no-selftest $few -o "$work/follow" -- true > "$work/log" 2>&1
	holds 'cmp "$work/follow.old/meta.json" "$work/first" && [ -s "$work/follow.old/cpu1.ovk" ] && grep -q "older capture is now $work/follow.old$" "$work/log"' "an older capture is kept"
	cp "$work/follow/meta.json" "$work/first"
	echo mine > "$work/follow.old/mine"
	(cd "$work/follow" && ovnik record --no-selftest $few -o . -- true) > "$work/log" 2>&1
	holds 'cmp "$work/follow.old/meta.json" "$work/first" && [ -s "$work/follow.old/mine" ]' "in place of one before that, but not of other files"
	chown 23456 "$work/follow.old"
	ovnik record --no-selftest $few -o "$work/follow" -- touch "$work/ran" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "follow.old is owned by user 23456" "$work/log" && [ ! -e "$work/ran" ] && [ -s "$work/follow/meta.json" ]' "it does not go to another user"
	mkdir "$work/theirs" && chown 23456 "$work/theirs"
	ovnik record --no-selftest $few -o "$work/theirs" -- touch "$work/ran" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "theirs is owned by user 23456" "$work/log" && [ ! -e "$work/ran" ]' "nor does a capture, unless"
	ovnik record --no-selftest $few --trust-dir -o "$work/theirs" -- true > "$work/log" 2>&1
	holds '[ -s "$work/theirs/meta.json" ]' "root wants that"

	# Only the time is over: no capture file says how long that is, but the clock does.
	before=$(cut -d. -f1 /proc/uptime)
	ovnik record --no-selftest $few --duration 1500ms -o "$work/time" > "$work/log" 2>&1
	status=$?
	after=$(cut -d. -f1 /proc/uptime)
	holds '[ $status -eq 0 ] && [ $((after - before)) -ge 1 ] && awk "/ lost, / { exit !(\$(NF - 1) >= 1.5) }" "$work/log"' "--duration ends a recording"
	# The signal may come before the trap is set: then there is more time.
	for duration in 0.5 5 50; do
		ovnik record --no-selftest $few --duration $duration -o "$work/time" -- sh -c 'trap "echo ended; exit 5" TERM; while :; do sleep 0.1; done' > "$work/log" 2>&1
		status=$?
		[ $status -eq 0 ] || break
	done
	holds '[ $status -eq 5 ] && grep -qx ended "$work/log" && [ -s "$work/time/meta.json" ]' "and its command, by SIGTERM"
fi

# COMMAND says how long.
sleep 1000 &
pid=$!
wait_until '[ "$(cat /proc/$pid/comm)" = sleep ]'
ovnik record --no-selftest $few -p "$pid" -o "$work/times" -- sh -c 'ls / > /dev/null; true' > "$work/log" 2>&1
status=$?
kill "$pid"
wait "$pid" 2>/dev/null
holds '[ $status -eq 0 ] && [ "$(recorded_of "$work/times" task_exec)" -eq 0 ] && tr -d " \n" < "$work/times/meta.json" | grep -q "\"pids\":\[$pid\]"' "-p and COMMAND: that one is not recorded"

ovnik record --no-selftest $few -o "$work/c" -- /no/such/program > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "/no/such/program: No such file" "$work/log"' "a command that cannot be started: status 1"
holds '[ "$(wc -l < "$work/log")" -eq 1 ]' "and one message"
if [ "$backend" = module ]; then
	holds '[ -z "$(cat $control/filter_pid)" ]' "and no filter remains"
fi
if [ "$backend" = module ]; then
	ovnik record --no-selftest $few -p $$ -o "$work/log/c" > "$work/log2" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && [ -z "$(cat $control/filter_pid)" ]' "nor where it fails before it records"
	echo 0 > /proc/sys/kernel/ftrace_enabled
	ovnik start --no-selftest $few -p $$ > "$work/log" 2>&1
	status=$?
	echo 1 > /proc/sys/kernel/ftrace_enabled
	holds '[ $status -eq 1 ] && grep -q ftrace_enabled "$work/log" && [ -z "$(cat $control/filter_pid)" ]' "nor where a start is refused"
fi
ovnik record --no-selftest -o "$work/follow" -- no-such-program > "$work/log" 2>&1
status=$?
holds '[ $status -eq 1 ] && grep -q "cannot run no-such-program: No such file" "$work/log"' "nor one that is not in PATH"
holds '[ -s "$work/follow/meta.json" ]' "and an older capture is not replaced"

# Two at once in one directory: the second does no harm to the first. With BPF no
# other program sees what a recorder has.
if [ "$backend" = module ]; then
	start_ovnik record --no-selftest $few -o "$work/two" > "$work/log" 2>&1 &
	pid=$!
	wait_until capturing
	ovnik snapshot -o "$work/two" > "$work/log2" 2>&1
	status=$?
	load
	ovnik stop
	wait "$pid"
	holds '[ $status -eq 1 ] && grep -q "another program" "$work/log2"' "a data file has one reader"
	holds '[ -s "$work/two/cpu0.ovk" ] && [ -s "$work/two/meta.json" ]' "a recording that another program stops ends with its data"
fi

if common; then
	ovnik record --no-selftest $few -o "$work/c" -- sh -c 'exit 3' > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 3 ] && [ -s "$work/c/meta.json" ]' "the command's status is handed on"
	ovnik record --no-selftest $few -o "$work/c" -- sh -c 'kill -SEGV $$' > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 139 ]' "also that it was killed"

	echo untouched > "$work/victim"
	mkdir "$work/link"
	ln -s "$work/victim" "$work/link/meta.json.new"
	ln -s "$work/victim" "$work/link/cpu0.ovk"
	ovnik record --no-selftest $few -o "$work/link" -- true > "$work/log" 2>&1
	holds '[ "$(cat "$work/victim")" = untouched ]' "links in the directory are not followed"

	ovnik record --no-selftest $few -o "$work/pipe" -- true 2>&1 | true
	holds 'stopped && [ -s "$work/pipe/meta.json" ]' "a closed pipe does not kill it"
fi

# set_by SECONDS BOOT BOOT - the time of day was set by them in between; read within 100 us
set_by()
{
	difference=$(($3 - $2 - $1 * 1000000000))
	echo "off by $difference ns" >>"$work/log"
	[ "$difference" -gt -100000 ] && [ "$difference" -lt 100000 ]
}

for dir in wall1 wall2; do
	ovnik record --no-selftest $few -o "$work/$dir" -- "$work/bin/settime" 1000 >"$work/log" 2>&1
done
"$work/bin/timens" 5000 "$program" record --no-selftest --backend "$backend" $few -o "$work/wall3" -- true \
	>"$work/log" 2>&1
for dir in wall1 wall2 wall3; do
	"$work/bin/metacheck" "$work/$dir" 2>>"$work/log"
done >"$work/walls"
# shellcheck disable=SC2046 # words
set -- $(cut -d " " -f 3,4 "$work/walls")
first="$1 $2" between="$2 $3" second="$3 $4" namespace="$4 ${5:-0}"
holds 'set_by 1000 $first && set_by 0 $between && set_by 1000 $second' \
	"the time of day is in the capture"
if [ -e /proc/self/ns/time ]; then
	holds 'set_by 0 $namespace' "and right if the recorder is in a time namespace"
else
	skip "and right if the recorder is in a time namespace" "the kernel has no time namespaces"
fi

# Whose memory a private capture shows: of the owner, of what root starts as the owner, of another
# user, and of processes that are the owner's, but have the layout of one that had root's rights, or
# other rights than the owner.
pids=
whose="exec launch stay capable"
if [ -e /proc/self/ns/user ]; then
	whose="$whose nested"
	# Debian's kernel may keep them for root.
	[ ! -e /proc/sys/kernel/unprivileged_userns_clone ] || echo 1 >/proc/sys/kernel/unprivileged_userns_clone
else
	skip "a process in another user namespace" "the kernel has no user namespaces"
fi
for who in $(printf "1000:%s " $whose) 1001:exec; do
	"$work/bin/ownerload" "${who%:*}" "${who#*:}" "$work/page.$who" >"$work/ready.$who" 2>>"$work/log" &
	pids="$pids $!"
done
ready()
{
	[ "$(cat "$work"/ready.* | wc -l)" = "$(echo $pids | wc -w)" ]
}
holds 'wait_until ready' "processes of two users run"
for kind in open private; do
	owner=
	[ $kind = open ] || owner=--private=1000
	ovnik record --no-selftest -b 16M $owner -o "$work/$kind" -- sleep 2 >"$work/log" 2>&1
	"$work/bin/ownercheck" $kind $pids - "$work/$kind"/*.ovk >>"$work/log" 2>&1
	status=$?
	if [ $kind = open ]; then
		holds '[ $status -eq 0 ] && ! grep -q "\"private\"" "$work/open/meta.json"' "a capture has the addresses and frames of all"
	else
		holds '[ $status -eq 0 ]' "a private one has those addresses that the owner may see, and no frames"
		holds 'tr -d " \n" <"$work/private/meta.json" | grep -q "\"private\":{\"owner\":1000}"' "and says so"
	fi
done
kill $pids
if [ "$backend" = module ]; then
	holds '[ -z "$(cat "$control/owner")" ]' "the next one is not private"
	for uid in -1 4294967295 +5 5x; do
		holds '! echo "$uid" >"$control/owner"' "the module takes no user $uid"
	done
fi

if common; then
	# misused WORD ARGUMENT... - refused with status 2 and a message about WORD
	misused()
	{
		word=$1
		shift
		ovnik "$@" > "$work/log" 2>&1
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
	ovnik record --no-selftest -p 4194303 -o "$work/c" > "$work/log" 2>&1
	status=$?
	holds '[ $status -eq 1 ] && grep -q "no process 4194303" "$work/log"' "a process that is not there is named"
	misused "F and -p" record -F -p 1 -- true
	misused "needs -F or -p" record --refs-tree -- true
	misused "not a user ID" record --private=4294967295 -- true
	misused "memory references" record --private --refs -- true
	misused "load the module" record --backend bpf --refs-tree -F -- true
	misused 0.0001 record --duration 0.0001
	misused 5x record --duration 5x
	misused "did you mean --events" record --evnts sched
	misused 'did you mean "record"' recrod
	"$program" help record > "$work/log" 2>&1
	holds 'grep -q "^Usage: ovnik record" "$work/log"' "help of a command"
	ovnik stop -h > "$work/log" 2>&1
	holds 'grep -q "^Usage: ovnik stop" "$work/log"' "-h, too"
fi

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The two back ends beside each other: which one is taken, and what one by BPF leaves
# over however it ends: no program, no link, no map and no pin.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

pins=/sys/fs/bpf/ovnik
probes=/host/build/bpf/$(uname -r | cut -d . -f 1,2)/ovnik.bpf.o
cp /host/build/ovnik "$work/bin/"
log=$work/log
lock=/run/ovnik-bpf.lock

links()
{
	bpftool link list | grep -c '^[0-9]'
}

# The kernel frees what is unused some time later.
is_clean()
{
	[ ! -e "$pins" ] && ! bpftool prog list | grep -q 'name ovnik' &&
		! bpftool map list | grep -Eq 'name (ovnik|\.(data|rodata)\.(config|load|dump))' &&
		[ "$(links)" = "$links_before" ]
}

nothing_left()
{
	wait_until is_clean && return
	find "$pins"
	bpftool prog list
	bpftool map list
	bpftool link list
	return 1
}

# begin OPTION... - "ovnik record" in the background, as $recorder; it has begun
begin()
{
	rm -f "$work/begun"
	ovnik record --no-selftest -e sched,task "$@" -- sh -c "echo >$work/begun; exec sleep 1000" \
		>"$work/recorder.log" 2>&1 &
	recorder=$!
	echo "$recorder" >>"$loads"
	wait_until test -e "$work/begun" || bail "$(cat "$work/recorder.log")"
}

# says STATUS TEXT COMMAND... - it ends with the status, and says so
says()
{
	expected=$1
	text=$2
	shift 2
	status=0
	"$@" >"$log" 2>&1 || status=$?
	cat "$log"
	[ "$status" = "$expected" ] && grep -q "$text" "$log"
}

# recorded_in DIR EVENT - at least one
recorded_in()
{
	awk -v event="\"$2\":" '
		/^  "events":/ { exit }
		$1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { exit !sum }' "$1/meta.json"
}

backend_of()
{
	sed -n 's/^  "backend":"\(.*\)",$/\1/p' "$1/meta.json"
}

killed_recorder()
{
	begin --backend bpf -o "$work/killed"
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	stop_loads
	killall sleep 2>/dev/null
	nothing_left
}

# A second one of either kind is refused, and the first does not notice.
one_at_a_time()
{
	begin --backend bpf -o "$work/first"
	used="the back end bpf is already in use (PID $recorder, ovnik)"
	says 1 "$used" ovnik record --no-selftest --backend bpf -o "$work/second" -- true &&
		says 1 "$used" ovnik start --no-selftest --backend bpf &&
		[ ! -e "$work/second" ]
	result=$?
	kill -TERM "$recorder"
	wait "$recorder" && recorded_in "$work/first" sched_switch && nothing_left &&
		return "$result"
}

flight_recorder()
{
	ovnik start --no-selftest --backend bpf -e sched,task || return
	[ -e "$pins/maps" ] || return
	says 1 "already running" ovnik record --no-selftest --backend bpf -o "$work/second" -- true &&
		says 1 "already running" ovnik start --no-selftest --backend bpf &&
		says 0 "sched_switch  *on" ovnik status --backend bpf
	result=$?
	# There is no other back end.
	ovnik stop || return
	nothing_left && says 1 "no BPF probes are pinned" ovnik stop --backend bpf &&
		return "$result"
}

# Without the module auto is BPF, with it the module.
chosen_by_itself()
{
	says 0 '^ovnik: no module is loaded: using BPF$' \
		ovnik record --no-selftest -e sched -o "$work/auto" -- true || return
	[ "$(backend_of "$work/auto")" = bpf ] || return
	load_module
	says 0 ' events, ' ovnik record --no-selftest -e sched -o "$work/auto" -- true &&
		! grep 'using BPF' "$log" && [ "$(backend_of "$work/auto")" = module ]
	result=$?
	ovnik record --no-selftest --backend bpf -e sched -o "$work/both" -- true &&
		[ "$(backend_of "$work/both")" = bpf ] || result=1
	nothing_left && unload && return "$result"
}

# The module's stamps are the TSC; with it BPF's are, too, by its kfunc.
clock_of_module()
{
	load_module
	ovnik record --no-selftest --backend bpf -e sched -o "$work/tsc" -- load pipe=100
	result=$?
	grep '"source"' "$work/tsc/meta.json"
	grep -q '"source":"tsc"' "$work/tsc/meta.json" && examine -a "$work"/tsc/*.ovk &&
		nothing_left && unload && return "$result"
}

# Each of them has a capture of its own.
both_at_once()
{
	load_module
	begin --backend module -o "$work/one"
	says 1 "already running (PID $recorder, ovnik)" ovnik record --no-selftest --backend module -o "$work/second" -- true &&
		ovnik start --no-selftest --backend bpf -e sched &&
		says 0 "^back end  *module" ovnik status &&
		grep -q "^back end  *bpf" "$log" &&
		[ "$(grep -c "^sched_switch  *on" "$log")" = 2 ]
	result=$?
	kill -TERM "$recorder"
	wait "$recorder" && ovnik stop --backend bpf && nothing_left && unload && return "$result"
}

refused_to_others()
{
	chmod 755 "$work"
	mkdir -m 1777 "$work/free"
	for command in "record -o $work/free/cap -- true" start stop \
		"snapshot -o $work/free/cap"; do
		says 1 "needs root\|only root\|nothing is there" \
			su nobody -s /bin/sh -c "$work/bin/ovnik ${command%% *} --backend bpf \
				$(echo "$command " | cut -d ' ' -f 2-)" || return
	done
	[ ! -e "$work/free/cap" ]
}

# Root of a user namespace has each capability, and may not load BPF programs.
forbidden()
{
	rm -f "$lock"
	for command in record start; do
		says 1 'the kernel refuses to load BPF programs' \
			unshare -Ur "$work/bin/ovnik" "$command" --no-selftest --backend bpf || return
		[ "$(wc -l <"$log")" = 1 ] && [ ! -e "$lock" ] || return
	done
}

# One that systemd-tmpfiles has made stays; one that is made for the recording goes.
lock_goes()
{
	rm -f "$lock"
	ovnik record --no-selftest --backend bpf -e sched -o "$work/locked" -- true &&
		[ ! -e "$lock" ] || return
	: >"$lock"
	ovnik record --no-selftest --backend bpf -e sched -o "$work/locked" -- true && rm "$lock"
}

by_bpftool()
{
	bpftool prog loadall "$probes" "$pins" autoattach pinmaps "$pins/maps" >"$log" 2>&1 && return
	tail -n 20 "$log"
	return 1
}

# Twice, for the probes stay.
drained()
{
	for name in once twice; do
		says 0 " 0 lost" ovnik record --no-selftest --backend bpf -o "$work/$name" -- load fork=5 exec=5 ||
			return
		for event in sched_switch task_fork task_exec mmap_file page_fault file_open \
			dump_task dump_vma dump_end; do
			recorded_in "$work/$name" "$event" || {
				echo "no $event"
				return 1
			}
		done
		examine -a "$work/$name"/*.ovk || return
	done
	[ -e "$pins/maps/ovnik_rings" ]
}

# filtered PROCESS - its forks are recorded, if it has some
filtered()
{
	ovnik record --no-selftest --backend bpf -e task -p "$1" -o "$work/filtered" -- sleep 1 &&
		recorded_in "$work/filtered" task_fork
}

# With the same probes: the filter of one capture is not that of the next.
filtered_anew()
{
	sh -c 'while :; do (:); done' &
	forks=$!
	sleep 1000 &
	sleeps=$!
	printf '%s\n' "$forks" "$sleeps" >>"$loads"
	filtered "$forks" && ! filtered "$sleeps"
	result=$?
	stop_loads
	return "$result"
}

command -v bpftool >/dev/null || bail "no bpftool"
links_before=$(links)
check "a killed recorder leaves nothing" killed_recorder
check "one recorder at a time" one_at_a_time
check "a flight recorder is reported, and leaves nothing" flight_recorder
check "auto is the module if that is loaded" chosen_by_itself
check "with the module loaded, stamps are the TSC" clock_of_module
check "both at once: each says who records, status shows both" both_at_once
check "users other than root get a message" refused_to_others
check "who may not load programs gets one message, and leaves no lock" forbidden
check "the lock goes with a recording" lock_goes
check "bpftool alone loads and attaches" by_bpftool
if [ -n "$LONG" ]; then
	check "ovnik stop takes away what was never used" ovnik stop --backend bpf
	check "and leaves nothing" nothing_left
	check "bpftool loads once more" by_bpftool
fi
check "ovnik drains what bpftool has attached" drained
check "and with each capture the filter is another" filtered_anew
check "ovnik stop takes it away" ovnik stop --backend bpf
check "and leaves nothing" nothing_left
finish

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bpf-lib.sh - for guest-lib.sh to source: its functions with the BPF back end
#
# There are no files to write to: "ovnik start" leaves pinned probes, and "ovnik stop"
# takes them away (see bpf-capture). Stamps are CLOCK_MONOTONIC.

# shellcheck disable=SC2034,SC2154 # used in guest-lib.sh, and set there
:

trace_clock=mono
export OVNIK_CLOCK=monotonic
stats=$bpf/cpus
bpf_option=-b
# Loading takes seconds in which ftrace records already.
trace_scale=3
cp /host/build/ovnik /host/tools/selftests/lib/bpf-capture "$work/bin/" ||
	bail "no ovnik, see make tools"
enable_switch="!sh $work/bin/bpf-capture $bpf"
snapshot_switch="$enable_switch snapshot"

# Not by its own name: for ftrace a script is the program, for us its interpreter.
bpf_capture()
{
	sh "$work/bin/bpf-capture" "$bpf" "$@"
}

load_module()
{
	bpf_capture new
}

unload()
{
	bpf_capture remove
}

set_file()
{
	case $1 in
	snapshot) bpf_capture snapshot ;;
	*) bpf_capture set "$1" "$2" ;;
	esac
}

get_file()
{
	case $1 in
	recorded | lost | bytes) bpf_capture "$1" ;;
	events/*) bpf_capture "${1##*/}" "$(echo "$1" | cut -d / -f 2)" ;;
	*) bail "what is $1 with BPF?" ;;
	esac
}

start()
{
	bpf_capture 1 || bail "the capture does not start"
}

stop()
{
	bpf_capture 0 || bail "the capture does not stop"
}

# bytes SIZE - 4K as 4096
bytes()
{
	case $1 in
	*K) echo $((${1%K} << 10)) ;;
	*M) echo $((${1%M} << 20)) ;;
	*) echo "$1" ;;
	esac
}

# Sub-buffers of 16 KiB are the smallest, and there are no more than 16, but for rings
# that are larger still. So a test that asks for smaller ones gets as many as it asks
# for, and a test that asks for more gets its bytes.
configure()
{
	size=$(bytes "$1")
	subbuf=$(bytes "$2")
	subbufs=$((size / subbuf))
	if [ "$subbuf" -lt 16384 ] && [ "$subbufs" -le 16 ]; then
		size=$((subbufs * 16384))
	fi
	bpf_capture set buffer_size "$size"
	bpf_capture set mode "$3"
}

record_only()
{
	bpf_capture set events "$(echo "$*" | tr ' ' ,)"
}

# record_start OPTION... - "ovnik record" in the background, as $recorder; it has begun
record_start()
{
	rm -rf "$bpf/parts" "$bpf/cpus" "$work/begun"
	mkdir -p "$bpf/parts"
	# shellcheck disable=SC2016 # for the inner ones
	sh -c 'renice -n -20 -p $$ >/dev/null; exec ovnik record --no-selftest --backend bpf "$@"' sh \
		-o "$bpf/parts/0000" -e "$(cat "$bpf/events")" -b "$(cat "$bpf/buffer_size")" \
		"$@" -- sh -c "echo >$work/begun; exec sleep 10000" >"$work/recorder.log" 2>&1 &
	recorder=$!
	echo $recorder >>"$loads"
	wait_until test -e "$work/begun" || bail "the recorder does not begin"
}

# It ends, with or without losses.
record_stop()
{
	kill -TERM "$recorder"
	wait "$recorder"
	result=$?
	cat "$work/recorder.log"
	[ "$result" = 0 ] || [ "$result" = 4 ] && bpf_capture stats
}

possible_cpus()
{
	for dir in /sys/devices/system/cpu/cpu[0-9]*; do
		echo "${dir##*/}"
	done
}

read_all()
{
	bpf_capture read "$1"
}

# Loading all takes several seconds; this is for tests that do it often.
record_compared()
{
	record_only sched_switch sched_wakeup sched_wakeup_new sched_migrate task_fork \
		task_exec task_exit task_comm task_mm mm_exit cpu_hotplug
}

clock_now()
{
	clock now
}

# Around what switches on and off in ovnik: after bpf_rings_reset() nothing comes but
# the settings and that, and then the statedump; what switches off is a function, and
# then sub-buffers are closed.
trace_marks()
{
	program=$work/bin/ovnik
	{
		echo "r:ovniktest/rings $program:$(symbol "$program" bpf_rings_reset)"
		echo "p:ovniktest/rings_off $program:$(symbol "$program" bpf_switch_off)"
		echo "p:ovniktest/rings_end $program:$(symbol "$program" bpf_probes_iterate)"
		echo "p:ovniktest/rings_end $program:$(symbol "$program" bpf_rings_close_all)"
	} >>"$tracing/uprobe_events" || bail "ftrace cannot mark start and stop"
	trace_events ovniktest/rings ovniktest/rings_off ovniktest/rings_end
}

trace_marks_off()
{
	for event in rings rings_off rings_end; do
		echo "-:ovniktest/$event"
	done >>"$tracing/uprobe_events"
}

compare_with_trace()
{
	compare -b -t "$instance" -c "$(possible_cpus | wc -l)" -s "$stats" "$@"
}

# Of several parts, what meta.json says of the CPUs' files would be about the last only.
save()
{
	read_all "$1"
	set -- "$1" "$bpf"/parts/*
	if [ $# = 2 ]; then
		cp "$2/meta.json" "$1"
		return
	fi
	capture=$1
	while [ $# -gt 1 ]; do
		shift
	done
	sed '/^  "cpus":/,/^  \],/d; /^  "checksum":/d' "$1/meta.json" >"$capture/meta.json"
}

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest-lib.sh - for the tests in guest/ to source: the module, ftrace, the load
#
# Whatever happens, no module, no load and no tracing is left after the test.
#
# guest/bpf-NAME.sh is a link to guest/NAME.sh: the same test with the BPF back end,
# for which bpf-lib.sh has its own of the functions here.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../tap.sh"

programs=/host/build/selftests/guest
ovnik=/sys/kernel/ovnik
tracing=/sys/kernel/tracing
instance=$tracing/instances/ovniktest
trace_clock=x86-tsc
trace_scale=1
# With PREEMPT_RT, interrupts are threads: more switches.
! uname -v | grep -q PREEMPT_RT || trace_scale=2
# All that happens is in one buffer.
[ "$(nproc)" -gt 1 ] || trace_scale=2
stats=$ovnik/cpus
# For programs that must know it.
bpf_option=
# For programs that switch the capture themselves, see guest/common/switch.h.
enable_switch=$ovnik/enable
snapshot_switch=$ovnik/snapshot

# Are the checkers checked, too? They seldom change, and it takes long.
: "${MUTATE=$LONG}"

case ${0##*/} in
bpf-*) backend=bpf ;;
*) backend=module ;;
esac

work=$(mktemp -d)
# In files, for a function that check calls is a subshell.
loads=$work/loads
# Of bpf-capture.
bpf=$work/bpf
plugger=$work/plugger
: >"$loads"

# Something the test cannot go on without has failed.
bail()
{
	echo "Bail out! $*"
	exit 1
}

# From 9p it takes long to load what is large, and each time again; and the files
# may be replaced under our hands. The first test in a guest copies the programs for all.
kept=/tmp/guest-programs
if [ ! -d "$kept" ]; then
	rm -rf "$kept.new"
	mkdir "$kept.new"
	cp "$programs"/* "$kept.new" || bail "no programs, see make tests"
	mv "$kept.new" "$kept"
fi
mkdir "$work/bin"
cp -l "$kept"/* "$work/bin/" || bail "no programs"
release=$(uname -r)
cp /host/build/kmod/ovnik.ko "$work/" || bail "no module, see make kmod"
if ! grep -q "vermagic=$release " "$work/ovnik.ko"; then
	cp "/host/build/$release/kmod/ovnik.ko" "$work/" ||
		bail "no module for $release, see make kmod KDIR="
fi
PATH=$work/bin:$PATH
export PATH

# A CPU that does not answer any more is to say where it is.
echo 1 >/proc/sys/kernel/softlockup_all_cpu_backtrace

clean_up()
{
	stop_hotplug
	stop_loads
	trace_off
	unload
	rm -rf "$work"
}

trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# load_with PARAMETER=VALUE...
load_with()
{
	insmod "$work/ovnik.ko" "$@" || bail "insmod $*"
}

load_module()
{
	insmod "$work/ovnik.ko" || bail "insmod"
}

# A capture of page faults keeps the module, and so does one that has not ended.
unload()
{
	if [ -d /sys/module/ovnik ]; then
		echo 0 >"$ovnik/enable"
		wait_until rmmod ovnik
	fi
}

# set_file FILE VALUE - below /sys/kernel/ovnik
set_file()
{
	echo "$2" >"$ovnik/$1"
}

get_file()
{
	cat "$ovnik/$1"
}

start()
{
	echo 1 >"$ovnik/enable" || bail "the capture does not start"
}

stop()
{
	echo 0 >"$ovnik/enable" || bail "the capture does not stop"
}

# configure SIZE SUBBUF MODE - in an order that is legal all the way
configure()
{
	if ! set_file buffer_size 1G || ! set_file subbuf_size "$2" ||
		! set_file buffer_size "$1" || ! set_file mode "$3"; then
		bail "cannot configure $*"
	fi
}

# record_only EVENT... - and what the recorder cannot do without
record_only()
{
	for file in "$ovnik"/events/*/enable; do
		echo 0 >"$file"
	done 2>/dev/null
	for event; do
		set_file "events/$event/enable" 1 || bail "no event $event"
	done
}

# record_compared - of events that compare knows not: those that are no trouble
record_compared()
{
	:
}

# What the capture's clock says.
clock_now()
{
	cut -d ' ' -f 1 "$ovnik/clock/now"
}

# What runs in the background must not hold the pipe of a check that has failed.

# A worker of load.c in the background.
start_load()
{
	load "$@" >/dev/null 2>&1 &
	echo $! >>"$loads"
}

# start_under_load WORKER... - start a capture among these. Among a load a start takes seconds, which
# ftrace records, too: but for LONG, they begin behind it. guest/nest and filter start among theirs.
start_under_load()
{
	if [ -n "$LONG" ]; then
		start_load "$@"
		start
	else
		start
		start_load "$@"
	fi
}

# reader.c in the background; its process is $reader.
start_reader()
{
	reader "$@" >"$work/reader.log" 2>&1 &
	# shellcheck disable=SC2034 # for the tests
	reader=$!
	echo $! >>"$loads"
}

stop_loads()
{
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done <"$loads"
	: >"$loads"
}

possible_cpus()
{
	for dir in "$ovnik"/cpus/cpu*; do
		echo "${dir##*/}"
	done
}

# read_all DIR - what the data files hold now, as DIR/cpuN.ovk and DIR/dump.ovk
read_all()
{
	mkdir -p "$1"
	rm -f "$1/dump.ovk"	# of another capture
	if [ "$(get_file mode)" = overwrite ]; then
		cat /dev/ovnik/dump >"$1/dump.ovk" || return
	fi
	for cpu in $(possible_cpus); do
		cat "/dev/ovnik/$cpu" >"$1/$cpu.ovk" || return
	done
}

# recorded EVENT
recorded()
{
	get_file "events/$1/recorded"
}

lost()
{
	get_file "events/$1/lost"
}

# Of all events, or of the one that is given.
nothing_lost()
{
	[ "$(get_file lost)" = 0 ] && return
	show_lost
	return 1
}

show_lost()
{
	sed -n 's/^[[:space:]]*EV([0-9]*, \([a-z_]*\),.*/\1/p' /host/kmod/include/uapi/ovnik_events.h |
	while read -r event; do
		count=$(lost "$event") && [ "$count" != 0 ] && echo "$event: $count"
	done
}

# seen EVENT - recorded or lost
seen()
{
	echo $(($(recorded "$1") + $(lost "$1")))
}

# holds PROCESS - it has a data file open, or mapped
holds()
{
	grep -q /dev/ovnik "/proc/$1/maps" && return
	for fd in "/proc/$1"/fd/*; do
		case $(readlink "$fd") in
		/dev/ovnik/*) return ;;
		esac
	done
	return 1
}

# asleep PROCESS
asleep()
{
	grep -q '^State:.S' "/proc/$1/status"
}

# wait_until COMMAND... - ten minutes at most, for the host may be busy with something else
wait_until()
{
	tries=3000
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		usleep 200000
	done
}

cpu1_online=/sys/devices/system/cpu/cpu1/online

# CPU 1 goes and comes until stop_hotplug.
start_hotplug()
{
	while :; do
		echo 0 >"$cpu1_online"
		usleep 100000
		echo 1 >"$cpu1_online"
		usleep 150000
	done >/dev/null 2>&1 &
	echo $! >"$plugger"
}

stop_hotplug()
{
	[ -e "$plugger" ] || return 0
	read -r pid <"$plugger"
	kill "$pid"
	wait "$pid" 2>/dev/null
	rm "$plugger"
	echo 1 >"$cpu1_online" 2>/dev/null
	[ "$(cat "$cpu1_online")" = 1 ]
}

# Can programs of BPF be put around what the module hooks? A debug kernel has no BTF.
can_take()
{
	[ -e "$programs/taken.bpf.o" ] && [ -e /sys/kernel/btf/vmlinux ] && command -v bpftool >/dev/null
}

# trace_prepare KIBIBYTES - an instance of ftrace of our own, with our clock
trace_prepare()
{
	mkdir "$instance" || bail "no ftrace instance"
	echo 0 >"$instance/tracing_on"
	echo "$trace_clock" >"$instance/trace_clock"
	echo $(($1 * trace_scale)) >"$instance/buffer_size_kb" || bail "no memory for ftrace"
}

# trace_events EVENT... - ftrace records these from now on
trace_events()
{
	for event; do
		echo 1 >"$instance/events/$event/enable" || bail "ftrace has no $event"
	done
	echo 1 >"$instance/tracing_on"
}

# The marks ovniktest/rings and rings_end are before and after what switches all
# CPUs' rings on, or off. The module has no place for a kprobe, so that they are
# around the kernel's function that it calls for this.
trace_marks()
{
	{
		echo 'p:ovniktest/rings on_each_cpu_cond_mask func=%si'
		echo 'r:ovniktest/rings_end on_each_cpu_cond_mask'
	} >>"$tracing/kprobe_events" || bail "ftrace cannot mark start and stop"
	awk '$3 == "ovnik_ring_start" || $3 == "ovnik_ring_stop" {
		printf "%sfunc == 0x%s", nr++ ? " || " : "", $1
	}' /proc/kallsyms >"$work/filter"
	cat "$work/filter" >"$instance/events/ovniktest/rings/filter" ||
		bail "the module has no ovnik_ring_start and ovnik_ring_stop"
	trace_events ovniktest/rings ovniktest/rings_end
}

trace_marks_off()
{
	for event in rings rings_end; do
		echo "-:ovniktest/$event"
	done >>"$tracing/kprobe_events"
}

# ftrace records what we do, from now on
trace_on()
{
	trace_prepare 32768
	echo 'p:ovniktest/exec_mm security_bprm_committing_creds' >>"$tracing/kprobe_events" ||
		bail "ftrace cannot mark execs"
	trace_marks
	trace_events sched/sched_waking sched/sched_switch sched/sched_wakeup sched/sched_wakeup_new \
		sched/sched_migrate_task sched/sched_process_exec sched/sched_process_exit \
		task/task_rename task/task_newtask mmap/exit_mmap ovniktest/exec_mm
}

# It keeps what it has, for compare.
trace_pause()
{
	echo 0 >"$instance/tracing_on"
}

trace_off()
{
	[ -d "$instance" ] || return 0
	echo 0 >"$instance/tracing_on"
	echo 0 >"$instance/events/enable"
	rmdir "$instance"
	[ -d "$tracing/events/ovniktest" ] || return 0
	trace_marks_off
	echo "-:ovniktest/exec_mm" >>"$tracing/kprobe_events"
}

# compare_with_trace [OPTION]... FILE...
compare_with_trace()
{
	# Such a kernel (7.x) may preempt a task between ftrace's probe and ours.
	if grep -qs lazy /sys/kernel/debug/sched/preempt; then
		set -- -l "$@"
	fi
	compare -t "$instance" -c "$(possible_cpus | wc -l)" -s "$stats" "$@"
}

# save DIR - what was captured, as a capture directory
save()
{
	/host/build/ovnik snapshot -o "$1"
}

if [ "$backend" = bpf ]; then
	# shellcheck source=bpf-lib.sh
	. "$(dirname "$0")/../lib/bpf-lib.sh"
fi

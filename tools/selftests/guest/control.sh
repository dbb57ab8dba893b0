#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every file in /sys/kernel/ovnik/ and every parameter: what is legal works, what
# is not is refused with the right errno and changes nothing.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317 # called through check
. "$(dirname "$0")/../lib/guest-lib.sh"

# From the kernel's errno-base.h.
EACCES=13
EBUSY=16
EINVAL=22

# settings - all that can be set, to see whether something has changed
settings()
{
	(
		cd "$ovnik" && grep . buffer_size subbuf_size mode filter_pid filter_children refs \
			enable events/*/enable
	)
}

# Several values are one result: poke_all STATUS FILE VALUE...
poke_all()
{
	expected=$1
	file=$2
	shift 2
	settings >"$work/before"
	for value; do
		# Not spelled out by the caller, for it would be in the diagnostics.
		case $value in
		LONG) value=$(printf '%05000d' 1) ;;
		BLANKS) value=4M$(printf '%5000s' '') ;;
		esac
		poke "$ovnik/$file" "$value"
		status=$?
		if [ "$status" != "$expected" ]; then
			printf '%s <- "%.60s": status %s\n' "$file" "$value" "$status"
			return 1
		fi
		[ -z "$LONG" ] || unchanged || return
	done
	unchanged
}

# All settings are read in a third of a second.
unchanged()
{
	if [ "$expected" != 0 ] && ! settings | cmp -s - "$work/before"; then
		printf '%s <- "%.60s" has changed something\n' "$file" "$value"
		return 1
	fi
}

# takes FILE VALUE RESULT [VALUE RESULT]...
takes()
{
	file=$1
	shift
	while [ $# -gt 0 ]; do
		if ! poke "$ovnik/$file" "$1" || [ "$(get_file "$file")" != "$2" ]; then
			printf '%s <- "%s" makes it "%s"\n' "$file" "$1" "$(get_file "$file")"
			return 1
		fi
		shift 2
	done
}

# refuses FILE VALUE...
refuses()
{
	poke_all "$EINVAL" "$@" && return
	# What was taken must not be the ruin of the tests to come.
	set_file enable 0
	set_file filter_children 1
	set_file filter_pid ''
	for event in "$ovnik"/events/*/enable; do
		echo 1 >"$event"
	done
	configure 1M 512K discard
	return 1
}

newline='
'

modes_are_right()
{
	find "$ovnik" -type f -exec stat -c '%a %u:%g %n' {} + | awk '
		{ expected = 400 }
		/\/(enable|buffer_size|subbuf_size|mode|filter_pid|filter_children|owner|refs)$/ {
			expected = 600
		}
		/\/snapshot$/ { expected = 200 }
		$1 != expected || $2 != "0:0" { print; bad = 1 }
		END { exit bad || NR < 50 }' || return
	[ "$(stat -c '%a %u:%g' /dev/ovnik/* | sort -u)" = "600 0:0" ] &&
		[ "$(stat -c '%F' /dev/ovnik/* | sort -u)" = "character special file" ] &&
		[ ! -e /sys/module/ovnik/parameters ]
}

# Whatever the mode of a file may be: does it let others in?
others_get_nothing()
{
	for file in "$ovnik/enable" "$ovnik/recorded" "$ovnik/clock/now" /dev/ovnik/cpu0; do
		if setpriv --nnp true 2>/dev/null &&
			su nobody -s /bin/sh -c "cat $file" >/dev/null 2>&1; then
			echo "nobody reads $file"
			return 1
		fi
	done
	chmod 755 "$work"
	su nobody -s /bin/sh -c "$work/bin/poke $ovnik/enable 1"
	[ $? = "$EACCES" ]
}

# Each file that can be read gives something, and a line.
all_readable()
{
	find "$ovnik" -type f ! -name snapshot | while read -r file; do
		if ! cat "$file" >"$work/value" || [ ! -s "$work/value" ]; then
			echo "$file"
			exit 1
		fi
	done
}

is_numbers()
{
	for file; do
		grep -Eqx '[0-9]+( [0-9]+)*' "$ovnik/$file" || return
	done
}

sizes_and_modes()
{
	configure 4M 256K discard
	check "buffer_size takes sizes" takes buffer_size 8M 8388608 "512K$newline" 524288 \
		1G 1073741824 1048576 1048576
	check "subbuf_size takes powers of two" takes subbuf_size 4096 4096 8K 8192 \
		"512K$newline" 524288
	check "mode takes both" takes mode overwrite overwrite "discard$newline" discard
	check "filter_children takes both" takes filter_children 0 0 1 1
	check "refs takes each" takes refs all all tree tree "off$newline" off
	check "filter_pid takes pids" takes filter_pid 1 1 "1,$$" "1 $$" "1 $$$newline" "1 $$" \
		"$newline" ""

	check "buffer_size refuses what is no size" refuses buffer_size "$newline" x -1 -4M \
		" 4M" "4M x" 4MM 4.5M 0x LONG BLANKS K
	check "buffer_size refuses what cannot be" refuses buffer_size 0 1 4096 524288 \
		1048577 1572863 1025G 2G 1073745920
	check "buffer_size refuses what is over 64 bits" refuses buffer_size \
		18446744073709551615 18446744073710600192 17179869185G
	check "subbuf_size refuses what is no size" refuses subbuf_size "$newline" x -1 -4096 \
		4Kx LONG
	check "subbuf_size refuses what cannot be" refuses subbuf_size 0 1 2048 4095 4097 \
		12288 32M 1M 4294971392 4G
	check "subbuf_size refuses what is over 64 bits" refuses subbuf_size \
		18446744073709555712 17592186044417M
	check "refs refuses others" refuses refs "$newline" 0 1 of offs "off all" All
	check "mode refuses others" refuses mode "$newline" x 0 discar discards "over write" \
		DISCARD LONG
}

switches()
{
	for file in enable filter_children events/sched_switch/enable; do
		check "$file refuses what is neither 0 nor 1" refuses $file "$newline" 2 -1 x
		check "$file refuses more than a 0 or 1" refuses $file 10 0x1 1x "0 1" nothing \
			yesterday LONG
	done
	check "snapshot refuses all but 1" refuses snapshot "$newline" 0 2 -1 x
	check "snapshot does nothing while no capture runs" poke "$ovnik/snapshot" 1
	check "filter_pid refuses what is no pid" refuses filter_pid x 1x 0 -1 "1 x" 1.5 "1;2" \
		4194305 99999999999 LONG
	check "filter_pid refuses a process that is not there" refuses filter_pid 4194000 \
		"1 4194000"
	check "filter_pid refuses more than 64" refuses filter_pid "$(yes 1 | head -n 65 | tr '\n' ' ')"
	start_load futex
	check "filter_pid refuses a thread" thread_is_refused
	stop_loads
	for event in anchor dump_task dump_end cpu_hotplug; do
		check "$event cannot be switched off" refuses "events/$event/enable" 0
	done
	check "an event can be switched off and on" takes events/task_exec/enable 0 0 1 1
}

# The tid of some thread that is not its process's first.
find_thread()
{
	for dir in /proc/[0-9]*/task/*; do
		tid=${dir##*/}
		process=${dir#/proc/}
		[ "$tid" = "${process%%/*}" ] || return 0
	done
	return 1
}

thread_is_refused()
{
	wait_until find_thread || return
	poke "$ovnik/filter_pid" "$tid"
	[ $? = "$EINVAL" ]
}

while_capturing()
{
	start
	check "enable is 1 while capturing" test "$(get_file enable)" = 1
	check "enable refuses a second start" poke_all "$EBUSY" enable 1
	check "buffer_size is busy" poke_all "$EBUSY" buffer_size 8M 4M
	check "subbuf_size is busy" poke_all "$EBUSY" subbuf_size 64K 256K
	check "mode is busy" poke_all "$EBUSY" mode overwrite discard
	check "filter_pid is busy" poke_all "$EBUSY" filter_pid 1 "$newline"
	check "filter_children is busy" poke_all "$EBUSY" filter_children 0 1
	check "refs is busy" poke_all "$EBUSY" refs off all tree
	check "an event is busy" poke_all "$EBUSY" events/sched_switch/enable 0 1
	check "wrong values are refused all the same" poke_all "$EINVAL" buffer_size x 1 0
	check "all files can be read while capturing" all_readable
	check "snapshot works" poke "$ovnik/snapshot" 1
	stop
	check "a second stop is no error" poke "$ovnik/enable" 0
	check "an open data file keeps its memory" busy_when_open
	read_all "$work/control"
	check "what was captured is right" examine -a "$work"/control/*.ovk
}

busy_when_open()
{
	(
		poke_all "$EBUSY" buffer_size 8M && poke_all "$EBUSY" subbuf_size 64K
	) </dev/ovnik/cpu1
}

# Events that are off are not there, the others are.
chosen_events()
{
	set_file events/sched_switch/enable 0
	set_file events/task_mm/enable 0
	start
	load fork=5 exec=5
	stop
	set_file events/sched_switch/enable 1
	set_file events/task_mm/enable 1
	[ "$(recorded sched_switch)$(recorded task_mm)" = 00 ] &&
		[ "$(recorded task_fork)" -ge 10 ] && [ "$(recorded task_exec)" -ge 5 ] &&
		[ "$(recorded mm_exit)" -ge 10 ]
}

# The session is a time, and another one each time.
sessions_differ()
{
	first=$(get_file session)
	start
	second=$(get_file session)
	stop
	now=$(date +%s)
	[ "$second" -gt "$first" ] && [ "$((second / 1000000000))" -le "$now" ] &&
		[ "$((second / 1000000000))" -ge "$((now - 600))" ] &&
		[ "$(get_file session)" = "$second" ]
}

# with_parameters CHECK PARAMETER... - loaded so, CHECK holds
with_parameters()
{
	condition=$1
	shift
	insmod "$work/ovnik.ko" "$@" || return
	eval "$condition"
	result=$?
	unload && return "$result"
}

# Not even a message of the kernel's own about something left.
parameter_refused()
{
	! insmod "$work/ovnik.ko" "$@" 2>"$work/error" &&
		grep -q "[Ii]nvalid" "$work/error" &&
		[ ! -e "$ovnik" ] && [ ! -e /dev/ovnik ] && [ ! -e /sys/module/ovnik ] &&
		[ ! -e /sys/class/ovnik ] && ! grep -q ovnik /proc/devices
}

parameters()
{
	# shellcheck disable=SC2016 # for eval
	check "without parameters nothing runs" with_parameters '[ "$(get_file enable)" = 0 ]'
	# shellcheck disable=SC2016 # for eval
	check "parameters are accepted" with_parameters '
		[ "$(get_file buffer_size) $(get_file subbuf_size)" = "131072 8192" ] &&
		[ "$(get_file mode)" = overwrite ] && [ "$(get_file filter_pid)" = 1 ] &&
		[ "$(get_file events/task_fork/enable)" = 1 ] &&
		[ "$(get_file events/sched_switch/enable)" = 1 ] &&
		[ "$(get_file events/task_exec/enable)" = 0 ] &&
		[ "$(get_file events/dump_task/enable)" = 1 ]' \
		buffer_size=128K subbuf_size=8192 mode=overwrite filter_pid=1 events=sched,task_fork
	# shellcheck disable=SC2016
	check "enable=1 captures at once" with_parameters '
		[ "$(get_file enable)" = 1 ] && load fork=3 &&
		[ "$(recorded sched_switch)" -gt 0 ] && [ "$(recorded task_fork)" -gt 3 ]' \
		enable=1 buffer_size=1M subbuf_size=64K
	wrong="enable=x buffer_size=100000 subbuf_size=3000 mode=x events=sched,x filter_pid=4194000"
	[ -z "$LONG" ] || wrong="$wrong buffer_size=x buffer_size=0 subbuf_size=32M
		subbuf_size=4294971392 mode= events=x events= events=sched, filter_pid=x
		filter_pid=0 buffer_size= subbuf_size="
	for parameter in $wrong; do
		check "insmod refuses $parameter" parameter_refused "$parameter" enable=1
	done
	check "a kernel without one of its hooks costs the event" without_hook \
		shmem_add_to_page_cache shmem_add_to_page_cachx lacks_page_add
	check "one without what the filter needs refuses it" without_hook \
		task_newtask task_newtasx is_refused
	check "after all that it can be loaded" with_parameters true
}

# without_hook NAME OTHER COMMAND - the name of a hook is altered, so that no kernel has it
without_hook()
{
	respell "$1" "$2" "$work/ovnik.ko" >"$work/lacking.ko" || return
	"$3"
	result=$?
	unload && return "$result"
}

is_refused()
{
	! insmod "$work/lacking.ko" 2>"$work/error" &&
		grep -q "Operation not supported\|[Ii]nvalid" "$work/error" &&
		dmesg | grep -q "ovnik: this kernel has nothing to hook called task_newtasx"
}

# Nor is it recorded by its other hooks.
lacks_page_add()
{
	insmod "$work/lacking.ko" || return
	[ "$(get_file lack)" = "page_add shmem_add_to_page_cachx" ] || return
	dmesg | grep -q "ovnik: page_add is not recorded" || return
	! set_file events/page_add/enable 1 2>/dev/null || return
	/host/build/ovnik record --no-selftest -o "$work/lacking" -- load exec=3 2>"$work/log"
	[ "$(recorded task_exec)" -ge 3 ] && [ "$(seen page_add)" = 0 ] &&
		grep "warning: no page_add: .* called shmem_add_to_page_cachx" "$work/log" &&
		tr -d ' \n' <"$work/lacking/meta.json" |
		grep -q '"lack":\[{"events":\["page_add"\],"reason":"thiskernelhasnothing'
}

# Give the file something to read: data CPUs have been captured.
fill_files()
{
	start
	load pipe=500 fork=5 move=10
	"$@"
	stop
}

protocol()
{
	configure 256K 16K discard
	for test in map-write map-bounds map-fork open-twice stream bad-buffer hangup; do
		fill_files true
		check "data file: $test" reader "$test" /dev/ovnik/cpu0
	done
	fill_files check "data file: nonblock, while capturing" reader nonblock /dev/ovnik/cpu0
	fill_files check "data file: open-twice, while capturing" reader open-twice /dev/ovnik/cpu1
	start_load pipe cross timer
	fill_files check "data file: garbage in the control page" reader garbage /dev/ovnik/cpu0
	set_file mode overwrite
	fill_files check "data file: no map in overwrite mode" reader no-map /dev/ovnik/cpu1
	stop_loads
	set_file mode discard
	fill_files true
	check "the control page is whole again" reader map-bounds /dev/ovnik/cpu0
	configure 4M 256K discard
	configure 256K 16K discard
	fill_files true
	read_all "$work/after"
	check "the next capture is as it should be" examine -a "$work"/after/*.ovk
}

# In overwrite mode the same can be read again and again.
read_sizes()
{
	set_file mode overwrite
	fill_files true
	cat /dev/ovnik/cpu0 >"$work/cat.cpu0"
	check "something was captured" check_status_of_file
	for size in 1 1000 4095 65536 1000000; do
		dd if=/dev/ovnik/cpu0 bs=$size of="$work/dd.cpu0" 2>/dev/null
		check "reads of $size bytes" cmp "$work/cat.cpu0" "$work/dd.cpu0"
	done
	reader poll /dev/ovnik/cpu0 "$work/poll.cpu0" 777
	check "poll and reads of 777 bytes" cmp "$work/cat.cpu0" "$work/poll.cpu0"
	check "who keeps the file open reads the next capture as others do" read_next_capture
	set_file mode discard
}

read_next_capture()
{
	exec 3</dev/ovnik/cpu0
	cat <&3 >"$work/first.cpu0" && fill_files true && cat <&3 >"$work/next.cpu0" || return
	exec 3<&-
	cat /dev/ovnik/cpu0 >"$work/others.cpu0"
	[ -s "$work/first.cpu0" ] && cmp "$work/next.cpu0" "$work/others.cpu0"
}

check_status_of_file()
{
	cp "$work/cat.cpu0" "$work/cpu0.ovk" && examine -o -n 1 "$work/cpu0.ovk"
}

# A reader that sleeps is woken by data and by the end.
blocking_read()
{
	start
	cat /dev/ovnik/cpu0 >"$work/cpu0.ovk" 2>/dev/null &
	cat=$!
	load pipe=500 fork=5
	wait_until holds "$cat" && wait_until asleep "$cat" || return
	stop
	wait "$cat" && examine -a -n 1 "$work/cpu0.ovk"
}

both_readers()
{
	start
	start_reader mmap /dev/ovnik/cpu0 "$work/cpu0.ovk"
	first=$reader
	start_reader poll /dev/ovnik/cpu1 "$work/cpu1.ovk" 10000
	second=$reader
	load pipe=1500 cross=500 fork=5
	stop
	wait "$first" && wait "$second" && examine -a -n 2 "$work"/cpu?.ovk
}

# Of a ring of so many sub-buffers that one is opened while they are added up.
added_up_while_recording()
{
	start
	start_load pipe
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		cat "$ovnik/cpus/cpu0/stats"
	done >"$work/stats" &
	sums=$!
	if ! wait_until ended "$sums"; then
		echo "the sums do not come to an end"
		stop_loads
		return 1
	fi
	stop_loads
	stop
	awk '$1 == "sched_switch" {
		if ($2 + $3 < last)
			print "less than before:", last, $0
		last = $2 + $3
		n++
	}
	END { if (n != 10) print n, "sums instead of 10" }' "$work/stats" >"$work/wrong"
	cat "$work/wrong"
	[ ! -s "$work/wrong" ]
}

ended()
{
	! kill -0 "$1" 2>/dev/null
}

# Without ftrace a capture of nothing but returns of functions would be empty.
refused_without_ftrace()
{
	echo 0 >/proc/sys/kernel/ftrace_enabled || return
	echo 1 >"$ovnik/enable"
	status=$?
	echo 1 >/proc/sys/kernel/ftrace_enabled
	[ "$status" != 0 ] && [ "$(get_file enable)" = 0 ]
}

ftrace_stays_on()
{
	start
	! echo 0 >/proc/sys/kernel/ftrace_enabled
	status=$?
	stop
	return "$status"
}

load_module
check "modes and owners" modes_are_right
check "others get nothing" others_get_nothing
check "all files can be read" all_readable
check "numbers are numbers" is_numbers recorded lost bytes session format_version \
	clock/tsc_khz clock/now clock/constant_tsc clock/nonstop_tsc clock/trusted \
	cpus/cpu0/bytes events/sched_switch/recorded
sizes_and_modes
switches
configure 4M 256K discard
while_capturing
check "only the chosen events are recorded" chosen_events
check "each capture has a session of its own" sessions_differ
for event in munmap page_fault_end file_close; do
	record_only $event
	check "only $event: refused while ftrace is off" refused_without_ftrace
	check "only $event: ftrace cannot be switched off" ftrace_stays_on
done
# What readers do does not depend on what is recorded; to hook all takes a second.
record_only sched_switch sched_wakeup task_fork task_exec
protocol
read_sizes
check "a blocking read gets all" blocking_read
check "mmap and poll get all" both_readers
configure 64M 4K overwrite
check "added up while it records" added_up_while_recording
configure 4M 256K discard
unload
parameters
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels that lack what some probes need: those events are left out, with one line that says
# why, and the others are recorded. What the kernel says of itself is edited for that, and
# bound over the file: /proc/kallsyms and the BTF.
#
# It takes over a minute: each way in which a kernel lacks something is a start of BPF of its own.

# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2119,SC2120,SC2317 # called through check
. "$(dirname "$0")/../tap.sh"

work=$(mktemp -d)
program=/host/build/ovnik
trap clean_up EXIT

clean_up()
{
	umount /proc/kcore /proc/kallsyms /sys/kernel/btf/vmlinux /sys/kernel/btf 2>/dev/null
	[ ! -e /sys/fs/bpf/ovnik ] || "$program" stop --backend bpf
	rm -rf "$work"
}

recorded_of()	# EVENT: sum over the CPUs, from meta.json
{
	awk -v event="\"$1\":" '/^  "events":/ { exit } $1 ~ "^" event { inside = 1 }
		inside && /"recorded"/ { sub(/.*:/, ""); sum += $0; inside = 0 }
		END { print sum + 0 }' "$work/cap/meta.json"
}

record()	# OPTION...
{
	rm -rf "$work/cap"
	"$program" record --no-selftest --backend bpf "$@" -o "$work/cap" -- \
		sh -c "cp /host/build/ovnik $work/file; mv $work/file $work/other; rm $work/other" \
		>"$work/log" 2>&1
	status=$?
	cat "$work/log"
	[ "$status" = 0 ] || [ "$status" = 4 ]
}

# only EVENT... - these and no others are left out
only()
{
	sed -n 's/^ovnik: warning: no \(.*\): .*$/\1/p' "$work/log" | sed 's/: .*//' | tr -d ' ' |
		tr ',' '\n' | sort >"$work/found"
	printf '%s\n' "$@" | sort | diff "$work/found" -
}

says()	# TEXT of one line
{
	[ "$(grep -c "$1" "$work/log")" = 1 ]
}

some_of()
{
	for event; do
		[ "$(recorded_of "$event")" -gt 0 ] || { echo "no $event"; return 1; }
	done
}

# Where memory is mapped, as the probes know it: vmemmap and page_offset.
bases()
{
	"$program" start --no-selftest --backend bpf -e sched_switch >/dev/null 2>&1
	bpftool map dump pinned /sys/fs/bpf/ovnik/maps/_data_config | tr -d '\n' |
		sed 's/.*"vmemmap": \([0-9]*\).*"page_offset": \([0-9]*\).*/\1 \2/'
	"$program" stop --backend bpf >/dev/null
}

# The unit of waker_tid of sched_wakeup, which is the first event that has one.
unit_of_waker()
{
	grep -A 4 '"name": *"waker_tid"' "$work/cap/meta.json" |
		sed -n 's/.*"unit": *"\(.*\)".*/\1/p' | head -n 1
}

same_bases()
{
	found=$(bases)
	echo "$found instead of $bases"
	[ "$found" = "$bases" ]
}

bases=$(bases)
echo "# memory is mapped at $bases"
check "the addresses are known" test "${bases#0}" = "$bases" -a -n "$bases"

check "a kernel that lacks nothing: it is recorded" record -e sched
check "who wakes a task is known" test "$(unit_of_waker)" = waker

# As without CONFIG_KALLSYMS_ALL.
grep ' [tTwW] ' /proc/kallsyms >"$work/kallsyms"
mount --bind "$work/kallsyms" /proc/kallsyms
check "a kernel that names functions only: it is recorded" record
check "but for copies on write" only cow_break
check "and the line says what would help" says 'no cow_break: .*CONFIG_KALLSYMS_ALL'
check "it warns of paths" says 'a path may be wrong'
check "who wakes a task is not known, and the capture says so" test "$(unit_of_waker)" = tid
check "the others are there" some_of sched_switch sched_wakeup page_add page_remove task_fork \
	task_mm file_open file_read file_delete mmap_file dump_vma dump_end
check "memory is where it is" same_bases

# Nor is it known from there: bpftool loads all the same, and asks nobody.
mount --bind /dev/null /proc/kcore
pins=/sys/fs/bpf/ovnik
bpftool prog loadall "/host/build/bpf/$(uname -r | cut -d . -f 1-2)/ovnik.bpf.o" "$pins" \
	autoattach pinmaps "$pins/maps" >"$work/log" 2>&1
explain <"$work/log"
check "probes that bpftool loaded record" record
check "but for page frames that cannot be known" test "$(recorded_of page_add)" = 0
check "and the line says why" says 'no .*page_add.*: there is no /proc/kcore'
check "so does the capture" grep -q 'there is no /proc/kcore' "$work/cap/meta.json"
check "the others are there" some_of sched_switch file_open file_read
"$program" stop --backend bpf >/dev/null
umount /proc/kcore
umount /proc/kallsyms

# A function that is inlined, or has another name.
/host/build/selftests/guest/respell fentry/evict fentry/evicx "$program" >"$work/ovnik"
chmod +x "$work/ovnik"
program=$work/ovnik
check "a kernel without a function: it is recorded" record -e sched,file
check "but for what needs it" only file_delete
check "and the line says which" says 'no file_delete: this kernel has no function evicx()'
check "the others are there" some_of file_open file_close file_read
explain <"$work/log"
program=/host/build/ovnik

# As in 6.6: unmap_vmas() gets a ma_state.
other_arguments()
{
	/host/build/selftests/guest/respell maple_tree maple_trex /sys/kernel/btf/vmlinux >"$work/btf"
	mount --bind "$work/btf" /sys/kernel/btf/vmlinux
	check "a function with other arguments: it is recorded" record -e sched,munmap,mmap_anon
	check "but for what needs it" only munmap
	check "and the line says which" says 'unmap_vmas() is not .*argument 2 is maple_trex\*, not maple_tree\*'
	check "no such event is recorded" test "$(recorded_of munmap)" = 0
	check "the others are there" some_of sched_switch mmap_anon
	umount /sys/kernel/btf/vmlinux
}

other_arguments

# A program that the verifier refuses: it looks for a mapping where there is a program.
/host/build/selftests/guest/respell iter/task_vma iter/bpf_prog "$program" >"$work/ovnik"
chmod +x "$work/ovnik"
program=$work/ovnik
check "a program that the verifier refuses: it is recorded" record -e sched,dump
check "but for what needs it" only dump_mm dump_vma
check "and the line says which, and why" says 'the kernel refuses the probe ovnik_dump_vmas (.*context.*); the module may work'
check "the others are there" some_of sched_switch dump_task dump_end
explain <"$work/log"
program=/host/build/ovnik

# One that all events need: what the verifier says has many lines.
cp "$program" "$work/ovnik"
for at in $(strings -n 3 -t d "$program" | awk '$2 == "GPL" && NF == 2 { print $1 }'); do
	printf XPL | dd of="$work/ovnik" bs=1 seek="$at" conv=notrunc 2>/dev/null
done
program=$work/ovnik
record -e sched_switch >/dev/null
check "if all is refused, it fails" test "$status" = 1
check "and says why" grep -q '^ovnik: error: libbpf: .*GPL' "$work/log"
check "in lines" test "$(grep -c 'x0a' "$work/log")" = 0
explain <"$work/log"
program=/host/build/ovnik

mount -t tmpfs none /sys/kernel/btf
record >/dev/null
check "a kernel without BTF: the message says so" says 'there is no /sys/kernel/btf/vmlinux.*CONFIG_DEBUG_INFO_BTF'
check "in one line" test "$(wc -l <"$work/log")" = 1
umount /sys/kernel/btf
finish

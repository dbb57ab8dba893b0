# SPDX-License-Identifier: GPL-2.0-only
#
# families.awk -v json=FILE - make a table from what guest/families.sh prints, and check it
#
# Used after windows.awk. Fails if the recorded events are not those that the workload
# caused, or if something was lost.

BEGIN {
	title["W9"] = "first write to a page of memory; an operation is a page"
	title["W6"] = "a child writes to what it shares; an operation is a page"
	title["W2"] = "fork, exit, wait"
	title["W2m"] = "fork of a process with 1000 mappings, exit, wait"
	title["W8"] = "a page of a file in ext4 is written, then truncated"
	title["W8t"] = "a page of a file in tmpfs is written, then truncated"
	title["W3"] = "read and write of a byte, ramfs; an operation is one of them"
	title["W4"] = "open and close, ramfs, a path of 4 names and 27 bytes"
	title["W4m"] = "the same of 256 files in turn: no path is remembered"
	title["W4r"] = "the same, and before that a rename of another file"
	title["W5"] = "mmap, touch, munmap of a page of memory"
	title["W5f"] = "mmap, touch, munmap of a page of a file in ramfs"
	operations["W3"] = 2

	name["none"] = "nothing"
	name["ovnik_loaded"] = "ovnik loaded, not recording"
	name["ovnik_sched"] = "ovnik sched, these families off"
	name["ovnik_fault"] = "ovnik page_fault"
	name["ovnik_fault_both"] = "ovnik page_fault, page_fault_end"
	name["ovnik_break"] = "ovnik cow_break"
	name["ovnik_dup"] = "ovnik vma_dup"
	name["ovnik_cow"] = "ovnik cow, all events"
	name["ovnik_page_add"] = "ovnik page_add"
	name["ovnik_page_remove"] = "ovnik page_remove"
	name["ovnik_cache"] = "ovnik pagecache, all events"
	name["ovnik_rw"] = "ovnik file_read, file_write"
	name["ovnik_open"] = "ovnik file_open"
	name["ovnik_close"] = "ovnik file_close"
	name["ovnik_file"] = "ovnik file, all events"
	name["ovnik_munmap"] = "ovnik munmap"
	name["ovnik_mm"] = "ovnik mm, all events"
	name["bpf_fault"] = "ovnik BPF page_fault"
	name["bpf_fault_both"] = "ovnik BPF page_fault, page_fault_end"
	name["bpf_break"] = "ovnik BPF cow_break"
	name["bpf_cache"] = "ovnik BPF pagecache, all events"
	name["bpf_rw"] = "ovnik BPF file_read, file_write"
	name["bpf_open"] = "ovnik BPF file_open"
	name["bpf_close"] = "ovnik BPF file_close"
	name["bpf_mm"] = "ovnik BPF mm, all events"
	name["ftrace_fault"] = "ftrace page_fault_user"
	name["ftrace_fault_both"] = "ftrace page_fault_user, kretprobe"
	name["ftrace_break"] = "ftrace function wp_page_copy"
	name["ftrace_cache"] = "ftrace mm_filemap_*"
	name["ftrace_rw"] = "ftrace sys_enter, sys_exit"
	name["ftrace_open"] = "ftrace sys_enter, sys_exit of openat"
	name["ftrace_file"] = "ftrace the same, and of close"
	name["ftrace_mm"] = "ftrace sys_enter, sys_exit"

	# Events of ftrace and of the probes in a round.
	per_round["bpf_fault"] = 1
	per_round["bpf_fault_both"] = 2
	per_round["bpf_break"] = 1
	per_round["bpf_cache"] = 2
	per_round["bpf_rw"] = 2
	per_round["bpf_open"] = 1
	per_round["bpf_close"] = 1
	per_round["bpf_mm"] = 2
	per_round["ftrace_fault"] = 1
	per_round["ftrace_fault_both"] = 2
	per_round["ftrace_break"] = 1
	per_round["ftrace_cache"] = 2
	per_round["ftrace_rw"] = 4
	per_round["ftrace_open"] = 2
	per_round["ftrace_file"] = 4
	per_round["ftrace_mm"] = 4

	# Aims: instructions per event or per operation.
	event_aim["ovnik_fault"] = event_aim["ovnik_cache"] = 110
	event_aim["ovnik_dup", "W2m"] = 250
	event_aim["bpf_mm", "W5"] = 700
	operation_aim["ovnik_fault_both"] = 110
	operation_aim["ovnik_page_add"] = 100
	operation_aim["ovnik_munmap"] = 110
	operation_aim["ovnik_file", "W3"] = 200
	operation_aim["ovnik_open", "W4"] = 250
	operation_aim["ovnik_mm", "W5f"] = 900
	operation_aim["bpf_break"] = 700
	operation_aim["bpf_open", "W4"] = 1200
	operation_aim["bpf_mm", "W5f"] = 2000
}

function check(what, known)
{
	checked++
	if (f[what] != known)
		complain(whence() what " is " f[what] ", the workload did " known)
}

# How often an event occurred in the window; reading the counters reads files, too.
function did(event)
{
	return f["did_" event] + (event ~ /^file_(begin|read)$/ ? f["own_reads"] : 0)
}

{
	recorded = 0
	for (word in f) {
		if (word ~ /^rec_sched_/)
			recorded += f[word]
		else if (word ~ /^rec_/) {
			check(word, did(substr(word, 5)))
			recorded += f[word]
		}
	}
	if ("rec_sched_switch" in f)
		check("rec_sched_switch", f["switches"])
	if ("entries" in f) {
		# tmpfs does not report what it adds.
		known = workload == "W8t" ? 1 : per_round[tracer]
		check("entries", f["rounds"] * known)
		check("overrun", 0)
		recorded = f["entries"]
	}
	# They are read only at the end.
	if (tracer ~ /^bpf_/ && "rounds" in f) {
		recorded = f["rounds"] * per_round[tracer]
		expected[key] += recorded
	}
	if (f["repetition"])
		keep_window(recorded)
}

# aimed TRACER WORKLOAD - the aim and whether it was reached, or nothing
function aimed(tracer, workload, per_operation, per_event, noise,	aim, is, which)
{
	which = tracer
	if ((tracer, workload) in event_aim || (tracer, workload) in operation_aim)
		which = tracer SUBSEP workload
	if (which in event_aim) {
		aim = event_aim[which]
		is = per_event
		unit = "/event"
	} else if (which in operation_aim) {
		aim = operation_aim[which]
		is = per_operation
		unit = "/op"
	} else if (tracer == "ovnik_loaded" || tracer == "ovnik_sched") {
		aim = noise
		is = per_operation < 0 ? -per_operation : per_operation
		unit = "noise"
	} else {
		return ""
	}
	verdict = is <= aim ? "reached" : "missed"
	return (unit == "noise" ? unit : aim unit) " " verdict
}

function row(tracer, workload,	key, ops, per_operation, per_event, noise, rate, size, aim)
{
	key = tracer SUBSEP workload
	if (!(key in nr))
		return
	compare(tracer, workload)
	if (key in expected && total[key] < expected[key])
		complain(name[tracer] ", " workload ": " total[key] \
			 " events, the workload caused " expected[key])
	ops = rounds[workload] * (workload in operations ? operations[workload] : 1)
	per_operation = added_middle / ops
	noise = spread / ops
	rate = mean_events / ops
	if (tracer == "none") {
		printf "  %-35s %8s %8s %7.1f\n", name[tracer], "-", "-", noise
		per_event = size = aim = ""
	} else if (tracer == "ovnik_loaded" || tracer == "ovnik_sched") {
		# The cost of sched's events has its own part.
		aim = aimed(tracer, workload, per_operation, 0, noise)
		printf "  %-35s %8.1f %8s %7.1f %7s %7s  %s\n", name[tracer], per_operation, "-",
		       noise, "-", "-", aim
		per_event = size = ""
	} else {
		per_event = added_middle / mean_events
		size = bytes[key] / total[key]
		aim = aimed(tracer, workload, per_operation, per_event, noise)
		printf "  %-35s %8.1f %8.1f %7.1f %7.2f %7.1f  %s\n", name[tracer],
		       per_operation, per_event, noise, rate, size, aim
	}
	printf "%s\n    {\"tracer\": \"%s\", \"workload\": \"%s\", \"rounds\": %d, " \
	       "\"operations\": %d, \"repetitions\": %d, \"events\": %.1f, " \
	       "\"insn_min\": %.0f, \"insn_median\": %.0f, \"insn_max\": %.0f, " \
	       "\"added_per_operation\": %.2f, \"added_per_operation_min\": %.2f, " \
	       "\"noise_per_operation\": %.2f, \"added_per_event\": %s, " \
	       "\"event_bytes\": %s, \"aim\": \"%s\"}", comma, tracer, workload,
	       rounds[workload], ops, nr[key], mean_events, least, middle, most,
	       per_operation, added_least / ops, noise,
	       per_event == "" ? "null" : sprintf("%.2f", per_event),
	       size == "" ? "null" : sprintf("%.2f", size), aim >json
	comma = ","
}

END {
	if (!nr_workloads) {
		complain("nothing was measured")
		exit 1
	}
	print "Guest instructions (not cycles) that recording one family adds."
	printf "Kernel %s, one CPU, QEMU -icount shift=0, nobody reads meanwhile.\n", kernel
	printf "{\n  \"unit\": \"guest instructions\",\n  \"kernel\": \"%s\",\n  \"rows\": [", kernel >json
	for (w = 1; w <= nr_workloads; w++) {
		workload = workloads[w]
		one("none" SUBSEP workload)
		printf "\n%s: %s, %d rounds of %.0f instructions\n", workload, title[workload],
		       rounds[workload], middle / rounds[workload]
		printf "  %-35s %8s %8s %7s %7s %7s  %s\n", "", "+/op", "+/event", "noise",
		       "ev/op", "event B", "aim"
		for (t = 1; t <= nr_tracers; t++)
			row(tracers[t], workload)
		for (key in missing) {
			split(key, of, SUBSEP)
			if (of[2] == workload)
				printf "  %-35s left out: ftrace of this kernel does not offer %s\n",
				       name[of[1]], missing[key]
		}
	}
	printf "\n  ]\n}\n" >json

	print ""
	print "+/op, +/event  middle window less the same of \"nothing\", per operation (a round"
	print "               unless said otherwise) and per recorded event"
	print "noise          largest minus least window of \"nothing\", per operation"
	print "ev/op          events recorded per operation"
	print "event B        bytes of a record, of ftrace's as its stats say"
	print "aim            see Documentation/performance.rst; noise: no more than that, in either direction"
	print ""
	if (failed) {
		print "FAILED: events are missing or too many, see above."
		exit 1
	}
	printf "Checked: %d counts of events are those of what the workloads did; nothing was\n", checked
	print "lost; the CPU was never idle."
}

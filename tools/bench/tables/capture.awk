# SPDX-License-Identifier: GPL-2.0-only
#
# capture.awk -v json=FILE - make a table from what guest/capture.sh prints, and check it
#
# Used after windows.awk. Fails if a tracer's count of events differs from the kernel's
# own, or if something was lost: the costs would not be those of recording.

BEGIN {
	title["W1"] = "futex ping-pong of two threads"
	title["W1p"] = "pipe ping-pong of two threads"
	title["W2"] = "fork, exit, wait"
	title["W7"] = "fork, exec, exit, wait"

	name["none"] = "nothing"
	name["ovnik_loaded"] = "ovnik loaded, not recording"
	name["ovnik_switch_discard"] = "ovnik sched_switch, discard"
	name["ovnik_switch_overwrite"] = "ovnik sched_switch, overwrite"
	name["ovnik_all_discard"] = "ovnik all events, discard"
	name["ovnik_all_overwrite"] = "ovnik all events, overwrite"
	name["ovnik_bpf_switch_discard"] = "ovnik BPF sched_switch, discard"
	name["ovnik_bpf_switch_overwrite"] = "ovnik BPF sched_switch, overwrite"
	name["ovnik_bpf_all_discard"] = "ovnik BPF all events, discard"
	name["ringbuf"] = "BPF ring buffer, bare"
	name["ftrace"] = "ftrace sched_switch"
	name["ftrace_nocmd"] = "ftrace sched_switch, no record-cmd"
	name["perf"] = "perf sched_switch, overwrite"

	# Aims: instructions per event.
	aim["ovnik_switch_discard", "W1"] = aim["ovnik_switch_overwrite", "W1"] = 57
	aim["ovnik_bpf_switch_discard", "W1"] = aim["ovnik_bpf_switch_overwrite", "W1"] = 330
}

# The kernel's counts in the window must equal what was recorded in it.
function check(what, known)
{
	if (!(what in f))
		return
	checked[what]++
	if (f[what] != known)
		complain(whence() what " is " f[what] \
			 ", the kernel counted " known)
}

{
	all_switches[key] += f["switches"]
	check("rec_switches", f["switches"])
	check("rec_forks", f["forks"])
	check("rec_execs", workload == "W7" ? f["rounds"] : 0)
	check("lost", 0)
	# Events that were recorded, or would have been.
	if (f["repetition"])
		keep_window("recorded" in f ? f["recorded"] : f["switches"])
}

function row(tracer, workload,	key, record, buffer, min, med, noise)
{
	key = tracer SUBSEP workload
	if (!(key in nr))
		return
	compare(tracer, workload)
	min = added_least / mean_events
	med = added_middle / mean_events
	noise = spread / mean_events
	buffer = key in total ? bytes[key] / total[key] : ""
	record = key in switch_bytes ? switch_bytes[key] : ""
	if (tracer == "none") {
		printf "  %-34s %8.0f %9s %9s %8.1f %8s %8s\n", name[tracer], mean_events,
		       "-", "-", noise, "-", "-"
	} else {
		printf "  %-34s %8.0f %9.1f %9.1f %8.1f %8s %8s%s\n", name[tracer], mean_events,
		       min, med, noise, number("%.1f", record), number("%.1f", buffer),
		       !(key in aim) ? "" : "  " aim[key] (med <= aim[key] ? " reached" : " missed")
	}
	printf "%s\n    {\"tracer\": \"%s\", \"workload\": \"%s\", \"rounds\": %d, " \
	       "\"repetitions\": %d, \"events\": %.1f, \"insn_min\": %.0f, " \
	       "\"insn_median\": %.0f, \"insn_max\": %.0f, \"added_min\": %.2f, " \
	       "\"added_median\": %.2f, \"noise\": %.2f, \"switch_bytes\": %s, " \
	       "\"buffer_bytes\": %s}", comma, tracer, workload, rounds[workload], nr[key],
	       mean_events, least, middle, most, min, med, noise,
	       record == "" ? "null" : sprintf("%.2f", record),
	       buffer == "" ? "null" : sprintf("%.2f", buffer) >json
	comma = ","
	# perf cannot be asked during the run, so its start and end are included.
	if (key in total && total[key] < all_switches[key])
		complain(name[tracer] ", " workload ": " total[key] " events, the kernel counted " \
			 all_switches[key] " switches")
}

END {
	if (!nr_workloads) {
		complain("nothing was measured")
		exit 1
	}
	print "Guest instructions (not cycles) that recording adds per recorded event."
	printf "Kernel %s, one CPU, QEMU -icount shift=0, nobody reads meanwhile.\n", kernel
	printf "{\n  \"unit\": \"guest instructions\",\n  \"kernel\": \"%s\",\n  \"rows\": [", kernel >json
	for (w = 1; w <= nr_workloads; w++) {
		workload = workloads[w]
		one("none" SUBSEP workload)
		printf "\n%s: %s, %d rounds of %.0f instructions\n", workload, title[workload],
		       rounds[workload], middle / rounds[workload]
		printf "  %-34s %8s %9s %9s %8s %8s %8s  aim\n", "", "events", "+min", "+median",
		       "noise", "switch B", "event B"
		for (t = 1; t <= nr_tracers; t++)
			row(tracers[t], workload)
	}
	printf "\n  ]\n}\n" >json

	print ""
	print "+min, +median  least and middle window against the same of \"nothing\", per event"
	print "noise          largest minus least window of \"nothing\", per event"
	print "switch B       bytes of a sched_switch record"
	print "event B        bytes of an event of the whole recording, headers and what says how"
	print "               the system was at its start included (perf: its file)"
	print "not recording, BPF  per switch, recorded or that would have been"
	print "perf           records forks, execs and maps, too: they are in +min and event B"
	print ""
	print "BPF ring buffer, bare: a probe that does no more than write switches into it"
	print ""
	print "aim            median, W1; a record has at most 16 bytes, by BPF 24"
	print ""
	if (failed) {
		print "FAILED: events are missing or too many, see above."
		exit 1
	}
	printf "Checked: in %d windows the switches recorded are those in /proc/stat, in %d\n" \
	       "the forks, in %d the execs; nothing was lost; the CPU was never idle.\n",
	       checked["rec_switches"], checked["rec_forks"], checked["rec_execs"]
	print "Perf and BPF, which are asked only at their end, had at least as many in each run."
}

# SPDX-License-Identifier: GPL-2.0-only
#
# compile.awk -v json=FILE - make a table from what guest/compile.sh prints, and check it
#
# Used after windows.awk. Fails if a count of events is not the kernel's own, if a capture
# has not the records that its description says, or if something was lost.

BEGIN {
	name["none"] = "nothing"
	name["ovnik_all"] = "ovnik, all events"
	name["ovnik_recorder"] = "ovnik, all events, with recorder"
	name["ovnik_sched"] = "ovnik sched"
	name["ovnik_task"] = "ovnik task"
	name["ovnik_mm"] = "ovnik mm"
	name["ovnik_cow"] = "ovnik cow"
	name["ovnik_pagecache"] = "ovnik pagecache"
	name["ovnik_file"] = "ovnik file"
	name["bpf_all"] = "ovnik BPF, all events"
	name["bpf_recorder"] = "ovnik BPF, all events, with recorder"
	name["ftrace"] = "ftrace, similar events"
	name["perf"] = "perf, similar events, with recorder"

	# The driver, the compiler and the assembler.
	execs_per_file = 3

	# Aims: what may be added, in percent.
	aim["ovnik_recorder"] = 0.5
	aim["bpf_recorder"] = 1.0
}

function check(what, known)
{
	if (!(what in f))
		return
	checked++
	if (f[what] != known)
		complain(whence() what " is " f[what] ", not " known)
}

"repetition" in f {
	check("rec_switches", f["switches"])
	check("rec_forks", f["forks"])
	check("rec_execs", execs_per_file * f["rounds"])
	check("lost", 0)
	if (tracer ~ /^ovnik/ && !("lost" in f))
		complain(whence() "nothing says how many events were lost in the window")
	switched[key] = f["switches"]
	recorded[key] = f["recorded"]
	keep_window(f["recorded"])
	next
}

# By what percentage of a compile with nothing
function percent(instructions)
{
	return 100 * instructions / base
}

function nothing(key,	i)
{
	for (i = 1; i <= nr[key]; i++)
		printf "  %-37s %9.1f %8.2f\n", name["none"], insn[key, i] / 1e6,
		       percent(insn[key, i] - base)
}

function row(tracer,	key, n, verdict)
{
	key = tracer SUBSEP "WC"
	if (!(key in nr))
		return
	if (!(key in total)) {
		complain(name[tracer] ": nothing says how many events there were")
		return
	}
	compare(tracer, "WC")
	# Asked only at its end: what was recorded before and after is included.
	n = mean_events ? mean_events : total[key]
	if (tracer ~ /^(bpf|ftrace|perf)/ && total[key] < switched[key])
		complain(name[tracer] ": " total[key] " events, the kernel counted " \
			 switched[key] " switches")
	verdict = !(tracer in aim) ? "" : "  " aim[tracer] \
		(percent(added_middle) <= aim[tracer] ? " reached" : " missed")
	printf "  %-37s %9.1f %8.2f %8d %8.1f %8s%s\n", name[tracer], middle / 1e6,
	       percent(added_middle), n, added_middle / n,
	       number("%.1f", bytes[key] / total[key]), verdict
	printf "%s\n    {\"tracer\": \"%s\", \"workload\": \"WC\", \"rounds\": %d, " \
	       "\"events\": %d, \"insn_median\": %.0f, \"added_percent\": %.3f, " \
	       "\"added_per_operation\": %.0f, \"noise_per_operation\": %.0f}", comma, tracer,
	       rounds["WC"], n, middle, percent(added_middle), added_middle / rounds["WC"],
	       spread / rounds["WC"] >json
	comma = ","
}

END {
	if (!nr_workloads) {
		complain("nothing was measured")
		exit 1
	}
	one("none" SUBSEP "WC")
	base = middle
	print "Guest instructions (not cycles) that recording adds to a whole compile."
	printf "Kernel %s, one CPU, QEMU -icount shift=0.\n", kernel
	printf "{\n  \"unit\": \"guest instructions\",\n  \"kernel\": \"%s\",\n  \"rows\": [", kernel >json
	printf "\nWC: %d files of C by gcc -O2, four at once, all in tmpfs\n", rounds["WC"]
	printf "  %-37s %9s %8s %8s %8s %8s  aim\n", "", "M insn", "+%", "events", "+/event",
	       "event B"
	nothing("none" SUBSEP "WC")
	for (t = 1; t <= nr_tracers; t++) {
		if (tracers[t] != "none")
			row(tracers[t])
	}
	printf "\n  ]\n}\n" >json

	print ""
	print "M insn         millions of instructions of the compile, with all that the tracer does"
	print "               on the same CPU meanwhile, the recorder that writes included"
	print "+%             more than the middle one of \"nothing\"; what these differ by is noise"
	print "events         recorded in the compile; BPF, ftrace, perf: and just before and after"
	print "aim            +%"
	print ""
	if (failed) {
		print "FAILED: events are missing or too many, see above."
		exit 1
	}
	printf "Checked: %d counts; nothing was lost; the CPU was never idle.\n", checked
}

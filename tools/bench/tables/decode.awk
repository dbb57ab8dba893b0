# SPDX-License-Identifier: GPL-2.0-only
#
# decode.awk -v json=FILE - make tables from what parts/20-decode.sh measured
#
# A line is a row, its words are separated by tabs: what is decoded, into what, events,
# instructions or "-", seconds of user time or "-", KiB of memory or "-".

BEGIN {
	FS = "\t"

	# Aims: instructions an event.
	small = "2 CPUs, 8 tasks"
	aim[small, "capture -> ovni"] = 350
	aim[small, "capture -> laplace"] = 400
	aim[small, "capture -> prv"] = 2400
	aim[small, "capture -> xray"] = 400
	tasks = "4 CPUs, 2000 tasks"
	aim[tasks, "capture -> ovni"] = 440
	aim[tasks, "capture -> laplace"] = 400
	aim[tasks, "capture -> prv"] = 3200
	aim[tasks, "capture -> xray"] = 400
	cpus = "64 CPUs, 1000 tasks"
	aim[cpus, "capture -> ovni"] = 500
	aim[cpus, "capture -> laplace"] = 400
	aim[cpus, "capture -> prv"] = 3200
	aim[cpus, "capture -> xray"] = 400
	traced = "8 CPUs, 200 tasks, traced"
	aim[traced, "capture -> csv"] = 18670
	aim[traced, "capture -> five and the database"] = 17000
	emulator = "the emulator alone"
	aim[emulator, "2 threads, 2 CPUs, without startup"] = 650
	aim[emulator, "1000 threads, 64 CPUs, without startup"] = 800
	aim[emulator, "10000 threads, 64 CPUs, without startup"] = 850
	# How many times as fast as the first row of that table.
	clock = "ovni,laplace,prv by the clock"
	faster[clock, "--jobs 2"] = 1.7
	faster[clock, "two decoders at once"] = ""

	print "Decoding: instructions (callgrind, the whole program) per event, events per second"
	print "of user time on this machine, peak memory."
	printf "{\n  \"unit\": \"instructions\",\n  \"rows\": [" >json
}

function speedup(times, aim)
{
	return sprintf("%.2f times", times) \
	       (aim == "" ? "" : ", " aim (times >= aim ? " reached" : " missed"))
}

$1 != table {
	table = $1
	first = $5 == "-" ? 0 : $3 / $5
	printf "\n%-42s %9s %10s %12s %9s  %s\n", table, "events", "insn/event", "M events/s",
	       "peak MiB", "aim"
}

{
	per_event = $4 == "-" ? "" : $4 / $3
	verdict = ""
	if (per_event != "" && ($1, $2) in aim)
		verdict = aim[$1, $2] (per_event <= aim[$1, $2] ? " reached" : " missed")
	if (($1, $2) in faster)
		verdict = speedup($3 / $5 / first, faster[$1, $2])
	printf "  %-40s %9d %10s %12s %9s%s\n", $2, $3,
	       per_event == "" ? "-" : sprintf("%.0f", per_event),
	       $5 == "-" ? "-" : sprintf("%.3f", $3 / $5 / 1e6),
	       $6 == "-" ? "-" : sprintf("%.1f", $6 / 1024), verdict == "" ? "" : "  " verdict
	printf "%s\n    {\"output\": \"%s\", \"capture\": \"%s\", \"events\": %d, " \
	       "\"per_event\": %s, \"seconds\": %s, \"kib\": %s, \"aim\": \"%s\"}", comma,
	       $2, $1, $3, per_event == "" ? "null" : sprintf("%.2f", per_event),
	       $5 == "-" ? "null" : sprintf("%.3f", $5), $6 == "-" ? "null" : $6, verdict >json
	comma = ","
}

END {
	printf "\n  ]\n}\n" >json
}

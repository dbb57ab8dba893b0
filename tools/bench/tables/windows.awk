# SPDX-License-Identifier: GPL-2.0-only
#
# windows.awk - reads what guest/lib.sh prints, for all tables
#
# Used before the table's own rules. Every line becomes f[WORD] = VALUE. Each tracer's
# windows are compared with those of "none" in the same guest.

function complain(what)
{
	printf "report: %s\n", what >"/dev/stderr"
	failed = 1
}

# Of the values of array a from 1 to n.
function sort(a, n,	i, j, v)
{
	for (i = 2; i <= n; i++) {
		v = a[i]
		for (j = i - 1; j && a[j] > v; j--)
			a[j + 1] = a[j]
		a[j + 1] = v
	}
}

function median(a, n)
{
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

# number FORMAT VALUE, or a dash
function number(format, value)
{
	return value == "" ? "-" : sprintf(format, value)
}

# The tracer's name, and where it was seen.
function whence()
{
	return name[f["tracer"]] ", " f["workload"] ": "
}

# Keep a window's figures and how much was recorded in it.
function keep_window(recorded,	n)
{
	n = ++nr[key]
	insn[key, n] = f["insn"]
	events[key] += recorded
	if (f["idle"])
		complain(whence() "the CPU was idle in the window")
}

# least, middle, most, mean_events: of a tracer's windows
function one(key,	a, i)
{
	for (i = 1; i <= nr[key]; i++)
		a[i] = insn[key, i]
	sort(a, nr[key])
	least = a[1]
	most = a[nr[key]]
	middle = median(a, nr[key])
	mean_events = events[key] / nr[key]
}

# added_least, added_middle: instructions that a tracer adds to a window; spread:
# by how much the windows without one differ
function compare(tracer, workload,	base_least, base_middle)
{
	one("none" SUBSEP workload)
	base_least = least
	base_middle = middle
	spread = most - least
	one(tracer SUBSEP workload)
	added_least = least - base_least
	added_middle = middle - base_middle
}

{
	delete f
	for (i = 1; i <= NF; i++) {
		at = index($i, "=")
		value = substr($i, at + 1)
		f[substr($i, 1, at - 1)] = value ~ /^[0-9]+$/ ? value + 0 : value
	}
}

"kernel" in f {
	kernel = f["kernel"]
	next
}

# A tracer that has nothing to measure with on this kernel.
"left_out" in f {
	missing[f["left_out"], f["workload"]] = f["missing"]
	next
}

# What programs say for users.
!("tracer" in f) {
	next
}

{
	tracer = f["tracer"]
	workload = f["workload"]
	key = tracer SUBSEP workload
}

# A tracer's totals over all repetitions.
!("repetition" in f) {
	total[key] = f["total"]
	bytes[key] = f["buffer_bytes"]
	if ("switch_bytes" in f)
		switch_bytes[key] = f["switch_bytes"] / f["switches"]
	if (!("total_lost" in f))
		complain(whence() "nothing says how many events were lost")
	else if (f["total_lost"] != 0)
		complain(whence() f["total_lost"] " events lost")
	if ("decoded" in f && f["decoded"] != f["total"])
		complain(whence() f["decoded"] " records, the capture should have " f["total"])
	next
}

!(workload in rounds) {
	rounds[workload] = f["rounds"]
	workloads[++nr_workloads] = workload
}

!(tracer in seen) {
	seen[tracer] = 1
	tracers[++nr_tracers] = tracer
}

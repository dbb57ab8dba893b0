# SPDX-License-Identifier: GPL-2.0-only
#
# races.awk - the console of a guest without the data races of the kernel itself
#
# KCSAN reports those, too. Ours is a report with a function of a module in either stack, or
# about an address where modules are; and one that is not whole or has a line that is not
# known here. Of any other its own lines become empty, so that lines keep their numbers.
# An interrupt is no part of what it has interrupted, as a module waits at a watchpoint: below
# its entry a stack does not count. Where a module races with an interrupt it is in the other one.
# Nor do the callers of ktime_get_mono_fast_ns(): it reads what others write, and again if they
# did (a latch), which kernels before 6.13 do not mark.

function flush_report(drop,	i)
{
	for (i = 1; i <= nr; i++)
		print drop ? "" : report[i]
	nr = 0
}

# Is this a line that a report has, without the time?
function known(text)
{
	return text == "" || text ~ /^BUG: KCSAN: data-race in [^ ]+( \/ [^ ]+)?$/ ||
		text ~ /^(race at unknown origin, with )?(read|write|read-write)( \((marked|reordered|marked, reordered)\))? to 0x[0-9a-f]+ of [0-9]+ bytes by (task [0-9]+|interrupt) on cpu [0-9]+:$/ ||
		text ~ /^ [^ ]+\+0x[0-9a-f]+\/0x[0-9a-f]+$/ ||
		text ~ /^  (\||\+-> reordered to: [^ ]+)$/ ||
		text ~ /^value changed: 0x[0-9a-f]+ -> 0x[0-9a-f]+$/ ||
		text ~ /^ bits changed: 0x[0-9a-f]+ with mask 0x[0-9a-f]+$/ ||
		text == "Reported by Kernel Concurrency Sanitizer on:" ||
		text ~ /^(CPU: [0-9]+ PID: |Hardware name: )/
}

function module_frame(text)
{
	return text ~ /^ [^ ]+\+0x[0-9a-f]+\/0x[0-9a-f]+ \[[A-Za-z0-9_]+\]$/
}

# In a kernel without KASLR, modules are from here on.
function of_module(text)
{
	return text ~ /\[[A-Za-z0-9_]+\]$/ || text ~ / to 0xffffffff[a-f]/
}

{
	line = $0
	sub(/\r$/, "", line)
	text = line
	sub(/^\[ *[0-9]+\.[0-9]+\] ?/, "", text)
}

text ~ /^=+$/ {
	if (nr > 1 && !ours) {
		report[++nr] = line
		flush_report(1)
		next
	}
	flush_report(0)
	report[++nr] = line
	ours = 0
	next
}

nr == 1 && text !~ /^BUG: KCSAN: / {
	flush_report(0)
}

text ~ / by (task [0-9]+|interrupt) on cpu / {
	below = 0
}

text ~ /^ (asm_(sysvec_[a-z_]+|common_interrupt|exc_nmi)|ktime_get_mono_fast_ns)\+/ {
	below = 1
}

nr {
	if (!(below && module_frame(text)) && (!known(text) || of_module(text)))
		ours = 1
	report[++nr] = line
	next
}

{
	print line
}

END {
	flush_report(0)
}

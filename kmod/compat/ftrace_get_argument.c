// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ftrace.h>

unsigned long probe(struct ftrace_regs *fregs);
unsigned long probe(struct ftrace_regs *fregs)
{
	return ftrace_regs_get_argument(fregs, 0);
}

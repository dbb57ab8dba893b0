// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ftrace.h>

int probe(struct ftrace_ops *ops, unsigned long addr);
int probe(struct ftrace_ops *ops, unsigned long addr)
{
	return unregister_ftrace_direct(ops, addr, false);
}

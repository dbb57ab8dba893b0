// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ftrace.h>

int probe(struct ftrace_ops *ops, unsigned long ip, enum ftrace_ops_cmd cmd);
int probe(struct ftrace_ops *ops, unsigned long ip, enum ftrace_ops_cmd cmd)
{
	ops->ops_func = probe;
	return 0;
}

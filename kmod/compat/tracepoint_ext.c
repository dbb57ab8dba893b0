// SPDX-License-Identifier: GPL-2.0-only
#include <linux/tracepoint.h>

const void *probe(const struct tracepoint *tp);
const void *probe(const struct tracepoint *tp)
{
	return tp->ext;
}

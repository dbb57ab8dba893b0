// SPDX-License-Identifier: GPL-2.0-only
/* In place of names.c where libelf was missing: no binary can be read. */
#include <errno.h>
#include <string.h>

#include "xray/names.h"

static int names_open(struct xray_names *n, const char *path, void (*say)(const char *fmt, ...))
{
	memset(n, 0, sizeof(*n));
	say("%s: this ovnik-decode was built without libelf, and cannot read names of functions",
	    path);
	return -ENOTSUP;
}

static bool names_get(const struct xray_names *n, u32 function, char *to)
{
	(void)n;
	(void)function;
	(void)to;
	return false;
}

static void names_close(struct xray_names *n)
{
	memset(n, 0, sizeof(*n));
}

const struct xray_names_ops xray_names_elf = {
	.open = names_open,
	.get = names_get,
	.close = names_close,
};

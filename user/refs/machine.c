// SPDX-License-Identifier: GPL-2.0-only
/* Logs of references are of QEMU's x86 alone: pages are as in format.h. */
#include <errno.h>
#include <string.h>

#include "refs/format.h"
#include "refs/machine.h"
#include "util/msg.h"

/* Under setarch(8), uname(2) says i686. */
static bool is_x86(const char *machine)
{
	return !*machine || !strcmp(machine, "x86_64") || !strcmp(machine, "i686");
}

int refs_check_machine(const struct capture *cap)
{
	const struct meta *meta = &cap->meta;

	if (is_x86(meta->machine) && meta_page_size(meta) == 1U << REFS_PAGE_SHIFT)
		return 0;
	msg_error("%s: is of %s with pages of %u bytes, but references are logged of x86_64 with pages of %u only",
		  cap->dir, *meta->machine ? meta->machine : "x86_64", meta_page_size(meta),
		  1U << REFS_PAGE_SHIFT);
	return -EINVAL;
}

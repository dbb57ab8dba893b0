// SPDX-License-Identifier: GPL-2.0-only
/*
 * requests cpuN.ovk... - the requests of AIO and io_uring, in the order in which they ended, as
 * fuseload prints what it has done
 */
#include <err.h>
#include <stdio.h>

#include "common/capture.h"
#include "common/merge.h"

static struct events all;

static void print_request(const struct event *event)
{
	const struct ovnik_file_read *rec = event->record;	/* a write has the same fields */

	if (rec->op == OVNIK_OP_AIO || rec->op == OVNIK_OP_URING)
		printf("%s %s %lld %u\n", event->kind == OVNIK_EV_file_read ? "read" : "write",
		       rec->op == OVNIK_OP_AIO ? "aio" : "uring", (long long)rec->offset, rec->tid);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		errx(2, "usage: requests cpuN.ovk...");
	load_merged(&all, argv + 1);
	for (i = 0; i < all.nr; i++) {
		if (all.event[i].kind == OVNIK_EV_file_read ||
		    all.event[i].kind == OVNIK_EV_file_write)
			print_request(&all.event[i]);
	}
	return 0;
}

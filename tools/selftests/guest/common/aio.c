// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aio.h"

struct io_event aio_wait(aio_context_t context)
{
	struct io_event event = {};
	long nr;

	do {
		nr = syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
	} while (nr < 0 && errno == EINTR);
	if (nr != 1)
		err(1, "io_getevents");
	return event;
}

long aio_do(struct iocb *request)
{
	aio_context_t context = 0;
	struct io_event event;

	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, &request) != 1)
		err(1, "aio");
	event = aio_wait(context);
	syscall(SYS_io_destroy, context);
	return event.res;
}

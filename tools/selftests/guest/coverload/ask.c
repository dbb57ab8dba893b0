// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ask.h"

struct ring ring;

static aio_context_t context;

struct iovec *parts(void)
{
	static struct iovec iov[2];

	iov[0] = (struct iovec){ scene.page, 10 };
	iov[1] = (struct iovec){ scene.page + PAGE, 10 };
	return iov;
}

void ask_ring(int opcode, void *memory, unsigned int len)
{
	struct io_uring_sqe request = { .opcode = opcode, .fd = scene.file,
					.addr = (unsigned long)memory, .len = len };

	done(ring_do(&ring, request) > 0);
}

void set_up_aio(void)
{
	parts();
	done(!syscall(SYS_io_setup, 1, &context));
	/* It is the address of a page, which the kernel reads. */
	(void)*(volatile int *)context;
}

void ask_aio(int opcode, void *memory, size_t nr)
{
	struct iocb request = { .aio_fildes = scene.file, .aio_lio_opcode = opcode,
				.aio_buf = (unsigned long)memory, .aio_nbytes = nr };

	struct iocb *list = &request;

	done(syscall(SYS_io_submit, context, 1, &list) == 1);
	done((long)aio_wait(context).res > 0);
}

void open_ring(void)
{
	parts();
	ring_open(&ring);
}

void register_memory(void)
{
	struct iovec iov = { scene.page, PAGE };

	ring_open(&ring);
	done(!syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &iov, 1));
}

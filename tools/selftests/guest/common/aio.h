/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_AIO_H
#define GUEST_AIO_H

/* Asynchronous I/O without a library. */

#include <linux/aio_abi.h>

/**
 * aio_wait() - Wait until a request has ended.
 * @context: of io_setup()
 *
 * Also where an io_uring of this task that is being closed interrupts it. Ends the program if that
 * fails.
 *
 * Return: what the kernel says of it.
 */
struct io_event aio_wait(aio_context_t context);

/**
 * aio_do() - Submit one request, in a context of its own, and wait for its end.
 * @request: it
 *
 * Return: its result.
 */
long aio_do(struct iocb *request);

#endif /* GUEST_AIO_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_URING_H
#define GUEST_URING_H

/* An io_uring of one entry, without a library: one request at a time. */

#include <linux/io_uring.h>

/**
 * struct ring - An io_uring.
 * @fd:      of it
 * @params:  what the kernel says of it
 * @queue:   both queues, mapped
 * @request: the one entry, mapped
 */
struct ring {
	int fd;
	struct io_uring_params params;
	char *queue;
	struct io_uring_sqe *request;
};

/**
 * ring_open() - Make one; ends the program if that fails.
 * @ring: it
 */
void ring_open(struct ring *ring);

/**
 * ring_open_polled() - Make one whose requests a thread of the kernel takes; wait until it sleeps.
 * @ring: it
 */
void ring_open_polled(struct ring *ring);

/**
 * ring_do() - Submit a request and wait for its end.
 * @ring:    the io_uring
 * @request: what to do; it has no user_data
 *
 * Return: its result.
 */
int ring_do(struct ring *ring, struct io_uring_sqe request);

/**
 * ring_close() - Give it back. What is registered with it the kernel closes later.
 * @ring: it
 */
void ring_close(struct ring *ring);

#endif /* GUEST_URING_H */

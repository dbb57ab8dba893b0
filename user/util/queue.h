/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_QUEUE_H
#define OVNIK_UTIL_QUEUE_H

#include <pthread.h>

#include "util/types.h"

/*
 * Work that is passed on in batches: one side fills a batch, the other one, a thread of its own,
 * takes it. Who uses it does the same work without it if there is one job only (jobs_several()).
 */

#define QUEUE_BATCHES	32

/**
 * struct queue - Batches on their way.
 * @pos: next free byte of the batch being filled
 * @end: its end
 * @size: bytes of a batch
 * @take: takes a batch
 * @data: for @take
 * @thread: takes batches, in turns
 * @lock: of all that follows
 * @moved: @passed, @taken or @closed has changed
 * @batch: their bytes; batch number n is at n % QUEUE_BATCHES
 * @len: how many of them are filled
 * @passed: batches that were passed on
 * @taken: of them, those that were taken
 * @closed: no more will come
 * @error: the first error of @take
 */
struct queue {
	u8 *pos;
	u8 *end;
	size_t size;
	int (*take)(void *data, const u8 *batch, size_t len);
	void *data;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	u8 *batch[QUEUE_BATCHES];
	size_t len[QUEUE_BATCHES];
	u64 passed;
	u64 taken;
	bool closed;
	int error;
};

/**
 * queue_open() - Make an empty queue.
 * @q: is set
 * @size: bytes of a batch; what is put into it must fit
 * @take: takes batches in the order in which they were passed on; returns 0 or a negative errno,
 *	  after which it is not called again
 * @data: for @take
 *
 * Context: Its threads end before jobs_set() is called again.
 * Return: 0, a negative errno (reported): queue_close() has no effect.
 */
int queue_open(struct queue *q, size_t size, int (*take)(void *data, const u8 *batch, size_t len),
	       void *data) __must_check;

/**
 * queue_pass() - Pass on what has been filled; there is room for a whole batch again.
 * @q: the queue
 *
 * Context: Waits while all batches are full.
 * Return: 0, or the first error of the other side that is known.
 */
int queue_pass(struct queue *q) __must_check;

/**
 * queue_room() - See to it that some bytes fit at @q->pos.
 * @q: the queue
 * @len: how many, at most a batch
 *
 * Return: as queue_pass().
 */
static inline int __must_check queue_room(struct queue *q, size_t len)
{
	return likely(q->pos + len <= q->end) ? 0 : queue_pass(q);
}

/**
 * queue_close() - Pass on the rest, wait until it is taken, and free the queue.
 * @q: the queue, or all zero
 *
 * Return: 0, or the first error of the other side.
 */
int queue_close(struct queue *q);

#endif /* OVNIK_UTIL_QUEUE_H */

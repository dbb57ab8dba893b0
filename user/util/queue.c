// SPDX-License-Identifier: GPL-2.0-only
/* Work that is passed on in batches: see queue.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/jobs.h"
#include "util/msg.h"
#include "util/queue.h"

static void fill_next(struct queue *q)
{
	q->pos = q->batch[q->passed % QUEUE_BATCHES];
	q->end = q->pos + q->size;
}

/* Wait for a batch. Return: its number + 1; 0: there will be none. */
static u64 next_batch(struct queue *q)
{
	u64 nr;

	pthread_mutex_lock(&q->lock);
	while (q->passed == q->taken && !q->closed)
		pthread_cond_wait(&q->moved, &q->lock);
	nr = q->passed == q->taken ? 0 : q->taken + 1;
	pthread_mutex_unlock(&q->lock);
	return nr;
}

static void end_batch(struct queue *q, u64 nr, int error)
{
	pthread_mutex_lock(&q->lock);
	q->taken = nr;
	q->error = error;
	pthread_cond_signal(&q->moved);
	pthread_mutex_unlock(&q->lock);
}

static void *take_all(void *arg)
{
	struct queue *q = arg;
	int ret = 0;
	u64 nr;

	while ((nr = next_batch(q))) {
		unsigned int at = (nr - 1) % QUEUE_BATCHES;

		jobs_begin();
		/* After an error batches are dropped, so that the other side does not wait. */
		ret = ret ? ret : q->take(q->data, q->batch[at], q->len[at]);
		jobs_end();
		end_batch(q, nr, ret);
	}
	return NULL;
}

static void queue_free(struct queue *q)
{
	unsigned int i;

	for (i = 0; i < QUEUE_BATCHES; i++)
		free(q->batch[i]);
	memset(q, 0, sizeof(*q));
}

static int start(struct queue *q)
{
	int ret;

	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->moved, NULL);
	ret = pthread_create(&q->thread, NULL, take_all, q);
	return ret ? report_error("thread", "cannot start", ret) : 0;
}

int queue_open(struct queue *q, size_t size, int (*take)(void *data, const u8 *batch, size_t len),
	       void *data)
{
	unsigned int i;
	int ret = 0;

	memset(q, 0, sizeof(*q));
	q->size = size;
	q->take = take;
	q->data = data;
	for (i = 0; i < QUEUE_BATCHES; i++) {
		q->batch[i] = malloc(size);
		if (!q->batch[i])
			ret = msg_no_memory();
	}
	fill_next(q);
	if (!ret)
		ret = start(q);
	if (ret)
		queue_free(q);
	return ret;
}

/* The other side may need the turn to make room. */
static void wait_for_room(struct queue *q)
{
	bool full;

	pthread_mutex_lock(&q->lock);
	full = q->passed - q->taken == QUEUE_BATCHES;
	pthread_mutex_unlock(&q->lock);
	if (!full)
		return;
	jobs_end();
	pthread_mutex_lock(&q->lock);
	while (q->passed - q->taken == QUEUE_BATCHES)
		pthread_cond_wait(&q->moved, &q->lock);
	pthread_mutex_unlock(&q->lock);
	jobs_begin();
}

int queue_pass(struct queue *q)
{
	int ret;

	pthread_mutex_lock(&q->lock);
	q->len[q->passed % QUEUE_BATCHES] = q->pos - (q->end - q->size);
	q->passed++;
	ret = q->error;
	pthread_cond_signal(&q->moved);
	pthread_mutex_unlock(&q->lock);
	wait_for_room(q);
	fill_next(q);
	return ret;
}

static void stop(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_signal(&q->moved);
	pthread_mutex_unlock(&q->lock);
	jobs_end();
	pthread_join(q->thread, NULL);
	jobs_begin();
	pthread_cond_destroy(&q->moved);
	pthread_mutex_destroy(&q->lock);
}

int queue_close(struct queue *q)
{
	int ret;

	if (!q->size)
		return 0;
	ret = queue_pass(q);
	stop(q);
	ret = ret ? ret : q->error;
	queue_free(q);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uring.h"

#define QUEUE	4096	/* both queues of one entry are smaller */

static void *map_part(const struct ring *ring, __u64 offset)
{
	void *map = mmap(NULL, QUEUE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
			 offset);

	if (map == MAP_FAILED)
		err(1, "io_uring");
	return map;
}

static void open_with_params(struct ring *ring)
{
	ring->fd = syscall(SYS_io_uring_setup, 1, &ring->params);
	if (ring->fd < 0)
		err(1, "io_uring");
	ring->queue = map_part(ring, IORING_OFF_SQ_RING);
	ring->request = map_part(ring, IORING_OFF_SQES);
}

void ring_open(struct ring *ring)
{
	ring->params = (struct io_uring_params){};
	open_with_params(ring);
}

static __u32 *in_queue(const struct ring *ring, __u32 offset)
{
	return (__u32 *)(ring->queue + offset);
}

void ring_open_polled(struct ring *ring)
{
	__u32 *flags;

	ring->params = (struct io_uring_params){
		.flags = IORING_SETUP_SQPOLL,
		.sq_thread_idle = 1,
	};
	open_with_params(ring);
	flags = in_queue(ring, ring->params.sq_off.flags);
	while (!(__atomic_load_n(flags, __ATOMIC_ACQUIRE) & IORING_SQ_NEED_WAKEUP))
		sched_yield();
}

int ring_do(struct ring *ring, struct io_uring_sqe request)
{
	const struct io_uring_params *params = &ring->params;
	const struct io_uring_cqe *ends = (void *)(ring->queue + params->cq_off.cqes);
	__u32 *head = in_queue(ring, params->cq_off.head);
	__u32 *tail = in_queue(ring, params->sq_off.tail);
	const __u32 *ended = in_queue(ring, params->cq_off.tail);
	int result;

	*ring->request = request;
	*in_queue(ring, params->sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring");
	/* A signal may have interrupted the wait. */
	while (__atomic_load_n(ended, __ATOMIC_ACQUIRE) == *head)
		syscall(SYS_io_uring_enter, ring->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	result = ends[*head & *in_queue(ring, params->cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

void ring_close(struct ring *ring)
{
	munmap(ring->queue, QUEUE);
	munmap(ring->request, QUEUE);
	close(ring->fd);
}

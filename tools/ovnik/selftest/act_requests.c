// SPDX-License-Identifier: GPL-2.0-only
/* Read and write by requests: io_submit() and io_uring. */
#include <errno.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "act.h"
#include "act_file.h"

#define REQUESTS	4
#define BYTES		100
#define AT		61

static char buffer[BYTES];

static s64 submit_aio(aio_context_t context, int fd, int opcode)
{
	struct iocb request = {
		.aio_fildes = fd, .aio_lio_opcode = opcode, .aio_buf = (u64)buffer,
		.aio_nbytes = BYTES, .aio_offset = AT,
	};
	struct iocb *list[] = { &request };
	struct io_event event;
	long nr;

	if (syscall(SYS_io_submit, context, 1, list) != 1)
		return -1;
	/* A signal that is ignored, or a closing io_uring, may interrupt it. */
	do {
		nr = syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
	} while (nr < 0 && errno == EINTR);
	return nr == 1 ? event.res : -1;
}

static void by_aio(const struct act_file *file)
{
	aio_context_t context = 0;
	struct span span;
	s64 n;

	if (syscall(SYS_io_setup, REQUESTS, &context)) {
		deed_untried(OVNIK_EV_file_read, "io_setup(): %s", strerror(errno));
		return;
	}
	DO(&span, n = submit_aio(context, file->fd, IOCB_CMD_PREAD));
	act_file_read(&span, "io_submit()", OVNIK_OP_AIO, file, AT, n);
	DO(&span, n = submit_aio(context, file->fd, IOCB_CMD_PWRITE));
	act_file_written(&span, "io_submit()", OVNIK_OP_AIO, file, AT, n);
	syscall(SYS_io_destroy, context);
}

#if __has_include("linux/io_uring.h")
#include <linux/io_uring.h>

struct ring {
	int fd;
	struct io_uring_params params;
	char *submitted;
	char *completed;
	struct io_uring_sqe *entries;
	size_t submitted_size;
	size_t completed_size;
	size_t entries_size;
};

static void *map_ring(const struct ring *ring, size_t size, u64 offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
		    offset);
}

static bool ring_open(struct ring *ring)
{
	const struct io_uring_params *params = &ring->params;

	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(SYS_io_uring_setup, REQUESTS, &ring->params);
	if (ring->fd < 0)
		return false;
	ring->submitted_size = params->sq_off.array + params->sq_entries * sizeof(u32);
	ring->completed_size = params->cq_off.cqes +
			       params->cq_entries * sizeof(struct io_uring_cqe);
	ring->entries_size = params->sq_entries * sizeof(struct io_uring_sqe);
	ring->submitted = map_ring(ring, ring->submitted_size, IORING_OFF_SQ_RING);
	ring->completed = map_ring(ring, ring->completed_size, IORING_OFF_CQ_RING);
	ring->entries = map_ring(ring, ring->entries_size, IORING_OFF_SQES);
	return ring->submitted != MAP_FAILED && ring->completed != MAP_FAILED &&
	       (void *)ring->entries != MAP_FAILED;
}

/* What is mapped stays until the process ends. */
static void ring_close(const struct ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
}

static u32 *ring_number(char *base, u32 offset)
{
	return (u32 *)(base + offset);
}

/* One request at a time: entry 0 is always free. */
static s64 submit_to_ring(const struct ring *ring, int fd, int opcode)
{
	const struct io_uring_params *params = &ring->params;
	u32 *tail = ring_number(ring->submitted, params->sq_off.tail);
	u32 *head = ring_number(ring->completed, params->cq_off.head);
	u32 mask = *ring_number(ring->submitted, params->sq_off.ring_mask);
	const struct io_uring_cqe *done = (void *)(ring->completed + params->cq_off.cqes);
	s64 result;

	memset(ring->entries, 0, sizeof(*ring->entries));
	ring->entries->opcode = opcode;
	ring->entries->fd = fd;
	ring->entries->addr = (u64)buffer;
	ring->entries->len = BYTES;
	ring->entries->off = AT;
	ring_number(ring->submitted, params->sq_off.array)[*tail & mask] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	mask = *ring_number(ring->completed, params->cq_off.ring_mask);
	result = done[*head & mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static void by_uring(const struct act_file *file)
{
	struct span span;
	struct ring ring;
	s64 n;

	if (!ring_open(&ring)) {
		deed_untried(OVNIK_EV_file_read, "io_uring: %s", strerror(errno));
		ring_close(&ring);
		return;
	}
	DO(&span, n = submit_to_ring(&ring, file->fd, IORING_OP_READ));
	act_file_read(&span, "io_uring", OVNIK_OP_URING, file, AT, n);
	DO(&span, n = submit_to_ring(&ring, file->fd, IORING_OP_WRITE));
	act_file_written(&span, "io_uring", OVNIK_OP_URING, file, AT, n);
	ring_close(&ring);
}
#else
static void by_uring(const struct act_file *file)
{
	(void)file;
	deed_untried(OVNIK_EV_file_read, "io_uring: unknown where this program was built");
}
#endif

/**
 * act_requests() - Read and write by requests.
 * @place: where
 */
void act_requests(const struct act_place *place)
{
	struct act_file file;

	act_file_open(&file, place, "requests");
	if (file.fd < 0)
		return;
	by_aio(&file);
	by_uring(&file);
	/* A ring that goes may be the last that has it open. */
	close(file.fd);
	unlink(file.path);
}

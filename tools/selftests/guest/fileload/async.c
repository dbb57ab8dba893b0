// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io_uring.h>
#include <sys/socket.h>

#include "../common/aio.h"
#include "../common/fileact.h"
#include "async.h"

#define ASYNC_LEN	8192U

/* Of 6.15. */
enum { READV_FIXED = 60, WRITEV_FIXED = 61, NR_OPCODES = 256 };

static char *async_buffer(void)
{
	char *buf = aligned_alloc(4096, ASYNC_LEN);

	if (!buf)
		err(1, "no memory");
	memset(buf, 'a', ASYNC_LEN);
	return buf;
}

/* What an asynchronous call does; the result comes later. */
static struct log_entry *note_async(enum ovnik_file_op op, bool write, int fd, __u64 at)
{
	struct identity id = identify(fd);
	struct log_entry *entry = note(write ? LOG_WRITE : LOG_READ, &id, now());

	entry->flags |= LOG_ASYNC;
	entry->op = op;
	entry->offset = at;
	return entry;
}

/* aio */

static aio_context_t aio_context;

/**
 * struct aio - A call by aio.
 * @cb:	   as the kernel wants it
 * @iov:   for the vectored ones
 * @entry: in the log
 * @want:  the result it must have
 */
struct aio {
	struct iocb cb;
	struct iovec iov[NR_PARTS];
	struct log_entry *entry;
	long want;
};

static void aio_submit(struct aio *aio, int opcode, int fd, void *buf, size_t len, __u64 at,
		       long want)
{
	bool vector = opcode == IOCB_CMD_PREADV || opcode == IOCB_CMD_PWRITEV;
	bool write = opcode == IOCB_CMD_PWRITE || opcode == IOCB_CMD_PWRITEV;
	struct io io = { .buf = buf, .len = len };
	struct iocb *list = &aio->cb;

	memset(&aio->cb, 0, sizeof(aio->cb));
	split(&io, aio->iov);
	aio->cb.aio_data = (unsigned long)aio;
	aio->cb.aio_lio_opcode = opcode;
	aio->cb.aio_fildes = fd;
	aio->cb.aio_buf = vector ? (unsigned long)aio->iov : (unsigned long)buf;
	aio->cb.aio_nbytes = vector ? NR_PARTS : len;
	aio->cb.aio_offset = at;
	aio->want = want;
	if (open_flags(fd) & O_APPEND)
		at = identify(fd).size;
	aio->entry = note_async(OVNIK_OP_AIO, write, fd, at);
	must(syscall(SYS_io_submit, aio_context, 1, &list) == 1, "io_submit");
}

static void aio_reap(int nr)
{
	while (nr--) {
		struct io_event event = aio_wait(aio_context);
		struct aio *aio;

		aio = (void *)(unsigned long)event.data;
		aio->entry->end = now();
		aio->entry->result = event.res;
		must_be(event.res, aio->want, "aio");
	}
}

void aio_start(void)
{
	if (!aio_context)
		must(!syscall(SYS_io_setup, 16, &aio_context), "io_setup");
}

void aio_calls(int fd)
{
	char *buf = async_buffer();
	struct aio aio[4];

	aio_start();
	aio_submit(&aio[0], IOCB_CMD_PWRITE, fd, buf, 8192, 0, 8192);
	aio_submit(&aio[1], IOCB_CMD_PWRITEV, fd, buf, 5000, 8192, 5000);
	aio_submit(&aio[2], IOCB_CMD_PREAD, fd, buf, 3000, 0, 3000);
	aio_submit(&aio[3], IOCB_CMD_PREADV, fd, buf, 8000, 8192, 5000);
	aio_reap(4);
	aio_submit(&aio[0], IOCB_CMD_PREAD, fd, buf, 100, 1 << 20, 0);
	aio_submit(&aio[1], IOCB_CMD_PREAD, fd, (void *)8, 100, 0, -EFAULT);
	aio_submit(&aio[2], IOCB_CMD_PWRITE, fd, (void *)8, 100, 50, -EFAULT);
	aio_reap(3);
	free(buf);
}

void aio_append(int fd)
{
	char *buf = async_buffer();
	struct aio aio;

	aio_submit(&aio, IOCB_CMD_PWRITE, fd, buf, 100, 7, 100);
	aio_reap(1);
	free(buf);
}

void aio_direct_read(int fd)
{
	char *buf = async_buffer();
	struct aio aio[2];

	aio_start();
	aio_submit(&aio[0], IOCB_CMD_PREAD, fd, buf, 4096, 4096, 4096);
	aio_submit(&aio[1], IOCB_CMD_PREAD, fd, buf + 4096, 4096, 0, 4096);
	aio_reap(2);
	free(buf);
}

void aio_direct(int fd)
{
	char *buf = async_buffer();
	struct aio aio;

	aio_submit(&aio, IOCB_CMD_PWRITE, fd, buf, 8192, 0, 8192);
	aio_reap(1);
	aio_direct_read(fd);
	free(buf);
}

/* io_uring */

/**
 * struct uring - The rings, mapped.
 * @fd:	     of the instance
 * @sq_tail: ours to move
 * @sq_mask: entries less one
 * @array:   which entry is submitted next
 * @cq_head: ours to move
 * @cq_tail: the kernel's
 * @cq_mask: entries less one
 * @cqe:     completions
 * @sqe:     submissions
 */
static struct uring {
	int fd;
	__u32 *sq_tail;
	__u32 *sq_mask;
	__u32 *array;
	__u32 *cq_head;
	__u32 *cq_tail;
	__u32 *cq_mask;
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
} uring;

static void *map_ring(size_t len, __u64 offset)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, uring.fd,
			 offset);

	must(map != MAP_FAILED, "map of io_uring");
	return map;
}

void uring_start(void)
{
	struct io_uring_params params = {};
	char *sq, *cq;

	uring.fd = syscall(SYS_io_uring_setup, 16, &params);
	must(uring.fd >= 0, "io_uring_setup");
	sq = map_ring(params.sq_off.array + params.sq_entries * 4, IORING_OFF_SQ_RING);
	cq = map_ring(params.cq_off.cqes + params.cq_entries * sizeof(*uring.cqe),
		      IORING_OFF_CQ_RING);
	uring.sqe = map_ring(params.sq_entries * sizeof(*uring.sqe), IORING_OFF_SQES);
	uring.sq_tail = (void *)(sq + params.sq_off.tail);
	uring.sq_mask = (void *)(sq + params.sq_off.ring_mask);
	uring.array = (void *)(sq + params.sq_off.array);
	uring.cq_head = (void *)(cq + params.cq_off.head);
	uring.cq_tail = (void *)(cq + params.cq_off.tail);
	uring.cq_mask = (void *)(cq + params.cq_off.ring_mask);
	uring.cqe = (void *)(cq + params.cq_off.cqes);
}

/* The next entry, to be filled in before uring_enter(). */
static struct io_uring_sqe *uring_next(int opcode, int fd)
{
	__u32 at = *uring.sq_tail & *uring.sq_mask;
	struct io_uring_sqe *sqe = &uring.sqe[at];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->fd = fd;
	uring.array[at] = at;
	__atomic_store_n(uring.sq_tail, *uring.sq_tail + 1, __ATOMIC_RELEASE);
	return sqe;
}

static void uring_enter(unsigned int submit, unsigned int wait)
{
	long ret = syscall(SYS_io_uring_enter, uring.fd, submit, wait,
			   wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);

	must_be(ret, submit, "io_uring_enter");
}

/* Return: the result of the next completion, which is there. */
static int uring_reap(void)
{
	__u32 head = *uring.cq_head;
	int result;

	must(head != __atomic_load_n(uring.cq_tail, __ATOMIC_ACQUIRE), "completion");
	result = uring.cqe[head & *uring.cq_mask].res;
	__atomic_store_n(uring.cq_head, head + 1, __ATOMIC_RELEASE);
	return result;
}

static bool uring_writes(int opcode)
{
	return opcode == IORING_OP_WRITE || opcode == IORING_OP_WRITEV ||
	       opcode == IORING_OP_WRITE_FIXED || opcode == WRITEV_FIXED;
}

static bool uring_vectored(int opcode)
{
	return opcode == IORING_OP_READV || opcode == IORING_OP_WRITEV ||
	       opcode == READV_FIXED || opcode == WRITEV_FIXED;
}

/**
 * struct uring_io - A call by io_uring.
 * @opcode: IORING_OP_
 * @flags:  IOSQE_
 * @at:	    offset; -1 for the file's position
 * @len:    bytes
 * @want:   the result it must have
 * @buf:    NULL for a buffer of its own
 */
struct uring_io {
	int opcode;
	int flags;
	loff_t at;
	size_t len;
	long want;
	void *buf;
};

static void fill_io(struct io_uring_sqe *sqe, const struct uring_io *io, struct iovec *iov)
{
	struct io parts = { .buf = io->buf, .len = io->len };
	bool vector = uring_vectored(io->opcode);

	split(&parts, iov);
	sqe->flags = io->flags;
	sqe->off = io->at;
	sqe->addr = vector ? (unsigned long)iov : (unsigned long)io->buf;
	sqe->len = vector ? NR_PARTS : io->len;
}

static struct log_entry *note_uring(const struct uring_io *io, int fd)
{
	__u64 at = io->at >= 0 ? io->at : lseek(fd, 0, SEEK_CUR);

	if (uring_writes(io->opcode) && open_flags(fd) & O_APPEND)
		at = identify(fd).size;
	return note_async(OVNIK_OP_URING, uring_writes(io->opcode), fd, at);
}

static void uring_call(int fd, struct uring_io io)
{
	struct iovec iov[NR_PARTS];
	struct log_entry *entry;

	entry = note_uring(&io, fd);
	fill_io(uring_next(io.opcode, fd), &io, iov);
	uring_enter(1, 1);
	entry->result = uring_reap();
	entry->end = now();
	must_be(entry->result, io.want, "io_uring");
}

/* Has this kernel the opcode? */
static bool uring_has(int opcode)
{
	static struct {
		struct io_uring_probe head;
		struct io_uring_probe_op ops[NR_OPCODES];
	} probe;

	memset(&probe, 0, sizeof(probe));
	must(!syscall(SYS_io_uring_register, uring.fd, IORING_REGISTER_PROBE, &probe, NR_OPCODES),
	     "io_uring_register: probe");
	return probe.ops[opcode].flags & IO_URING_OP_SUPPORTED;
}

static void uring_fixed(int fd, char *buf)
{
	struct iovec iov = { buf, ASYNC_LEN };

	must(!syscall(SYS_io_uring_register, uring.fd, IORING_REGISTER_BUFFERS, &iov, 1),
	     "io_uring_register");
	uring_call(fd, (struct uring_io){ IORING_OP_WRITE_FIXED, 0, 4000, 5000, 5000, buf });
	uring_call(fd, (struct uring_io){ IORING_OP_READ_FIXED, 0, 3000, 6000, 6000, buf });
	if (!uring_has(WRITEV_FIXED))
		return;
	uring_call(fd, (struct uring_io){ WRITEV_FIXED, 0, 4100, 5000, 5000, buf });
	uring_call(fd, (struct uring_io){ READV_FIXED, 0, 3100, 6000, 6000, buf });
}

void uring_calls(int fd)
{
	char *buf = async_buffer();
	const struct uring_io calls[] = {
		{ IORING_OP_WRITE, 0, 0, 8192, 8192, buf },
		{ IORING_OP_WRITEV, 0, 8192, 5000, 5000, buf },
		{ IORING_OP_READ, 0, 0, 3000, 3000, buf },
		{ IORING_OP_READV, 0, 8192, 8000, 5000, buf },
		{ IORING_OP_READ, 0, -1, 3000, 3000, buf },
		{ IORING_OP_READ, 0, -1, 3000, 3000, buf },
		{ IORING_OP_WRITE, 0, -1, 3000, 3000, buf },
		{ IORING_OP_READ, 0, 1 << 20, 100, 0, buf },
		{ IORING_OP_READ, 0, 0, 100, -EFAULT, (void *)8 },
		{ IORING_OP_WRITE, 0, 70, 100, -EFAULT, (void *)8 },
		{ IORING_OP_WRITE, IOSQE_ASYNC, 100, 8000, 8000, buf },
		{ IORING_OP_READ, IOSQE_ASYNC, 200, 8000, 8000, buf },
		{ IORING_OP_READV, IOSQE_ASYNC, 300, 600, 600, buf },
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		uring_call(fd, calls[i]);
	uring_fixed(fd, buf);
	free(buf);
}

void uring_append(int fd)
{
	char *buf = async_buffer();

	uring_call(fd, (struct uring_io){ IORING_OP_WRITE, 0, 9, 100, 100, buf });
	free(buf);
}

void uring_direct(int fd)
{
	char *buf = async_buffer();

	uring_call(fd, (struct uring_io){ IORING_OP_WRITE, 0, 4096, 8192, 8192, buf });
	uring_call(fd, (struct uring_io){ IORING_OP_READ, 0, 8192, 4096, 4096, buf });
	free(buf);
}

void uring_open_close(const char *name)
{
	struct log_entry *entry;
	struct io_uring_sqe *sqe;
	__u64 begin = now();
	int fd;

	sqe = uring_next(IORING_OP_OPENAT, AT_FDCWD);
	sqe->addr = (unsigned long)name;
	sqe->open_flags = O_RDONLY;
	uring_enter(1, 1);
	fd = uring_reap();
	must(fd >= 0, "open by io_uring");
	/* As long as it is being opened it is said not to block. */
	note_open(fd, begin, name)->flags |= LOG_ANY_MODE;
	entry = expect_close(fd);
	uring_next(IORING_OP_CLOSE, fd);
	uring_enter(1, 1);
	must_be(uring_reap(), 0, "close by io_uring");
	entry->end = now();
}

void uring_linked(int fd, int opcode)
{
	struct uring_io first = { IORING_OP_READ, IOSQE_IO_LINK, -1, 1, 1, NULL };
	struct uring_io second = { opcode, 0, 4096, 4096, 4096, NULL };
	struct iovec iov[NR_PARTS];
	struct log_entry *entry;
	int pair[2];

	first.buf = async_buffer();
	second.buf = async_buffer();
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	entry = note_uring(&second, fd);
	fill_io(uring_next(first.opcode, pair[0]), &first, iov);
	fill_io(uring_next(second.opcode, fd), &second, iov);
	uring_enter(2, 0);
	must_be(write_file(pair[1], "x", 1), 1, "write to a socket");
	uring_enter(0, 2);
	must_be(uring_reap(), 1, "read of a socket by io_uring");
	entry->result = uring_reap();
	entry->end = now();
	must_be(entry->result, second.want, "linked call by io_uring");
	close(pair[0]);
	close(pair[1]);
	free(first.buf);
	free(second.buf);
}

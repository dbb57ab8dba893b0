// SPDX-License-Identifier: GPL-2.0-only
/* Copy between files, pipes and sockets; append from two processes. */

#include <sys/socket.h>

#include "../common/fileact.h"
#include "actor.h"
#include "io.h"

#define APPENDS		100

static void drain(int fd, size_t len)
{
	static char buf[CHUNK];

	while (len) {
		ssize_t got = read_file(fd, buf, len < CHUNK ? len : CHUNK);

		must(got > 0, "pipe");
		len -= got;
	}
}

static void to_pipe(enum ovnik_file_op op, int file, loff_t at, size_t len, int *pipe_fd)
{
	struct io io = {
		.op = op, .in = file, .out = pipe_fd[1], .in_at = at, .out_at = -1, .len = len,
	};
	ssize_t ret = do_io(&io);

	must(ret >= 0, "to a pipe");
	drain(pipe_fd[0], ret);
}

static void from_pipe(int *pipe_fd, int file, loff_t at, size_t len)
{
	static char buf[CHUNK];
	struct io io = {
		.op = OVNIK_OP_SPLICE, .in = pipe_fd[0], .out = file, .in_at = -1, .out_at = at,
		.len = CHUNK,
	};

	must_be(write_file(pipe_fd[1], buf, len), len, "write to a pipe");
	must_be(do_io(&io), len, "splice from a pipe");
}

static void pipe_failures(int *pipe_fd, const char *name)
{
	int fd = open_file(name, O_WRONLY | O_APPEND);
	struct io io = {
		.op = OVNIK_OP_SPLICE, .in = pipe_fd[0], .out = fd, .in_at = -1, .out_at = -1,
		.len = 10, .silent = true,
	};

	must_be(do_io(&io), -EINVAL, "splice to a file for appending");
	close_file(fd);
}

void act_pipes(void)
{
	int pipe_fd[2], other[2], pair[2], file;
	struct io io = { .op = OVNIK_OP_SPLICE, .in_at = -1, .out_at = -1, .len = 100 };
	char buf[100];

	must(!pipe(pipe_fd) && !pipe(other) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "pipe");
	file = open_file(in_root("big"), O_RDWR);
	to_pipe(OVNIK_OP_SENDFILE, file, -1, 5000, pipe_fd);
	to_pipe(OVNIK_OP_SENDFILE, file, 70, 50000, pipe_fd);
	to_pipe(OVNIK_OP_SPLICE, file, -1, 9000, pipe_fd);
	to_pipe(OVNIK_OP_SPLICE, file, 4096, 9000, pipe_fd);
	to_pipe(OVNIK_OP_SPLICE, file, 10 << 20, 9000, pipe_fd);
	from_pipe(pipe_fd, file, -1, 3000);
	from_pipe(pipe_fd, file, 10000, 7000);
	io.in = file;
	io.out = pair[0];
	io.op = OVNIK_OP_SENDFILE;
	must_be(do_io(&io), 100, "sendfile to a socket");
	must_be(recv(pair[1], buf, 100, 0), 100, "socket");
	io.op = OVNIK_OP_SPLICE;
	must_be(write_file(pipe_fd[1], buf, 100), 100, "write to a pipe");
	io.in = pipe_fd[0];
	io.out = other[1];
	must_be(do_io(&io), 100, "splice between pipes");
	io.in = other[0];
	io.out = pair[0];
	must_be(do_io(&io), 100, "splice to a socket");
	pipe_failures(pipe_fd, in_root("big"));
	close_file(file);
}

/* Two processes append: afterwards the file says what went where. */

struct stamp {
	__u32 entry;
	__u32 len;
	__u64 magic;
};

#define STAMP_MAGIC	0x6b696e766f0a0dULL

static void append_once(int fd, int way, char *buf, size_t len)
{
	static const enum ovnik_file_op ops[] = {
		OVNIK_OP_WRITE, OVNIK_OP_WRITEV, OVNIK_OP_PWRITE, OVNIK_OP_PWRITEV
	};
	struct io io = {
		.op = ops[way], .in = -1, .out = fd, .in_at = -1, .out_at = -1, .buf = buf,
		.len = len, .flags = -1,
	};
	struct identity id;
	struct log_entry *entry;
	struct stamp *stamp = (void *)buf;
	__u64 begin;

	if (way >= 2)
		io.out_at = 3;	/* of no consequence */
	entry = note_io(&io, LOG_WRITE, fd, io.out_at, &id);
	*stamp = (struct stamp){ entry - filelog->entry, len, STAMP_MAGIC };
	begin = now();
	must_be(call_io(&io), len, "append");
	end_entry(entry, begin, now(), len);
}

static void act_append(void)
{
	int fd = open_file(in_root("append"), O_WRONLY | O_APPEND), i;
	unsigned int seed = getpid();
	char *buf = calloc(1, CHUNK);

	for (i = 0; i < APPENDS; i++)
		append_once(fd, i % 4, buf, sizeof(struct stamp) + dice(&seed, 5000));
	close_file(fd);
	note_sums();
}

static void act_find_stamps(void)
{
	int fd = open_file(in_root("append"), O_RDONLY), found = 0;
	loff_t at = 0, size = identify(fd).size;
	struct stamp stamp;

	for (; at < size; at += stamp.len, found++) {
		lseek(fd, at, SEEK_SET);
		must_be(read_file(fd, &stamp, sizeof(stamp)), sizeof(stamp), "stamp");
		if (stamp.magic != STAMP_MAGIC)
			errx(1, "no stamp at %lld", (long long)at);
		filelog->entry[stamp.entry].offset = at;
	}
	must_be(found, 2 * APPENDS, "stamps");
	close_file(fd);
}

void run_append(void)
{
	pid_t a = start_actor(act_append), b = start_actor(act_append);

	wait_for(a, "append");
	wait_for(b, "append");
	run_actor(act_find_stamps, "stamps");
}

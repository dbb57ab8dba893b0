// SPDX-License-Identifier: GPL-2.0-only
/*
 * fileload - do everything that can be done with files, and write it down
 *
 *	fileload [-c CAPTURE] ROOT BOUND LOG [DEVICE]
 *	fileload hold DIR
 *
 * ROOT is where the file system under test is mounted, BOUND a directory that
 * ROOT/real is bound to. Every actor is a process of its own; at the end all that
 * they did is written to LOG (see common/filelog.h), when the capture has been stopped:
 * with CAPTURE, a file or command (see common/switch.h), or else the module's file.
 * A thing that does not go as it must go ends the program.
 *
 * The second form opens files in every way, says "ready" and waits.
 */

#include <linux/io_uring.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/wait.h>

#include "common/fileact.h"
#include "common/fileactor.h"
#include "common/fileasync.h"
#include "common/filenames.h"
#include "common/switch.h"

#define CHUNK		12000
#define SPAN		60000	/* of the files that are read and written at random */
#define ROUNDS		150
#define APPENDS		100

static const char *device;

/* Reading and writing. */

static unsigned int dice(unsigned int *seed, unsigned int sides)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % sides;
}

struct files {
	int fd;		/* of one thread only: its position counts */
	int other;	/* likewise */
	int shared;	/* of all threads */
	unsigned int seed;
	char *buf;
};

static void random_io(struct files *files)
{
	static const enum ovnik_file_op ops[] = {
		OVNIK_OP_READ, OVNIK_OP_WRITE, OVNIK_OP_PREAD, OVNIK_OP_PWRITE, OVNIK_OP_READV,
		OVNIK_OP_WRITEV, OVNIK_OP_PREADV, OVNIK_OP_PWRITEV, OVNIK_OP_SENDFILE,
		OVNIK_OP_COPY,
	};
	unsigned int *seed = &files->seed;
	int positioned = dice(seed, 2) ? files->shared : files->fd;
	loff_t at = dice(seed, SPAN);
	struct io io = { .in = -1, .out = -1, .in_at = -1, .out_at = -1, .flags = -1 };

	io.op = ops[dice(seed, sizeof(ops) / sizeof(*ops))];
	io.buf = files->buf;
	io.len = 1 + dice(seed, CHUNK);
	switch (io.op) {
	case OVNIK_OP_READ:
	case OVNIK_OP_READV:
		io.in = files->fd;
		break;
	case OVNIK_OP_WRITE:
	case OVNIK_OP_WRITEV:
		io.out = files->fd;
		break;
	case OVNIK_OP_PREAD:
	case OVNIK_OP_PREADV:
		io.in = positioned;
		io.in_at = at;
		break;
	case OVNIK_OP_PWRITE:
	case OVNIK_OP_PWRITEV:
		io.out = positioned;
		io.out_at = at;
		break;
	default:
		io.in = files->fd;
		io.out = files->other;
		io.in_at = dice(seed, 2) ? at : -1;
		if (io.op == OVNIK_OP_COPY)
			io.out_at = dice(seed, 2) ? (loff_t)dice(seed, SPAN) : -1;
	}
	if (do_io(&io) < 0)
		errx(1, "I/O number %d fails", io.op);
	if (lseek(files->fd, 0, SEEK_CUR) > SPAN)
		lseek(files->fd, dice(seed, SPAN), SEEK_SET);
	if (lseek(files->other, 0, SEEK_CUR) > SPAN)
		lseek(files->other, dice(seed, SPAN), SEEK_SET);
}

static int plain_shared;

static void *plain_thread(void *arg)
{
	struct files files = { .shared = plain_shared, .seed = (long)arg };
	char name[32];
	int i;

	files.buf = calloc(1, CHUNK);
	if (!files.buf)
		err(1, "no memory");
	snprintf(name, sizeof(name), "plain%ld", (long)arg);
	files.fd = open_file(in_root(name), O_RDWR | O_CREAT);
	snprintf(name, sizeof(name), "copy%ld", (long)arg);
	files.other = open_file(in_root(name), O_RDWR | O_CREAT);
	for (i = 0; i < ROUNDS; i++)
		random_io(&files);
	close_file(files.fd);
	close_file(files.other);
	free(files.buf);
	return NULL;
}

static void plain_flags(char *buf)
{
	struct io io = {
		.op = OVNIK_OP_PWRITEV, .in = -1, .out = plain_shared, .buf = buf, .len = 5000,
	};

	io.out_at = 100;
	io.flags = RWF_DSYNC;
	must_be(do_io(&io), 5000, "pwritev2");
	io.out_at = -1;
	must_be(do_io(&io), 5000, "pwritev2 at the position");
	io.out_at = 0;
	io.flags = RWF_APPEND;
	must_be(do_io(&io), 5000, "pwritev2, appending");
	io = (struct io){
		.op = OVNIK_OP_PREADV, .in = plain_shared, .out = -1, .in_at = -1,
		.buf = buf, .len = 5000,
	};
	must_be(do_io(&io), 5000, "preadv2 at the position");
	io.in_at = 4096;
	must_be(do_io(&io), 5000, "preadv2");
}

static void plain_ends(char *buf)
{
	struct io io = {
		.op = OVNIK_OP_PREAD, .in = plain_shared, .out = -1, .in_at = 10 << 20,
		.buf = buf, .len = 100,
	};

	must_be(do_io(&io), 0, "pread behind the end");
	io.in_at = identify(plain_shared).size - 10;
	must_be(do_io(&io), 10, "pread at the end");
	lseek(plain_shared, 0, SEEK_END);
	must_be(read_file(plain_shared, buf, 100), 0, "read at the end");
	must_be(read_file(plain_shared, buf, 0), 0, "read of nothing");
	must_be(write_file(plain_shared, buf, 0), 0, "write of nothing");
	io = (struct io){
		.op = OVNIK_OP_SENDFILE, .in = plain_shared, .out = plain_shared, .in_at = 1 << 30,
		.out_at = -1, .len = 100,
	};
	must_be(do_io(&io), 0, "sendfile behind the end");
}

/* Calls that reach the file, and fail because the memory is not there. */
static void plain_faults(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(pages != MAP_FAILED && !munmap(pages + 4096, 4096), "mmap");
	lseek(plain_shared, 0, SEEK_SET);
	must_be(read_file(plain_shared, pages + 4096, 100), -EFAULT, "read to nowhere");
	must_be(write_file(plain_shared, pages + 4096, 100), -EFAULT, "write from nowhere");
	must(read_file(plain_shared, pages + 4000, 200) >= -EFAULT, "read to half a place");
	must(write_file(plain_shared, pages + 4000, 200) >= -EFAULT, "write from half a place");
	munmap(pages, 4096);
}

/* Those that do not come to the file. */
static void plain_failures(char *buf)
{
	struct io io = {
		.op = OVNIK_OP_READ, .in = 999, .out = -1, .in_at = -1, .buf = buf, .len = 1,
		.flags = -1, .silent = true,
	};
	int fd = open_file(in_root("plain1"), O_WRONLY);

	must_be(do_io(&io), -EBADF, "read without a file");
	io.in = fd;
	must_be(do_io(&io), -EBADF, "read of a file that is open for writing");
	io.op = OVNIK_OP_PREAD;
	io.in = plain_shared;
	io.in_at = -5;
	must_be(do_io(&io), -EINVAL, "pread at a negative place");
	io.op = OVNIK_OP_READ;
	io.buf = (void *)(1UL << 63);
	must_be(do_io(&io), -EFAULT, "read to the kernel's memory");
	io.op = OVNIK_OP_READV;
	io.buf = buf;
	io.len = 0;
	must_be(do_io(&io), 0, "readv of nothing");
	io.op = OVNIK_OP_COPY;
	io.len = 10;
	io.in_at = 0;
	io.out = plain_shared;
	io.out_at = 5;
	must_be(do_io(&io), -EINVAL, "copy_file_range onto itself");
	close_file(fd);
	fd = open_file(tested.root, O_RDONLY | O_DIRECTORY);
	io = (struct io){
		.op = OVNIK_OP_READ, .in = fd, .out = -1, .in_at = -1, .buf = buf, .len = 1
	};
	must_be(do_io(&io), -EISDIR, "read of a directory");
	close_file(fd);
}

/* Files of the kernel's are regular files, too. */
static void note_sums(void)
{
	unsigned long long rchar, wchar;
	int fd = open_at(proc_fd, "self/io", O_RDONLY, NULL);
	struct log_entry *sums = new_entry(LOG_SUMS);
	char text[512] = "";

	sums->begin = now();
	must(read_file(fd, text, sizeof(text) - 1) > 0, "/proc/self/io");
	must(sscanf(text, "rchar: %llu wchar: %llu", &rchar, &wchar) == 2, "/proc/self/io");
	sums->offset = rchar;
	sums->result = wchar;
	close_file(fd);
}

static void act_plain(void)
{
	char *buf = calloc(1, CHUNK);
	pthread_t threads[3];
	long i;

	plain_shared = open_file(in_root("shared"), O_RDWR | O_CREAT);
	must_be(write_file(plain_shared, buf, CHUNK), CHUNK, "write");
	for (i = 0; i < 3; i++)
		must(!pthread_create(&threads[i], NULL, plain_thread, (void *)(i + 1)), "thread");
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	plain_flags(buf);
	plain_ends(buf);
	plain_faults();
	plain_failures(buf);
	close_file(plain_shared);
	note_sums();
}

/* As a program of 32 bits does it; all it points to must lie low. */
static long call_ia32(long nr, long a, void *b, long c, long d)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret) : "a" (nr), "b" (a), "c" (b), "d" (c), "S" (d),
		     "D" (0L) : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static void do_ia32(struct io io, long nr, void *arg, long third, long fourth)
{
	bool write = io.op == OVNIK_OP_WRITE;
	struct log_entry *entry;
	struct identity id;
	__u64 begin;
	long ret;

	entry = note_io(&io, write ? LOG_WRITE : LOG_READ, write ? io.out : io.in, io.in_at, &id);
	entry->flags |= LOG_COMPAT;
	begin = now();
	ret = call_ia32(nr, write ? io.out : io.in, arg, third, fourth);
	end_entry(entry, begin, now(), ret);
	must_be(ret, io.len, "system call of 32 bits");
}

static void act_ia32(void)
{
	unsigned int *low = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	int fd = open_file(in_root("shared"), O_RDWR);
	struct io io = { .in = fd, .out = fd, .in_at = -1, .out_at = -1, .len = 100 };

	must(low != MAP_FAILED, "mmap");
	/* Two vectors of 32 bits. */
	low[0] = (unsigned long)&low[64];
	low[1] = 40;
	low[2] = (unsigned long)&low[128];
	low[3] = 60;
	io.op = OVNIK_OP_READ;
	do_ia32(io, 3, &low[64], 100, 0);
	io.op = OVNIK_OP_READV;
	do_ia32(io, 145, low, 2, 0);
	io.op = OVNIK_OP_WRITE;
	do_ia32(io, 4, &low[64], 100, 0);
	io.op = OVNIK_OP_PREAD;
	io.in_at = 77;
	do_ia32(io, 180, &low[64], 100, 77);
	close_file(fd);
}

/* The block device below: read as a file. */
static void act_device(void)
{
	char *buf = aligned_alloc(4096, 8192);
	int fd = open_file(device, O_RDONLY);
	struct io io = {
		.op = OVNIK_OP_PREAD, .in = fd, .out = -1, .in_at = 4096 * 5 + 7, .buf = buf,
		.len = 3000,
	};

	must_be(read_file(fd, buf, 8192), 8192, "read of the device");
	must_be(do_io(&io), 3000, "pread of the device");
	close_file(fd);
	fd = open_file(device, O_RDONLY | O_DIRECT);
	must_be(read_file(fd, buf, 8192), 8192, "direct read of the device");
	close_file(fd);
	note_sums();
}

/* Between files and pipes, sockets. */

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

static void act_pipes(void)
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

static void run_append(void)
{
	pid_t a = start_actor(act_append), b = start_actor(act_append);

	wait_for(a, "append");
	wait_for(b, "append");
	run_actor(act_find_stamps, "stamps");
}

/* Without waiting. */

static void act_aio(void)
{
	int fd = open_file(in_root("aio"), O_RDWR | O_CREAT), append;

	aio_calls(fd);
	append = open_file(in_root("aio"), O_WRONLY | O_APPEND);
	aio_append(append);
	close_file(append);
	close_file(fd);
	if (tested.direct_io) {
		fd = open_file(in_root("aio"), O_RDWR | O_DIRECT);
		aio_direct(fd);
		close_file(fd);
	}
}

static void act_aio_device(void)
{
	int fd = open_file(device, O_RDONLY | O_DIRECT);

	aio_direct_read(fd);
	close_file(fd);
}

/* A worker of io_uring may still have the file when its request is complete. */
static void close_uring_file(int fd)
{
	struct log_entry *entry = expect_close(fd);

	entry->flags |= LOG_ANY_TID;
	entry->end = ~0ULL;
	close(fd);
}

static void act_uring(void)
{
	int fd = open_file(in_root("uring"), O_RDWR | O_CREAT), append;

	uring_start();
	uring_calls(fd);
	append = open_file(in_root("uring"), O_WRONLY | O_APPEND);
	uring_append(append);
	close_uring_file(append);
	uring_open_close(in_root("uring"));
	uring_linked(fd, IORING_OP_READ);
	uring_linked(fd, IORING_OP_WRITE);
	close_uring_file(fd);
	if (tested.direct_io) {
		fd = open_file(in_root("uring"), O_RDWR | O_DIRECT);
		uring_direct(fd);
		uring_linked(fd, IORING_OP_WRITE);
		close_uring_file(fd);
	}
}

static void check_file_system(void)
{
	struct identity id = identify_at(AT_FDCWD, tested.root, 0);
	struct statfs fs;

	if (statfs(tested.root, &fs))
		err(1, "%s", tested.root);
	tested.direct_io = fs.f_type != TMPFS_MAGIC;
	filelog->dev = id.dev;
}

static void make_files(void)
{
	int fd;

	make_file("append", 0);
	make_file("big", 100000);
	make_file("truncate", 100000);
	make_names();
	fd = open(in_root("big"), O_RDONLY | O_DIRECT);
	tested.opens_direct = fd >= 0;
	if (tested.opens_direct)
		close(fd);
}

static void save_log(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(filelog, sizeof(*filelog), 1, file) != 1 || fclose(file))
		err(1, "%s", path);
}

static void run_actors(void)
{
	run_actor(act_plain, "plain");
	run_actor(act_ia32, "ia32");
	run_actor(act_pipes, "pipes");
	run_append();
	run_actor(act_aio, "aio");
	run_actor(act_uring, "uring");
	if (device) {
		run_actor(act_device, "device");
		run_actor(act_aio_device, "aio of the device");
	}
	run_names();
}

int main(int argc, char **argv)
{
	const char *capture = "/sys/kernel/ovnik/enable";

	if (argc == 2 && !strcmp(argv[1], "end"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "hold"))
		hold(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "-c")) {
		capture = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 4)
		errx(2, "usage: fileload [-c CAPTURE] ROOT BOUND LOG [DEVICE]");
	snprintf(tested.root, sizeof(tested.root), "%s", argv[1]);
	snprintf(tested.bound, sizeof(tested.bound), "%s", argv[2]);
	device = argv[4];
	if (readlink("/proc/self/exe", tested.self, sizeof(tested.self) - 1) < 0)
		err(1, "/proc/self/exe");
	make_log();
	check_file_system();
	make_files();
	switch_capture(capture, "1");
	run_actors();
	switch_capture(capture, "0");
	save_log(argv[3]);
	return 0;
}

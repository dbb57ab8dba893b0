// SPDX-License-Identifier: GPL-2.0-only
/* Read and write in every way. */

#include <pthread.h>

#include "../common/fileact.h"
#include "actor.h"
#include "io.h"

#define SPAN		60000	/* of the files that are read and written at random */
#define ROUNDS		150

unsigned int dice(unsigned int *seed, unsigned int sides)
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

	must_be(do_io(&io), 0, "pread after the end");
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
	must_be(do_io(&io), 0, "sendfile after the end");
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

void note_sums(void)
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

void act_plain(void)
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

void act_ia32(void)
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

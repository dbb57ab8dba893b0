// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader - read a data file in all the ways there are
 *
 *	reader mmap FILE OUTPUT		copy by the map till the capture stops
 *	reader poll FILE OUTPUT SIZE	the same by poll() and reads of SIZE bytes
 *	reader hold FILE		open it, map it, and do nothing
 *	reader block FILE		sleep in read(), throwing away what comes
 *	reader snapshots FILE SECONDS	read to the end again and again: never nothing
 *	reader TEST FILE		one of the tests below
 *
 * The status says whether all was as it should be.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ovnik.h"

#define PAGE	4096UL

/* The test ends here unless this is true. */
#define EXPECT(what)							\
	do {								\
		if (!(what))						\
			errx(1, "line %d: not %s (errno %s)", __LINE__, #what, \
			     strerrorname_np(errno));			\
	} while (0)

/* The call must fail in this way. */
#define REFUSED(error, call)	EXPECT((errno = 0, (long)(call) == -1 && errno == (error)))

struct map {
	int fd;
	volatile struct ovnik_control *control;
	const char *data;
	size_t size;
	__u32 nr;
	__u32 subbuf_size;
};

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static struct map open_map(const char *path)
{
	struct map map = { .fd = open_file(path, O_RDWR) };
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, map.fd, 0);

	EXPECT(at != MAP_FAILED);
	map.control = at;
	map.nr = map.control->nr_subbufs;
	map.subbuf_size = map.control->subbuf_size;
	map.size = (size_t)map.nr * map.subbuf_size;
	at = mmap(NULL, map.size, PROT_READ, MAP_SHARED, map.fd, OVNIK_MAP_DATA);
	EXPECT(at != MAP_FAILED);
	map.data = at;
	return map;
}

static void write_all(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		err(1, "write");
}

static int open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static bool hung_up(int fd, int timeout)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	EXPECT(poll(&poll_fd, 1, timeout) >= 0);
	return !(poll_fd.revents & POLLIN) && poll_fd.revents & POLLHUP;
}

/* A closed sub-buffer may have a writer in it that was interrupted: wait for it. */
static void copy_subbuf(struct map *map, __u64 seq, int out)
{
	const volatile struct ovnik_subbuf *sb =
		(const void *)(map->data + seq % map->nr * map->subbuf_size);

	while (!sb->used || sb->committed != sb->used)
		sched_yield();
	EXPECT(sb->seq == seq);
	write_all(out, (const void *)sb, sb->used);
	map->control->tail = seq + 1;
}

static int read_by_map(char **argv)
{
	struct map map = open_map(argv[0]);
	int out = open_output(argv[1]);
	bool end;

	do {
		/* First: what is closed before the end has to be read. */
		end = hung_up(map.fd, 100);
		while (map.control->tail < map.control->head)
			copy_subbuf(&map, map.control->tail, out);
	} while (!end);
	return 0;
}

static int read_by_poll(char **argv)
{
	int fd = open_file(argv[0], O_RDONLY | O_NONBLOCK), out = open_output(argv[1]);
	size_t size = strtoul(argv[2], NULL, 10);
	char *buffer = malloc(size);

	EXPECT(buffer);
	while (!hung_up(fd, -1)) {
		ssize_t len = read(fd, buffer, size);

		if (len < 0 && errno == EAGAIN)
			continue;
		EXPECT(len >= 0);
		write_all(out, buffer, len);
	}
	EXPECT(read(fd, buffer, size) == 0);
	return 0;
}

static int hold(char **argv)
{
	struct map map = open_map(argv[0]);
	volatile char byte;
	size_t at;

	for (at = 0; at < map.size; at += PAGE)
		byte = map.data[at];
	(void)byte;
	/* The map alone has to be enough to hold it. */
	close(map.fd);
	pause();
	return 0;
}

static int block(char **argv)
{
	int fd = open_file(argv[0], O_RDONLY);
	static char buffer[1 << 20];

	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	return 0;
}

/* In overwrite mode there is always something, once the first round is over. */
static int snapshots(char **argv)
{
	time_t end = time(NULL) + atoi(argv[1]);
	static char buffer[1 << 20];
	unsigned long rounds = 0, empty = 0, again = 0;
	int tries;

	while (time(NULL) < end) {
		int fd = open_file(argv[0], O_RDONLY);

		rounds++;
		/* Nothing yet, if the CPU stands still within a record: that is over soon. */
		for (tries = 0; tries < 100 && read(fd, buffer, sizeof(buffer)) <= 0; tries++)
			usleep(20000);
		empty += tries == 100;
		again += tries > 0;
		close(fd);
	}
	printf("# %lu of %lu reads gave nothing, %lu not at once\n", empty, rounds, again);
	return empty != 0;
}

/* Tests; before each the script has seen to it that the file holds data. */

static void test_map_write(const char *path)
{
	int fd = open_file(path, O_RDWR), read_only;
	void *map;

	REFUSED(EPERM, mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, OVNIK_MAP_DATA));
	REFUSED(EPERM, mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	REFUSED(EINVAL, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
	REFUSED(EINVAL, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
	map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT(map != MAP_FAILED);
	REFUSED(EACCES, mprotect(map, 2 * PAGE, PROT_READ | PROT_WRITE));
	REFUSED(EACCES, mprotect(map, PAGE, PROT_READ | PROT_WRITE));
	EXPECT(!munmap(map, 2 * PAGE));
	close(fd);
	read_only = open_file(path, O_RDONLY);
	REFUSED(EACCES, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, read_only, 0));
	EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, read_only, 0) != MAP_FAILED);
}

static void test_map_bounds(const char *path)
{
	struct map map = open_map(path);
	size_t all = OVNIK_MAP_DATA + map.size;
	void *whole;

	EXPECT(map.size && map.size <= OVNIK_BUFFER_MAX && !(map.size % PAGE));
	whole = mmap(NULL, all, PROT_READ, MAP_SHARED, map.fd, 0);
	EXPECT(whole != MAP_FAILED);
	EXPECT(!memcmp((char *)whole + OVNIK_MAP_DATA, map.data, map.size));
	EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, map.fd, all - PAGE) != MAP_FAILED);
	REFUSED(EINVAL, mmap(NULL, all + PAGE, PROT_READ, MAP_SHARED, map.fd, 0));
	REFUSED(EINVAL, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, map.fd, all));
	REFUSED(EINVAL, mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, map.fd, all - PAGE));
	EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, map.fd, 1L << 62) == MAP_FAILED);
	EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, map.fd, -PAGE) == MAP_FAILED);
	/* What comes after must not come in by growing. */
	EXPECT(mremap(whole, all, all + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
}

static void test_map_fork(const char *path)
{
	struct map map = open_map(path);
	pid_t pid = fork();
	int status;

	EXPECT(pid >= 0);
	if (!pid) {
		volatile char byte = *map.data;

		_exit(byte * 0);
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* Where the writer does not wait, what is read may be half of it. */
static void test_no_map(const char *path)
{
	int fd = open_file(path, O_RDWR);

	REFUSED(EINVAL, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	REFUSED(EINVAL, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, OVNIK_MAP_DATA));
}

static void test_open_twice(const char *path)
{
	int fd = open_file(path, O_RDONLY);

	REFUSED(EBUSY, open(path, O_RDONLY));
	REFUSED(EBUSY, open(path, O_RDWR));
	close(fd);
	close(open_file(path, O_RDONLY));
}

static void test_stream(const char *path)
{
	int fd = open_file(path, O_RDWR | O_NONBLOCK);
	char byte = 0;

	EXPECT(read(fd, &byte, 0) == 0);
	REFUSED(ESPIPE, lseek(fd, 0, SEEK_CUR));
	REFUSED(ESPIPE, pread(fd, &byte, 1, 0));
	REFUSED(EINVAL, write(fd, &byte, 1));
}

/* A buffer that cannot be written to must not cost data. */
static void test_bad_buffer(const char *path)
{
	int fd = open_file(path, O_RDONLY | O_NONBLOCK);
	char *volatile nowhere = NULL;	/* the compiler need not know */
	struct ovnik_subbuf head;
	char *page;

	REFUSED(EFAULT, read(fd, nowhere, 100));
	REFUSED(EFAULT, read(fd, nowhere - PAGE, 100));
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(page != MAP_FAILED);
	EXPECT(!mprotect(page + PAGE, PAGE, PROT_NONE));
	REFUSED(EFAULT, read(fd, page + PAGE - 8, 16));
	EXPECT(read(fd, &head, sizeof(head)) == sizeof(head));
	EXPECT(head.magic == OVNIK_SUBBUF_MAGIC);
}

/* Nothing to read, the capture goes on: try again later. */
static void test_nonblock(const char *path)
{
	int fd = open_file(path, O_RDONLY | O_NONBLOCK);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	static char buffer[1 << 20];
	bool ready, some;

	/* Between the last read and poll() there may be something new. */
	do {
		ready = poll(&poll_fd, 1, 0);
		some = false;
		while (read(fd, buffer, sizeof(buffer)) > 0)
			some = true;
		EXPECT(errno == EAGAIN);
		EXPECT(some || !ready);
	} while (ready && some);
}

/* Nothing to read, the capture is over. */
static void test_hangup(const char *path)
{
	int fd = open_file(path, O_RDONLY);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	static char buffer[1 << 20];

	EXPECT(poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLIN);
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	EXPECT(read(fd, buffer, sizeof(buffer)) == 0);
	EXPECT(poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLHUP);
}

static char some[1 << 20];

/* It may fail, as long as it returns. */
static void read_some(int fd, size_t len)
{
	if (read(fd, some, len) < 0)
		errno = 0;
}

/* Whatever a reader writes into the control page, the kernel must not mind. */
static void test_garbage(const char *path)
{
	struct map map = open_map(path);
	const __u64 tails[] = {
		0, 1, map.nr, map.control->head, map.control->head + 1, map.control->head - 1,
		map.control->head + map.nr, 1ULL << 31, 1ULL << 32, 1ULL << 63, ~0ULL, -8ULL,
	};
	size_t nr = sizeof(tails) / sizeof(*tails), i, round;

	EXPECT(!fcntl(map.fd, F_SETFL, O_NONBLOCK));
	for (round = 0; round < 20; round++) {
		for (i = 0; i < nr; i++) {
			map.control->tail = tails[i];
			read_some(map.fd, round & 1 ? 1000 : sizeof(some));
			usleep(500);
		}
		for (i = 0; i < nr; i++) {
			map.control->head = tails[i];
			map.control->nr_subbufs = tails[i];
			map.control->subbuf_size = tails[i];
			read_some(map.fd, round & 1 ? 1000 : sizeof(some));
			hung_up(map.fd, 0);
			usleep(500);
		}
	}
}

static const struct {
	const char *name;
	void (*test)(const char *path);
} tests[] = {
	{ "map-write", test_map_write },
	{ "map-bounds", test_map_bounds },
	{ "map-fork", test_map_fork },
	{ "no-map", test_no_map },
	{ "open-twice", test_open_twice },
	{ "stream", test_stream },
	{ "bad-buffer", test_bad_buffer },
	{ "nonblock", test_nonblock },
	{ "hangup", test_hangup },
	{ "garbage", test_garbage },
};

static const struct {
	const char *name;
	int args;
	int (*run)(char **argv);
} commands[] = {
	{ "mmap", 2, read_by_map },
	{ "poll", 3, read_by_poll },
	{ "hold", 1, hold },
	{ "block", 1, block },
	{ "snapshots", 2, snapshots },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 3)
		errx(2, "usage: reader COMMAND FILE [ARGUMENT]...");
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(argv[1], commands[i].name) && argc == 2 + commands[i].args)
			return commands[i].run(&argv[2]);
	}
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (strcmp(argv[1], tests[i].name))
			continue;
		tests[i].test(argv[2]);
		return 0;
	}
	errx(2, "%s: no such command", argv[1]);
}

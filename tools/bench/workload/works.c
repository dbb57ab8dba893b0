// SPDX-License-Identifier: GPL-2.0-only
/* What is done many times. */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define PAGE		4096
#define PATH		"directory/file"

/* W1: two threads pass a word back and forth; each pass is a switch. */

static atomic_int turn;
static pthread_t partner;

static void futex(int op, int value)
{
	syscall(SYS_futex, &turn, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void play(int me, long rounds)
{
	while (rounds--) {
		while (atomic_load(&turn) != me)
			futex(FUTEX_WAIT, !me);
		atomic_store(&turn, !me);
		futex(FUTEX_WAKE, 1);
	}
}

static void *futex_partner(void *rounds)
{
	play(1, (long)rounds);
	return NULL;
}

static void futex_prepare(long rounds)
{
	atomic_store(&turn, 0);
	if (pthread_create(&partner, NULL, futex_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	/* It goes to sleep in its first wait. */
	usleep(10000);
}

static void futex_run(long rounds)
{
	play(0, rounds / 2);
}

static void partner_join(void)
{
	pthread_join(partner, NULL);
}

/* W1p: the same through two pipes. */

static int ping[2], pong[2];

static void pass(int from, int to, long rounds, int first)
{
	char byte = 0;

	while (rounds--) {
		if (!first && read(from, &byte, 1) != 1)
			err(1, "read");
		if (write(to, &byte, 1) != 1)
			err(1, "write");
		if (first && read(from, &byte, 1) != 1)
			err(1, "read");
	}
}

static void *pipe_partner(void *rounds)
{
	pass(ping[0], pong[1], (long)rounds, 0);
	return NULL;
}

static void pipe_prepare(long rounds)
{
	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (pthread_create(&partner, NULL, pipe_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	usleep(10000);
}

static void pipe_run(long rounds)
{
	pass(pong[0], ping[1], rounds / 2, 1);
}

static void pipe_finish(void)
{
	partner_join();
	close(ping[0]);
	close(ping[1]);
	close(pong[0]);
	close(pong[1]);
}

/* W2 and W7: processes that end at once; W7's exec before that. */

static char *const nothing[] = { "/proc/self/exe", "nothing", NULL };

static void spawn(long rounds, int exec)
{
	int status;
	pid_t pid;

	while (rounds--) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			if (exec)
				execv(nothing[0], nothing);
			_exit(exec);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			errx(1, "a child failed");
	}
}

/* Mappings of this process; the last line, vsyscall, is not one. */
static long nr_vmas;

static void fork_prepare(long rounds)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX];

	(void)rounds;
	if (!maps)
		err(1, "/proc/self/maps");
	nr_vmas = 0;
	while (fgets(line, sizeof(line), maps))
		nr_vmas += !strstr(line, "[vsyscall]");
	fclose(maps);
}

/* Of W2m, in which neighbours differ: they stay apart. */
#define PATCHES		1000

static char *patches;

static void patches_prepare(long rounds)
{
	long i;

	patches = mmap(NULL, PATCHES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (patches == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < PATCHES; i += 2) {
		if (mprotect(patches + i * PAGE, PAGE, PROT_NONE))
			err(1, "mprotect");
	}
	fork_prepare(rounds);
}

static void patches_finish(void)
{
	munmap(patches, PATCHES * PAGE);
}

static void fork_run(long rounds)
{
	spawn(rounds, 0);
}

static void exec_run(long rounds)
{
	spawn(rounds, 1);
}

/* W3 and W4: system calls on a file below the working directory. */

static int data_fd = -1;
static char page[PAGE];

static void make_file(long pages)
{
	mkdir("directory", 0755);
	data_fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (data_fd < 0)
		err(1, PATH);
	while (pages--) {
		if (write(data_fd, page, sizeof(page)) != sizeof(page))
			err(1, PATH);
	}
	lseek(data_fd, 0, SEEK_SET);
}

static void remove_file(void)
{
	close(data_fd);
	unlink(PATH);
}

/* The bytes are there already: no page is added. */
static void rw_prepare(long rounds)
{
	make_file(2 * rounds / PAGE + 1);
}

static void rw_run(long rounds)
{
	char byte;

	while (rounds--) {
		if (read(data_fd, &byte, 1) != 1 || write(data_fd, &byte, 1) != 1)
			err(1, PATH);
	}
}

static void open_prepare(long rounds)
{
	(void)rounds;
	make_file(0);
}

static void open_run(long rounds)
{
	int fd;

	while (rounds--) {
		fd = open(PATH, O_RDONLY);
		if (fd < 0)
			err(1, PATH);
		close(fd);
	}
}

/* W4m: more files in turn than a tracer remembers; W4r: something else is renamed before. */

#define FILES	256

static void file_name(char *name, size_t size, long nr)
{
	snprintf(name, size, "directory/%04lx", nr % FILES);
}

static void many_prepare(long rounds)
{
	char name[32];
	long i;

	open_prepare(rounds);
	for (i = 0; i < FILES; i++) {
		file_name(name, sizeof(name), i);
		if (link(PATH, name))
			err(1, "%s", name);
	}
}

static void many_run(long rounds)
{
	char name[32];
	int fd;

	while (rounds--) {
		file_name(name, sizeof(name), rounds);
		fd = open(name, O_RDONLY);
		if (fd < 0)
			err(1, "%s", name);
		close(fd);
	}
}

static void many_finish(void)
{
	char name[32];
	long i;

	for (i = 0; i < FILES; i++) {
		file_name(name, sizeof(name), i);
		unlink(name);
	}
	remove_file();
}

static const char *const others[] = { "directory/even", "directory/odd" };

static void rename_prepare(long rounds)
{
	open_prepare(rounds);
	if (link(PATH, others[rounds & 1]))
		err(1, "%s", others[rounds & 1]);
}

static void rename_run(long rounds)
{
	while (rounds--) {
		if (rename(others[~rounds & 1], others[rounds & 1]))
			err(1, "%s", others[rounds & 1]);
		open_run(1);
	}
}

static void rename_finish(void)
{
	unlink(others[0]);
	remove_file();
}

/* W5 and W5f: memory is mapped, touched and unmapped; W5f maps a file. */

static void touch_mapping(int prot, int flags, int fd)
{
	volatile char *p = mmap(NULL, PAGE, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	if (prot & PROT_WRITE)
		*p = 1;
	else
		(void)*p;
	munmap((void *)p, PAGE);
}

static void mmap_run(long rounds)
{
	while (rounds--)
		touch_mapping(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void mmap_file_prepare(long rounds)
{
	(void)rounds;
	make_file(1);
}

static void mmap_file_run(long rounds)
{
	while (rounds--)
		touch_mapping(PROT_READ, MAP_SHARED, data_fd);
}

/* W6 and W9: pages of memory are written; W9 writes them for the first time. */

static char *memory;
static size_t memory_size;

static void touch(long pages)
{
	volatile char *p = memory;

	while (pages--) {
		*p = 1;
		p += PAGE;
	}
}

static void memory_prepare(long rounds)
{
	memory_size = rounds * PAGE;
	memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	/* One fault per page. */
	madvise(memory, memory_size, MADV_NOHUGEPAGE);
}

static void cow_prepare(long rounds)
{
	memory_prepare(rounds);
	touch(rounds);
}

static void memory_finish(void)
{
	munmap(memory, memory_size);
}

/* W8: a file's pages are added to the page cache and removed. */

static void cache_run(long rounds)
{
	while (rounds--) {
		if (write(data_fd, page, sizeof(page)) != sizeof(page))
			err(1, PATH);
	}
	if (ftruncate(data_fd, 0))
		err(1, PATH);
}

static const long once = 1, twice = 2;

const struct workload workloads[] = {
	{
		"W1", "futex ping-pong of two threads",
		.prepare = futex_prepare, .run = futex_run, .finish = partner_join,
	}, {
		"W1p", "pipe ping-pong of two threads",
		.prepare = pipe_prepare, .run = pipe_run, .finish = pipe_finish,
	}, {
		"W2", "fork, exit, wait", .prepare = fork_prepare, .run = fork_run,
		.does = { { "vma_dup", &nr_vmas } },
	}, {
		"W2m", "fork of a process with many mappings, exit, wait",
		.prepare = patches_prepare, .run = fork_run, .finish = patches_finish,
		.does = { { "vma_dup", &nr_vmas } },
	}, {
		"W3", "read of 1 byte, write of 1 byte",
		.prepare = rw_prepare, .run = rw_run, .finish = remove_file,
		.does = {
			{ "file_begin", &twice }, { "file_read", &once }, { "file_write", &once },
		},
	}, {
		"W4", "open, close",
		.prepare = open_prepare, .run = open_run, .finish = remove_file,
		.does = { { "file_open", &once }, { "file_close", &once } },
	}, {
		"W4m", "open, close of many files in turn",
		.prepare = many_prepare, .run = many_run, .finish = many_finish,
		.does = { { "file_open", &once }, { "file_close", &once } },
	}, {
		"W4r", "rename of another file, open, close",
		.prepare = rename_prepare, .run = rename_run, .finish = rename_finish,
		.does = {
			{ "file_rename", &once }, { "file_open", &once }, { "file_close", &once },
		},
	}, {
		"W5", "mmap, touch, munmap of a page of memory", .run = mmap_run,
		.does = {
			{ "mmap_anon", &once }, { "munmap", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W5f", "mmap, touch, munmap of a page of a file",
		.prepare = mmap_file_prepare, .run = mmap_file_run, .finish = remove_file,
		.does = {
			{ "mmap_file", &once }, { "munmap", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W6", "a child writes to pages that it shares with its parent",
		.prepare = cow_prepare, .run = touch, .finish = memory_finish, .in_child = 1,
		.does = {
			{ "cow_break", &once },
			{ "page_fault", &once }, { "page_fault_end", &once },
		},
	}, {
		"W7", "fork, exec, exit, wait", .run = exec_run,
	}, {
		"W8", "a page of a file is written and truncated",
		.prepare = open_prepare, .run = cache_run, .finish = remove_file,
		.does = {
			{ "page_add", &once }, { "page_remove", &once },
			{ "file_begin", &once }, { "file_write", &once },
		},
	}, {
		"W8t", "the same in tmpfs",
		.prepare = open_prepare, .run = cache_run, .finish = remove_file,
		.does = {
			{ "page_add", &once }, { "page_remove", &once },
			{ "file_begin", &once }, { "file_write", &once },
		},
	}, {
		"W9", "first write to a page of memory",
		.prepare = memory_prepare, .run = touch, .finish = memory_finish,
		.does = { { "page_fault", &once }, { "page_fault_end", &once } },
	}, {
		"WC", "files of C are compiled, four at once",
		.prepare = compile_prepare, .run = compile_run, .finish = compile_finish,
		.is_warm = 1,
	}, { }
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * moveload PART DIR - give pages other frames, or other pages their place, and use them before
 * and after:
 *
 *	cut	a file with private copies of its pages is truncated, and punched
 *	huge	huge pages: forked, copied, split, moved, collapsed
 *	sysv	System V segments
 *	odd	mremap that keeps the old place, what no child gets, vmsplice, writes from outside
 *	swap	pages go to a swap device and come back
 *	migrate	frames are taken out of use, and their pages moved
 *
 * Prints how many pages each part has moved for sure.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE		4096UL
#define HUGE		(2UL << 20)
#define PAGES		64UL
#define REGION		(PAGES * PAGE)

#define COLLAPSE	25	/* madvise(): Linux 6.1 */
#define SOFT_OFFLINE	101

static volatile char sink;
static const char *dir;

static void load(const char *at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += PAGE)
		sink += at[i];
}

static void store(char *at, size_t len, char what)
{
	size_t i;

	for (i = 0; i < len; i += PAGE)
		at[i] = what;
}

static void store_and_load(char *at, size_t len)
{
	store(at, len, 9);
	load(at, len);
}

static char *map(size_t len, int flags, int fd)
{
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static char *anon(size_t len)
{
	return map(len, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static char *aligned(size_t len)
{
	uintptr_t at = (uintptr_t)anon(len + HUGE);

	return (char *)((at + HUGE - 1) & ~(HUGE - 1));
}

static void advise(char *at, size_t len, int advice)
{
	if (madvise(at, len, advice))
		err(1, "madvise %d", advice);
}

static void must(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
}

/* In a child, which shares all private memory until one of them writes. */
static void in_child(void (*fn)(char *at, size_t len), char *at, size_t len)
{
	pid_t child = fork();

	must(child, "fork");
	if (!child) {
		fn(at, len);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void load_only(char *at, size_t len)
{
	load(at, len);
}

/* A file of PAGES pages, mapped twice: shared, and with some copies. */
static void cut(int fd)
{
	char *shared, *copies;

	must(ftruncate(fd, REGION), "ftruncate");
	shared = map(REGION, MAP_SHARED, fd);
	store(shared, REGION, 1);
	copies = map(REGION, MAP_PRIVATE, fd);
	load(copies, REGION);
	store(copies, REGION / 2, 2);
	/* Copies behind the end are gone, those before it are not. */
	must(ftruncate(fd, REGION / 4 + 5), "ftruncate");
	must(ftruncate(fd, REGION), "ftruncate");
	load(shared, REGION);
	load(copies, REGION);
	store(copies, REGION, 3);
	in_child(store_and_load, copies, REGION);
	/* A hole leaves all copies. */
	must(fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, REGION / 2), "fallocate");
	load(copies, REGION);
	advise(shared + REGION / 2, REGION / 4, MADV_REMOVE);
	load(copies, REGION);
	store(shared, REGION, 4);
	load(copies, REGION);
	must(ftruncate(fd, 0), "ftruncate");
	must(ftruncate(fd, REGION), "ftruncate");
	store(shared, REGION, 5);
	load(copies, REGION);
	munmap(shared, REGION);
	munmap(copies, REGION);
}

/* An inode that is given again, while the old one is mapped. */
static void again(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *old, *new;

	must(fd, path);
	must(ftruncate(fd, REGION), "ftruncate");
	old = map(REGION, MAP_SHARED, fd);
	store(old, REGION, 1);
	close(fd);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	must(fd, path);
	must(ftruncate(fd, REGION), "ftruncate");
	new = map(REGION, MAP_SHARED, fd);
	store(new, REGION, 2);
	load(old, REGION);
	munmap(old, REGION);
	munmap(new, REGION);
	close(fd);
	/* Cut by open(). */
	fd = open(path, O_RDWR, 0600);
	new = map(REGION, MAP_PRIVATE, fd);
	store(new, REGION, 3);
	close(open(path, O_RDWR | O_TRUNC));
	must(ftruncate(fd, REGION), "ftruncate");
	load(new, REGION);
	close(fd);
	munmap(new, REGION);
}

static unsigned long part_cut(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(fd, path);
	cut(fd);
	close(fd);
	fd = memfd_create("moveload", 0);
	must(fd, "memfd_create");
	cut(fd);
	close(fd);
	again(path);
	return 0;
}

static unsigned long part_huge(void)
{
	char *huge = aligned(2 * HUGE), *other, *small;

	advise(huge, 2 * HUGE, MADV_HUGEPAGE);
	store_and_load(huge, 2 * HUGE);
	in_child(store_and_load, huge, 2 * HUGE);
	store(huge, 2 * HUGE, 2);
	in_child(load_only, huge, 2 * HUGE);
	other = mremap(huge, HUGE, HUGE, MREMAP_MAYMOVE | MREMAP_FIXED, aligned(HUGE));
	if (other == MAP_FAILED)
		err(1, "mremap");
	load(other, HUGE);
	huge += HUGE;
	advise(huge + 8 * PAGE, 16 * PAGE, MADV_DONTNEED);
	store(huge, HUGE, 5);
	munmap(huge + HUGE / 2, PAGE);
	load(huge, HUGE / 2);
	/* The huge page of zeroes. */
	other = aligned(HUGE);
	advise(other, HUGE, MADV_HUGEPAGE);
	load(other, HUGE);
	store(other, REGION, 1);
	load(other, HUGE);
	small = aligned(HUGE);
	advise(small, HUGE, MADV_NOHUGEPAGE);
	store(small, HUGE, 1);
	advise(small, HUGE, MADV_HUGEPAGE);
	advise(small, HUGE, COLLAPSE);
	load(small, HUGE);
	store(small, HUGE, 2);
	return HUGE / PAGE;
}

static unsigned long part_sysv(void)
{
	int i, id;
	char *at, *twice;

	/* Twice, for the number may be given again. */
	for (i = 0; i < 2; i++) {
		id = shmget(IPC_PRIVATE, REGION, 0600);
		must(id, "shmget");
		at = shmat(id, NULL, 0);
		store(at, REGION, 1);
		in_child(store_and_load, at, REGION);
		load(at, REGION);
		twice = shmat(id, NULL, 0);
		store_and_load(twice, REGION);
		shmdt(at);
		load(twice, REGION);
		must(shmctl(id, IPC_RMID, NULL), "shmctl");
		load(twice, REGION);
		shmdt(twice);
	}
	return 0;
}

static void write_from_outside(char *at)
{
	struct iovec part = { at, REGION / 2 };
	pid_t child;
	int ends[2];
	char byte;

	must(pipe(ends), "pipe");
	child = fork();
	must(child, "fork");
	if (!child) {
		close(ends[1]);
		/* Until the parent has written. */
		must(read(ends[0], &byte, 1), "read");
		load(at, REGION);
		store(at, REGION, 6);
		_exit(0);
	}
	if (process_vm_writev(child, &part, 1, &part, 1, 0) < 0)
		err(1, "process_vm_writev");
	store(at, REGION, 7);
	close(ends[0]);
	close(ends[1]);
	waitpid(child, NULL, 0);
	load(at, REGION);
}

static void give_to_pipe(char *at)
{
	struct iovec part = { at, 8 * PAGE };
	char buffer[8 * PAGE];
	int ends[2];

	must(pipe(ends), "pipe");
	if (vmsplice(ends[1], &part, 1, 0) < 0)
		err(1, "vmsplice");
	store(at, 16 * PAGE, 2);
	if (read(ends[0], buffer, sizeof(buffer)) < 0)
		err(1, "read");
	in_child(store_and_load, at, 16 * PAGE);
	store(at, 16 * PAGE, 3);
	close(ends[0]);
	close(ends[1]);
}

static unsigned long part_odd(void)
{
	char *at = anon(REGION), *moved;

	store(at, REGION, 1);
	advise(at, REGION / 2, MADV_DONTNEED);
	load(at, REGION);
	store(at, REGION, 2);
	moved = mremap(at, REGION, 2 * REGION, MREMAP_MAYMOVE);
	store(moved, 2 * REGION, 1);
	at = mremap(moved, 2 * REGION, REGION, 0);
	load(at, REGION);
	moved = mremap(at, REGION, REGION, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	if (moved == MAP_FAILED)
		err(1, "mremap");
	load(moved, REGION);
	store(at, REGION, 7);
	load(moved, REGION);
	advise(moved, 8 * PAGE, MADV_DONTFORK);
	in_child(store_and_load, moved + 8 * PAGE, 8 * PAGE);
	advise(moved + 16 * PAGE, 8 * PAGE, MADV_WIPEONFORK);
	in_child(store_and_load, moved + 16 * PAGE, 8 * PAGE);
	load(moved, REGION);
	write_from_outside(at);
	give_to_pipe(at);
	return 0;
}

/* Whether a page is there is known from /proc/self/pagemap. */
static unsigned long count_away(const char *at, size_t len)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;
	unsigned long away = 0;
	size_t i;

	must(fd, "pagemap");
	for (i = 0; i < len; i += PAGE) {
		if (pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)(at + i) / PAGE * 8)) != 8)
			err(1, "pagemap");
		away += entry >> 62 & 1;
	}
	close(fd);
	return away;
}

static unsigned long part_swap(void)
{
	char *at = anon(REGION);
	unsigned long away;

	store(at, REGION, 1);
	advise(at, REGION, MADV_PAGEOUT);
	away = count_away(at, REGION);
	store(anon(REGION), REGION, 2);
	load(at, REGION);
	store(at, REGION, 3);
	/* Some are shared with a child when they come back. */
	advise(at, REGION, MADV_PAGEOUT);
	in_child(store_and_load, at, REGION / 2);
	load(at, REGION);
	return away;
}

static unsigned long part_migrate(void)
{
	char *at = anon(REGION);
	unsigned long i;

	store_and_load(at, REGION);
	for (i = 0; i < PAGES / 2; i++)
		advise(at + i * PAGE, PAGE, SOFT_OFFLINE);
	load(at, REGION);
	store(at, REGION, 2);
	return PAGES / 2;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned long (*fn)(void);
	} parts[] = {
		{ "cut", part_cut }, { "huge", part_huge }, { "sysv", part_sysv },
		{ "odd", part_odd }, { "swap", part_swap }, { "migrate", part_migrate },
	};
	unsigned int i;

	if (argc != 3)
		return 2;
	dir = argv[2];
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		printf("%s %lu\n", parts[i].name, parts[i].fn());
		return 0;
	}
	return 2;
}

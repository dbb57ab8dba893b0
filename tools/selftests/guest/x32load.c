// SPDX-License-Identifier: GPL-2.0-only
/*
 * x32load - read and write a file by system calls of x32
 *
 *	x32load FILE COUNT
 *
 * Each of COUNT rounds is a write(), a writev(), a pread64() and a preadv(). The kernel must
 * have been started with syscall.x32=y.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define X32		0x40000000L
#define X32_WRITE	(X32 | 1)
#define X32_PREAD	(X32 | 17)
#define X32_WRITEV	(X32 | 516)
#define X32_PREADV	(X32 | 534)
#define SIZE		100

struct vec32 {
	uint32_t base;
	uint32_t len;
};

static void call(long nr, int fd, long text, long size)
{
	if (syscall(nr, fd, text, size, 0L, 0L) != SIZE)
		err(1, "x32 call %ld", nr & ~X32);
}

int main(int argc, char **argv)
{
	struct vec32 *vec;
	int fd, left;
	char *text;

	if (argc != 3)
		errx(2, "usage: x32load FILE COUNT");
	fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0)
		err(1, "%s", argv[1]);
	/* Pointers have 32 bits. */
	text = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (text == MAP_FAILED)
		err(1, "mmap");
	memset(text, 'x', SIZE);
	vec = (void *)(text + 2048);
	*vec = (struct vec32){ (uint32_t)(uintptr_t)text, SIZE };
	for (left = strtol(argv[2], NULL, 10); left; left--) {
		call(X32_WRITE, fd, (long)text, SIZE);
		call(X32_WRITEV, fd, (long)vec, 1);
		call(X32_PREAD, fd, (long)text, SIZE);
		call(X32_PREADV, fd, (long)vec, 1);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two programs of Documentation/tutorial.rst, by the name under which this is started:
 *
 *	lookup FILE	reads some blocks of FILE and says how long that took
 *	indexer FILE	reads FILE over and over; drops each block from the page cache, as it will
 *			not need it again
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOKUPS	300
#define BLOCK	16384

static char block[BLOCK];

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void read_block(int fd, off_t number)
{
	if (pread(fd, block, BLOCK, number * BLOCK) != BLOCK) {
		perror("pread");
		exit(1);
	}
}

static unsigned long compute(unsigned long times)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	for (i = 0; i < times; i++)
		sum += block[i % BLOCK];
	return sum;
}

static void lookup(int fd, off_t blocks)
{
	unsigned int seed = 1;
	long begin = now_us();
	int i;

	for (i = 0; i < LOOKUPS; i++) {
		seed = seed * 1103515245 + 12345;
		read_block(fd, (seed >> 8) % blocks);
		compute(BLOCK);
	}
	printf("%d lookups in %ld ms\n", LOOKUPS, (now_us() - begin) / 1000);
}

static void __attribute__((noreturn)) indexer(int fd, off_t blocks)
{
	off_t i;

	for (;;) {
		for (i = 0; i < blocks; i++) {
			read_block(fd, i);
			compute(2 * BLOCK);
			posix_fadvise(fd, i * BLOCK, BLOCK, POSIX_FADV_DONTNEED);
		}
	}
}

int main(int argc, char **argv)
{
	off_t blocks;
	int fd;

	fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0) {
		fprintf(stderr, "%s FILE: %s\n", argv[0], argc == 2 ? strerror(errno) : "usage");
		return 2;
	}
	blocks = lseek(fd, 0, SEEK_END) / BLOCK;
	if (strstr(argv[0], "indexer"))
		indexer(fd, blocks);
	lookup(fd, blocks);
	return 0;
}

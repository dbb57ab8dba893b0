// SPDX-License-Identifier: GPL-2.0-only
/*
 * manyload DIR N TO - read a file in DIR N times, and so on; write into TO how often what
 *
 * It writes "EVENT COUNT" lines: so many events of the whole process, execve() included.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of as many reads, one of each other kind. */
#define READS	16

static char path[4096];
static char *page;

static int open_file(void)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void others(int fd)
{
	if (pwrite(fd, "x", 1, 0) != 1)
		err(1, "%s", path);
	close(open_file());
	if (madvise(page, 4096, MADV_DONTNEED))
		err(1, "madvise");
}

/* The file itself and the program, which execve() opens, are opened too. */
static void tell(const char *to, unsigned long n)
{
	FILE *file = fopen(to, "w");

	if (!file)
		err(1, "%s", to);
	fprintf(file, "file_open %lu\n", n + 3);
	fprintf(file, "file_close %lu\n", n + 3);
	fprintf(file, "file_read %lu\n", n * READS);
	fprintf(file, "file_write %lu\n", n + 1);
	fprintf(file, "file_begin %lu\n", n * (READS + 1) + 1);
	fprintf(file, "madvise_dontneed %lu\n", n);
	if (fclose(file))
		err(1, "%s", to);
}

int main(int argc, char **argv)
{
	unsigned long i, j, n = argc == 4 ? strtoul(argv[2], NULL, 10) / READS : 0;
	char byte;
	int fd;

	if (!n)
		errx(2, "usage: manyload DIR N TO");
	snprintf(path, sizeof(path), "%s/manyload", argv[1]);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	fd = open_file();
	for (i = 0; i < n; i++) {
		others(fd);
		for (j = 0; j < READS; j++) {
			if (pread(fd, &byte, 1, 0) != 1)
				err(1, "%s", path);
		}
	}
	close(fd);
	tell(argv[3], n);
	return 0;
}

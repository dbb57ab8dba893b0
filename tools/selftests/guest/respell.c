// SPDX-License-Identifier: GPL-2.0-only
/*
 * respell FROM TO FILE - print the file with each FROM replaced by TO, which is as long. The
 * guest's sed takes ten seconds for a program, which has few lines.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets @length. The kernel's BTF cannot be mapped, and has no size that stat() would give. */
static char *read_all(const char *path, size_t *length)
{
	size_t room = 1 << 24;
	char *data = malloc(room);
	int fd = open(path, O_RDONLY);
	ssize_t got = 0;

	if (!data || fd < 0)
		err(1, "%s", path);
	*length = 0;
	do {
		*length += got;
		got = read(fd, data + *length, room - *length);
	} while (got > 0);
	if (got < 0 || *length == room)
		errx(1, "%s: cannot be read, or is too long", path);
	close(fd);
	return data;
}

int main(int argc, char **argv)
{
	size_t length, size;
	char *data, *at;
	int nr = 0;

	if (argc != 4 || strlen(argv[1]) != strlen(argv[2]))
		errx(2, "usage: respell FROM TO FILE, FROM and TO of the same length");
	size = strlen(argv[1]);
	data = read_all(argv[3], &length);
	at = data;
	while ((at = memmem(at, length - (at - data), argv[1], size))) {
		memcpy(at, argv[2], size);
		nr++;
	}
	if (!nr)
		errx(1, "%s: has no %s", argv[3], argv[1]);
	if (fwrite(data, 1, length, stdout) != length || fflush(stdout))
		err(1, "stdout");
	free(data);
	return 0;
}

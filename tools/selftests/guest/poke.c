// SPDX-License-Identifier: GPL-2.0-only
/*
 * poke - one write(), whose errno is the exit status
 *
 *	poke FILE VALUE
 *
 * A shell's echo says that something went wrong, but not what.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		errx(255, "usage: poke FILE VALUE");
	fd = open(argv[1], O_WRONLY);
	if (fd < 0)
		return errno;
	return write(fd, argv[2], strlen(argv[2])) < 0 ? errno : 0;
}

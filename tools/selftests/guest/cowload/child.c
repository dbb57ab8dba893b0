// SPDX-License-Identifier: GPL-2.0-only
/* Children: each does something, reports that, and waits for its end. */

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/stamp.h"
#include "cowload.h"

static char maps[256 << 10];

static size_t read_maps(void)
{
	int fd = open("/proc/self/maps", O_RDONLY);
	size_t len = 0;
	ssize_t got;

	if (fd < 0)
		err(1, "maps");
	while ((got = read(fd, maps + len, sizeof(maps) - len)) > 0)
		len += got;
	close(fd);
	return len;
}

/* The child may log already: all of it is written at once. */
static void log_fork(pid_t pid, unsigned long long from, size_t len)
{
	char line[128];
	struct iovec text[] = { { .iov_base = line }, { .iov_base = maps, .iov_len = len } };

	text[0].iov_len = snprintf(line, sizeof(line), "fork %d %d %llu %llu %zu\n", getpid(), pid,
				   from, stamp_now(), len);
	if (writev(log_fd, text, 2) != (ssize_t)(text[0].iov_len + len))
		err(1, "log");
}

static pid_t logged_fork(void)
{
	size_t len = read_maps();
	unsigned long long from = stamp_now();
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		log_fork(pid, from, len);
	return pid;
}

void start_child(struct child *child, task does, char *base)
{
	int done[2], release[2];
	unsigned int result;
	char byte;

	if (pipe(done) || pipe(release))
		err(1, "pipe");
	child->pid = logged_fork();
	if (!child->pid) {
		close(release[1]);
		result = does ? does(base) : 0;
		if (write(done[1], &result, sizeof(result)) != sizeof(result))
			_exit(1);
		_exit(read(release[0], &byte, 1) < 0);
	}
	close(done[1]);
	close(release[0]);
	child->done = done[0];
	child->release = release[1];
	if (read(child->done, &child->result, sizeof(child->result)) != sizeof(child->result))
		errx(1, "a child has failed");
}

void end_child(struct child *child)
{
	int status;

	close(child->done);
	close(child->release);
	if (waitpid(child->pid, &status, 0) < 0 || status)
		errx(1, "child: status %#x", status);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actor.h"

#define NR_PATHS	4

struct tested tested;

const char *under(const char *dir, const char *name)
{
	static __thread char paths[NR_PATHS][PATH_MAX];
	static __thread unsigned int nr;
	char *path = paths[nr++ % NR_PATHS];
	size_t len = strlen(dir);

	if (len + strlen(name) + 2 > PATH_MAX)
		errx(1, "%s is too long", name);
	memcpy(path, dir, len);
	path[len] = '/';
	strcpy(path + len + 1, name);
	return path;
}

const char *in_root(const char *name)
{
	return under(tested.root, name);
}

void make_file(const char *name, size_t len)
{
	int fd = open(in_root(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
	char *data = calloc(1, len);

	if (fd < 0 || !data || write(fd, data, len) != (ssize_t)len)
		err(1, "cannot make %s", name);
	free(data);
	close(fd);
}

pid_t start_actor(void (*act)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		act();
		_exit(0);
	}
	return pid;
}

void wait_for(pid_t pid, const char *who)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s: status %#x", who, status);
}

void run_actor(void (*act)(void), const char *who)
{
	wait_for(start_actor(act), who);
}

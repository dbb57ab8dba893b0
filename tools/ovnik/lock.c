// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program at a time records with a back end. The lock is a file with the PID of its
 * holder; the kernel releases it when that ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock.h"
#include "util/msg.h"

#define PATH_SIZE	64

static int held = -1;
/* The file that was made for it; empty: it was there, as systemd-tmpfiles makes it. */
static char made[PATH_SIZE];

static int open_file(const char *name, int flags, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/run/ovnik-%s.lock", name);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static pid_t read_pid(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;
}

static int write_pid(int fd)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d\n", getpid());

	return ftruncate(fd, 0) || pwrite(fd, text, len, 0) != len ? -errno : 0;
}

/* lock_holder() of another program has it for a moment. */
static int take(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	usleep(20000);
	return flock(fd, LOCK_EX | LOCK_NB);
}

/* Its holder may have removed it before it was locked here. */
static bool is_removed(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_nlink;
}

static int make_file(const char *name, char path[PATH_SIZE])
{
	int fd = open_file(name, O_RDWR | O_CREAT | O_EXCL, path);

	strcpy(made, fd < 0 ? "" : path);
	return fd >= 0 || errno != EEXIST ? fd : open_file(name, O_RDWR | O_CREAT, path);
}

/**
 * lock_take() - Take the lock of a back end, for as long as this program lives.
 * @name: of the back end
 *
 * Return: 0, also if it is held already; a negative errno, which has been reported.
 */
int lock_take(const char *name)
{
	char path[PATH_SIZE];
	int fd, ret;

	if (held >= 0)
		return 0;
	fd = make_file(name, path);
	ret = fd < 0 ? -errno : 0;
	if (!ret && take(fd)) {
		msg_error("another ovnik is already using the back end %s (PID %d); it must end first",
			  name, read_pid(fd));
		close(fd);
		return -EBUSY;
	}
	if (!ret && is_removed(fd)) {
		close(fd);
		return lock_take(name);
	}
	if (!ret)
		ret = write_pid(fd);
	if (!ret) {
		held = fd;
		return 0;
	}
	if (ret == -EACCES)
		msg_error("%s: %s: only root can make this file, or systemd-tmpfiles for a group (ovnik.conf)",
			  path, strerror(-ret));
	else
		msg_error("%s: %s", path, strerror(-ret));
	if (fd >= 0)
		close(fd);
	return ret;
}

/**
 * lock_is_held() - Does this program have a lock?
 *
 * Return: true if it does.
 */
bool lock_is_held(void)
{
	return held >= 0;
}

/**
 * lock_drop() - Release the lock, if it is held, and remove the file if it was made for it.
 */
void lock_drop(void)
{
	if (held >= 0) {
		if (*made)
			unlink(made);
		close(held);
	}
	held = -1;
}

/**
 * lock_holder() - Which program has the lock of a back end?
 * @name: of the back end
 *
 * Return: its PID; 0 if there is none; -EACCES if this user may not know.
 */
pid_t lock_holder(const char *name)
{
	char path[PATH_SIZE];
	int fd = open_file(name, O_RDONLY, path);
	pid_t pid = 0;

	if (fd < 0)
		return errno == EACCES ? -EACCES : 0;
	if (flock(fd, LOCK_SH | LOCK_NB))
		pid = read_pid(fd);
	close(fd);
	return pid;
}

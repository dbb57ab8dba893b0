// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program at a time records with a back end. The lock is a file with the PID of its
 * holder, for people; the kernel releases it when that ends. Who may record can write into the file
 * and lock it, so who has the lock is asked of the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

/* Of a line of /proc/locks, but for those who wait. */
static pid_t pid_of_lock(const char *line, const struct stat *st)
{
	unsigned int major, minor;
	unsigned long ino;
	int pid;

	if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major, &minor, &ino) != 4 ||
	    makedev(major, minor) != st->st_dev || ino != st->st_ino)
		return 0;
	return pid;
}

/* Return: the PID; -ESRCH if it is in no namespace that can be seen from here. */
static pid_t find_holder(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	struct stat st;
	char line[256];
	pid_t pid = 0;

	if (locks && !fstat(fd, &st))
		while (pid <= 0 && fgets(line, sizeof(line), locks))
			pid = pid_of_lock(line, &st);
	if (locks)
		fclose(locks);
	return pid > 0 ? pid : -ESRCH;
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
	char path[PATH_SIZE], holder[LOCK_TEXT];
	int fd, ret;

	if (held >= 0)
		return 0;
	fd = make_file(name, path);
	ret = fd < 0 ? -errno : 0;
	if (!ret && take(fd)) {
		lock_describe(find_holder(fd), holder);
		msg_error("the back end %s is already in use (%s); that must end first", name,
			  holder);
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
 * Return: its PID; 0 if there is none; -EACCES if this user may not know; -ESRCH if it is in
 * another container.
 */
pid_t lock_holder(const char *name)
{
	char path[PATH_SIZE];
	int fd = open_file(name, O_RDONLY, path);
	pid_t pid = 0;

	if (fd < 0)
		return errno == EACCES ? -EACCES : 0;
	if (flock(fd, LOCK_SH | LOCK_NB))
		pid = find_holder(fd);
	close(fd);
	return pid;
}

/**
 * lock_describe() - Say which program that is, by the name that the kernel has of it.
 * @holder: as of lock_holder(), not 0
 * @text: for the words
 */
void lock_describe(pid_t holder, char text[LOCK_TEXT])
{
	char path[PATH_SIZE], name[32] = "";
	FILE *comm;

	if (holder < 0) {
		snprintf(text, LOCK_TEXT, "a process that cannot be seen from here");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", holder);
	comm = fopen(path, "re");
	if (comm && fgets(name, sizeof(name), comm))
		name[strcspn(name, "\n")] = '\0';
	if (comm)
		fclose(comm);
	snprintf(text, LOCK_TEXT, "PID %d, %s", holder, *name ? name : "which has ended");
}

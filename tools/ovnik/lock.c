// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program at a time records with a back end. The lock is a file with the PID of its
 * holder, for people; the kernel releases it when that ends. Who may record can write into the file
 * and lock it, so who has the lock is asked of the kernel.
 */
#include <ctype.h>
#include <dirent.h>
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
#include "util/utf8.h"

#define PATH_SIZE	64

static int held = -1;
/* The file that was made for it; empty: it was there, as systemd-tmpfiles makes it. */
static char made[PATH_SIZE];

static int open_file(const char *name, int flags, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/run/ovnik-%s.lock", name);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Is it a line of /proc/locks for this file? Not for those who wait. */
static bool is_lock(const char *line, const struct stat *st, pid_t *taker)
{
	unsigned int major, minor;
	unsigned long ino;

	return sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", taker, &major, &minor, &ino) == 4 &&
	       makedev(major, minor) == st->st_dev && ino == st->st_ino;
}

/* Return: the PID of who has called flock(); 0 if it cannot be seen from here. */
static pid_t find_taker(const struct stat *st)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	bool found = false;
	pid_t pid = 0;

	while (locks && !found && fgets(line, sizeof(line), locks))
		found = is_lock(line, st, &pid);
	if (locks)
		fclose(locks);
	return found ? pid : 0;
}

static DIR *open_fdinfo(pid_t pid)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	return opendir(path);
}

static bool file_has_lock(int fd, const struct stat *st)
{
	static const char key[] = "lock:\t";
	FILE *info = fd < 0 ? NULL : fdopen(fd, "r");
	char line[256];
	bool found = false;
	pid_t taker;

	while (info && !found && fgets(line, sizeof(line), info))
		found = !strncmp(line, key, strlen(key)) &&
			is_lock(line + strlen(key), st, &taker);
	if (info)
		fclose(info);
	return found;
}

/* Return: 1 or 0; -EACCES if this user may not know; -ENOENT if there is no such process. */
static int has_lock(pid_t pid, const struct stat *st)
{
	DIR *files = open_fdinfo(pid);
	struct dirent *entry;
	int found = 0;

	if (!files)
		return -errno;
	while (!found && (entry = readdir(files)))
		if (isdigit(*entry->d_name))
			found = file_has_lock(openat(dirfd(files), entry->d_name,
						     O_RDONLY | O_CLOEXEC), st);
	closedir(files);
	return found;
}

/* Return: a process that has it; 0 if there is none that this user may look at. */
static pid_t search_holder(const struct stat *st)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (processes && pid <= 0 && (entry = readdir(processes))) {
		pid = atoi(entry->d_name);
		if (pid > 0 && has_lock(pid, st) <= 0)
			pid = 0;
	}
	if (processes)
		closedir(processes);
	return pid;
}

/*
 * Who has called flock() may have handed the file on to a child, and ended since; its PID may be
 * that of another process then. Return: the PID; -ESRCH if it cannot be seen from here.
 */
static pid_t find_holder(int fd)
{
	pid_t taker, pid;
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -ESRCH;
	taker = find_taker(&st);
	ret = taker ? has_lock(taker, &st) : 0;
	pid = ret > 0 ? taker : search_holder(&st);
	if (!pid && ret < 0)
		pid = taker;
	return pid ?: -ESRCH;
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

static void put_name(FILE *text, pid_t pid)
{
	char path[PATH_SIZE], name[32] = "";
	size_t len = 0;
	DIR *files;
	FILE *comm;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	comm = fopen(path, "re");
	if (comm) {
		len = fread(name, 1, sizeof(name) - 1, comm);
		fclose(comm);
	}
	if (!len) {
		fputs("which has ended and left the lock to another process", text);
		return;
	}
	/* Whatever the process has called itself. */
	name[len - 1] = '\0';
	utf8_put_escaped(text, name);
	files = open_fdinfo(pid);
	if (files)
		closedir(files);
	else
		fputs(", as far as this user may see", text);
}

/**
 * lock_describe() - Say which program that is, by the name that the kernel has of it.
 * @holder: as of lock_holder(), not 0
 * @text: for the words, fit for a terminal
 */
void lock_describe(pid_t holder, char text[LOCK_TEXT])
{
	FILE *f;

	if (holder < 0) {
		snprintf(text, LOCK_TEXT, "a process that cannot be seen from here");
		return;
	}
	snprintf(text, LOCK_TEXT, "PID %d, ", holder);
	f = fmemopen(text, LOCK_TEXT, "a");
	if (f) {
		put_name(f, holder);
		fclose(f);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * coverload DIR TMP DISK - read, write, map, fault, fork and wait in each way that there is
 *
 * DIR is on a disk's file system, TMP is a tmpfs, DISK a block device that nobody else reads.
 * Prints for each way "NAME<tab>KIND PID BEGIN END DEV INO": KIND is "heading", "way", "wait",
 * "make", or "none" if this kernel has no such way; PID has done it between BEGIN and END, and the
 * file that it was done with has these numbers, as records have them. See covercheck.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/stamp.h"
#include "coverload/way.h"

/* Of the linker: what this program writes to, but for its stack. */
extern char __data_start, _end;

#define NOT_HERE	77	/* status of a process whose kernel has no such way */

struct scene scene;

/**
 * struct outcome - In memory that all processes share.
 * @begin: when it was begun
 * @end:   when it had ended
 * @dev:   of the file, as records have it
 * @ino:   likewise; 0: the file is the block device @dev
 */
static struct outcome {
	unsigned long long begin;
	unsigned long long end;
	unsigned long dev;
	unsigned long ino;
} *outcome;

static const char *doing = "coverload";

void done(bool ok)
{
	if (ok)
		return;
	if (errno == EOPNOTSUPP)
		_exit(NOT_HERE);
	err(1, "%s", doing);
}

static void must(bool ok)
{
	if (!ok)
		err(1, "%s", doing);
}

static unsigned long device(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

void watch(int fd)
{
	struct stat st;

	must(!fstat(fd, &st));
	outcome->dev = device(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
	outcome->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
}

int new_file(const char *dir, const char *name)
{
	static char zero[PAGES * PAGE];
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	must(pwrite(fd, zero, sizeof(zero), 0) == sizeof(zero) && !fsync(fd));
	return fd;
}

void drop(int fd)
{
	must(!fsync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
}

char *new_memory(size_t pages)
{
	void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	must(memory != MAP_FAILED);
	return memory;
}

pid_t new_child(void)
{
	pid_t parent = getpid(), pid = fork();

	must(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

static char state_of(pid_t pid)
{
	char path[64], text[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		_exit(1);
	close(fd);
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

pid_t sharer(void)
{
	pid_t pid = new_child();

	while (!pid)
		pause();
	/* What it still copies for itself is none of the way. */
	while (state_of(pid) != 'S')
		usleep(500);
	return pid;
}

pid_t when_asleep(void (*wake)(void))
{
	pid_t parent = getpid(), pid = new_child();

	if (pid)
		return pid;
	while (!strchr("STt", state_of(parent)))
		usleep(500);
	wake();
	while (1)
		pause();
}

/* Nothing that this program itself has is to fault once the way has begun. */
static void set_scene(void)
{
	must(!mlockall(MCL_CURRENT) && !munlockall());
	snprintf(scene.path, sizeof(scene.path), "%s/file", scene.dir);
	scene.file = new_file(scene.dir, "file");
	scene.other = new_file(scene.dir, "other");
	scene.page = new_memory(PAGES);
	memset(scene.page, 'x', PAGES * PAGE);
	must(!pipe(scene.pipe) && !socketpair(AF_UNIX, SOCK_STREAM, 0, scene.pair));
	watch(scene.file);
}

/* After a fork all that is written to faults once, whatever the way is. */
static void touch_own(void)
{
	volatile char stack[4 * PAGE];
	volatile char *data;
	size_t i;

	for (i = 0; i < sizeof(stack); i += PAGE)
		stack[i] = 0;
	for (data = &__data_start; data < &_end; data += PAGE)
		*data = *data;
	data = (volatile char *)((unsigned long)&_end - 1);
	*data = *data;
	errno = 0;
}

static void go(const struct way *way)
{
	/* One that waits for ever is to have a name. */
	alarm(300);
	set_scene();
	if (way->prepare)
		way->prepare();
	touch_own();
	outcome->begin = stamp_now();
	way->act();
	outcome->end = stamp_now();
	_exit(0);
}

static void print(const struct way *way, const char *kind, pid_t pid)
{
	printf("%s\t%s %d %llu %llu %lu %lu\n", way->name, kind, pid, outcome->begin, outcome->end,
	       outcome->dev, outcome->ino);
}

static void do_way(const struct way *way)
{
	int status;
	pid_t pid;

	*outcome = (struct outcome){};
	if (!way->act) {
		print(way, "heading", 0);
		return;
	}
	doing = way->name;
	fflush(stdout);
	pid = fork();
	must(pid >= 0);
	if (!pid)
		go(way);
	must(waitpid(pid, &status, 0) == pid);
	if (status == NOT_HERE << 8)
		print(way, "none", 0);
	else if (status)
		errx(1, "%s: status %#x", doing, status);
	else
		print(way, way->waits ? "wait" : way->makes ? "make" : "way", pid);
}

int main(int argc, char **argv)
{
	static const struct way *const lists[] = {
		ways_to_read, ways_to_write, ways_to_name, ways_to_cache, ways_to_map,
		ways_to_fault, ways_to_make_tasks, ways_to_wait,
	};
	cpu_set_t first = {};
	const struct way *way;
	size_t i;

	if (argc != 4)
		errx(2, "usage: coverload DIR TMP DISK");
	/* The scheduler is to move nobody. */
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		err(1, "sched_setaffinity");
	scene = (struct scene){ .dir = argv[1], .tmp = argv[2], .disk = argv[3] };
	outcome = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(outcome != MAP_FAILED);
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		for (way = lists[i]; way->name; way++)
			do_way(way);
	}
	return 0;
}

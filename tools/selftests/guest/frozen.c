// SPDX-License-Identifier: GPL-2.0-only
/*
 * frozen - processes whose address spaces are locked until a file system is thawed
 *
 *	frozen DIR PROCESSES
 *
 * Freezes the file system of DIR. Each process faults on a page of a file there, which
 * holds the lock for reading, and its thread unmaps it, which waits for it. Prints "ready"
 * and thaws when it is told to on stdin.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile char *page;

/* Waits for what no signal ends, as here for a lock or for the file system. */
static int is_blocked(pid_t tid)
{
	char path[32], stat[128], *state;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	len = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (len <= 0)
		err(1, "%s", path);
	stat[len] = 0;
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'D';
}

/* A task may be blocked for a moment on its way there. */
static void wait_until_blocked(pid_t tid)
{
	int looks = 0;

	while (looks < 20) {
		looks = is_blocked(tid) ? looks + 1 : 0;
		usleep(10000);
	}
}

static void *unmap(void *report)
{
	pid_t tid = gettid();

	wait_until_blocked(getpid());
	if (write(*(int *)report, &tid, sizeof(tid)) != sizeof(tid))
		err(1, "write");
	munmap((void *)page, 4096);
	return NULL;
}

/* Once the lock is waited for, this process can do nothing that needs memory. */
static void stick(int report)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, unmap, &report))
		errx(1, "no thread");
	page[0] = 1;
	pthread_join(thread, NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int nr, dir, file, report[2];
	char byte;
	pid_t tid;
	int i;

	if (argc != 3)
		errx(1, "usage: frozen DIR PROCESSES");
	nr = atoi(argv[2]);
	dir = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (dir < 0 || chdir(argv[1]) || pipe(report))
		err(1, "%s", argv[1]);
	file = open("frozen", O_RDWR | O_CREAT, 0600);
	if (file < 0 || ftruncate(file, 4096) || fsync(file))
		err(1, "frozen");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (page == MAP_FAILED || page[0] || ioctl(dir, FIFREEZE, 0))
		err(1, "cannot freeze");
	for (i = 0; i < nr; i++) {
		if (!fork())
			stick(report[1]);
	}
	for (i = 0; i < nr; i++) {
		if (read(report[0], &tid, sizeof(tid)) != sizeof(tid))
			err(1, "read");
		wait_until_blocked(tid);
	}
	puts("ready");
	fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		warn("stdin");
	if (ioctl(dir, FITHAW, 0))
		err(1, "cannot thaw");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * renameload - rename directories while files in them are opened
 *
 *	renameload DIR SECONDS
 *
 * Three processes rename directories DIR/hereN/name to DIR/thereN/another-name and back,
 * three open the file in each at either place. At the end it prints how many opens went well.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS	3

static unsigned long *opened;

static const char *place(char *text, size_t size, int pair, int there, const char *file)
{
	snprintf(text, size, "%s%d/%s%s", there ? "there" : "here", pair,
		 there ? "another-name" : "name", file);
	return text;
}

static void make(int pair)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "here%d", pair);
	if (mkdir(path, 0755))
		err(1, "%s", path);
	snprintf(path, sizeof(path), "there%d", pair);
	if (mkdir(path, 0755) || mkdir(place(path, sizeof(path), pair, 0, ""), 0755))
		err(1, "%s", path);
	fd = open(place(path, sizeof(path), pair, 0, "/file"), O_CREAT | O_WRONLY, 0644);
	if (fd < 0)
		err(1, "%s", path);
	close(fd);
}

static void rename_on(int pair, time_t end)
{
	char here[64], there[64];

	place(here, sizeof(here), pair, 0, "");
	place(there, sizeof(there), pair, 1, "");
	while (time(NULL) < end) {
		if (rename(here, there) || rename(there, here))
			err(1, "rename %s", here);
	}
}

static void open_on(int pair, time_t end)
{
	char path[64];
	int fd, there = 0;

	for (; time(NULL) < end; there = !there) {
		fd = open(place(path, sizeof(path), pair, there, "/file"), O_RDONLY);
		if (fd < 0 && errno != ENOENT)
			err(1, "%s", path);
		if (fd < 0)
			continue;
		opened[pair]++;
		close(fd);
	}
}

static void start(void (*run)(int pair, time_t end), int pair, time_t end)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	run(pair, end);
	_exit(0);
}

int main(int argc, char **argv)
{
	time_t end;
	int i, status;

	if (argc != 3 || chdir(argv[1]))
		errx(2, "usage: renameload DIR SECONDS");
	opened = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (opened == MAP_FAILED)
		err(1, "mmap");
	end = time(NULL) + strtol(argv[2], NULL, 10);
	for (i = 0; i < PAIRS; i++) {
		make(i);
		start(rename_on, i, end);
		start(open_on, i, end);
	}
	for (i = 0; i < 2 * PAIRS; i++) {
		if (wait(&status) < 0 || status)
			errx(1, "a process has failed");
	}
	printf("%lu\n", opened[0] + opened[1] + opened[2]);
	return 0;
}

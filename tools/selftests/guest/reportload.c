// SPDX-License-Identifier: GPL-2.0-only
/*
 * reportload - processes about which a known report must come out
 *
 *	reportload DISK LOG
 *
 * Three compute on two CPUs, two hand a byte to each other, one sleeps, one touches
 * memory, one reads a file of DISK, a directory, that is not in the page cache and again
 * when it is, one writes a file. When one has ended, a line for it is appended to LOG:
 *
 *	NAME PID RUN DELAY
 *
 * with the first two numbers of /proc/PID/schedstat, after its last switch: what the
 * kernel has counted for its whole life, ns.
 */

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS		300000000ULL
#define ROUNDS		400
#define SLEEPS		20
#define PAGES		500
#define FILE_LEN	(1 << 20 | 123)
#define WRITES		300
#define WRITE_LEN	1000

static const char *disk;
static int pipes[2][2];

struct kind {
	const char *name;
	void (*fn)(int arg);
	int arg;
	pid_t pid;
};

static unsigned long long cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void spin(int arg)
{
	(void)arg;
	while (cpu_time() < SPIN_NS)
		;
}

static void hand(int arg)
{
	char byte = 0;
	int i;

	if (!arg && write(pipes[0][1], &byte, 1) != 1)
		err(1, "pipe");
	for (i = 0; i < ROUNDS; i++) {
		if (read(pipes[arg][0], &byte, 1) != 1 || write(pipes[!arg][1], &byte, 1) != 1)
			err(1, "pipe");
	}
}

static void rest(int arg)
{
	struct timespec time = { 0, 10000000 };
	int i;

	(void)arg;
	for (i = 0; i < SLEEPS; i++)
		nanosleep(&time, NULL);
}

static void touch(int arg)
{
	char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	(void)arg;
	if (memory == MAP_FAILED || madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE))
		err(1, "no memory");
	for (i = 0; i < PAGES; i++)
		memory[i * 4096] = 1;
}

static int on_disk(const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", disk, name);
	fd = open(path, flags, 0600);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void read_all(int arg)
{
	int fd = on_disk("known", O_RDONLY);
	char buf[4096];
	ssize_t len;
	long all;

	(void)arg;
	for (all = 0; (len = read(fd, buf, sizeof(buf))) > 0; all += len)
		;
	for (lseek(fd, 0, SEEK_SET); (len = read(fd, buf, sizeof(buf))) > 0; all += len)
		;
	if (len < 0 || all != 2 * FILE_LEN)
		err(1, "%ld bytes read", all);
	close(fd);
}

static void write_all(int arg)
{
	int fd = on_disk("written", O_WRONLY | O_CREAT | O_TRUNC), i;
	char buf[WRITE_LEN] = { 1 };

	(void)arg;
	for (i = 0; i < WRITES; i++) {
		if (write(fd, buf, sizeof(buf)) != sizeof(buf))
			err(1, "written");
	}
	close(fd);
}

/* The first two numbers, once they stay: it has left its CPU for ever. */
static void look(pid_t pid, unsigned long long now[2])
{
	unsigned long long before[2] = { 1, 1 };
	struct timespec time = { 0, 20000000 };
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	now[0] = 0;
	now[1] = 0;
	while (before[0] != now[0] || before[1] != now[1]) {
		before[0] = now[0];
		before[1] = now[1];
		nanosleep(&time, NULL);
		file = fopen(path, "r");
		if (!file || fscanf(file, "%llu %llu", &now[0], &now[1]) != 2)
			err(1, "%s", path);
		fclose(file);
	}
}

static void start(struct kind *kind)
{
	kind->pid = fork();
	if (kind->pid < 0)
		err(1, "fork");
	if (kind->pid)
		return;
	prctl(PR_SET_NAME, kind->name);
	kind->fn(kind->arg);
	_exit(0);
}

/* The next one that has ended, which is a zombie as long as it is looked at. */
static int end_one(const struct kind *kinds, FILE *log)
{
	unsigned long long now[2];
	siginfo_t info;
	int status;

	if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT))
		return -1;
	look(info.si_pid, now);
	for (; kinds->name; kinds++) {
		if (kinds->pid == info.si_pid)
			fprintf(log, "%s %d %llu %llu\n", kinds->name, info.si_pid, now[0],
				now[1]);
	}
	if (waitpid(info.si_pid, &status, 0) < 0)
		err(1, "wait");
	return status ? 1 : 0;
}

/* Nothing of it shall be in the page cache. */
static void make_known(void)
{
	int fd = on_disk("known", O_WRONLY | O_CREAT | O_TRUNC);
	char *data = calloc(1, FILE_LEN);

	if (!data || write(fd, data, FILE_LEN) != FILE_LEN || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "known");
	close(fd);
	free(data);
}

int main(int argc, char **argv)
{
	struct kind kinds[] = {
		{ "spin0", spin, 0, 0 }, { "spin1", spin, 1, 0 }, { "spin2", spin, 2, 0 },
		{ "hand0", hand, 0, 0 }, { "hand1", hand, 1, 0 }, { "rest", rest, 0, 0 },
		{ "touch", touch, 0, 0 }, { "read", read_all, 0, 0 }, { "write", write_all, 0, 0 },
		{ 0 }
	};
	int failed = 0, ret;
	struct kind *kind;
	FILE *log;

	if (argc != 3)
		errx(2, "usage: reportload DISK LOG");
	disk = argv[1];
	log = fopen(argv[2], "w");
	if (!log || pipe(pipes[0]) || pipe(pipes[1]))
		err(1, "%s", argv[2]);
	make_known();
	for (kind = kinds; kind->name; kind++)
		start(kind);
	while ((ret = end_one(kinds, log)) >= 0)
		failed |= ret;
	return fclose(log) || failed ? 1 : 0;
}

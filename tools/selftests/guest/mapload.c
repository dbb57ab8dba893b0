// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapload - change address spaces at random; stop now and then, and save them
 *
 *	mapload [-s SEED] [-n CALLS] [-c CHECKPOINTS] [-e ENABLE] [-d DUMP] DIR
 *
 * A dozen threads in some processes call what changes mappings, most of them in
 * an arena that a process' threads fight for; the first thread of each also forks,
 * makes other processes, execs itself, or ends. After some time, 1 is written to
 * the file ENABLE, which starts the capture while it runs; half way through, to
 * the file DUMP, for another statedump. Either may be a command (common/switch.h).
 *
 * At a checkpoint all threads stop, and DIR/maps gets every process' /proc/PID/maps,
 * each after a line "@ CHECKPOINT PID WHO BEFORE AFTER BYTES": WHO is "load" for
 * those that were stopped and "other" for the rest of the machine; the times are
 * those of stamp.h. The last checkpoint is when all processes of the load are gone.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/stamp.h"
#include "common/switch.h"
#include "mapload/mapload.h"

#define WARM_UP		2000U	/* calls before the capture starts */
#define PATIENCE	120	/* seconds for all threads to stop */

static int maps_fd;

static void make_segments(void)
{
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++) {
		control->segment[i] = shmget(IPC_PRIVATE, (i + 1) * PAGE, 0600);
		if (control->segment[i] < 0)
			err(1, "shmget");
	}
}

static void start_process(void)
{
	struct slot *child = take_slot();
	pid_t pid;

	if (!child)
		return;
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	live_in(child);
	work(&workers[0]);
}

static void nap(void)
{
	struct timespec time = { .tv_nsec = 2000000 };

	nanosleep(&time, NULL);
}

static bool gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

static __u32 get_state(const struct slot *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_SEQ_CST);
}

/* Slots of those that have ended can be used again. One that is gone says so before. */
static void free_slots(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *s = &control->slot[i];
		__u32 state = get_state(s);

		if ((state != LIVE && state != LEAVING) || !gone(s->pid))
			continue;
		if (get_state(s) != LEAVING)
			errx(1, "process %d is gone", s->pid);
		set_state(s, FREE);
	}
}

/* A process that is seen to have stopped may have taken a slot that was free before. */
static bool all_stopped(__u32 phase)
{
	__u32 taken = __atomic_load_n(&control->taken, __ATOMIC_SEQ_CST);
	unsigned int i;

	free_slots();
	for (i = 0; i < SLOTS; i++) {
		const struct slot *s = &control->slot[i];
		__u32 state = get_state(s);
		__u32 arrived = __atomic_load_n(&s->arrived[phase >> 1 & 1], __ATOMIC_SEQ_CST);

		if (state != FREE && (state != LIVE || arrived != s->threads))
			return false;
	}
	return taken == __atomic_load_n(&control->taken, __ATOMIC_SEQ_CST);
}

static void stop_all(void)
{
	__u32 phase = __atomic_add_fetch(&control->phase, 1, __ATOMIC_SEQ_CST);
	time_t limit = time(NULL) + PATIENCE;

	while (!all_stopped(phase)) {
		if (time(NULL) > limit)
			errx(1, "a thread does not stop");
		nap();
	}
}

static void go_on(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		control->slot[i].arrived[((control->phase >> 1) + 1) & 1] = 0;
	__atomic_add_fetch(&control->phase, 1, __ATOMIC_SEQ_CST);
	futex(&control->phase, FUTEX_WAKE, ~0U >> 1, NULL);
}

static bool of_load(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		if (control->slot[i].state == LIVE && control->slot[i].pid == pid)
			return true;
	}
	return pid == getpid();
}

/* Nothing here may change our own mappings. */
static void save_maps_of(unsigned int checkpoint, pid_t pid)
{
	static char text[1 << 20];
	unsigned long long before, after;
	size_t len = 0;
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	before = stamp_now();
	while ((got = read(fd, text + len, sizeof(text) - len)) > 0)
		len += got;
	after = stamp_now();
	close(fd);
	if (!len)	/* a kernel thread, or a zombie */
		return;
	dprintf(maps_fd, "@ %u %d %s %llu %llu %zu\n", checkpoint, pid,
		of_load(pid) ? "load" : "other", before, after, len);
	if (write(maps_fd, text, len) != (ssize_t)len)
		err(1, "%s/maps", dir);
}

static void save_maps(unsigned int checkpoint)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		err(1, "/proc");
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0)
			save_maps_of(checkpoint, pid);
	}
	closedir(proc);
}

static __u64 calls_done(void)
{
	unsigned int i;
	__u64 sum = 0;

	for (i = 0; i < NR_OPERATIONS; i++)
		sum += __atomic_load_n(&control->done[i], __ATOMIC_RELAXED);
	return sum;
}

static void work_until(__u64 calls)
{
	while (calls_done() < calls) {
		free_slots();
		nap();
	}
}

/* Stopped as they are. */
static void kill_all(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *s = &control->slot[i];

		if (s->state != LIVE)
			continue;
		kill(s->pid, SIGKILL);
		while (!gone(s->pid))
			nap();
		set_state(s, FREE);
	}
	for (i = 0; i < SEGMENTS; i++)
		shmctl(control->segment[i], IPC_RMID, NULL);
}

static void report(__u64 before)
{
#define OP_NAME(name, weight)	[OP_##name] = #name,
	static const char * const names[] = { OPERATIONS(OP_NAME) LIVES(OP_NAME) };
	unsigned int i;

	for (i = 0; i < NR_OPERATIONS; i++)
		printf("# %-12s %6llu done %6llu failed\n", names[i], control->done[i],
		       control->failed[i]);
	printf("# %llu calls done, %llu since the capture began, by %u processes and images\n",
	       calls_done(), calls_done() - before, control->made);
}

static void run(unsigned int calls, unsigned int checkpoints, const char *enable,
		const char *dump)
{
	unsigned int i;
	__u64 before;

	for (i = 0; i < PROCESSES; i++)
		start_process();
	work_until(WARM_UP);
	if (enable)
		switch_capture(enable, "1");
	before = calls_done();
	for (i = 0; i < checkpoints; i++) {
		/* The first one at once: nothing but the statedump to go by. */
		work_until(before + (__u64)calls * i / (checkpoints - 1));
		stop_all();
		save_maps(i);
		if (i + 1 == checkpoints)
			kill_all();
		go_on();
		if (i + 1 < checkpoints && i % 2)
			start_process();
		if (dump && i == checkpoints / 2)
			switch_capture(dump, "1");
	}
	save_maps(i);
	report(before);
}

int main(int argc, char **argv)
{
	unsigned int seed = 1, calls = 20000, checkpoints = 8;
	const char *enable = NULL, *dump = NULL;
	char path[256];
	int option;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	signal(SIGCHLD, SIG_IGN);
	if (argc == 4 && !strcmp(argv[1], "image")) {
		dir = argv[3];
		return run_image(argv[2]);
	}
	while ((option = getopt(argc, argv, "s:n:c:e:d:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoul(optarg, NULL, 10);
			break;
		case 'n':
			calls = strtoul(optarg, NULL, 10);
			break;
		case 'c':
			checkpoints = strtoul(optarg, NULL, 10);
			break;
		case 'e':
			enable = optarg;
			break;
		case 'd':
			dump = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc || checkpoints < 2)
		errx(2, "usage: mapload [-s SEED] [-n CALLS] [-c CHECKPOINTS] [-e ENABLE] "
		     "[-d DUMP] DIR");
	dir = argv[optind];
	map_control();
	control->seed = seed;
	control->controller = getpid();
	prepare_image();
	make_segments();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	snprintf(path, sizeof(path), "%s/maps", dir);
	maps_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (maps_fd < 0)
		err(1, "%s", path);
	run(calls, checkpoints, enable, dump);
	return 0;
}

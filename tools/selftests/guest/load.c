// SPDX-License-Identifier: GPL-2.0-only
/*
 * load - give the scheduler something to do
 *
 *	load WORKER[=COUNT]...
 *
 * Each WORKER is a process, perhaps with more below it. Those with a COUNT come
 * to an end, and when all of these have, the others are killed; without any it
 * all goes on until killed. No process outlives its parent for long; of workers with
 * a COUNT nothing is left when this one ends.
 */

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK	(64 << 10)

static char self[4096];
static char spoilt[2 * sizeof(self) + 64];
extern char **environ;

/* More to go? A count of 0 is for ever. */
static bool more(unsigned int count, unsigned int *done)
{
	return !count || (*done)++ < count;
}

static void nap(long ns)
{
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

/* May fail: the CPU may be off line. */
static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static pid_t child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	return 0;
}

/* Gone when this returns: the kernel kills it, too, but takes its time. */
static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static pthread_t thread(void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&id, &attr, run, arg))
		errx(1, "pthread_create");
	pthread_attr_destroy(&attr);
	return id;
}

/* Two processes pass a byte back and forth. */
static void run_pipe(unsigned int count)
{
	unsigned int done = 0;
	int to[2], fro[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(fro))
		err(1, "pipe");
	pid = child();
	if (!pid) {
		while (read(to[0], &byte, 1) == 1 && write(fro[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (more(count, &done)) {
		if (write(to[1], &byte, 1) != 1 || read(fro[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	end_child(pid);
}

/* One answers on CPU 1, and may nap first: then a timer wakes it, too. */
static void answer_far(int in, int out, bool naps)
{
	char byte;

	pin(1);
	while (read(in, &byte, 1) == 1) {
		if (naps)
			nap(50000);
		if (write(out, &byte, 1) != 1)
			return;
	}
}

static void ask_far(unsigned int count, bool naps)
{
	unsigned int done = 0;
	int to[2], fro[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(fro))
		err(1, "pipe");
	pid = child();
	if (!pid) {
		answer_far(to[0], fro[1], naps);
		_exit(0);
	}
	pin(0);
	while (more(count, &done)) {
		if (write(to[1], &byte, 1) != 1 || read(fro[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	end_child(pid);
}

/* Two processes pass a byte back and forth, with one on each CPU: the wakeups are remote. */
static void run_cross(unsigned int count)
{
	ask_far(count, false);
}

/* The same, but each remote wakeup of one is followed by one by an interrupt. */
static void run_cnap(unsigned int count)
{
	ask_far(count, true);
}

static void futex(unsigned int *word, int op, unsigned int value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Wait for my turn, then give it to the other. */
static void take_turn(unsigned int *turn, unsigned int mine)
{
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != mine)
		futex(turn, FUTEX_WAIT, !mine);
	__atomic_store_n(turn, !mine, __ATOMIC_SEQ_CST);
	futex(turn, FUTEX_WAKE, 1);
}

static void *second_player(void *turn)
{
	for (;;)
		take_turn(turn, 1);
	return NULL;
}

/* Two threads pass the turn to each other. */
static void run_futex(unsigned int count)
{
	static unsigned int turn;
	unsigned int done = 0;

	thread(second_player, &turn);
	while (more(count, &done))
		take_turn(&turn, 0);
}

static void *far_player(void *turn)
{
	pin(1);
	return second_player(turn);
}

/* The same, with one on each CPU. */
static void run_fcross(unsigned int count)
{
	static unsigned int turn;
	unsigned int done = 0;

	thread(far_player, &turn);
	pin(0);
	while (more(count, &done))
		take_turn(&turn, 0);
}

static void run_sleep(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done))
		nap(200000);
}

/* Two on one CPU that are polite to each other, and rest now and then. */
static void run_yield(unsigned int count)
{
	unsigned int done = 0;
	pid_t pid;
	int i;

	pin(0);
	pid = child();
	if (!pid)
		count = 0;
	while (more(count, &done)) {
		for (i = 0; i < 20; i++)
			sched_yield();
		nap(3000000);
	}
	end_child(pid);
}

static void run_move(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done)) {
		pin(done & 1);
		nap(100000);
	}
}

static void run_spin(unsigned int count)
{
	unsigned int done = 0;
	volatile unsigned int work = 0;

	while (more(count, &done))
		work++;
}

static void *tick(void *arg)
{
	long ns = (long)arg;
	struct itimerspec spec = { .it_interval.tv_nsec = ns, .it_value.tv_nsec = ns };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long long expired;

	if (fd < 0 || timerfd_settime(fd, 0, &spec, NULL))
		err(1, "timerfd");
	while (read(fd, &expired, sizeof(expired)) == sizeof(expired))
		;
	return NULL;
}

/* Timers that fire all the time, of different lengths lest they agree. */
static void run_timer(unsigned int count)
{
	unsigned int done = 0;
	int i;

	for (i = 0; i < 6; i++)
		thread(tick, (void *)(150000L + i * 37000));
	while (more(count, &done))
		nap(1000000);
}

/* A child that ends at once, every third one under another name. */
static void run_fork(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done)) {
		pid_t pid = child();

		if (!pid) {
			if (done % 3 == 0)
				prctl(PR_SET_NAME, "a child's name");
			_exit(done & 0xff);
		}
		waitpid(pid, NULL, 0);
	}
}

static void run_exec(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done)) {
		pid_t pid = child();

		if (!pid) {
			execl(self, "load", "end", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

/* As shells do: the child shares the address space until its exec. */
static void run_spawn(unsigned int count)
{
	char *const argv[] = { "load", "end", NULL };
	unsigned int done = 0;
	pid_t pid;

	while (more(count, &done)) {
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
			errx(1, "no spawn");
		waitpid(pid, NULL, 0);
	}
}

static void *named(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "a thread's name");
	nap(10000);
	return NULL;
}

static void run_thread(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done))
		pthread_join(thread(named, NULL), NULL);
}

static void *exec_now(void *arg)
{
	(void)arg;
	execl(self, "load", "end", NULL);
	_exit(127);
}

/* A thread that is not the first one of its process does an exec: gets its tid. */
static void by_threads(unsigned int count, void *(*does)(void *arg))
{
	unsigned int done = 0;

	while (more(count, &done)) {
		pid_t pid = child();

		if (!pid)
			pthread_join(thread(does, NULL), NULL);
		waitpid(pid, NULL, 0);
	}
}

static void run_texec(unsigned int count)
{
	by_threads(count, exec_now);
}

/* This program, but to be mapped where the kernel is: exec() notices when there is no way back. */
static void spoil(void)
{
	const size_t room = 16 << 20;
	char *image = malloc(room);
	Elf64_Ehdr *header = (void *)image;
	Elf64_Phdr *segment;
	ssize_t len;
	int fd;

	fd = open(self, O_RDONLY);
	len = image ? read(fd, image, room) : -1;
	if (fd < 0 || len < (ssize_t)sizeof(*header) || len == (ssize_t)room)
		err(1, "%s", self);
	close(fd);
	segment = (void *)(image + header->e_phoff);
	while (segment->p_type != PT_LOAD)
		segment++;
	header->e_type = ET_EXEC;
	segment->p_vaddr = 0xffff800000000000;
	snprintf(spoilt, sizeof(spoilt), "%s.spoilt", self);
	mkdir(spoilt, 0755);
	strcat(spoilt, strrchr(self, '/'));
	fd = open(spoilt, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || write(fd, image, len) != len)
		err(1, "%s", spoilt);
	close(fd);
	free(image);
}

static void *exec_spoilt(void *arg)
{
	(void)arg;
	execl(spoilt, "load", "end", NULL);
	_exit(127);
}

/* The same, but the process is killed in the middle of the exec. */
static void run_fexec(unsigned int count)
{
	spoil();
	by_threads(count, exec_spoilt);
}

/* As hackbench, but not without pauses: some that write to some that read. */
static void run_hack(unsigned int count)
{
	unsigned int done = 0, i;
	char text[100] = "";
	pid_t pids[6];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		err(1, "socketpair");
	for (i = 0; i < 6; i++) {
		pids[i] = child();
		if (pids[i])
			continue;
		if (i & 1) {
			while (read(pair[0], text, sizeof(text)) > 0)
				;
			_exit(0);
		}
		while (write(pair[1], text, sizeof(text)) > 0)
			nap(400000);
		_exit(0);
	}
	while (more(count, &done))
		nap(10000000);
	for (i = 0; i < 6; i++)
		end_child(pids[i]);
}

/*
 * For the filter: three processes that exist before, and what they do once the
 * file appears that $GO names. "tree" is the one to be filtered for.
 */

static void wait_for_go(void)
{
	const char *go = getenv("GO");
	struct stat st;

	while (!go || stat(go, &st))
		nap(5000000);
}

static void *tree_thread(void *arg)
{
	unsigned int i, nr = (long)arg;

	for (i = 0; i < 20; i++)
		nap(300000);
	if (nr)
		pthread_join(thread(tree_thread, (void *)(long)(nr - 1)), NULL);
	run_fork(2);
	return NULL;
}

static void *early_thread(void *arg)
{
	wait_for_go();
	return tree_thread(arg);
}

static void have_children(unsigned int count)
{
	unsigned int done = 0;

	while (more(count, &done)) {
		pid_t pid = child();

		if (!pid) {
			pthread_join(thread(tree_thread, (void *)1L), NULL);
			execl(self, "load", "fork=3", "thread=3", "sleep=10", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Has a thread and a child already, and makes more. */
static void run_tree(unsigned int count)
{
	pthread_t early = thread(early_thread, (void *)2L);
	pid_t pid = child();

	if (!pid) {
		wait_for_go();
		have_children(count);
		_exit(0);
	}
	wait_for_go();
	have_children(count);
	run_thread(3);
	run_spawn(2);
	run_texec(2);
	pthread_join(early, NULL);
	waitpid(pid, NULL, 0);
	execl(self, "load", "sleep=20", "exec=2", NULL);
}

static void run_end(unsigned int count)
{
	(void)count;
}

static const struct {
	const char *name;
	void (*run)(unsigned int count);
} workers[] = {
	{ "pipe", run_pipe },
	{ "cross", run_cross },
	{ "cnap", run_cnap },
	{ "futex", run_futex },
	{ "fcross", run_fcross },
	{ "sleep", run_sleep },
	{ "yield", run_yield },
	{ "move", run_move },
	{ "spin", run_spin },
	{ "timer", run_timer },
	{ "fork", run_fork },
	{ "exec", run_exec },
	{ "spawn", run_spawn },
	{ "thread", run_thread },
	{ "texec", run_texec },
	{ "fexec", run_fexec },
	{ "hack", run_hack },
	{ "end", run_end },
};

#define NR_WORKERS	(sizeof(workers) / sizeof(*workers))

/* Return: the process, or 0 if it will not end by itself. */
static pid_t start_worker(char *word)
{
	char *count = strchr(word, '=');
	unsigned int i, nr = 0;
	pid_t pid;

	if (count) {
		*count++ = '\0';
		nr = strtoul(count, NULL, 10);
	}
	for (i = 0; i < NR_WORKERS; i++) {
		if (!strcmp(workers[i].name, word))
			break;
	}
	if (i == NR_WORKERS)
		errx(2, "no worker is called %s", word);
	pid = child();
	if (!pid) {
		workers[i].run(nr);
		_exit(0);
	}
	return nr ? pid : 0;
}

int main(int argc, char **argv)
{
	int i, status, ending = 0;
	bool failed = false;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	if (argc == 2 && !strcmp(argv[1], "end"))
		return 0;
	/* Not below another process: its pid is the one that was started. */
	if (argc == 3 && !strcmp(argv[1], "tree")) {
		run_tree(strtoul(argv[2], NULL, 10));
		return 1;
	}
	for (i = 1; i < argc; i++)
		ending += !!start_worker(argv[i]);
	if (!ending)
		pause();
	while (ending--) {
		if (wait(&status) < 0 || status)
			failed = true;
	}
	return failed;
}

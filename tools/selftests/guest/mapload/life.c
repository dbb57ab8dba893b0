// SPDX-License-Identifier: GPL-2.0-only
/* The processes of the load: their beginnings and ends, and the choice of calls. */

#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mapload.h"

#define CONTROL_AT	0x200000000000UL

struct control *control;
const char *dir;
char self[256];
struct slot *slot;
int file_rw, file_ro, zero, sealed;
unsigned long heap;
struct worker workers[RACERS + 1];

unsigned int pick(struct worker *w, unsigned int n)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (w->random * 0x2545f4914f6cdd1dULL >> 33) % n;
}

static void seed_worker(struct worker *w, unsigned int number, unsigned int thread)
{
	w->random = (((__u64)control->seed << 32 | number) + 1) * 0x9e3779b97f4a7c15ULL + thread;
	pick(w, 1);
	pick(w, 1);
}

long futex(__u32 *word, int op, __u32 value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

struct slot *take_slot(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		__u32 state = FREE;

		if (__atomic_compare_exchange_n(&control->slot[i].state, &state, STARTING, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			__atomic_fetch_add(&control->taken, 1, __ATOMIC_SEQ_CST);
			return &control->slot[i];
		}
	}
	return NULL;
}

void set_state(struct slot *s, __u32 state)
{
	__atomic_store_n(&s->state, state, __ATOMIC_SEQ_CST);
}

static pthread_t start_thread(struct worker *w)
{
	pthread_attr_t attr;
	pthread_t id;

	__atomic_fetch_add(&slot->threads, 1, __ATOMIC_SEQ_CST);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&id, &attr, work, w))
		errx(1, "pthread_create");
	pthread_attr_destroy(&attr);
	return id;
}

void live_in(struct slot *mine)
{
	unsigned int i, number = __atomic_fetch_add(&control->made, 1, __ATOMIC_SEQ_CST);

	slot = mine;
	slot->pid = getpid();
	slot->threads = 1;
	slot->arrived[0] = 0;
	slot->arrived[1] = 0;
	set_state(slot, LIVE);
	workers[0].first = true;
	for (i = 0; i <= RACERS; i++)
		seed_worker(&workers[i], number, i);
	for (i = 1; i <= RACERS; i++)
		start_thread(&workers[i]);
}

static void count(unsigned int op, bool done)
{
	__atomic_fetch_add(done ? &control->done[op] : &control->failed[op], 1,
			   __ATOMIC_RELAXED);
}

long fork_call(struct worker *w)
{
	struct slot *child = take_slot();
	pid_t pid;

	(void)w;
	if (!child)
		return -1;
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		memset(&workers[1], 0, sizeof(workers[1]) * RACERS);
		live_in(child);
	}
	return 0;
}

static void image_arguments(char *number, char **argv, const struct slot *whose)
{
	snprintf(number, 24, "%zd", whose - control->slot);
	argv[0] = "mapload";
	argv[1] = "image";
	argv[2] = number;
	argv[3] = (char *)dir;
	argv[4] = NULL;
}

long spawn_call(struct worker *w)
{
	struct slot *child = take_slot();
	char number[24], *argv[5];
	pid_t pid;

	(void)w;
	if (!child)
		return -1;
	image_arguments(number, argv, child);
	if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
		errx(1, "no spawn");
	return 0;
}

long exec_call(struct worker *w)
{
	char number[24], *argv[5];

	(void)w;
	set_state(slot, STARTING);
	count(OP_exec, true);
	image_arguments(number, argv, slot);
	execv(self, argv);
	err(1, "%s", self);
}

long leave_call(struct worker *w)
{
	unsigned int i, live = 0;

	(void)w;
	for (i = 0; i < SLOTS; i++)
		live += control->slot[i].state == LIVE;
	if (live < PROCESSES)
		return -1;
	set_state(slot, LEAVING);
	count(OP_leave, true);
	_exit(0);
}

long deepen_call(struct worker *w)
{
	volatile char *page = __builtin_alloca((1 + pick(w, 60)) * PAGE);

	*page = 1;
	return *page - 1;
}

long personality_call(struct worker *w)
{
	return personality(pick(w, 2) ? READ_IMPLIES_EXEC : 0);
}

struct choice {
	long (*call)(struct worker *w);
	unsigned int weight;
};

#define OP_CHOICE(name, weight)	[OP_##name] = { name##_call, weight },
static const struct choice choices[] = {
	OPERATIONS(OP_CHOICE)
	LIVES(OP_CHOICE)
};

static unsigned int choose(struct worker *w, unsigned int from, unsigned int to)
{
	unsigned int i, total = 0, at;

	for (i = from; i < to; i++)
		total += choices[i].weight;
	at = pick(w, total);
	for (i = from; at >= choices[i].weight; i++)
		at -= choices[i].weight;
	return i;
}

static void call_something(struct worker *w)
{
	unsigned int op;

	if (w->first && !pick(w, 40))
		op = choose(w, OP_fork, NR_OPERATIONS);
	else
		op = choose(w, 0, OP_fork);
	count(op, choices[op].call(w) != -1);
}

/* If a checkpoint is on: arrive, and wait for its end. */
static void stop_if_told(void)
{
	__u32 phase = __atomic_load_n(&control->phase, __ATOMIC_SEQ_CST);

	if (!(phase & 1))
		return;
	__atomic_fetch_add(&slot->arrived[phase >> 1 & 1], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&control->phase, __ATOMIC_SEQ_CST) == phase)
		futex(&control->phase, FUTEX_WAIT, phase, NULL);
}

void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	for (i = 0;; i++) {
		stop_if_told();
		call_something(w);
		if (i % 64 == 0 && kill(control->controller, 0))
			_exit(0);
	}
	return NULL;
}

void map_control(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/control", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*control)))
		err(1, "%s", path);
	control = mmap((void *)CONTROL_AT, sizeof(*control), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (control == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
}

void prepare_image(void)
{
	char path[256];

	mallopt(M_MMAP_THRESHOLD, 1);
	/* As the kernel names memory segments. */
	snprintf(path, sizeof(path), "%s/SYSV file", dir);
	file_rw = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	file_ro = open(path, O_RDONLY | O_CLOEXEC);
	zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	sealed = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file_rw < 0 || file_ro < 0 || zero < 0 || ftruncate(file_rw, FILE_PAGES * PAGE))
		err(1, "%s", path);
	if (sealed < 0 || ftruncate(sealed, FILE_PAGES * PAGE) ||
	    fcntl(sealed, F_ADD_SEALS, F_SEAL_FUTURE_WRITE))
		err(1, "sealed");
	heap = syscall(SYS_brk, 0);
	heap = (heap + PAGE - 1) & ~(PAGE - 1);
}

int run_image(const char *number)
{
	map_control();
	prepare_image();
	live_in(&control->slot[strtoul(number, NULL, 10)]);
	work(&workers[0]);
	return 1;
}

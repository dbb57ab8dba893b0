// SPDX-License-Identifier: GPL-2.0-only
/* Two threads wake each other, on one CPU and on two. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "act.h"

#define SLEEP_LOOKS	2000
#define SLEEP_LOOK_US	1000
#define YIELDS		100000

/* The two threads' pipes, the one that asks and the one that answers. */
static struct {
	int there[2];
	int back[2];
	pid_t first;
	pid_t tid;
} pair;

/* "S" while it sleeps; 0: unknown. */
static char state_of(pid_t tid)
{
	char path[64], text[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

/* Once the first one sleeps; it waits without sleeping itself, or it were woken again. */
static void *answer(void *unused)
{
	char byte;
	int i;

	__atomic_store_n(&pair.tid, gettid(), __ATOMIC_RELEASE);
	while (read(pair.there[0], &byte, 1) == 1) {
		for (i = 0; i < YIELDS && state_of(pair.first) != 'S'; i++)
			sched_yield();
		if (write(pair.back[1], &byte, 1) != 1)
			break;
	}
	return unused;
}

static void wait_until_it_sleeps(void)
{
	int i;

	for (i = 0; i < SLEEP_LOOKS; i++) {
		pid_t tid = __atomic_load_n(&pair.tid, __ATOMIC_ACQUIRE);

		if (tid && state_of(tid) == 'S')
			return;
		usleep(SLEEP_LOOK_US);
	}
}

static int pin(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

static bool ask(void)
{
	char byte = 0;

	return write(pair.there[1], &byte, 1) == 1 && read(pair.back[0], &byte, 1) == 1;
}

/* The next CPU from @from on that this task may use; -1. */
static int next_cpu(const cpu_set_t *set, int from)
{
	for (; from < CPU_SETSIZE; from++) {
		if (CPU_ISSET(from, set))
			return from;
	}
	return -1;
}

static void on_one_cpu(int cpu)
{
	pid_t me = gettid();
	struct span span;
	bool done;

	pin(0, cpu);
	pin(pair.tid, cpu);
	wait_until_it_sleeps();
	DO(&span, done = ask());
	if (!done)
		return;
	EXPECT(sched_wakeup, &span, "a thread is woken by a write to its pipe",
	       KEY(sched_wakeup, tid, pair.tid), IS(sched_wakeup, cpu, cpu),
	       IS(sched_wakeup, waker_tid, me));
	EXPECT(sched_wakeup, &span, "it wakes the first one",
	       KEY(sched_wakeup, tid, me), IS(sched_wakeup, cpu, cpu),
	       IS(sched_wakeup, waker_tid, pair.tid));
	EXPECT(sched_switch, &span, "a thread goes to sleep in read()",
	       KEY(sched_switch, prev_tid, me),
	       KEY(sched_switch, prev_state, OVNIK_STATE_INTERRUPTIBLE));
	EXPECT(sched_switch, &span, "a thread that was woken goes on",
	       KEY(sched_switch, next_tid, me))->several = true;
}

static void on_two_cpus(int from, int to)
{
	pid_t me = gettid();
	struct span span;
	bool done;

	wait_until_it_sleeps();
	DO(&span, done = !pin(pair.tid, to) && ask());
	if (!done)
		return;
	EXPECT(sched_migrate, &span, "a thread that sleeps is moved",
	       KEY(sched_migrate, tid, pair.tid), IS(sched_migrate, orig_cpu, from),
	       IS(sched_migrate, dest_cpu, to));
	EXPECT(sched_wakeup, &span, "a thread is woken on another CPU",
	       KEY(sched_wakeup, tid, pair.tid), IS(sched_wakeup, cpu, to),
	       IS(sched_wakeup, waker_tid, me));
	DO(&span, done = !pin(0, to));
	if (done)
		EXPECT(sched_migrate, &span, "a thread that runs is moved",
		       KEY(sched_migrate, tid, me), IS(sched_migrate, orig_cpu, from),
		       IS(sched_migrate, dest_cpu, to));
}

/**
 * act_sched() - Sleep, wake and migrate.
 */
void act_sched(void)
{
	cpu_set_t before;
	pthread_t thread;
	int one, two;

	pair.first = gettid();
	if (sched_getaffinity(0, sizeof(before), &before)) {
		deed_untried(OVNIK_EV_sched_migrate, "there are more than %d CPUs", CPU_SETSIZE);
		return;
	}
	one = next_cpu(&before, 0);
	two = one < 0 ? -1 : next_cpu(&before, one + 1);
	if (one < 0 || pipe2(pair.there, O_CLOEXEC) || pipe2(pair.back, O_CLOEXEC) ||
	    pthread_create(&thread, NULL, answer, NULL)) {
		deed_untried(OVNIK_EV_sched_switch, "no thread can be made");
		return;
	}
	wait_until_it_sleeps();
	on_one_cpu(one);
	if (two >= 0)
		on_two_cpus(one, two);
	else
		deed_untried(OVNIK_EV_sched_migrate, "there is one CPU only");
	close(pair.there[1]);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(before), &before);
}

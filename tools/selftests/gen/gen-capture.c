// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-capture - write a capture for a test
 *
 *	gen-capture known DIR [-m]
 *	gen-capture random DIR [-n EVENTS] [-c CPUS] [-t TASKS] [-s SEED] [-b SUBBUF]
 *			       [-l LOSSES] [-e] [-o] [-C] [-m] [-D PPB] [-p TICKS]
 *
 * known: few tasks on two CPUs, every kind of event; see decode-outputs.sh, which
 * knows what must come of it. random: a scheduler at work; -l makes about that
 * many gaps, -e has every CPU lose switches in the last millisecond, until the stop,
 * -o is what a flight recorder has written over itself, -C leaves the CRC out as cat
 * does, -m stamps with CLOCK_MONOTONIC instead of the TSC, -D has that clock go faster than
 * the TSC, -p has a CPU pause so long now and then: after 2^32 ticks there is an anchor.
 */
#include <unistd.h>

#include "capgen.h"

#define TASKS_MAX	65536

static struct capgen gen;

static int known(const char *dir, bool monotonic)
{
	struct capgen *g = &gen;

	if (capgen_open(g, dir, 2))
		return 1;
	if (monotonic)
		capgen_monotonic(g);
	g->cpus[0].running = 100;
	capgen_dump(g, 0, 1000002000, 100, 100, 0, 7, 0x1a2b3, "sh");
	capgen_dump(g, 0, 1000004000, 101, 100, 1, 7, 0x1a2b3, "sh-helper");
	capgen_dump(g, 0, 1000006000, 2, 2, 0x80, 0, 0, "kthreadd");
	CAPGEN_RECORD(g, 0, 1000006200, dump_end)->tasks = 3;
	/* The shell forks; the child goes to CPU 1, execs, and ends. */
	capgen_fork(g, 0, 1000008000, 100, 100, 102, 102, "sh");
	capgen_mm(g, 0, 1000008010, OVNIK_MM_FORK, 102, 102, 8, 0x2b3c4);
	capgen_switch(g, 1, 1000010000, 0, 0, 102);
	capgen_mm(g, 1, 1000012000, OVNIK_MM_EXEC, 102, 102, 9, 0x3c4d5);
	capgen_mm_exit(g, 1, 1000012500, 8, 0x2b3c4);
	capgen_comm(g, 1, 1000013000, 102, 102, "true");
	capgen_exec(g, 1, 1000014000, 102, 102, "/bin/odd\nna\\me");
	capgen_switch(g, 0, 1000016000, OVNIK_STATE_INTERRUPTIBLE, 100, 101);
	capgen_switch(g, 0, 1000018000, OVNIK_STATE_PREEMPTED, 101, 0);
	capgen_mm_exit(g, 1, 1000019000, 9, 0x3c4d5);
	capgen_exit(g, 1, 1000020000, 102, 102);
	capgen_wakeup(g, 1, 1000021000, 100, 0);
	capgen_switch(g, 1, 1000022000, OVNIK_STATE_ZOMBIE, 102, 101);
	capgen_switch(g, 0, 1000022000, 0, 0, 100);
	capgen_switch(g, 1, 1000024000, OVNIK_STATE_UNINTERRUPTIBLE, 101, 0);
	capgen_close(g);
	return 0;
}

/* A generator of its own: the same captures everywhere. */
static u64 seed = 1;

static u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? (seed >> 16) % n : 0;
}

/* What a task of the random capture does. */
struct task {
	u32 tid;
	u32 tgid;
	u8 on;			/* a CPU, plus 1 */
};

struct plan {
	u64 events;
	unsigned int cpus;
	u32 tasks;
	u64 losses;
	u64 pause;
	bool full;
	bool overwrite;
	u32 nr;
	u32 next_tid;
	struct task tasks_of[TASKS_MAX];
	u64 now[CAPGEN_CPUS_MAX];
	u32 running[CAPGEN_CPUS_MAX];	/* index in tasks_of, plus 1 */
};

static struct plan plan = { .events = 100000, .cpus = 4, .tasks = 100, .next_tid = 1000 };

static u32 tid_on(const struct plan *p, unsigned int cpu)
{
	return p->running[cpu] ? p->tasks_of[p->running[cpu] - 1].tid : 0;
}

static void random_switch(struct plan *p, unsigned int cpu)
{
	static const u16 states[] = { 0x100, 0, 1, 1, 1, 2, 4, 8, 0x40, 0x80 };
	u32 pick = draw(p->nr + 1), from = p->running[cpu], prev = tid_on(p, cpu);

	if (pick && p->tasks_of[pick - 1].on)
		pick = 0;
	if (pick == from)
		return;
	if (from)
		p->tasks_of[from - 1].on = 0;
	if (pick)
		p->tasks_of[pick - 1].on = cpu + 1;
	p->running[cpu] = pick;
	capgen_switch(&gen, cpu, p->now[cpu], from ? states[draw(10)] : 0, prev, tid_on(p, cpu));
}

static void random_fork(struct plan *p, unsigned int cpu)
{
	const struct task *parent = &p->tasks_of[p->running[cpu] - 1];
	struct task *child = &p->tasks_of[p->nr];

	if (!p->running[cpu] || p->nr == p->tasks)
		return;
	child->tid = p->next_tid++;
	child->tgid = draw(2) ? parent->tgid : child->tid;
	child->on = 0;
	p->nr++;
	capgen_fork(&gen, cpu, p->now[cpu], parent->tid, parent->tgid, child->tid, child->tgid,
		    "child");
	if (child->tgid == child->tid)
		capgen_mm(&gen, cpu, p->now[cpu], OVNIK_MM_FORK, child->tid, child->tgid,
			  child->tid, 0x10000 + child->tid);
}

static void random_exit(struct plan *p, unsigned int cpu)
{
	u32 from = p->running[cpu], last = p->nr;
	struct task *task = &p->tasks_of[from - 1];

	if (!from || p->nr < 4)
		return;
	capgen_exit(&gen, cpu, p->now[cpu], task->tid, task->tgid);
	p->now[cpu] += 100;
	capgen_switch(&gen, cpu, p->now[cpu], OVNIK_STATE_DEAD, task->tid, 0);
	p->running[cpu] = 0;
	*task = p->tasks_of[last - 1];
	if (task->on && from != last)
		p->running[task->on - 1] = from;
	p->nr--;
}

static void random_step(struct plan *p, unsigned int cpu)
{
	u32 what = draw(1000);

	if (what < 5)
		random_fork(p, cpu);
	else if (what < 9)
		random_exit(p, cpu);
	else if (what < 250)
		capgen_wakeup(&gen, cpu, p->now[cpu], p->tasks_of[draw(p->nr)].tid, draw(p->cpus));
	else if (what < 253 && p->running[cpu])
		capgen_exec(&gen, cpu, p->now[cpu], tid_on(p, cpu), tid_on(p, cpu), "/usr/bin/env");
	else
		random_switch(p, cpu);
	/* Others may come before it goes on: this CPU is the earliest no more. */
	p->now[cpu] += 200 + draw(8000);
	if (what > 980)
		p->now[cpu] += p->pause;
}

static unsigned int earliest(const struct plan *p)
{
	unsigned int i, best = 0;

	for (i = 1; i < p->cpus; i++) {
		if (p->now[i] < p->now[best])
			best = i;
	}
	return best;
}

static void random_start(struct plan *p)
{
	unsigned int i;

	for (i = 0; i < p->cpus; i++)
		p->now[i] = gen.tsc0 + 1000 + i;
	for (p->nr = 0; p->nr < p->tasks / 2 + 1; p->nr++) {
		struct task *task = &p->tasks_of[p->nr];

		task->tid = p->next_tid++;
		task->tgid = p->nr % 3 ? p->tasks_of[p->nr - 1].tgid : task->tid;
		p->now[0] += 50;
		capgen_dump(&gen, 0, p->now[0], task->tid, task->tgid, 1, task->tgid,
			    0x1000 + task->tgid, "initial");
	}
}

static void overwrite_all(const struct plan *p)
{
	unsigned int i;

	gen.flags |= OVNIK_SB_OVERWRITE;
	gen.mode = "overwrite";
	for (i = 0; i < p->cpus; i++) {
		gen.cpus[i].seq = 5;
		gen.cpus[i].lost[OVNIK_EV_sched_switch] = 1000 + i;
	}
}

static void lose_until_stop(const struct plan *p)
{
	unsigned int i;

	for (i = 0; i < p->cpus; i++) {
		if (gen.stop < gen.cpus[i].last)
			gen.stop = gen.cpus[i].last;
		capgen_lose(&gen, i, OVNIK_EV_sched_switch, 10 + i);
	}
	gen.stop += gen.khz;
}

static int random_capture(struct plan *p)
{
	u64 i, every = p->losses ? p->events / p->losses : 0;

	if (p->overwrite)
		overwrite_all(p);
	random_start(p);
	for (i = 0; i < p->events; i++) {
		unsigned int cpu = earliest(p);

		if (every && i % every == every - 1)
			capgen_lose(&gen, cpu, OVNIK_EV_sched_wakeup + draw(2), 1 + draw(50));
		random_step(p, cpu);
	}
	if (p->full)
		lose_until_stop(p);
	capgen_close(&gen);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: gen-capture known|random DIR [-n EVENTS] [-c CPUS] [-t TASKS] "
		"[-s SEED] [-b SUBBUF] [-l LOSSES] [-e] [-o] [-C] [-m] [-D PPB] [-p TICKS]\n");
	return 2;
}

int main(int argc, char **argv)
{
	u32 size = 65536;
	bool crc = true, monotonic = false;
	s64 drift = 0;
	int opt;

	if (argc < 3)
		return usage();
	if (!strcmp(argv[1], "known"))
		return known(argv[2], argc > 3 && !strcmp(argv[3], "-m"));
	optind = 3;
	while ((opt = getopt(argc, argv, "n:c:t:s:b:l:eoCmD:p:")) != -1) {
		switch (opt) {
		case 'n':
			plan.events = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			plan.cpus = atoi(optarg);
			break;
		case 't':
			plan.tasks = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
			break;
		case 'b':
			size = atoi(optarg);
			break;
		case 'l':
			plan.losses = strtoull(optarg, NULL, 0);
			break;
		case 'e':
			plan.full = true;
			break;
		case 'o':
			plan.overwrite = true;
			break;
		case 'C':
			crc = false;
			break;
		case 'm':
			monotonic = true;
			break;
		case 'D':
			drift = strtoll(optarg, NULL, 0);
			break;
		case 'p':
			plan.pause = strtoull(optarg, NULL, 0);
			break;
		default:
			return usage();
		}
	}
	if (!plan.cpus || plan.cpus > CAPGEN_CPUS_MAX || !plan.tasks || plan.tasks > TASKS_MAX ||
	    capgen_open(&gen, argv[2], plan.cpus))
		return usage();
	gen.size = size;
	gen.drift = drift;
	gen.tsc0 = 1ULL << 40;
	if (monotonic)
		capgen_monotonic(&gen);
	if (!crc)
		gen.flags &= ~OVNIK_SB_CRC;
	return random_capture(&plan);
}

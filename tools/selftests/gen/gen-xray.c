// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-xray - write a capture of what is hard to say as calls, for a test
 *
 *	gen-xray known DIR	see xray-write.sh, which knows what must come of it
 *	gen-xray lost DIR	who was lost before a gap is in a call that ends while it lasts
 *	gen-xray threads DIR N	that many threads of a process; each runs and reads
 */
#include "capgen.h"

#define T0		1000000000ULL
#define WRAP		(1ULL << 32)

static struct capgen gen;

static void call(unsigned int cpu, u64 tsc, u32 tid, u16 op)
{
	struct ovnik_file_begin *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_begin);

	rec->op = op;
	rec->tid = tid;
}

static void got(unsigned int cpu, u64 tsc, u32 tid, u16 op, s32 bytes)
{
	struct ovnik_file_read *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_read);

	rec->op = op;
	rec->tid = tid;
	rec->ino = 4711;
	rec->result = bytes;
}

static void put(unsigned int cpu, u64 tsc, u32 tid, u16 op, s32 bytes)
{
	struct ovnik_file_write *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_write);

	rec->op = op;
	rec->tid = tid;
	rec->ino = 4711;
	rec->result = bytes;
}

static void fault(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault);

	rec->error = OVNIK_FAULT_USER;
	rec->tid = tid;
	rec->address = 0x7fffffffffffULL;
}

static void fault_end(unsigned int cpu, u64 tsc, u32 tid)
{
	CAPGEN_RECORD(&gen, cpu, tsc, page_fault_end)->tid = tid;
}

/* On CPU 1 in [from, from + 3000]: made by 100, it runs and ends. */
static void short_life(u64 from, u32 tid)
{
	capgen_fork(&gen, 0, from, 100, 100, tid, tid, "child");
	capgen_switch(&gen, 1, from + 1000, 0, 0, tid);
	capgen_exit(&gen, 1, from + 2000, tid, tid);
	capgen_switch(&gen, 1, from + 3000, OVNIK_STATE_ZOMBIE, tid, 0);
}

static int known(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, T0 + 2000, 100, 100, 0, 7, 0x1a2b3, "quo\"te \\\x01\xff");
	capgen_dump(&gen, 0, T0 + 2200, 101, 100, 1, 7, 0x1a2b3, "sleeper");
	/* A read that waits, and faults in the end. */
	call(0, T0 + 10000, 100, OVNIK_OP_READ);
	capgen_switch(&gen, 0, T0 + 11000, OVNIK_STATE_UNINTERRUPTIBLE, 100, 0);
	capgen_wakeup(&gen, 0, T0 + 11500, 100, 0);
	capgen_switch(&gen, 0, T0 + 12000, 0, 0, 100);
	/* What another call began long ago ends in this one, and does not end it. */
	put(0, T0 + 12050, 100, OVNIK_OP_AIO, 512);
	fault(0, T0 + 12100, 100);
	fault_end(0, T0 + 12200, 100);
	got(0, T0 + 13000, 100, OVNIK_OP_READ, -5);
	/* Within a fault and a read. */
	capgen_switch(&gen, 1, T0 + 14000, 0, 0, 300);
	call(1, T0 + 14100, 300, OVNIK_OP_READ);
	fault(1, T0 + 14200, 300);
	capgen_switch(&gen, 1, T0 + 14300, OVNIK_STATE_UNINTERRUPTIBLE, 300, 0);
	/* What happens to this write, and to those who sleep? */
	call(0, T0 + 20000, 100, OVNIK_OP_WRITE);
	capgen_lose(&gen, 0, OVNIK_EV_file_write, 1);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 2);
	fault(0, T0 + 30000, 100);
	/* No end of it is missing. */
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 9);
	fault_end(0, T0 + 31000, 100);
	/* Its end is. */
	call(0, T0 + 32000, 100, OVNIK_OP_PREADV);
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_wakeup(&gen, 0, T0 + 33000, 101, 1);
	/* That of which read? */
	capgen_switch(&gen, 1, T0 + 34000, 0, 0, 300);
	got(1, T0 + 34100, 300, OVNIK_OP_READ, 1);
	/* It may have run in between, but not to the end of this read. */
	call(1, T0 + 34200, 300, OVNIK_OP_READ);
	capgen_switch(&gen, 1, T0 + 34300, OVNIK_STATE_UNINTERRUPTIBLE, 300, 0);
	capgen_lose(&gen, 1, OVNIK_EV_sched_switch, 2);
	capgen_switch(&gen, 1, T0 + 35000, 0, 0, 300);
	got(1, T0 + 35100, 300, OVNIK_OP_READ, 1);
	capgen_switch(&gen, 1, T0 + 35200, OVNIK_STATE_INTERRUPTIBLE, 300, 0);
	capgen_switch(&gen, 1, T0 + 40000, 0, 0, 101);
	capgen_switch(&gen, 1, T0 + 50000, OVNIK_STATE_INTERRUPTIBLE, 101, 0);
	/* The number of a process is used twice. */
	short_life(T0 + 60000, 102);
	short_life(T0 + 70000, 102);
	/* A thread execs, and so takes the number of its leader. */
	capgen_fork(&gen, 0, T0 + 80000, 100, 100, 200, 200, "leader");
	capgen_switch(&gen, 1, T0 + 81000, 0, 0, 200);
	capgen_fork(&gen, 1, T0 + 82000, 200, 200, 201, 200, "thread");
	capgen_switch(&gen, 1, T0 + 83000, OVNIK_STATE_INTERRUPTIBLE, 200, 201);
	/* The leader begins to end before the exec, and has the thread's number when it is done. */
	capgen_switch(&gen, 0, T0 + 83200, OVNIK_STATE_PREEMPTED, 100, 200);
	capgen_exit(&gen, 0, T0 + 83400, 200, 200);
	capgen_exec(&gen, 1, T0 + 84000, 200, 201, "/bin/true");
	capgen_switch(&gen, 0, T0 + 84500, OVNIK_STATE_ZOMBIE, 201, 100);
	capgen_switch(&gen, 1, T0 + 85000, OVNIK_STATE_PREEMPTED, 200, 0);
	/* Longer than 32 bits count, and 31. */
	capgen_switch(&gen, 1, T0 + 50000 + 3 * WRAP, 0, 0, 101);
	CAPGEN_RECORD(&gen, 1, T0 + 50000 + 3 * WRAP + (WRAP / 4 * 3), page_add)->pfn = 1;
	/* The capture ends in a call. */
	call(1, T0 + 60000 + 4 * WRAP, 101, 99);
	capgen_close(&gen);
	return 0;
}

static int lost(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, T0 + 2000, 100, 100, 0, 7, 0x1a2b3, "reader");
	capgen_switch(&gen, 1, T0 + 10000, 0, 0, 300);
	call(1, T0 + 11000, 300, OVNIK_OP_READ);
	capgen_switch(&gen, 1, T0 + 12000, OVNIK_STATE_INTERRUPTIBLE, 300, 0);
	/* It may wait no longer. */
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	fault(0, T0 + 20000, 100);
	fault_end(0, T0 + 21000, 100);
	/* This may be the end of another read. */
	capgen_lose(&gen, 0, OVNIK_EV_file_read, 1);
	capgen_switch(&gen, 1, T0 + 30000, 0, 0, 300);
	got(1, T0 + 31000, 300, OVNIK_OP_READ, 1);
	capgen_switch(&gen, 1, T0 + 32000, OVNIK_STATE_INTERRUPTIBLE, 300, 0);
	fault(0, T0 + 40000, 100);
	fault_end(0, T0 + 41000, 100);
	capgen_close(&gen);
	return 0;
}

static int threads(const char *dir, u32 nr)
{
	u64 now = T0 + 1000;
	u32 i, last = 0;

	if (capgen_open(&gen, dir, 2))
		return 1;
	for (i = 0; i < nr; i++)
		capgen_dump(&gen, 0, now++, 70000 + i, 70000, 1, 7, 0x1a2b3, "thread");
	for (i = 0; i < 6 * nr; i++) {
		u32 tid = 70000 + i * 7 % nr;

		now += 1000;
		capgen_switch(&gen, 1, now, last ? OVNIK_STATE_INTERRUPTIBLE : 0, last, tid);
		call(1, now + 100, tid, OVNIK_OP_READ);
		got(1, now + 200, tid, OVNIK_OP_READ, i);
		last = tid;
	}
	capgen_close(&gen);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "known"))
		return known(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "lost"))
		return lost(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "threads"))
		return threads(argv[2], strtoul(argv[3], NULL, 0));
	fprintf(stderr, "usage: gen-xray known DIR | lost DIR | threads DIR N\n");
	return 2;
}

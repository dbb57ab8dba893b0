// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen-activity - write a capture of memory, page cache and files for a test
 *
 *	gen-activity known DIR
 *	gen-activity random DIR EVENTS SEED LOSSES
 *
 * known: see decode-activity.sh, which knows what must come of it. random: tasks that
 * do anything at any time, so that beginnings have no ends and the reverse; LOSSES is
 * about how many gaps there are.
 */
#include "capgen.h"

#define KIB	1024ULL
#define CPUS	3
#define TASKS	40

static struct capgen gen;

static void fault(unsigned int cpu, u64 tsc, u32 tid, u16 error)
{
	struct ovnik_page_fault *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault);

	rec->error = error;
	rec->tid = tid;
	rec->address = 0x7000;
	rec->ip = 0x4000;
}

static void fault_end(unsigned int cpu, u64 tsc, u32 tid, u16 result)
{
	struct ovnik_page_fault_end *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_fault_end);

	rec->result = result;
	rec->tid = tid;
}

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
	rec->dev = 8 << 20 | 1;
	rec->ino = 4711;
	rec->result = bytes;
}

static void put(unsigned int cpu, u64 tsc, u32 tid, u16 op, s32 bytes)
{
	struct ovnik_file_write *rec = CAPGEN_RECORD(&gen, cpu, tsc, file_write);

	rec->op = op;
	rec->tid = tid;
	rec->dev = 8 << 20 | 1;
	rec->ino = 4711;
	rec->result = bytes;
}

static void cow(unsigned int cpu, u64 tsc, u32 tid, u64 mm)
{
	struct ovnik_cow_break *rec = CAPGEN_RECORD(&gen, cpu, tsc, cow_break);

	rec->kind = OVNIK_COW_ANON;
	rec->tid = tid;
	rec->mm = mm;
	rec->address = 0x7000;
}

static void page_add(unsigned int cpu, u64 tsc, u16 order)
{
	struct ovnik_page_add *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_add);

	rec->order = order;
	rec->ino = 4711;
	rec->pfn = 0x1000;
}

static void page_remove(unsigned int cpu, u64 tsc, u16 order)
{
	struct ovnik_page_remove *rec = CAPGEN_RECORD(&gen, cpu, tsc, page_remove);

	rec->order = order;
	rec->ino = 4711;
	rec->pfn = 0x1000;
}

static void buffer_add(unsigned int cpu, u64 tsc, u16 order)
{
	struct ovnik_buffer_add *rec = CAPGEN_RECORD(&gen, cpu, tsc, buffer_add);

	rec->order = order;
	rec->pfn = 0x2000;
}

static void map(unsigned int cpu, u64 tsc, u32 tid, u64 mm, u64 start, u64 length)
{
	struct ovnik_mmap_anon *rec = CAPGEN_RECORD(&gen, cpu, tsc, mmap_anon);

	rec->kind = OVNIK_MAP_MMAP;
	rec->tid = tid;
	rec->flags = OVNIK_VMA_READ | OVNIK_VMA_WRITE;
	rec->mm = mm;
	rec->start = start;
	rec->length = length;
}

static void unmap(unsigned int cpu, u64 tsc, u32 tid, u64 mm, u64 start, u64 length)
{
	struct ovnik_munmap *rec = CAPGEN_RECORD(&gen, cpu, tsc, munmap);

	rec->tid = tid;
	rec->mm = mm;
	rec->start = start;
	rec->length = length;
}

/* Two ticks are a nanosecond, and TSC 1000000000 is 5000000000 ns. */
static int known(const char *dir)
{
	if (capgen_open(&gen, dir, 2))
		return 1;
	gen.cpus[0].running = 100;
	capgen_dump(&gen, 0, 1000002000, 100, 100, 0, 7, 0x1a2b3, "reader");
	capgen_dump(&gen, 0, 1000002200, 101, 100, 1, 7, 0x1a2b3, "helper");
	map(0, 1000004000, 100, 7, 0x10000, 64 * KIB);
	/* A read that faults on its buffer and waits for the disk. */
	call(0, 1000006000, 100, OVNIK_OP_READ);
	fault(0, 1000006200, 100, OVNIK_FAULT_WRITE);
	capgen_switch(&gen, 0, 1000008000, OVNIK_STATE_UNINTERRUPTIBLE, 100, 101);
	cow(0, 1000010000, 101, 7);
	/* In an address space that no task is known to have. */
	cow(0, 1000010200, 101, 9);
	page_add(0, 1000012000, 2);
	buffer_add(0, 1000014000, 0);
	unmap(0, 1000016000, 101, 7, 0x10000, 16 * KIB);
	capgen_switch(&gen, 0, 1000018000, OVNIK_STATE_INTERRUPTIBLE, 101, 100);
	fault_end(0, 1000020000, 100, OVNIK_FAULT_MAJOR);
	got(0, 1000022000, 100, OVNIK_OP_READ, 4096);
	fault(0, 1000024000, 100, OVNIK_FAULT_USER | OVNIK_FAULT_INSTR);
	fault_end(0, 1000026000, 100, OVNIK_FAULT_MINOR);
	put(0, 1000028000, 100, OVNIK_OP_AIO, 512);
	/* An idle CPU: of whom are these? */
	capgen_switch(&gen, 1, 1000030000, 0, 0, 101);
	capgen_switch(&gen, 1, 1000032000, OVNIK_STATE_INTERRUPTIBLE, 101, 0);
	page_remove(1, 1000034000, 3);
	page_remove(0, 1000036000, 1);
	/* It dies in the middle of a call. */
	call(0, 1000038000, 100, OVNIK_OP_WRITEV);
	capgen_exit(&gen, 0, 1000040000, 100, 100);
	capgen_switch(&gen, 0, 1000042000, OVNIK_STATE_ZOMBIE, 100, 0);
	capgen_close(&gen);
	return 0;
}

/* A generator of its own: the same captures everywhere. */
static u64 seed;

static u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

static u32 running[CPUS];

static void random_switch(unsigned int cpu, u64 tsc)
{
	static const u16 states[] = { 0x100, 0, 1, 2 };
	u32 next = draw(TASKS), prev = running[cpu], i;

	for (i = 0; i < CPUS; i++) {
		if (running[i] == next)
			next = 0;
	}
	if (next == prev)
		return;
	running[cpu] = next;
	capgen_switch(&gen, cpu, tsc, prev ? states[draw(4)] : 0, prev ? 1000 + prev : 0,
		      next ? 1000 + next : 0);
}

static void random_event(unsigned int cpu, u64 tsc)
{
	u32 who = running[cpu], tid = 1000 + who;

	switch (draw(who ? 16 : 3)) {
	case 0:
		random_switch(cpu, tsc);
		break;
	case 1:
		page_add(cpu, tsc, draw(10));
		break;
	case 2:
		page_remove(cpu, tsc, draw(10));
		break;
	case 3:
	case 4:
		fault(cpu, tsc, tid, draw(32));
		break;
	case 5:
	case 6:
		fault_end(cpu, tsc, tid, draw(3));
		break;
	case 7:
	case 8:
		call(cpu, tsc, tid, draw(15));
		break;
	case 9:
	case 10:
		got(cpu, tsc, tid, draw(15), (s32)draw(5000) - 100);
		break;
	case 11:
		put(cpu, tsc, tid, draw(15), (s32)draw(5000) - 100);
		break;
	case 12:
		/* Of a task that need not be on a CPU. */
		put(cpu, tsc, 1001 + draw(TASKS - 1), OVNIK_OP_URING, draw(5000));
		break;
	case 13:
		cow(cpu, tsc, tid, 100 + who % 7);
		break;
	case 14:
		map(cpu, tsc, tid, 100 + who % 7, draw(100) * 4 * KIB, (1 + draw(20)) * 4 * KIB);
		break;
	case 15:
		unmap(cpu, tsc, tid, 100 + who % 7, draw(100) * 4 * KIB, (1 + draw(20)) * 4 * KIB);
		break;
	}
}

static int random_capture(const char *dir, u64 events, u64 losses)
{
	static const u8 lost[] = {
		OVNIK_EV_file_read, OVNIK_EV_sched_switch, OVNIK_EV_page_fault_end,
		OVNIK_EV_sched_wakeup,
	};
	u64 i, every = losses ? events / losses : 0, now[CPUS];
	unsigned int cpu;

	if (capgen_open(&gen, dir, CPUS))
		return 1;
	for (i = 1; i < TASKS; i++)
		capgen_dump(&gen, 0, gen.tsc0 + 100 * i, 1000 + i, 1000 + i % 7, 1, 100 + i % 7,
			    0x1000 + i % 7, "initial");
	for (cpu = 0; cpu < CPUS; cpu++)
		now[cpu] = gen.tsc0 + 100 * TASKS;
	for (i = 0; i < events; i++) {
		cpu = now[0] <= now[1] ? 0 : 1;
		if (now[2] < now[cpu])
			cpu = 2;
		if (every && i % every == every - 1)
			capgen_lose(&gen, cpu, lost[draw(4)], 1 + draw(5));
		random_event(cpu, now[cpu]);
		/* Often at once with the one before, and with others. */
		now[cpu] += draw(4) ? draw(3000) : 0;
	}
	capgen_close(&gen);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "known"))
		return known(argv[2]);
	if (argc != 6 || strcmp(argv[1], "random")) {
		fprintf(stderr, "usage: gen-activity known DIR | random DIR EVENTS SEED LOSSES\n");
		return 2;
	}
	seed = strtoull(argv[4], NULL, 0) * 0x9e3779b97f4a7c15ULL + 1;
	return random_capture(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[5], NULL, 0));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Whatever a capture says, the reports about tasks are consistent. */
#include <unistd.h>

#include "../gen/capgen.h"
#include "../check/tasklog.h"
#include "kselftest_harness.h"
#include "world/pages.h"

/* Times are small numbers added to this one; stamps are ns. */
#define AT(ns)	(1000000000ULL + (ns))
#define KIND(kind)	(1U << TASKS_##kind)

static struct capgen gen;

FIXTURE(tasks) {
	char dir[32];
	struct tasklog log;
};

FIXTURE_SETUP(tasks)
{
	memset(self, 0, sizeof(*self));
	strcpy(self->dir, "/tmp/tasks.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(tasks)
{
	char command[64];

	tasklog_free(&self->log);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	ASSERT_EQ(0, system(command));
}

static void wake_new(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_sched_wakeup_new *rec = CAPGEN_RECORD(&gen, cpu, tsc, sched_wakeup_new);

	rec->cpu = cpu;
	rec->tid = tid;
	rec->waker_tid = gen.cpus[cpu].running;
}

/* Any records, of few tasks, in any order, with gaps: they need not make sense. */
static u64 seed;

static u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

static void any_call(unsigned int cpu, u64 tsc, u32 tid)
{
	static const u16 ops[] = { 1, 2, 3, 9, 10, 12, 13, 99 };
	u16 op = ops[draw(8)];
	struct ovnik_file_read *in;
	struct ovnik_file_write *out;
	struct ovnik_file_begin *begin;

	switch (draw(4)) {
	case 0:
	case 1:
		begin = CAPGEN_RECORD(&gen, cpu, tsc, file_begin);
		begin->op = op;
		begin->tid = tid;
		break;
	case 2:
		in = CAPGEN_RECORD(&gen, cpu, tsc, file_read);
		in->op = op;
		in->tid = tid;
		in->ino = 1 + draw(3);
		in->result = draw(3) - 1;
		break;
	default:
		out = CAPGEN_RECORD(&gen, cpu, tsc, file_write);
		out->op = op;
		out->tid = tid;
		out->result = -draw(200);
	}
}

static void any_fault(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_page_fault_end *end;
	struct ovnik_page_add *page;

	switch (draw(3)) {
	case 0:
		CAPGEN_RECORD(&gen, cpu, tsc, page_fault)->tid = tid;
		break;
	case 1:
		end = CAPGEN_RECORD(&gen, cpu, tsc, page_fault_end);
		end->tid = tid;
		end->result = draw(4);
		break;
	default:
		page = CAPGEN_RECORD(&gen, cpu, tsc, page_add);
		page->ino = 1 + draw(3);
	}
}

#define PAGE	4096ULL

static u64 any_place(void)
{
	return (16 + draw(16)) * PAGE;
}

static void any_mapping(unsigned int cpu, u64 tsc, u32 tid)
{
	static const u16 kinds[] = { 1, 2, 2, 3, 4, 4, 5 };
	u64 start = any_place(), length = (1 + draw(4)) * PAGE, mm = 1 + draw(4);
	struct ovnik_mmap_anon *anon;
	struct ovnik_mmap_file *file;
	struct ovnik_munmap *unmap;
	struct ovnik_mremap *move;
	struct ovnik_vma_dup *dup;
	struct ovnik_dump_vma *dump;

	switch (draw(9)) {
	case 0:
		file = CAPGEN_RECORD_STR(&gen, cpu, tsc, mmap_file, path, "/lib/one");
		*file = (struct ovnik_mmap_file){
			.delta = file->delta, .type = file->type, .size = file->size, .tid = tid,
			.mm = mm, .start = start, .length = length, .ino = 1 + draw(3), .dev = 5,
		};
		break;
	case 1:
	case 2:
	case 3:
		anon = CAPGEN_RECORD(&gen, cpu, tsc, mmap_anon);
		anon->kind = kinds[draw(7)];
		anon->tid = tid;
		anon->mm = mm;
		anon->start = start;
		anon->length = length;
		break;
	case 4:
		unmap = CAPGEN_RECORD(&gen, cpu, tsc, munmap);
		unmap->tid = tid;
		unmap->mm = mm;
		unmap->start = start;
		unmap->length = 2 * length;
		break;
	case 5:
		move = CAPGEN_RECORD_STR(&gen, cpu, tsc, mremap, path, "");
		move->tid = tid;
		move->mm = mm;
		move->old_start = draw(2) ? start : any_place();
		move->old_length = PAGE;
		move->start = start;
		move->length = length;
		break;
	case 6:
		dup = CAPGEN_RECORD(&gen, cpu, tsc, vma_dup);
		dup->tid = tid;
		dup->source_mm = mm;
		dup->mm = 1 + draw(4);
		dup->start = start;
		dup->length = length;
		break;
	case 7:
		dump = CAPGEN_RECORD_STR(&gen, cpu, tsc, dump_vma, path, "/lib/two");
		dump->tid = tid;
		dump->mm = mm;
		dump->start = start;
		dump->length = length;
		break;
	default:
		if (!draw(4))
			capgen_mm_exit(&gen, cpu, tsc, mm, 0);
	}
}

static void any_file(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_file_open *open;
	struct ovnik_file_close *close;
	struct ovnik_dump_file *dump;

	switch (draw(3)) {
	case 0:
		open = CAPGEN_RECORD_STR(&gen, cpu, tsc, file_open, path, "/etc/one");
		open->tid = tid;
		open->ino = 1 + draw(4);
		break;
	case 1:
		close = CAPGEN_RECORD(&gen, cpu, tsc, file_close);
		close->tid = tid;
		close->ino = 1 + draw(4);
		break;
	default:
		dump = CAPGEN_RECORD_STR(&gen, cpu, tsc, dump_file, path, "/etc/two");
		dump->tid = tid;
		dump->ino = 1 + draw(4);
	}
}

static void any_page(unsigned int cpu, u64 tsc, u32 tid)
{
	u16 order = draw(3) ? 0 : draw(WORLD_ORDER_LEAST);
	u64 offset = draw(32) * PAGE;

	(void)tid;
	switch (draw(4)) {
	case 0:
		CAPGEN_RECORD(&gen, cpu, tsc, buffer_add)->offset = offset;
		break;
	case 1:
		CAPGEN_RECORD(&gen, cpu, tsc, buffer_remove)->offset = offset;
		break;
	case 2: {
		struct ovnik_page_remove *gone = CAPGEN_RECORD(&gen, cpu, tsc, page_remove);

		gone->ino = 1 + draw(2);
		gone->order = order;
		gone->offset = offset;
		break;
	}
	default: {
		struct ovnik_page_add *page = CAPGEN_RECORD(&gen, cpu, tsc, page_add);

		page->ino = 1 + draw(2);
		page->order = order;
		page->offset = offset;
	}
	}
}

static void any_record(unsigned int cpu, u64 tsc)
{
	static void (*const any[])(unsigned int cpu, u64 tsc, u32 tid) = {
		any_call, any_call, any_fault, any_mapping, any_file, any_page,
	};
	static const u16 states[] = { 0, 1, 1, 1, 2, 4, 8, 0x40, 0x80, 0x100, 0x101, 0x10, 0x20,
				      0xfffe, 0xffff };
	u32 tid = 1 + draw(12), other = 1 + draw(12), pid = 1 + draw(6);

	/* Mostly of the task that runs. */
	if (draw(2)) {
		u32 acts = draw(4) ? gen.cpus[cpu].running : tid;

		any[draw(ARRAY_SIZE(any))](cpu, tsc, acts);
		return;
	}
	switch (draw(12)) {
	case 0:
		capgen_fork(&gen, cpu, tsc, tid, pid, other, 1 + draw(12), "child");
		break;
	case 1:
		capgen_exec(&gen, cpu, tsc, tid, draw(3) ? tid : other, "/bin/true");
		break;
	case 2:
		capgen_exit(&gen, cpu, tsc, tid, pid);
		break;
	case 3:
		capgen_dump(&gen, cpu, tsc, tid, draw(2) ? pid : tid, states[draw(15)], 0, 0, "old");
		break;
	case 4:
		capgen_comm(&gen, cpu, tsc, tid, pid, "name");
		break;
	case 5:
	case 6:
	case 7:
		capgen_wakeup(&gen, cpu, tsc, tid, draw(3));
		break;
	case 8:
		wake_new(cpu, tsc, tid);
		break;
	default:
		capgen_switch(&gen, cpu, tsc, states[draw(15)],
			      draw(9) ? gen.cpus[cpu].running : tid, draw(3) ? other : 0);
	}
}

static void any_capture(u32 records)
{
	static const u8 lost[] = {
		OVNIK_EV_sched_switch, OVNIK_EV_sched_wakeup, OVNIK_EV_sched_wakeup_new,
		OVNIK_EV_file_read, OVNIK_EV_page_fault_end, OVNIK_EV_page_add,
		OVNIK_EV_file_close, OVNIK_EV_munmap, OVNIK_EV_page_remove,
	};
	u64 tsc = AT(10);

	while (records--) {
		unsigned int cpu = draw(2);

		tsc += draw(3);
		if (!draw(200))
			capgen_lose(&gen, cpu, lost[draw(ARRAY_SIZE(lost))], 1 + draw(5));
		any_record(cpu, tsc);
	}
}

/* @kinds: all of them must have come. */
static void hear_any(struct __test_metadata *_metadata, struct _test_data_tasks *self, u32 kinds)
{
	u64 count[TASKS_NR_KINDS] = { 0 }, run;
	u32 i;

	for (run = 1; run < 20; run++) {
		seed = run;
		ASSERT_EQ(0, capgen_open(&gen, self->dir, 2));
		capgen_monotonic(&gen);
		gen.width = 0;
		if (run % 4 == 3)
			gen.filter = "3,5";
		any_capture(6000);
		capgen_close(&gen);
		ASSERT_EQ(0, tasklog_capture(&self->log, self->dir, kinds));
		EXPECT_EQ(0, self->log.nr_wrong) TH_LOG("%llu: %s", run, self->log.wrong);
		for (i = 0; i < TASKS_NR_KINDS; i++)
			count[i] += self->log.count[i];
		tasklog_free(&self->log);
	}
	for (i = 0; i < TASKS_NR_KINDS; i++)
		EXPECT_EQ(kinds >> i & 1, count[i] > 0) TH_LOG("kind %u", i);
}

TEST_F(tasks, any_records)
{
	hear_any(_metadata, self, TASKS_ALL);
}

TEST_F(tasks, any_records_without_parents)
{
	hear_any(_metadata, self, KIND(WAIT) | KIND(PAGE) | KIND(REQ_IN) | KIND(FILE));
}

TEST_F(tasks, any_records_without_children)
{
	hear_any(_metadata, self, KIND(PROCESS) | KIND(MAPPING));
}

TEST_HARNESS_MAIN

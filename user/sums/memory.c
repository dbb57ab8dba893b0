// SPDX-License-Identifier: GPL-2.0-only
/* Page faults by what is mapped at their address: see memory.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums/memory.h"

#define TEXT_OF(number, text, sentence)	text,
#define NUMBER_OF(number, text, sentence)	number,

const char *const report_memory_texts[REPORT_NR_MEMORY] = {
	TASKS_MAPPINGS(TEXT_OF)
	[REPORT_UNMAPPED] = "(nothing is mapped there)",
	[REPORT_MEMORY_UNKNOWN] = "not known",
};

static const u32 kinds[REPORT_UNMAPPED] = { TASKS_MAPPINGS(NUMBER_OF) };

/* Of what the statedump found, and its copies, the kind is known if it is a file or a stack. */
static enum report_memory memory_of(u32 kind)
{
	unsigned int i;

	for (i = 0; i < REPORT_UNMAPPED; i++) {
		if (kinds[i] == kind)
			return i;
	}
	return memory_of(OVNIK_MAP_MMAP);
}

static void look(const struct report_faults *f, struct report_fault *fault, u32 tid)
{
	const struct world_task *task = task_find(&f->world->tasks, tid);
	const struct world_mm *mm = task ? mm_lookup(&f->world->mms, task->mm) : NULL;
	const struct mm_vma *vma = mm ? mm_find(mm, fault->address) : NULL;

	fault->mapped = vma && vma->start <= fault->address;
	if (fault->mapped)
		fault->what = vma->what;
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault *rec = it->rec;
	struct report_faults *f = data;

	f->tid = it->task->tid;
	f->now = (struct report_fault){
		/* Of another user's process, in a private capture, where it was is not known. */
		.begun = rec->address != OVNIK_NO_ADDRESS, .address = rec->address,
	};
	look(f, &f->now, f->tid);
}

int report_faults_attach(struct report_faults *f, struct world *w)
{
	f->world = w;
	return hook_attach(&w->hooks, WORLD_FAULT_BEGIN, on_begin, f);
}

int report_faults_start(struct report_faults *f, const struct trace_task *task)
{
	struct report_fault *fault = idmap_ptr(&f->threads, task->thread_task);

	if (!fault) {
		fault = malloc(sizeof(*fault));
		if (!fault || idmap_set(&f->threads, task->thread_task, fault)) {
			free(fault);
			return -ENOMEM;
		}
	}
	*fault = f->now;
	fault->begun = f->tid && f->tid == task->tid;
	f->tid = 0;
	return 0;
}

enum report_memory report_faults_end(const struct report_faults *f, const struct trace_task *task,
				     struct trace_file *file)
{
	const bool sure = !(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN));
	struct report_fault *fault = idmap_ptr(&f->threads, task->thread_task);

	memset(file, 0, sizeof(*file));
	if (!fault || !fault->begun)
		return REPORT_MEMORY_UNKNOWN;
	/* A stack grows during the fault. */
	if (!fault->mapped && sure)
		look(f, fault, task->tid);
	if (!fault->mapped)
		return sure && task->result == OVNIK_FAULT_FAILED ? REPORT_UNMAPPED :
		       REPORT_MEMORY_UNKNOWN;
	if (fault->what.kind == MM_KIND_FILE) {
		file->dev = fault->what.dev;
		file->generation = fault->what.generation;
		file->ino = fault->what.ino;
	}
	return memory_of(fault->what.kind);
}

void report_faults_forget(struct report_faults *f, u64 id)
{
	struct idmap_slot *slot = idmap_get(&f->threads, id);

	if (!slot)
		return;
	free(slot->ptr);
	idmap_del(&f->threads, slot);
}

void report_faults_free(struct report_faults *f)
{
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(&f->threads, slot)))
		free(slot->ptr);
	idmap_free(&f->threads);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The world: what it is fed, and who deals with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "world/world_priv.h"

#define WORLD_POSITION_ROW(id, pname, psentence) \
	[WORLD_##id] = { .name = #pname, .sentence = psentence },

const struct hook_position world_positions[WORLD_NR_POSITIONS] = {
	WORLD_POSITIONS(WORLD_POSITION_ROW)
};

static int world_hotplug(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_cpu_hotplug *rec = it->rec;

	(void)cpu;
	it->cpu = rec->cpu;
	world_tell(w, rec->online ? WORLD_CPU_ONLINE : WORLD_CPU_OFFLINE, it);
	return 0;
}

typedef int (*record_fn)(struct world *w, struct world_cpu *cpu, struct world_item *it);

/* Events without a function say nothing about the world; a switch has its own way. */
static const record_fn record_fns[OVNIK_NR_EVENTS] = {
	[OVNIK_EV_sched_wakeup] = world_wakeup,
	[OVNIK_EV_sched_wakeup_new] = world_wakeup_new,
	[OVNIK_EV_sched_migrate] = world_migrate,
	[OVNIK_EV_task_fork] = world_fork,
	[OVNIK_EV_task_exec] = world_exec,
	[OVNIK_EV_task_exit] = world_exit,
	[OVNIK_EV_task_comm] = world_comm,
	[OVNIK_EV_task_mm] = world_mm,
	[OVNIK_EV_mm_exit] = world_mm_exit,
	[OVNIK_EV_dump_task] = world_dump,
	[OVNIK_EV_cpu_hotplug] = world_hotplug,
	[OVNIK_EV_mmap_file] = world_mmap_file,
	[OVNIK_EV_mmap_anon] = world_mmap_anon,
	[OVNIK_EV_shm_attach] = world_shm_attach,
	[OVNIK_EV_munmap] = world_munmap,
	[OVNIK_EV_mprotect] = world_mprotect,
	[OVNIK_EV_mremap] = world_mremap,
	[OVNIK_EV_madvise_dontneed] = world_dontneed,
	[OVNIK_EV_vma_dup] = world_vma_dup,
	[OVNIK_EV_cow_break] = world_cow_break,
	[OVNIK_EV_page_fault] = world_fault,
	[OVNIK_EV_page_fault_end] = world_fault_end,
	[OVNIK_EV_page_add] = world_page_add,
	[OVNIK_EV_page_remove] = world_page_remove,
	[OVNIK_EV_buffer_add] = world_buffer_add,
	[OVNIK_EV_buffer_remove] = world_buffer_remove,
	[OVNIK_EV_file_open] = world_file_open,
	[OVNIK_EV_file_close] = world_file_close,
	[OVNIK_EV_file_begin] = world_file_begin,
	[OVNIK_EV_file_read] = world_file_read,
	[OVNIK_EV_file_write] = world_file_write,
	[OVNIK_EV_file_delete] = world_file_delete,
	[OVNIK_EV_file_truncate] = world_file_truncate,
	[OVNIK_EV_file_rename] = world_file_rename,
	[OVNIK_EV_dump_mm] = world_dump_mm,
	[OVNIK_EV_dump_vma] = world_dump_vma,
	[OVNIK_EV_dump_file] = world_dump_file,
};

static int make_cpus(struct world *w, const struct capture *cap)
{
	unsigned int i;

	w->cpus = calloc(cap->nr_files, sizeof(*w->cpus));
	if (!w->cpus)
		return -ENOMEM;
	for (i = 0; i < cap->nr_files; i++) {
		w->cpus[i].nr = cap->files[i].cpu;
		w->cpus[i].idle.cpu = -1;
	}
	w->nr_cpus = cap->nr_files;
	return 0;
}

int world_init(struct world *w, struct capture *cap)
{
	int ret;

	memset(w, 0, sizeof(*w));
	hookable_init(&w->hooks, world_positions, WORLD_NR_POSITIONS);
	w->clock = &cap->clock;
	w->filtered = cap->meta.nr_pids > 0;
	w->filter = cap->meta.pids;
	w->nr_filter = cap->meta.nr_pids;
	w->filter_children = cap->meta.children;
	ret = task_table_init(&w->tasks);
	if (!ret)
		ret = hash_init(&w->mms);
	return ret ? ret : make_cpus(w, cap);
}

void world_destroy(struct world *w)
{
	hookable_destroy(&w->hooks);
	task_table_destroy(&w->tasks);
	mm_free_all(&w->mms);
	free(w->cpus);
	w->cpus = NULL;
}

static inline void set_time(struct world *w, u64 tsc)
{
	w->tsc = tsc;
	/* The line never goes back, so neither does this. */
	if (w->clock)
		w->ns = clock_ns(w->clock, tsc);
}

void world_begin(struct world *w, u64 tsc)
{
	struct world_item it = { .tsc = tsc };

	set_time(w, tsc);
	it.ns = w->ns;
	world_tell(w, WORLD_CAPTURE_BEGIN, &it);
}

/* A sub-buffer's header says who runs. */
static int feed_open(struct world *w, struct world_cpu *cpu, const struct ovnik_subbuf *h)
{
	struct world_task *task;
	int ret;

	if (cpu->running && cpu->running->tid == h->tid)
		return 0;
	ret = world_task_get(w, cpu, h->tid, &task);
	if (ret || !task)
		return ret;
	/* Tasks outside the filter come and go unseen. */
	if (w->filtered && !task->member)
		return 0;
	if (cpu->running) {
		w->stats.headers++;
		world_off_cpu(w, cpu->running, WORLD_STATE_UNKNOWN);
	}
	world_runs(w, cpu, task);
	return 0;
}

static void feed_gap(struct world *w, struct world_cpu *cpu, const struct capture_item *item)
{
	struct world_item it = world_note(w, cpu, NULL);

	it.gap = item->data;
	if (item->kind == ITEM_GAP_END) {
		world_tell(w, WORLD_GAP_END, &it);
		return;
	}
	world_tell(w, WORLD_GAP_BEGIN, &it);
	/* If no switch is missing, nobody has left the CPU. */
	if (cpu->running && (!it.gap->exact || it.gap->lost[OVNIK_EV_sched_switch]))
		world_off_cpu(w, cpu->running, WORLD_STATE_LOST);
	if (!it.gap->exact || it.gap->lost[OVNIK_EV_mm_exit])
		w->mm_exits_lost = true;
	w->mm_epoch += !it.gap->exact || it.gap->lost[OVNIK_EV_task_mm];
}

static __attribute__((noinline)) int feed_other(struct world *w, struct world_cpu *cpu,
						const struct capture_item *item)
{
	if (item->kind == ITEM_OPEN)
		return feed_open(w, cpu, item->data);
	feed_gap(w, cpu, item);
	return 0;
}

/* In two parts, for which the compiler takes stores: at once it takes a slow loop. */
static inline void item_begin(struct world_item *it)
{
	const size_t half = offsetof(struct world_item, owner);

	memset(it, 0, half);
	memset(&it->owner, 0, sizeof(*it) - half);
}

/* The time is set. */
static inline int feed(struct world *w, const struct capture_item *item)
{
	struct world_cpu *cpu = &w->cpus[item->cpu];
	struct world_item *it = &w->item;
	record_fn fn;

	if (unlikely(item->kind != ITEM_RECORD))
		return feed_other(w, cpu, item);
	if (item->event == OVNIK_EV_sched_switch)
		return world_switch(w, cpu, item->data);
	fn = record_fns[item->event];
	if (unlikely(!fn))
		return 0;
	item_begin(it);
	it->tsc = w->tsc;
	it->ns = w->ns;
	it->cpu = cpu->nr;
	it->rec = item->data;
	it->event = item->event;
	return fn(w, cpu, it);
}

/* On another segment of the clock than the last one. */
static __attribute__((noinline)) int feed_far(struct world *w, const struct capture_item *item)
{
	set_time(w, item->tsc);
	return feed(w, item);
}

/* Nothing but the last call of this must need registers kept: it is run for each item. */
int world_feed(struct world *w, const struct capture_item *item)
{
	w->tsc = item->tsc;
	if (w->clock) {
		if (unlikely(!clock_near(w->clock, item->tsc)))
			return feed_far(w, item);
		w->ns = clock_on_segment(w->clock, item->tsc);
	}
	return feed(w, item);
}

int world_end(struct world *w, u64 tsc)
{
	struct world_item it = { 0 };

	set_time(w, tsc > w->tsc ? tsc : w->tsc);
	it.tsc = w->tsc;
	it.ns = w->ns;
	world_tell(w, WORLD_CAPTURE_END, &it);
	w->stats.tasks = w->tasks.next_id;
	return w->hooks.error;
}

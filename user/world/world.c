// SPDX-License-Identifier: GPL-2.0-only
/* The world: it passes each item it is fed to the function that handles it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/merge.h"
#include "world/doubt.h"
#include "world/records.h"
#include "world/sight.h"
#include "world/world_priv.h"

#define WORLD_POSITION_ROW(id, pname, psentence) \
	[WORLD_##id] = { .name = #pname, .sentence = psentence },

const struct hook_position world_positions[WORLD_NR_POSITIONS] = {
	WORLD_POSITIONS(WORLD_POSITION_ROW)
};

int world_cpu_hotplug(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_cpu_hotplug *rec = it->rec;

	(void)cpu;
	it->cpu = rec->cpu;
	world_notify(w, rec->online ? WORLD_CPU_ONLINE : WORLD_CPU_OFFLINE, it);
	return 0;
}

typedef int (*record_fn)(struct world *w, struct world_cpu *cpu, struct world_item *it);

#define RECORD_FN_ROW(event, rule)	[OVNIK_EV_##event] = world_##event,

static const record_fn record_fns[OVNIK_NR_EVENTS] = {
	WORLD_RECORDS(RECORD_FN_ROW, WORLD_NO_RECORD)
};

static int make_cpus(struct world *w, const struct capture *cap)
{
	unsigned int i;

	w->cpus = calloc(cap->nr_files, sizeof(*w->cpus));
	if (!w->cpus)
		return -ENOMEM;
	for (i = 0; i < cap->nr_files; i++) {
		/* What the statedump says counts as said by the first CPU. */
		w->cpus[i].nr = cap->files[cap->files[i].dump ? 0 : i].cpu;
		w->cpus[i].index = i;
		w->cpus[i].idle.cpu = -1;
		w->cpus[i].elsewhere = cap->files[i].elsewhere;
	}
	w->nr_cpus = cap->nr_cpus;
	return 0;
}

int world_init(struct world *w, struct capture *cap)
{
	memset(w, 0, sizeof(*w));
	hookable_init(&w->hooks, world_positions, WORLD_NR_POSITIONS, NULL);
	w->clock = &cap->clock;
	w->page_shift = __builtin_ctz(meta_page_size(&cap->meta));
	w->switched = cap->switched;
	w->switching = cap->switched;
	w->has = cap->has;
	w->filtered = cap->meta.nr_pids > 0;
	w->filter = cap->meta.pids;
	w->nr_filter = cap->meta.nr_pids;
	w->filter_children = cap->meta.children;
	return task_table_init(&w->tasks) ?:
	       hash_init(&w->mms) ?:
	       make_cpus(w, cap);
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
	/* The clock's line never goes back, so neither does this. */
	if (w->clock)
		w->ns = clock_ns(w->clock, tsc);
}

void world_begin(struct world *w, u64 tsc)
{
	struct world_item it = { .tsc = tsc };

	set_time(w, tsc);
	it.ns = w->ns;
	world_notify(w, WORLD_CAPTURE_BEGIN, &it);
}

/* A sub-buffer's header names the running task. */
static int feed_open(struct world *w, struct world_cpu *cpu, const struct ovnik_subbuf *h)
{
	struct world_task *task;
	int ret;

	if (cpu->running && cpu->running->tid == h->tid) {
		cpu->sure = world_is_sure(w, cpu->running);
		return 0;
	}
	ret = world_current_get(w, cpu, h->tid, &task);
	if (ret || !task || task == cpu->running)
		return ret;
	/* Tasks outside the filter come and go unrecorded. */
	if (w->filtered && !task->member) {
		cpu->outsider = !cpu->running;
		cpu->sure = false;
		return 0;
	}
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
		world_notify(w, WORLD_GAP_END, &it);
		world_doubt_gap_end(w, cpu);
		return;
	}
	world_notify(w, WORLD_GAP_BEGIN, &it);
	world_doubt_gap_begin(w, cpu, it.gap);
	/* If no switch is missing, the task is still on the CPU. */
	if (cpu->hidden.runs && cpu->running)
		world_off_cpu(w, cpu->running, WORLD_STATE_LOST);
	if (cpu->hidden.runs)
		cpu->outsider = false;
	if (sight_hides(it.gap, EV_BIT(mm_exit)))
		w->mm_exits_lost = true;
	w->mm_epoch += sight_hides(it.gap, EV_BIT(task_mm));
}

/* The statedump is of no CPU: nobody runs there, and no time of a CPU is missing. */
static int feed_dump(struct world *w, const struct capture_item *item)
{
	struct world_item it = { .tsc = w->tsc, .ns = w->ns };

	if (item->kind != ITEM_GAP_BEGIN)
		return 0;
	it.gap = item->data;
	it.cpu = it.gap->cpu;
	world_notify(w, WORLD_DUMP_GAP, &it);
	return 0;
}

static int feed_switching(struct world *w, const struct world_cpu *cpu)
{
	if (!w->switching)
		world_doubt_switching(w, cpu);
	return 0;
}

static __attribute__((noinline)) int feed_other(struct world *w, struct world_cpu *cpu,
						const struct capture_item *item)
{
	if (item->cpu >= w->nr_cpus)
		return feed_dump(w, item);
	if (item->kind == ITEM_OPEN)
		return feed_open(w, cpu, item->data);
	if (item->kind == ITEM_ELSEWHERE)
		return world_switch_elsewhere(w, cpu, item->data);
	if (item->kind == ITEM_SWITCHING)
		return feed_switching(w, cpu);
	feed_gap(w, cpu, item);
	return 0;
}

/* In two parts, which compile to stores; all at once would be a slow loop. */
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

/* On another segment of the clock than the last item. */
static __attribute__((noinline)) int feed_far(struct world *w, const struct capture_item *item)
{
	set_time(w, item->tsc);
	return feed(w, item);
}

/* Runs for each item: only its last call may need saved registers. */
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
	world_notify(w, WORLD_CAPTURE_END, &it);
	w->stats.tasks = w->tasks.next_id;
	return w->hooks.error;
}

int world_read(struct world *w, struct capture *cap)
{
	const struct capture_item *item = NULL;
	struct merge items;
	int ret = merge_open(&items, cap);

	if (!ret)
		world_begin(w, cap->begin);
	while (!ret && !(ret = merge_next(&items, &item)) && item)
		ret = world_feed(w, item);
	merge_close(&items);
	return ret ? ret : world_end(w, cap->end);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The inventory: see inventory.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/meta.h"
#include "capture/skip.h"
#include "world/inventory.h"
#include "world/records.h"
#include "world/world_priv.h"

#define RULE_NAMES(event) {							\
	.kind = KNOWN_NAMES,							\
	.tid = { offsetof(struct ovnik_##event, tid), offsetof(struct ovnik_##event, tid) }, \
}

#define RULE_SWITCH(event) {							\
	.kind = KNOWN_NAMES,							\
	.tid = {								\
		offsetof(struct ovnik_##event, prev_tid),			\
		offsetof(struct ovnik_##event, next_tid),			\
	},									\
	.bits = offsetof(struct ovnik_##event, prev_state),			\
	.mask = STATE_FINAL,							\
}

#define RULE_NOBODY(event)	{ .kind = KNOWN_NOBODY }
#define RULE_KEEP(event)	{ .kind = KNOWN_KEEP }

#define RULE_ROW(event, rule)	[OVNIK_EV_##event] = RULE_##rule(event),

static const struct known_rule rules[OVNIK_NR_EVENTS] = {
	WORLD_RECORDS(RULE_ROW, RULE_ROW)
};

const struct known_rule *inventory_rule(unsigned int event)
{
	return &rules[event];
}

static int reserve_names(struct inventory *c, u32 room)
{
	char (*names)[OVNIK_COMM_LEN] = realloc(c->names, room * sizeof(*names));

	if (!names)
		return -ENOMEM;
	memset(names + c->room_tasks, 0, (room - c->room_tasks) * sizeof(*names));
	c->names = names;
	return 0;
}

static int reserve_task(struct inventory *c, u32 id)
{
	u64 room = c->room_tasks ? c->room_tasks : 1024;
	u32 *pids;

	if (id < c->room_tasks)
		return 0;
	while (id >= room)
		room *= 2;
	if (room > ~0U || (c->named && reserve_names(c, room)))
		return -ENOMEM;
	pids = realloc(c->pids, room * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	memset(pids + c->room_tasks, 0, (room - c->room_tasks) * sizeof(*pids));
	c->pids = pids;
	c->room_tasks = room;
	return 0;
}

static int add_thread(struct inventory *c, const struct world_task *task, u32 tid)
{
	struct inventory_thread *thread;

	if (c->nr_threads == c->room_threads) {
		u32 room = c->room_threads ? 2 * c->room_threads : 1024;

		if (room < c->room_threads)
			return -ENOMEM;
		thread = realloc(c->threads, room * sizeof(*thread));
		if (!thread)
			return -ENOMEM;
		c->threads = thread;
		c->room_threads = room;
	}
	thread = &c->threads[c->nr_threads++];
	memset(thread, 0, sizeof(*thread));
	thread->tid = tid;
	thread->pid = task->tgid ? task->tgid : task->tid;
	thread->order = task->id;
	memcpy(thread->comm, task->comm, sizeof(thread->comm));
	return 0;
}

/* A task will not change again. */
static int take(struct inventory *c, const struct world_task *task)
{
	int ret = reserve_task(c, task->id);

	if (ret)
		return ret;
	c->pids[task->id] = task->tgid ? task->tgid : task->tid;
	c->orphans += !task->tgid;
	if (c->named)
		memcpy(c->names[task->id], task->comm, sizeof(*c->names));
	return add_thread(c, task, task->tid);
}

static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	int ret = take(data, it->task);

	if (ret)
		hook_fail(ctx->domain, ret);
}

/* exec may change a task's number: it and the leader have used two each. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	int ret = add_thread(data, it->task, it->tid);

	if (!ret && it->other)
		ret = add_thread(data, it->other, it->task->tid);
	if (ret)
		hook_fail(ctx->domain, ret);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_task *rec = it->rec;
	struct inventory *c = data;
	struct idmap_slot *slot;

	if (!c->named || !rec->tgid || !rec->parent_tgid)
		return;
	slot = idmap_put(&c->parents, rec->tgid);
	if (slot)
		slot->bits = rec->parent_tgid;
	else
		hook_fail(ctx->domain, -ENOMEM);
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	struct inventory *c = data;
	const struct world_task *task = NULL;
	int ret = 0;

	while (!ret && (task = task_next(&c->world->tasks, task)))
		ret = take(c, task);
	if (ret)
		hook_fail(ctx->domain, ret);
}

int inventory_attach(struct inventory *c, struct world *w)
{
	memset(c, 0, sizeof(*c));
	c->world = w;
	return hook_attach(&w->hooks, WORLD_TASK_DEAD, on_dead, c) ?:
	       hook_attach(&w->hooks, WORLD_TASK_DUMP, on_dump, c) ?:
	       hook_attach(&w->hooks, WORLD_TASK_NUMBER, on_number, c) ?:
	       hook_attach(&w->hooks, WORLD_CAPTURE_END, on_end, c);
}

static int next_unknown(struct cursor *c)
{
	return cursor_next_unless(c, known_skip);
}

void inventory_hurry(struct inventory *c, struct capture *cap)
{
	c->known.named = calloc(KNOWN_TID_MAX + 1, sizeof(*c->known.named));
	if (!c->known.named)
		return;
	c->known.rules = rules;
	/* Each CPU's idle task. */
	known_add(&c->known, 0);
	c->world->tasks.known = &c->known;
	cap->next = next_unknown;
	cap->skip = &c->known;
}

static int compare(u32 pid_a, u32 tid_a, u32 pid_b, u32 tid_b)
{
	if (pid_a != pid_b)
		return pid_a < pid_b ? -1 : 1;
	return tid_a < tid_b ? -1 : tid_a > tid_b;
}

static int compare_threads(const void *a, const void *b)
{
	const struct inventory_thread *x = a, *y = b;
	int order = compare(x->pid, x->tid, y->pid, y->tid);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Merge threads with the same pid and tid; keep the last order and the last name. */
static void drop_doubles(struct inventory *c)
{
	u32 i, kept = 0;

	for (i = 0; i < c->nr_threads; i++) {
		struct inventory_thread *last = &c->threads[kept - (kept > 0)];
		const struct inventory_thread *now = &c->threads[i];

		if (!kept || compare(last->pid, last->tid, now->pid, now->tid)) {
			c->threads[kept++] = *now;
			continue;
		}
		last->order = now->order;
		if (now->comm[0])
			memcpy(last->comm, now->comm, sizeof(last->comm));
	}
	c->nr_threads = kept;
}

static void add_to_process(struct inventory *c, u32 i)
{
	struct inventory_thread *thread = &c->threads[i];
	struct inventory_process *process = &c->processes[c->nr_processes - (c->nr_processes > 0)];

	if (!c->nr_processes || process->pid != thread->pid) {
		process = &c->processes[c->nr_processes++];
		process->pid = thread->pid;
		process->first = i;
	}
	process->nr++;
	thread->process = process - c->processes;
	if (!process->comm[0] || thread->tid == thread->pid)
		memcpy(process->comm, thread->comm, sizeof(process->comm));
}

int inventory_finish(struct inventory *c)
{
	u32 i;

	c->nr_tasks = c->world->tasks.next_id;
	c->world = NULL;
	free(c->known.named);
	c->known.named = NULL;
	if (!c->nr_threads)
		return 0;
	qsort(c->threads, c->nr_threads, sizeof(*c->threads), compare_threads);
	drop_doubles(c);
	c->processes = calloc(c->nr_threads, sizeof(*c->processes));
	if (!c->processes)
		return -ENOMEM;
	for (i = 0; i < c->nr_threads; i++)
		add_to_process(c, i);
	return 0;
}

long inventory_find(const struct inventory *c, u32 pid, u32 tid)
{
	u32 low = 0, high = c->nr_threads;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		const struct inventory_thread *thread = &c->threads[mid];
		int order = compare(thread->pid, thread->tid, pid, tid);

		if (!order)
			return mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

const char *inventory_name(const struct inventory *c, u32 id)
{
	return id < c->room_tasks ? c->names[id] : "";
}

bool inventory_descends(const struct inventory *c, u32 pid, u32 from)
{
	const struct idmap_slot *slot = idmap_get(&c->parents, pid);
	unsigned int depth;

	/* A damaged statedump may have a loop. */
	for (depth = 0; slot && depth < 64; depth++) {
		if (slot->bits == from)
			return true;
		slot = idmap_get(&c->parents, slot->bits);
	}
	return false;
}

/* The highest number, if there were several; 0: none is recorded. */
static u32 child_of(const struct inventory *c, u32 pid)
{
	struct idmap_slot *slot = NULL;
	u32 child = 0;

	while ((slot = idmap_next(&c->parents, slot))) {
		if (slot->bits == pid && slot->key > child)
			child = slot->key;
	}
	return child;
}

/* With -p, COMMAND may only say how long. */
static bool is_recorded(const struct meta *meta, u32 pid)
{
	unsigned int i = 0;

	while (i < meta->nr_pids && meta->pids[i] != pid)
		i++;
	return !meta->nr_pids || i < meta->nr_pids;
}

/* It was there when the recording began: the recorder had forked. */
u32 inventory_command(const struct inventory *c, const struct meta *meta)
{
	u32 pid = *meta->command && meta->recorder ? child_of(c, meta->recorder) : 0;

	return pid && is_recorded(meta, pid) ? pid : 0;
}

void inventory_free(struct inventory *c)
{
	free(c->names);
	c->names = NULL;
	idmap_free(&c->parents);
	free(c->known.named);
	c->known.named = NULL;
	free(c->pids);
	free(c->threads);
	free(c->processes);
	c->pids = NULL;
	c->threads = NULL;
	c->processes = NULL;
}

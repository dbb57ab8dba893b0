// SPDX-License-Identifier: GPL-2.0-only
/* Which processes and CPUs a part of a capture has, and which records are theirs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/pick.h"
#include "util/msg.h"
#include "util/suggest.h"
#include "world/inventory.h"

int pick_prepare(struct narrow *n)
{
	n->picked = calloc(TASK_TID_MAX + 1, sizeof(*n->picked));
	n->owners = calloc(TASK_TID_MAX + 1, sizeof(*n->owners));
	return n->picked && n->owners ? 0 : -ENOMEM;
}

static bool is_picked(const struct narrow *n, u32 tgid)
{
	return tgid <= TASK_TID_MAX && n->picked[tgid] & NARROW_PICKED;
}

bool narrow_is_named(const struct narrow_pick *pick, const char *comm)
{
	return !pick->pid && !strncmp(comm, pick->comm, OVNIK_COMM_LEN - 1);
}

static void report_lack(const struct narrow_pick *pick, const char *where, u32 nameless,
			const struct inventory *inv, const char *dir)
{
	struct suggestion near = { .word = pick->comm };
	char text[64], unnamed[64] = "";
	u32 i;

	if (pick->pid) {
		msg_error("%s: there is no such process in %s: %u", dir, where, pick->pid);
		return;
	}
	for (i = 0; inv && i < inv->nr_threads; i++)
		suggest_offer(&near, inv->threads[i].comm);
	if (nameless)
		snprintf(unnamed, sizeof(unnamed), ", but %u process%s no name there", nameless,
			 nameless == 1 ? " has" : "es have");
	msg_error("%s: there is no such process in %s: \"%s\"%s%s", dir, where, pick->comm, unnamed,
		  suggest_text(&near, text, sizeof(text)));
}

void narrow_report_lack(const struct narrow_options *opt, u32 nameless,
			const struct inventory *inv, const char *dir)
{
	const char *where = opt->from.origin || opt->to.origin ? "that time" : "the capture";
	unsigned int i;

	for (i = 0; i < opt->nr_picks; i++)
		report_lack(&opt->picks[i], where, nameless, inv, dir);
}

/* A task will have no other name, and no other process. */
static void name(struct narrow *n, const struct world_task *task)
{
	u32 tgid = task->tgid ? task->tgid : task->tid;
	unsigned int i;

	if (!n->picked || !n->reached || !tgid || tgid > TASK_TID_MAX)
		return;
	if (!n->owners[task->tid])
		n->owners[task->tid] = tgid;
	n->nameless += tgid == task->tid && !*task->comm;
	for (i = 0; i < n->opt->nr_picks; i++) {
		if (narrow_is_named(&n->opt->picks[i], task->comm))
			n->picked[tgid] |= NARROW_PICKED;
	}
}

static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	name(data, it->task);
}

/* By exec; for a leader whose number was taken this is seen at its end. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct narrow *n = data;

	if (n->picked && n->reached && it->tid <= TASK_TID_MAX && !n->owners[it->tid])
		n->owners[it->tid] = it->task->tgid;
}

/* A task has this number now. */
static void look(struct narrow *n, const struct world_task *task)
{
	u32 tgid = task->tgid ? task->tgid : task->tid, parent;
	unsigned int i;

	if (!n->picked || !tgid || tgid > TASK_TID_MAX)
		return;
	if (n->last_pid < tgid)
		n->last_pid = tgid;
	parent = n->parents[tgid];
	if (n->reached)
		n->picked[tgid] |= NARROW_LIVES;
	for (i = 0; i < n->opt->nr_picks; i++) {
		const struct narrow_pick *pick = &n->opt->picks[i];

		if (pick->pid == tgid || (pick->tree && is_picked(n, parent)))
			n->picked[tgid] |= NARROW_PICKED;
	}
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_fork *rec = it->rec;
	struct narrow *n = data;

	if (rec->child_tgid <= TASK_TID_MAX && rec->parent_tgid <= TASK_TID_MAX &&
	    rec->child_tgid != rec->parent_tgid)
		n->parents[rec->child_tgid] = rec->parent_tgid;
	look(n, it->task);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_task *rec = it->rec;
	struct narrow *n = data;

	if (rec->tgid <= TASK_TID_MAX && rec->parent_tgid <= TASK_TID_MAX)
		n->parents[rec->tgid] = rec->parent_tgid;
	look(n, it->task);
}

static void on_task(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	look(data, it->task);
}

int pick_watch(struct narrow *n, struct world *w)
{
	static const struct hook_use hooks[] = {
		{ WORLD_TASK_NEW, on_new },
		{ WORLD_TASK_DUMP, on_dump },
		{ WORLD_TASK_FOUND, on_task },
		{ WORLD_TASK_DEAD, on_dead },
		{ WORLD_TASK_NUMBER, on_number },
		{ WORLD_TASK_EXEC, on_task },
	};

	return hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), n);
}

void pick_living(struct narrow *n, const struct world *w)
{
	const struct world_task *task;

	for (task = task_next(&w->tasks, NULL); task; task = task_next(&w->tasks, task))
		look(n, task);
}

void pick_named(struct narrow *n, const struct world *w)
{
	const struct world_task *task;

	for (task = task_next(&w->tasks, NULL); task; task = task_next(&w->tasks, task))
		name(n, task);
}

/* The statedump may have named a child before its parent. */
static bool has_picked_parent(const struct narrow *n, u32 tgid)
{
	unsigned int depth;

	for (depth = 0; depth < 64 && tgid; depth++) {
		tgid = n->parents[tgid];
		if (is_picked(n, tgid))
			return true;
	}
	return false;
}

static bool wants_trees(const struct narrow_options *opt)
{
	unsigned int i;

	for (i = 0; i < opt->nr_picks; i++) {
		if (opt->picks[i].tree)
			return true;
	}
	return false;
}

static int list_picked(struct narrow *n)
{
	const u8 both = NARROW_PICKED | NARROW_LIVES;
	u32 tgid;

	for (tgid = 1; tgid <= n->last_pid; tgid++)
		n->nr_pids += n->picked[tgid] == both;
	n->pids = calloc(n->nr_pids + 1, sizeof(*n->pids));
	if (!n->pids)
		return msg_no_memory();
	n->nr_pids = 0;
	for (tgid = 1; tgid <= n->last_pid; tgid++) {
		if (n->picked[tgid] == both)
			n->pids[n->nr_pids++] = tgid;
	}
	return 0;
}

int pick_finish(struct narrow *n)
{
	u32 tgid;
	int ret;

	if (wants_trees(n->opt)) {
		for (tgid = 1; tgid <= n->last_pid; tgid++) {
			if (n->parents[tgid] && has_picked_parent(n, tgid))
				n->picked[tgid] |= NARROW_PICKED;
		}
	}
	ret = list_picked(n);
	if (ret)
		return ret;
	if (!n->nr_pids) {
		narrow_report_lack(n->opt, n->nameless, NULL, n->cap->dir);
		return -ERANGE;
	}
	free(n->cap->meta.pids);
	n->cap->meta.pids = n->pids;
	n->cap->meta.nr_pids = n->nr_pids;
	n->cap->meta.children = false;
	n->pids = NULL;
	return 0;
}

/* Only a later record may name its process. */
static bool wants_task(const struct narrow *n, const struct world_task *task)
{
	return task && is_picked(n, task->tgid ? task->tgid : n->owners[task->tid]);
}

/* A record may be the first that mentions the task. */
static bool wants_tid(const struct narrow *n, u32 tid)
{
	const struct world_task *task = task_find(&n->shadow.tasks, tid);

	if (task || !tid || tid > TASK_TID_MAX)
		return wants_task(n, task);
	return is_picked(n, n->owners[tid]);
}

static bool wants_record(const struct narrow *n, const struct capture_item *item)
{
	const struct known_rule *rule = inventory_rule(item->event);
	u32 tid[2];

	if (rule->kind == KNOWN_NOBODY)
		return wants_task(n, n->shadow.cpus[item->cpu].running);
	if (rule->kind == KNOWN_KEEP)
		return true;
	memcpy(&tid[0], (const u8 *)item->data + rule->tid[0], sizeof(tid[0]));
	memcpy(&tid[1], (const u8 *)item->data + rule->tid[1], sizeof(tid[1]));
	return wants_tid(n, tid[0]) || wants_tid(n, tid[1]);
}

static bool wants_fork(const struct narrow *n, const struct ovnik_task_fork *rec)
{
	return wants_tid(n, rec->parent_tid) || is_picked(n, rec->child_tgid);
}

static bool wants_process(const struct narrow *n, u32 tgid, u32 tid)
{
	return tgid ? is_picked(n, tgid) : wants_tid(n, tid);
}

/* The events whose rule says too little. */
bool pick_wants(const struct narrow *n, const struct capture_item *item)
{
	const struct ovnik_task_exec *exec = item->data;
	const struct ovnik_task_exit *end = item->data;
	const struct ovnik_task_comm *comm = item->data;
	const struct ovnik_task_mm *mm = item->data;
	const struct ovnik_sched_wakeup *wakeup = item->data;

	if (item->kind != ITEM_RECORD && item->kind != ITEM_ELSEWHERE)
		return true;
	switch (item->event) {
	case OVNIK_EV_sched_wakeup:
	case OVNIK_EV_sched_wakeup_new:
		return wants_tid(n, wakeup->tid) || wants_tid(n, wakeup->waker_tid);
	case OVNIK_EV_task_fork:
		return wants_fork(n, item->data);
	case OVNIK_EV_task_exec:
		return wants_process(n, exec->tgid, exec->tid);
	case OVNIK_EV_task_exit:
		return wants_process(n, end->tgid, end->tid);
	case OVNIK_EV_task_comm:
		return wants_process(n, comm->tgid, comm->tid);
	case OVNIK_EV_task_mm:
		return wants_process(n, mm->tgid, mm->tid);
	case OVNIK_EV_cpu_hotplug:
		return true;
	}
	return wants_record(n, item);
}

static bool is_wanted_cpu(const struct narrow_options *opt, u32 cpu)
{
	unsigned int i;

	for (i = 0; i < opt->nr_cpus; i++) {
		if (cpu >= opt->cpus[i].first && cpu <= opt->cpus[i].last)
			return true;
	}
	return !opt->nr_cpus;
}

int pick_cpus(const struct narrow *n)
{
	struct capture *cap = n->cap;
	unsigned int i, wanted = 0;

	for (i = 0; i < cap->nr_cpus; i++) {
		cap->files[i].elsewhere = !is_wanted_cpu(n->opt, cap->files[i].cpu);
		wanted += !cap->files[i].elsewhere;
	}
	if (wanted)
		return 0;
	if (cap->nr_cpus == 1)
		msg_error("%s: there is no such CPU: the capture has CPU %u", cap->dir,
			  cap->files[0].cpu);
	else
		msg_error("%s: there is no such CPU: the capture has %u, from %u to %u", cap->dir,
			  cap->nr_cpus, cap->files[0].cpu, cap->files[cap->nr_cpus - 1].cpu);
	return -ERANGE;
}

bool pick_elsewhere(struct capture_item *item)
{
	if (item->kind != ITEM_RECORD)
		return true;
	if (item->event == OVNIK_EV_sched_switch)
		item->kind = ITEM_ELSEWHERE;
	return !(PICK_PASSING >> item->event & 1);
}

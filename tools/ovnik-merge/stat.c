// SPDX-License-Identifier: GPL-2.0-only
/* What references are to: kinds, processes, mappings, working set, reuse distances. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"

/* Mappings that are no file, before those that are. */
static u64 mapping_of(const struct canon *c, u64 page)
{
	const struct canon_page *p = &c->pages[page];

	return p->kind == CANON_FILE ? CANON_NR_KINDS + p->file : p->kind;
}

u64 stat_misses(const struct stat_who *who, u32 nr)
{
	return who->misses ? who->misses[nr] : curve_misses(&who->curve, stat_size(nr));
}

/* It makes no references any more: its curve is not needed. */
static void end_curve(struct stat *s, struct stat_who *who)
{
	u64 *misses = calloc(STAT_SIZES, sizeof(*misses));
	u32 i;

	if (!misses) {
		s->no_memory = true;
		return;
	}
	for (i = 0; i < STAT_SIZES; i++)
		misses[i] = stat_misses(who, i);
	who->misses = misses;
	s->no_memory |= who->curve.no_memory;
	curve_free(&who->curve);
}

/* The first thread of a process may end before the others. */
static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct stat *s = data;
	u32 pid = processes_pid(s->known, it->task);
	struct idmap_slot *slot;

	s->task = NULL;
	if (processes_threads(s->known, pid, it->task->tid) > 1)
		return;
	slot = idmap_get(&s->processes, (u64)pid + 1);
	if (!slot)
		return;
	end_curve(s, slot->ptr);
	idmap_del(&s->processes, slot);
}

/* A process that is not taken off its CPU meanwhile has its new name, too. */
static void on_comm(void *data, const struct hook_ctx *ctx)
{
	struct stat *s = data;

	(void)ctx;
	s->task = NULL;
}

static struct stat_who *new_process(struct stat *s, u32 pid)
{
	struct stat_who *who = calloc(1, sizeof(*who));

	if (!who || idmap_set(&s->processes, (u64)pid + 1, who)) {
		free(who);
		return NULL;
	}
	who->pid = pid;
	who->times = processes_times(s->known, pid);
	*s->last = who;
	s->last = &who->next;
	return who;
}

/* Whose references are those of this task? NULL without memory. */
static struct stat_who *process_of(struct stat *s, const struct world_task *task)
{
	struct stat_who *who;
	u32 pid;

	if (task && task == s->task)
		return s->who;
	s->task = NULL;
	pid = task && task->tid ? processes_pid(s->known, task) : 0;
	who = idmap_ptr(&s->processes, (u64)pid + 1);
	if (who && who->times != processes_times(s->known, pid)) {
		end_curve(s, who);
		who = NULL;
	}
	if (!who)
		who = new_process(s, pid);
	if (who && task)
		memcpy(who->name, task->comm, sizeof(who->name));
	s->task = who ? task : NULL;
	s->who = who;
	return who;
}

static bool grow_seen(struct stat *s, u64 page)
{
	u64 room = page + page / 2 + 4096;
	u32 *seen = realloc(s->seen, room * sizeof(*seen));
	u32 *user;

	if (!seen)
		return false;
	s->seen = seen;
	user = realloc(s->seen_user, room * sizeof(*user));
	if (!user)
		return false;
	s->seen_user = user;
	memset(seen + s->room, 0, (room - s->room) * sizeof(*seen));
	memset(user + s->room, 0, (room - s->room) * sizeof(*user));
	s->room = room;
	return true;
}

static void count_window(struct stat *s, const struct refs_ref *ref, u64 page)
{
	u32 nr = (u32)((ref->time - s->begin) / s->width);
	struct stat_window *window = &s->windows[nr];

	window->refs++;
	if (s->seen[page] != nr + 1) {
		s->seen[page] = nr + 1;
		window->pages++;
		window->cache += s->canon->pages[page].kind == CANON_FILE;
	}
	if (!ref->kernel && s->seen_user[page] != nr + 1) {
		s->seen_user[page] = nr + 1;
		window->user++;
	}
}

/* Returns false without memory. */
static bool count_who(const struct stat *s, struct stat_who *who, enum refs_kind kind, u64 page)
{
	bool first = curve_use(&who->curve, (u32)page);
	struct idmap_slot *slot;
	struct stat_use *use;

	who->refs[kind]++;
	who->pages += first;
	if (who == &s->all || who == &s->uncached)
		return true;
	slot = idmap_put(&who->uses, mapping_of(s->canon, page) + 1);
	if (slot && !slot->ptr)
		slot->ptr = calloc(1, sizeof(*use));
	use = slot ? slot->ptr : NULL;
	if (!use)
		return false;
	use->refs[kind]++;
	use->pages += first;
	return true;
}

void stat_ref(struct stat *s, const struct refs_ref *ref, u64 page,
	      const struct world_task *task)
{
	struct stat_who *who = ref->kernel ? &s->kernel : process_of(s, task);

	/* There is no page 0: no memory was left for another one. */
	if (s->no_memory || !page || !who || page >> 32 ||
	    (page >= s->room && !grow_seen(s, page))) {
		s->no_memory = true;
		return;
	}
	count_window(s, ref, page);
	s->no_memory |= !count_who(s, who, ref->kind, page);
	count_who(s, &s->all, ref->kind, page);
	if (s->canon->pages[page].kind != CANON_FILE)
		count_who(s, &s->uncached, ref->kind, page);
}

int stat_begin(struct stat *s, const struct canon *canon, struct processes *known,
	       struct world *w, u64 begin, u64 end)
{
	static const struct hook_use hooks[] = {
		{ WORLD_COMM, on_comm },
		{ WORLD_TASK_DEAD, on_dead },
	};

	s->canon = canon;
	s->known = known;
	s->begin = begin;
	s->width = (end - begin) / STAT_WINDOWS + 1;
	s->last = &s->first;
	return hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), s);
}

static void free_who(struct stat_who *who)
{
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(&who->uses, slot)))
		free(slot->ptr);
	idmap_free(&who->uses);
	curve_free(&who->curve);
	free(who->misses);
}

void stat_end(struct stat *s)
{
	struct stat_who *who;

	while ((who = s->first)) {
		s->first = who->next;
		free_who(who);
		free(who);
	}
	free_who(&s->all);
	free_who(&s->uncached);
	free_who(&s->kernel);
	idmap_free(&s->processes);
	free(s->seen);
	free(s->seen_user);
	memset(s, 0, sizeof(*s));
}

// SPDX-License-Identifier: GPL-2.0-only
/* Types of tasks: their numbers and the values that show them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"
#include "emu/task.h"
#include "util/idmap.h"

/* Most bytes of a label in a message. */
#define LABEL_SHOWN 100

static u32 load_le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

/* Bob Jenkins' mix of 96 bits (1996). */
static void mix(u32 *a, u32 *b, u32 *c)
{
	*a = (*a - *b - *c) ^ *c >> 13;
	*b = (*b - *c - *a) ^ *a << 8;
	*c = (*c - *a - *b) ^ *b >> 13;
	*a = (*a - *b - *c) ^ *c >> 12;
	*b = (*b - *c - *a) ^ *a << 16;
	*c = (*c - *a - *b) ^ *b >> 5;
	*a = (*a - *b - *c) ^ *c >> 3;
	*b = (*b - *c - *a) ^ *a << 10;
	*c = (*c - *a - *b) ^ *b >> 15;
}

static u32 hash(const u8 *p, size_t len)
{
	u32 a = 0x9e3779b9, b = 0x9e3779b9, c = 0xfeedbeef;
	u8 tail[12] = { 0 };
	size_t left;

	for (left = len; left >= 12; left -= 12, p += 12) {
		a += load_le32(p);
		b += load_le32(p + 4);
		c += load_le32(p + 8);
		mix(&a, &b, &c);
	}
	/* The lowest byte of c is that of the length. */
	memcpy(tail, p, left < 8 ? left : 8);
	if (left > 8)
		memcpy(tail + 9, p + 8, left - 8);
	a += load_le32(tail);
	b += load_le32(tail + 4);
	c += load_le32(tail + 8) + (u32)len;
	mix(&a, &b, &c);
	return c;
}

u32 task_type_gid(const char *label, size_t len)
{
	u32 gid = (hash((const u8 *)label, len) + 666) & 0x7fffffff;

	/* Small values are subsystems, which a breakdown shows with the same type. */
	return gid < 1000 ? gid + 1000 : gid;
}

static struct task_type *type_new(u32 id, const char *label, size_t len)
{
	struct task_type *type = malloc(sizeof(*type) + len + 1);

	if (!type)
		return NULL;
	memcpy(type->label, label, len);
	type->label[len] = '\0';
	type->id = id;
	type->gid = task_type_gid(label, len);
	return type;
}

static int type_add(struct emu *emu, struct task_proc *tasks, u32 id, const char *label, size_t len)
{
	char unlabeled[48];
	struct task_type *type;

	if (!len) {
		len = snprintf(unlabeled, sizeof(unlabeled), "(unlabeled task type %u)", id);
		label = unlabeled;
	}
	type = type_new(id, label, len);
	if (!type)
		return emu_fail(emu, -ENOMEM, "out of memory");
	hash_add(&tasks->types, &type->node, hash_of(&tasks->types, id, 0));
	STAILQ_INSERT_TAIL(&tasks->declared, type, link);
	return 0;
}

static struct task_type *lookup_type(const struct task_proc *tasks, u32 id)
{
	struct hash_node *node = hash_first(&tasks->types, hash_of(&tasks->types, id, 0));

	for (; node; node = hash_next(node)) {
		struct task_type *type = container_of(node, struct task_type, node);

		if (type->id == id)
			return type;
	}
	return NULL;
}

int task_type_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const char *label = (const char *)ev->payload + sizeof(u32);
	size_t room = ev->size - sizeof(u32);
	struct task_proc *tasks = task_proc_get(emu, th->proc, task_model(emu, ev));
	size_t len = strnlen(label, room);
	u32 id = task_u32(ev, 0);

	if (!tasks)
		return -ENOMEM;
	if (len == room)
		return emu_fail(emu, -EINVAL, "the label of task type %u is not terminated", id);
	if (!id)
		return emu_fail(emu, -EINVAL, "0 is not a task type");
	if (lookup_type(tasks, id))
		return emu_fail(emu, -EEXIST, "process %d has task type %u already", th->proc->pid,
				id);
	if (len > OVNI_LABEL_MAX)
		return emu_fail(emu, -EINVAL, "the label of task type %u has %zu bytes, the limit is %d",
				id, len, OVNI_LABEL_MAX);
	return type_add(emu, tasks, id, label, len);
}

const struct task_type *task_type_find(struct emu *emu, const struct emu_proc *proc,
				       enum model_id model, u32 id)
{
	const struct task_proc *tasks = proc->priv[model];
	const struct task_type *type = tasks ? lookup_type(tasks, id) : NULL;

	if (!type)
		emu_fail(emu, -ENOENT, "process %d has no task type %u", proc->pid, id);
	return type;
}

/**
 * struct label_list - Labels being collected.
 * @emu: emulator
 * @label: the labels, with room for all types
 * @n: how many there are
 * @by_gid: text of a label by its value
 * @ret: what to return
 */
struct label_list {
	struct emu *emu;
	struct ovni_label *label;
	u32 n;
	struct idmap by_gid;
	int ret;
};

static void list_fail(struct label_list *list, int err, const struct task_type *a,
		      const char *b)
{
	/* The reason of an earlier error is kept. */
	if (!list->ret && !list->emu->failed)
		emu_fail(list->emu, err, "task types \"%.*s\" and \"%.*s\" have the same value %u",
			 LABEL_SHOWN, a->label, LABEL_SHOWN, b, a->gid);
	list->ret = err;
}

static void list_add(struct label_list *list, struct task_type *type)
{
	struct idmap_slot *slot = idmap_put(&list->by_gid, type->gid);

	if (!slot) {
		list->ret = emu_fail(list->emu, -ENOMEM, "out of memory");
		return;
	}
	if (slot->ptr) {
		if (strcmp(slot->ptr, type->label))
			list_fail(list, -EINVAL, type, slot->ptr);
		return;
	}
	slot->ptr = type->label;
	list->label[list->n].value = type->gid;
	list->label[list->n].text = type->label;
	list->n++;
}

static u32 count_types(const struct system *sys, enum model_id model)
{
	u32 i, j, n = 0;

	for (i = 0; i < sys->nlooms; i++) {
		for (j = 0; j < sys->looms[i]->nprocs; j++) {
			const struct task_proc *tasks = sys->looms[i]->procs[j]->priv[model];

			n += tasks ? tasks->types.nr : 0;
		}
	}
	return n;
}

static void list_fill(struct label_list *list, enum model_id model)
{
	const struct system *sys = &list->emu->sys;
	struct task_type *type;
	u32 i, j;

	for (i = 0; i < sys->nlooms; i++) {
		for (j = 0; j < sys->looms[i]->nprocs; j++) {
			const struct task_proc *tasks = sys->looms[i]->procs[j]->priv[model];

			if (!tasks)
				continue;
			STAILQ_FOREACH(type, &tasks->declared, link)
				list_add(list, type);
		}
	}
}

int task_type_label(struct emu *emu, enum model_id model, u32 chan)
{
	struct model_run *run = &emu->run[model];
	struct label_list list = { .emu = emu };
	struct slot *slot = &emu->slot[SLOT_MODEL + run->first + chan];
	u32 n = count_types(&emu->sys, model);

	if (!n)
		return 0;
	list.label = calloc(n, sizeof(*list.label));
	if (!list.label)
		return emu->failed ? -ENOMEM : emu_fail(emu, -ENOMEM, "out of memory");
	list_fill(&list, model);
	idmap_free(&list.by_gid);
	run->late = list.label;
	slot->late = list.label;
	slot->nlate = list.n;
	return list.ret;
}

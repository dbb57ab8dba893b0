// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a thread does, on its track: calls, faults, and where its states do not say why it does
 * not run. Also who was there before, and what is missing.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/perfetto/perfetto.h"
#include "trace/activity.h"

void perfetto_begin(struct perfetto *o)
{
	u8 *p = pb_uint(o->head, PACKET_SEQUENCE, TRACE_SEQUENCE(&o->trace, TRACE_EVENTS));

	o->head_len = pb_uint(p, PACKET_SEQUENCE_FLAGS, SEQUENCE_INTERNED) - o->head;
}

u8 *perfetto_event(struct perfetto *o, u64 ns)
{
	u8 *p = pb_uint(trace_begin(&o->trace), PACKET_TIMESTAMP, ns + o->trace.shift);

	memcpy(p, o->head, sizeof(o->head));
	return p + o->head_len;
}

static u8 *put_entry(u8 *p, u32 field, u64 iid, const char *text)
{
	u8 *entry = pb_begin(p, field);

	return pb_end(entry, pb_text(pb_uint(entry, INTERNED_IID, iid), INTERNED_TEXT, text));
}

u8 *perfetto_intern(u8 *p, u32 field, u64 iid, const char *text)
{
	u8 *data = pb_begin(p, PACKET_INTERNED_DATA);

	return pb_end(data, put_entry(data, field, iid, text));
}

/* Until that is known, the thread is taken for a process of its own. */
static bool has_process(const struct perfetto *o, u32 tid)
{
	const struct world_task *task = task_find(&o->world->tasks, tid);

	return !task || task->tgid;
}

static void put_thread_track(struct perfetto *o, const struct trace_task *task)
{
	u8 *track, *thread, *p;

	track = pb_begin(perfetto_event(o, task->start), PACKET_TRACK_DESCRIPTOR);
	p = pb_uint(track, TRACK_UUID, perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_THREAD));
	thread = pb_begin(p, TRACK_THREAD);
	p = pb_uint(thread, TRACK_THREAD_PID, task->pid);
	p = pb_end(thread, pb_uint(p, TRACK_THREAD_TID, task->tid));
	trace_end(&o->trace, pb_end(track, p));
}

static void put_stray_track(struct perfetto *o, const struct trace_task *task)
{
	u8 *track = pb_begin(perfetto_event(o, task->start), PACKET_TRACK_DESCRIPTOR), *p;
	char name[64];

	snprintf(name, sizeof(name), "thread %u of an unknown process", task->tid);
	p = pb_uint(track, TRACK_UUID, perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_STRAY));
	trace_end(&o->trace, pb_end(track, pb_text(p, TRACK_NAME, name)));
}

/* On which track a slice begins; 0: no memory. */
static u64 track_of(struct perfetto *o, const struct trace_task *task)
{
	struct idmap_slot *slot;

	if (likely(o->thread == task->thread_task))
		return perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_THREAD);
	slot = idmap_put(&o->tracks, task->thread_task);
	if (!slot)
		return 0;
	if (slot->bits & 1 << PERFETTO_TRACK_THREAD || has_process(o, task->tid)) {
		if (!(slot->bits & 1 << PERFETTO_TRACK_THREAD))
			put_thread_track(o, task);
		slot->bits |= 1 << PERFETTO_TRACK_THREAD;
		o->thread = task->thread_task;
		return perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_THREAD);
	}
	if (!slot->bits)
		put_stray_track(o, task);
	slot->bits |= 1 << PERFETTO_TRACK_STRAY;
	if (!idmap_put(&o->strays, task->id))
		return 0;
	return perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_STRAY);
}

static u64 track_at_end(struct perfetto *o, const struct trace_task *task)
{
	struct idmap_slot *stray = o->strays.nr ? idmap_get(&o->strays, task->id) : NULL;

	if (likely(!stray))
		return perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_THREAD);
	idmap_del(&o->strays, stray);
	return perfetto_uuid(o, task->thread_task, PERFETTO_TRACK_STRAY);
}

/* Mostly that of the event before. */
static inline u8 *put_uuid(struct perfetto *o, u8 *p, u64 uuid)
{
	if (unlikely(o->uuid != uuid)) {
		o->uuid = uuid;
		o->uuid_len = pb_uint(o->uuid_text, TRACK_EVENT_UUID, uuid) - o->uuid_text;
	}
	memcpy(p, o->uuid_text, sizeof(o->uuid_text));
	return p + o->uuid_len;
}

/* Perfetto calls read() sys_read. AIO and io_uring are no system calls. */
static u8 *intern_name(struct perfetto *o, u8 *p, const struct trace_task *task)
{
	bool is_call = task->kind == TASKS_CALL && task->code &&
		       task->code <= OVNI_FILE_CALL_COPY;
	char name[64];

	snprintf(name, sizeof(name), "%s%s", is_call ? "sys_" : "", task->what);
	return perfetto_intern(p, INTERNED_NAME, ++o->iids, name);
}

/* @what is a constant: its address says which one. */
static int put_begin(struct perfetto *o, const struct trace_task *task, u32 category)
{
	struct idmap_slot *name;
	u64 uuid = track_of(o, task);
	u8 *event, *p;

	if (!uuid)
		return -ENOMEM;
	p = perfetto_event(o, task->start);
	if (unlikely(o->what[category] != task->what)) {
		name = idmap_put(&o->names, (uintptr_t)task->what);
		if (!name)
			return -ENOMEM;
		if (!name->bits)
			p = intern_name(o, p, task);
		name->bits = name->bits ? name->bits : o->iids;
		o->what[category] = task->what;
		o->iid[category] = name->bits;
	}
	event = pb_begin(p, PACKET_TRACK_EVENT);
	p = pb_uint(event, TRACK_EVENT_TYPE, TYPE_BEGIN);
	p = put_uuid(o, p, uuid);
	p = pb_uint(p, TRACK_EVENT_CATEGORY, category);
	p = pb_uint(p, TRACK_EVENT_NAME_IID, o->iid[category]);
	trace_end(&o->trace, pb_end(event, p));
	return 0;
}

/* A slice of that category ends, whichever began last. */
static u8 *put_end(struct perfetto *o, const struct trace_task *task, u8 *p, u32 category)
{
	p = pb_uint(p, TRACK_EVENT_TYPE, TYPE_END);
	p = put_uuid(o, p, track_at_end(o, task));
	return pb_uint(p, TRACK_EVENT_CATEGORY, category);
}

static struct perfetto_file *find_file(const struct perfetto *o, const struct trace_file *id,
				       u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&o->files, hash); node; node = hash_next(node)) {
		struct perfetto_file *file = container_of(node, struct perfetto_file, node);

		if (file->id.ino == id->ino && file->id.dev == id->dev &&
		    file->id.generation == id->generation)
			return file;
	}
	return NULL;
}

static u64 hash_file(const struct perfetto *o, const struct trace_file *id)
{
	return hash_of(&o->files, id->ino, (u64)id->dev << 32 | id->generation);
}

static int opened(struct perfetto *o, const struct trace_task *task)
{
	u64 hash = hash_file(o, &task->file);
	struct perfetto_file *file = find_file(o, &task->file, hash);
	char *path;

	if (!*task->what || (file && !strcmp(file->path, task->what)))
		return 0;
	path = strdup(task->what);
	if (!path)
		return -ENOMEM;
	if (!file) {
		file = calloc(1, sizeof(*file));
		if (!file) {
			free(path);
			return -ENOMEM;
		}
		file->id = task->file;
		hash_add(&o->files, &file->node, hash);
	}
	free(file->path);
	file->path = path;
	file->iid = 0;
	return 0;
}

static u8 *put_file(u8 *p, const struct perfetto_file *file)
{
	u8 *note = pb_begin(p, TRACK_EVENT_DEBUG);

	p = pb_uint(note, DEBUG_NAME_IID, DEBUG_NAME_FILE);
	return pb_end(note, pb_uint(p, DEBUG_STRING_IID, file->iid));
}

static u8 *put_result(u8 *p, s64 result)
{
	u8 *note = pb_begin(p, TRACK_EVENT_DEBUG);

	p = pb_uint(note, DEBUG_NAME_IID, DEBUG_NAME_RESULT);
	return pb_end(note, pb_uint(p, DEBUG_INT, result));
}

static void called(struct perfetto *o, const struct trace_task *task)
{
	bool known = !(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN));
	struct perfetto_file *file = NULL;
	u8 *p, *event;

	if (known && task->file.ino)
		file = find_file(o, &task->file, hash_file(o, &task->file));
	p = perfetto_event(o, task->end);
	if (file && !file->iid) {
		file->iid = ++o->iids;
		p = perfetto_intern(p, INTERNED_DEBUG_STRING, file->iid, file->path);
	}
	event = pb_begin(p, PACKET_TRACK_EVENT);
	p = put_end(o, task, event, CATEGORY_CALL);
	if (file)
		p = put_file(p, file);
	if (known)
		p = put_result(p, task->result);
	trace_end(&o->trace, pb_end(event, p));
}

static void ended(struct perfetto *o, const struct trace_task *task, u32 category)
{
	u8 *event = pb_begin(perfetto_event(o, task->end), PACKET_TRACK_EVENT);

	trace_end(&o->trace, pb_end(event, put_end(o, task, event, category)));
}

/* It appears by a fork, which was written as that. */
static bool forked(const struct perfetto *o, const struct trace_task *task, u32 tid)
{
	return o->forked == tid && o->forked_ns == task->start;
}

/* Who was there before, or was not known: its process, and its name. */
static void found(struct perfetto *o, const struct trace_task *task)
{
	u8 *p, *tree, *thread;

	if (!has_process(o, task->tid)) {
		perfetto_name_task(o, task->start, task->tid, task->what);
		return;
	}
	p = pb_uint(trace_begin(&o->trace), PACKET_TIMESTAMP, task->start + o->trace.shift);
	tree = pb_begin(p, PACKET_PROCESS_TREE);
	thread = pb_begin(tree, TREE_THREAD);
	p = pb_uint(thread, TREE_THREAD_TID, task->tid);
	p = pb_end(thread, pb_uint(p, TREE_THREAD_TGID, task->pid));
	trace_end(&o->trace, pb_end(tree, p));
	perfetto_name_task(o, task->start, task->tid, task->what);
}

static void put_process(struct perfetto *o, struct perfetto_process *process, u64 ns,
			const char *command)
{
	u8 *p, *tree, *start;

	p = pb_uint(trace_begin(&o->trace), PACKET_TIMESTAMP, ns + o->trace.shift);
	tree = pb_begin(p, PACKET_PROCESS_TREE);
	start = pb_begin(tree, TREE_PROCESS);
	p = pb_uint(start, TREE_PROCESS_PID, process->pid);
	if (process->parent)
		p = pb_uint(p, TREE_PROCESS_PPID, process->parent);
	if (*command)
		p = pb_text(p, TREE_PROCESS_CMDLINE, command);
	trace_end(&o->trace, pb_end(tree, pb_end(start, p)));
	process->written = true;
}

static int process_begins(struct perfetto *o, const struct trace_task *task)
{
	struct perfetto_process *process = calloc(1, sizeof(*process));
	struct idmap_slot *slot = process ? idmap_put(&o->processes, task->pid) : NULL;

	if (!slot) {
		free(process);
		return -ENOMEM;
	}
	free(slot->ptr);
	slot->ptr = process;
	process->id = task->id;
	process->pid = task->pid;
	process->named = *task->what;
	slot = idmap_get(&o->pids, task->parent);
	process->parent = slot ? slot->bits : 0;
	slot = idmap_put(&o->pids, task->id);
	if (!slot)
		return -ENOMEM;
	slot->bits = task->pid;
	process->written = forked(o, task, task->pid);
	if (!process->written && has_process(o, task->pid))
		put_process(o, process, task->start, task->what);
	return 0;
}

static void process_ends(struct perfetto *o, const struct trace_task *task)
{
	struct idmap_slot *slot = idmap_get(&o->processes, task->pid);

	if (slot) {
		struct perfetto_process *process = slot->ptr;

		if (!process->written && *task->what)
			put_process(o, process, task->end, task->what);
		else if (!process->named)
			perfetto_name_task(o, task->end, task->pid, task->what);
		free(slot->ptr);
		idmap_del(&o->processes, slot);
	}
	if (!(task->flags & TRACE_OPEN) && task->end == o->dead_ns)
		perfetto_free_task(o, task->end, task->pid);
}

/* A disk sleep may be for a lock. Who has brought pages into the cache seems to wait for them. */
static void requested(struct perfetto *o, const struct trace_task *task)
{
	if (task->code == TASKS_WAIT_DISK && task->file.ino)
		perfetto_io_wait(o, o->world->ns, task->tid);
}

static void on_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct perfetto *o = data;
	int ret = 0;

	if (task->kind == TASKS_FAULT)
		ret = put_begin(o, task, CATEGORY_FAULT);
	else if (task->kind == TASKS_CALL)
		ret = put_begin(o, task, CATEGORY_CALL);
	else if (task->kind == TASKS_UNKNOWN ||
		 (task->kind == TASKS_WAIT && task->flags & TRACE_EARLY))
		ret = put_begin(o, task, CATEGORY_WAIT);
	else if (task->kind == TASKS_THREAD && !forked(o, task, task->tid))
		found(o, task);
	else if (task->kind == TASKS_PROCESS)
		ret = process_begins(o, task);
	else if (task->kind == TASKS_FILE)
		ret = opened(o, task);
	else if (task->kind == TASKS_REQ_OUT)
		requested(o, task);
	if (ret)
		hook_fail(ctx->domain, ret);
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct perfetto *o = data;

	if (task->kind == TASKS_FAULT)
		ended(o, task, CATEGORY_FAULT);
	else if (task->kind == TASKS_CALL)
		called(o, task);
	else if (task->kind == TASKS_UNKNOWN ||
		 (task->kind == TASKS_WAIT && task->flags & TRACE_EARLY))
		ended(o, task, CATEGORY_WAIT);
	else if (task->kind == TASKS_PROCESS)
		process_ends(o, task);
	else if (task->kind == TASKS_THREAD && task->tid != task->pid &&
		 task->tid == o->dead && task->end == o->dead_ns)
		/* A leader's number is its process's, until that ends. */
		perfetto_free_task(o, task->end, task->tid);
}

/*
 * The path is all that is known of the command line. Perfetto takes it for the name, too, up to
 * the next renaming. Who execs has its process's number.
 */
static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct perfetto *o = data;
	struct idmap_slot *slot = idmap_get(&o->processes, it->task->tid);

	if (!slot || !*rec->filename)
		return;
	put_process(o, slot->ptr, it->ns, rec->filename);
	perfetto_name_task(o, it->ns, it->task->tid, it->task->comm);
}

static void put_loss_track(struct perfetto *o, u32 cpu, u64 ns)
{
	u8 *track = pb_begin(perfetto_event(o, ns), PACKET_TRACK_DESCRIPTOR), *p;
	char name[64];

	if (cpu == TRACE_NO_CPU)
		snprintf(name, sizeof(name), "records of the statedump missing");
	else
		snprintf(name, sizeof(name), "events missing on CPU %u", cpu);
	p = pb_uint(track, TRACK_UUID, perfetto_uuid(o, cpu, PERFETTO_TRACK_LOSSES));
	trace_end(&o->trace, pb_end(track, pb_text(p, TRACK_NAME, name)));
}

static void put_loss(struct perfetto *o, const struct trace_loss *loss, u64 ns, u32 type)
{
	u8 *event = pb_begin(perfetto_event(o, ns), PACKET_TRACK_EVENT), *p;
	char name[128];

	p = pb_uint(event, TRACK_EVENT_TYPE, type);
	p = pb_uint(p, TRACK_EVENT_UUID, perfetto_uuid(o, loss->cpu, PERFETTO_TRACK_LOSSES));
	if (type == TYPE_BEGIN) {
		if (loss->lost)
			snprintf(name, sizeof(name), "%s: %llu %s", loss->why, loss->lost,
				 loss->event ? loss->event : "events");
		else
			snprintf(name, sizeof(name), "%s: it is not known what", loss->why);
		p = pb_text(p, TRACK_EVENT_NAME, name);
	}
	trace_end(&o->trace, pb_end(event, p));
}

static void on_loss(void *data, const struct hook_ctx *ctx)
{
	const struct trace_loss *loss = ctx->item;
	struct perfetto *o = data;
	u32 i = world_cpu_index(o->world, loss->cpu);

	if (!o->losses[i])
		put_loss_track(o, loss->cpu, loss->start);
	o->losses[i] = true;
	put_loss(o, loss, loss->start, TYPE_BEGIN);
	put_loss(o, loss, loss->end, TYPE_END);
}

/* The first packet: what is interned by number. */
static void put_constants(struct perfetto *o)
{
	static const struct {
		u32 field;
		u32 iid;
		const char *text;
	} constants[] = {
		{ INTERNED_CATEGORY, CATEGORY_CALL, "call" },
		{ INTERNED_CATEGORY, CATEGORY_FAULT, "fault" },
		{ INTERNED_CATEGORY, CATEGORY_WAIT, "wait" },
		{ INTERNED_CATEGORY, CATEGORY_MARK, "mark" },
		{ INTERNED_CATEGORY, CATEGORY_FUNCTION, "function" },
		{ INTERNED_DEBUG_NAME, DEBUG_NAME_FILE, "file" },
		{ INTERNED_DEBUG_NAME, DEBUG_NAME_RESULT, "result" },
	};
	u8 *p = trace_begin(&o->trace), *data;
	u32 i;

	p = pb_uint(p, PACKET_SEQUENCE, TRACE_SEQUENCE(&o->trace, TRACE_EVENTS));
	data = pb_begin(pb_uint(p, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED), PACKET_INTERNED_DATA);
	for (p = data, i = 0; i < ARRAY_SIZE(constants); i++)
		p = put_entry(p, constants[i].field, constants[i].iid, constants[i].text);
	trace_end(&o->trace, pb_end(data, p));
}

int perfetto_attach_tracks(struct perfetto *o, struct hookable *tasks)
{
	static const struct hook_use hooks[] = {
		{ TASKS_AT_START, on_start },
		{ TASKS_AT_END, on_end },
		{ TASKS_AT_LOSS, on_loss },
	};
	/* After the tasks: the process is there. */
	static const struct hook_use execs[] = {
		{ WORLD_TASK_EXEC, on_exec },
	};

	put_constants(o);
	return hook_attach_all(tasks, hooks, ARRAY_SIZE(hooks), o) ?:
	       hook_attach_all(&o->world->hooks, execs, ARRAY_SIZE(execs), o);
}

static void free_file(struct hash_node *node)
{
	struct perfetto_file *file = container_of(node, struct perfetto_file, node);

	free(file->path);
	free(file);
}

void perfetto_free_tracks(struct perfetto *o)
{
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(&o->processes, slot)))
		free(slot->ptr);
	idmap_free(&o->processes);
	idmap_free(&o->pids);
	idmap_free(&o->tracks);
	idmap_free(&o->strays);
	idmap_free(&o->names);
	hash_destroy(&o->files, free_file);
}

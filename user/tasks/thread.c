// SPDX-License-Identifier: GPL-2.0-only
/*
 * How threads and processes appear, change and end.
 *
 * A thread whose process is unknown is taken for a process of its own, as most are. If
 * that turns out to be wrong, it ends and begins again in its process; so does a thread
 * that gets another number by exec.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/space.h"
#include "tasks/tasks_priv.h"
#include "tasks/thread_state.h"

/* The process is about to go. */
static void leave_process(struct tasks *t, struct tasks_file *file)
{
	if (!file->process)
		return;
	hash_del(&t->process_files, &file->by_process);
	LIST_REMOVE(file, of_process);
	file->process = NULL;
}

void tasks_file_end(struct tasks *t, struct tasks_file *file, u64 ns, u16 flags)
{
	leave_process(t, file);
	hash_del(&t->files, &file->by_inode);
	LIST_REMOVE(file, link);
	tasks_end(t, &file->task, ns, flags);
	free(file);
}

static void leave_files(struct tasks *t, struct tasks_process *process, u64 ns)
{
	struct tasks_file *file;

	while ((file = LIST_FIRST(&process->files))) {
		if (file->uncertain)
			tasks_file_end(t, file, file->uncertain, TRACE_UNCERTAIN);
		else if (file->dumped)
			tasks_file_end(t, file, ns, 0);
		else
			leave_process(t, file);
	}
}

/* A process gets another address space, or ends. */
static void tasks_mappings_leave(struct tasks *t, struct tasks_process *process, u64 mm, u64 ns)
{
	struct tasks_mapping *mapping = LIST_FIRST(&process->mappings), *next;

	for (; mapping; mapping = next) {
		struct tasks_space *space = mapping->space;

		next = LIST_NEXT(mapping, of_process);
		if (space->map.id == mm)
			continue;
		if (mapping->uncertain)
			tasks_mapping_end(t, mapping, mapping->uncertain, TRACE_UNCERTAIN);
		else
			tasks_mapping_end(t, mapping, ns, 0);
		tasks_space_settle(t, space);
	}
}

/* A process appears. */
static struct tasks_process *tasks_process_begin(struct tasks *t, u32 pid, const char *comm,
						 u64 parent, u16 flags, const struct world_item *it)
{
	struct tasks_process *process = calloc(1, sizeof(*process));

	if (!process) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	process->task.start = it->ns;
	process->task.parent = t->kinds & KIND_BIT(PROCESS) ? parent : 0;
	process->task.kind = TASKS_PROCESS;
	process->task.flags = flags;
	process->task.cpu = it->cpu;
	process->task.pid = pid;
	process->task.what = process->name;
	process->task.tgid_task = t->next_id + 1;
	tasks_set_name(process->name, comm);
	LIST_INIT(&process->threads);
	LIST_INSERT_HEAD(&t->processes, process, link);
	t->slots[pid].process = process;
	tasks_place(t, &process->task, TASKS_PROCESS, pid, 0);
	tasks_start(t, &process->task);
	return process;
}

/* A process ends, after all that belongs only to it. */
static void tasks_process_end(struct tasks *t, struct tasks_process *process, u64 ns, u16 flags)
{
	leave_files(t, process, ns);
	tasks_mappings_leave(t, process, 0, ns);
	tasks_end(t, &process->task, ns, flags);
	LIST_REMOVE(process, link);
	t->slots[process->task.pid].process = NULL;
	free(process);
}

/* The first thread of an unknown process begins it. */
static struct tasks_thread *thread_begin(struct tasks *t, const struct world_task *task,
					 u64 parent, u16 flags, const struct world_item *it)
{
	u32 pid = task->tgid ? task->tgid : task->tid;
	struct tasks_process *process = t->slots[pid].process;
	struct tasks_thread *th = calloc(1, sizeof(*th));

	if (!th) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	if (!process)
		process = tasks_process_begin(t, pid, task->comm, parent, flags, it);
	if (!process) {
		free(th);
		return NULL;
	}
	th->process = process;
	process->nr_threads++;
	LIST_INSERT_HEAD(&process->threads, th, sibling);
	t->slots[task->tid].thread = th;
	th->task.pid = pid;
	th->task.tid = task->tid;
	tasks_set_name(th->name, task->comm);
	tasks_begin_of(t, th, &th->task, TASKS_THREAD, it);
	th->task.thread_task = t->next_id + 1;
	th->task.flags = flags;
	th->task.what = th->name;
	tasks_start(t, &th->task);
	th->self = tasks_is_reported(t, &th->task) ? th->task.id : th->task.parent;
	th->segment.pid = pid;
	th->segment.tid = task->tid;
	th->segment.tgid_task = process->task.id;
	th->segment.thread_task = th->task.id;
	return th;
}

static void note_end(struct tasks *t, const struct tasks_thread *th)
{
	t->ended[t->nr_ended++ % TASKS_ENDED] = (struct tasks_ended){
		.pid = th->task.pid,
		.tid = th->task.tid,
		.process = th->process->task.id,
		.thread = th->task.id,
	};
}

/* All that it does ends with it. */
static void thread_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags)
{
	struct tasks_process *process = th->process;

	note_end(t, th);
	tasks_parts_end(t, th, ns, flags);
	tasks_end(t, &th->task, ns, flags);
	LIST_REMOVE(th, sibling);
	t->slots[th->task.tid].thread = NULL;
	process->nr_exiting -= th->exiting;
	free(th);
	if (!--process->nr_threads)
		tasks_process_end(t, process, ns, flags);
}

/* It is the world's task with its present number. */
static void thread_anew(struct tasks *t, const struct world_task *task, u16 flags, bool exiting,
			const struct world_item *it)
{
	struct tasks_thread *th = thread_begin(t, task, 0, flags, it);

	if (!th)
		return;
	th->exiting = exiting;
	th->process->nr_exiting += exiting;
	tasks_segment_first(t, th, task, false, it);
}

struct tasks_thread *tasks_thread_look(struct tasks *t, const struct world_item *it,
				       const struct world_task *task)
{
	struct tasks_thread *th = t->slots[task->tid].thread;
	bool exiting = th && th->exiting;

	if (th)
		thread_end(t, th, it->ns, 0);
	thread_anew(t, task, TRACE_EARLY, exiting, it);
	return t->slots[task->tid].thread;
}

/* A new process has the number of one whose end was not recorded. */
static void end_namesake(struct tasks *t, u32 pid, u64 ns)
{
	struct tasks_process *process = t->slots[pid].process;
	u32 left = process ? process->nr_threads : 0;

	while (left--)
		thread_end(t, LIST_FIRST(&process->threads), ns, 0);
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th;

	/* The statedump may have recorded it before. */
	if (!it->fresh)
		return;
	tasks_thread_of(t, it, it->other);
	if (it->task->tid == it->task->tgid)
		end_namesake(t, it->task->tgid, it->ns);
	th = t->slots[it->other->tid].thread;
	th = thread_begin(t, it->task, th ? th->process->task.id : 0, 0, it);
	if (th)
		tasks_segment_first(t, th, it->task, true, it);
}

/* A thread has its last name, and a process that of its leader. */
static void name_late(struct tasks_thread *th, const struct world_task *task)
{
	tasks_set_name(th->name, task->comm);
	if (task->tid == th->task.pid || !th->process->name[0])
		tasks_set_name(th->process->name, task->comm);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_task *rec = it->rec;
	const struct tasks_process *parent = NULL;
	struct tasks *t = data;
	struct tasks_thread *th;

	if (!it->fresh) {
		th = tasks_thread_of(t, it, it->task);
		if (th)
			name_late(th, it->task);
		return;
	}
	if (rec->parent_tgid && rec->parent_tgid <= TASK_TID_MAX)
		parent = t->slots[rec->parent_tgid].process;
	th = thread_begin(t, it->task, parent ? parent->task.id : 0, TRACE_EARLY, it);
	if (!th)
		return;
	if (t->kinds & KINDS_SCHED)
		tasks_segment_dumped(t, th, it->task, it);
	if (!th->segment.id)
		tasks_segment_first(t, th, it->task, true, it);
}

static void on_found(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	thread_anew(data, it->task, TRACE_EARLY, false, it);
}

/* exec by a thread that is not the leader changes numbers: both end and begin again. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = t->slots[it->tid].thread;
	struct tasks_thread *leader = t->slots[it->task->tid].thread;
	struct tasks_process *process = th ? th->process : NULL;
	bool leader_exits = leader && leader->exiting;

	if (th && tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "exec as %u", it->task->tid);
	/* It goes on. */
	if (process)
		process->nr_threads++;
	if (th)
		thread_end(t, th, it->ns, 0);
	if (leader)
		thread_end(t, leader, it->ns, 0);
	thread_anew(t, it->task, 0, false, it);
	if (it->other)
		thread_anew(t, it->other, 0, leader_exits, it);
	if (process && !--process->nr_threads)
		tasks_process_end(t, process, it->ns, 0);
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th;

	th = tasks_thread_of(t, it, it->task);
	if (!th)
		return;
	if (rec->mm)
		tasks_mappings_leave(t, th->process, rec->mm, it->ns);
	if (tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "exec %s", rec->filename);
}

static void on_comm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	name_late(th, it->task);
	if (tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "comm %s", it->task->comm);
}

static void tag_exit(struct tasks *t, const struct trace_task *task, u16 code, u64 ns)
{
	if (!tasks_tag_wanted(t, task))
		return;
	if (code & 0x7f)
		tasks_tag(t, task, ns, "killed by signal %u", code & 0x7f);
	else
		tasks_tag(t, task, ns, "exit code %u", code >> 8);
}

/* The process ends as its last thread does. */
static void on_exit_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exit *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th || th->exiting)
		return;
	th->exiting = true;
	if (++th->process->nr_exiting == th->process->nr_threads)
		tag_exit(t, &th->process->task, rec->exit_code, it->ns);
}

static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = t->slots[it->task->tid].thread;

	if (th)
		thread_end(t, th, it->ns, 0);
}

/* Children first: a parent appears before them. */
static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;

	while (!LIST_EMPTY(&t->processes))
		thread_end(t, LIST_FIRST(&LIST_FIRST(&t->processes)->threads), it->ns,
			   TRACE_OPEN);
}

int tasks_thread_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_TASK_NEW, on_new, ~0U },
		{ WORLD_TASK_DUMP, on_dump, ~0U },
		{ WORLD_TASK_FOUND, on_found, ~0U },
		{ WORLD_TASK_NUMBER, on_number, ~0U },
		{ WORLD_TASK_EXEC, on_exec, ~0U },
		{ WORLD_COMM, on_comm, ~0U },
		{ WORLD_TASK_EXIT, on_exit_begin, ~0U },
		{ WORLD_TASK_DEAD, on_dead, ~0U },
		{ WORLD_CAPTURE_END, on_end, ~0U },
	};

	LIST_INIT(&t->processes);
	return tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}

void tasks_thread_destroy(struct tasks *t)
{
	struct tasks_process *process;
	struct tasks_thread *th;

	while ((process = LIST_FIRST(&t->processes))) {
		while ((th = LIST_FIRST(&process->threads))) {
			LIST_REMOVE(th, sibling);
			free(th);
		}
		LIST_REMOVE(process, link);
		free(process);
	}
}

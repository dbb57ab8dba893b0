/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_TASKS_PRIV_H
#define OVNIK_TASKS_TASKS_PRIV_H

#include "tasks/tasks.h"
#include "tasks/thread.h"
#include "util/hash.h"
#include "world/world.h"

/* Private to the builder. */

#define KIND_BIT(kind)	(1U << TASKS_##kind)

#define KINDS_REQ	(KIND_BIT(REQ_OUT) | KIND_BIT(REQ_IN))

/* These require that the running task is known. */
#define KINDS_SCHED	(KIND_BIT(THREAD) | KIND_BIT(RUN) | KIND_BIT(WAIT) | KIND_BIT(UNKNOWN) | \
			 KIND_BIT(CALL) | KIND_BIT(FAULT) | KINDS_REQ)

/**
 * enum tasks_form - Places that are not named after a thread.
 * @TASKS_FORM_CACHE: the page cache, where requests are answered
 * @TASKS_FORM_CPU: a CPU, likewise
 * @TASKS_NR_FORMS: all forms; the first ones are enum tasks_kind
 */
enum tasks_form {
	TASKS_FORM_CACHE = TASKS_NR_KINDS,
	TASKS_FORM_CPU,
	TASKS_NR_FORMS
};

/**
 * struct tasks_place - A named place.
 * @node: in the table of places
 * @a: first number of its name
 * @b: second one
 * @form: enum tasks_kind of the tasks there, or enum tasks_form
 * @id: number, from 1
 * @name: dotted
 */
struct tasks_place {
	struct hash_node node;
	u32 a;
	u32 b;
	u32 form;
	u32 id;
	char name[];
};

/* The thread and the process that have a number. */
struct tasks_slot {
	struct tasks_thread *thread;
	struct tasks_process *process;
};

/*
 * So many threads that have ended last are kept. The last wakeup of a thread may be recorded by
 * another CPU, when that takes its interrupt: later by less than a millisecond.
 */
#define TASKS_ENDED	1024

/* A thread that has ended: numbers, and ids of its tasks. */
struct tasks_ended {
	u32 pid;
	u32 tid;
	u64 process;
	u64 thread;
};

/**
 * struct tasks_cpu - What is unknown about a CPU.
 * @gap: since when records are missing, ns
 * @no_adds: additions to the page cache may be among them
 */
struct tasks_cpu {
	u64 gap;
	bool no_adds;
};

/**
 * struct tasks - The builder.
 * @hooks: its positions are enum tasks_position
 * @world: what tasks are made of
 * @kinds: a bit for each kind to report
 * @next_id: id of the next task
 * @next_mark: id of the next tag or milestone
 * @places: struct tasks_place
 * @slots: by number of threads and processes
 * @processes: all of them, the youngest first
 * @ended: threads that have ended, the last at index (@nr_ended - 1) % TASKS_ENDED
 * @nr_ended: how many threads have ended
 * @files: struct tasks_file by inode
 * @process_files: the same by inode and process
 * @open: files whose end will be recorded
 * @perhaps_open: those whose end may be missing
 * @spaces: struct tasks_space by number of the address space
 * @mapped: mappings whose end will be recorded
 * @perhaps_mapped: those whose end may be missing
 * @pages: struct tasks_page by file and first page
 * @cached: pages whose end will be recorded
 * @perhaps_cached: those whose end may be missing
 * @page_orders: a bit for each order that pages were added with
 * @nr_cpus: CPUs
 * @cpus: by index in the world
 * @no_adds: CPUs whose additions to the page cache may be missing
 * @adds_gaps: grows when additions may be missing, from 1
 */
struct tasks {
	struct hookable hooks;
	struct world *world;
	u32 kinds;
	u64 next_id;
	u64 next_mark;
	struct hash_table places;
	struct tasks_slot *slots;
	LIST_HEAD(, tasks_process) processes;
	struct tasks_ended ended[TASKS_ENDED];
	u64 nr_ended;
	struct hash_table files;
	struct hash_table process_files;
	LIST_HEAD(, tasks_file) open;
	LIST_HEAD(, tasks_file) perhaps_open;
	struct hash_table spaces;
	LIST_HEAD(, tasks_mapping) mapped;
	LIST_HEAD(, tasks_mapping) perhaps_mapped;
	struct hash_table pages;
	LIST_HEAD(, tasks_page) cached;
	LIST_HEAD(, tasks_page) perhaps_cached;
	u32 page_orders;
	u32 nr_cpus;
	struct tasks_cpu *cpus;
	u32 no_adds;
	u32 adds_gaps;
};

static inline bool tasks_is_reported(const struct tasks *t, const struct trace_task *task)
{
	return t->kinds >> task->kind & 1;
}

/* Report that a task begins; all but its id is set. */
static inline void tasks_start(struct tasks *t, struct trace_task *task)
{
	task->id = ++t->next_id;
	task->end = 0;
	if (tasks_is_reported(t, task))
		hook_invoke(&t->hooks, TASKS_AT_START, task);
}

/* Report that a task has ended; it may be reused then. */
static inline void tasks_end(struct tasks *t, struct trace_task *task, u64 ns, u16 flags)
{
	task->end = ns;
	task->flags |= flags;
	if (tasks_is_reported(t, task))
		hook_invoke(&t->hooks, TASKS_AT_END, task);
	task->id = 0;
}

/* struct trace_file of a record of a file */
#define FILE_OF(rec) \
	{ .dev = (rec)->dev, .generation = (rec)->generation, .ino = (rec)->ino }

/* Is anything attached that needs a task's tag? */
static inline bool tasks_tag_wanted(const struct tasks *t, const struct trace_task *task)
{
	return task->id && hook_wanted(&t->hooks, TASKS_AT_TAG) && tasks_is_reported(t, task);
}

/**
 * tasks_tag() - Report a tag of a task.
 * @t: the builder
 * @task: the task
 * @ns: when
 * @fmt: printf format of the word
 *
 * Context: From a hook of the world, if tasks_tag_wanted().
 */
void tasks_tag(struct tasks *t, const struct trace_task *task, u64 ns, const char *fmt, ...)
	__printf_like(4, 5);

/**
 * tasks_milestone() - Report what a task waited for.
 * @t: the builder
 * @task: the task; nothing happens if it does not go on
 * @ns: when that happened
 * @kind: Akita's kind
 * @what: what it was
 *
 * Context: From a hook of the world.
 */
static inline void tasks_milestone(struct tasks *t, const struct trace_task *task, u64 ns,
				   const char *kind, const char *what)
{
	struct trace_milestone item = { .task = task, .time = ns, .kind = kind, .what = what };

	if (!task->id || !hook_wanted(&t->hooks, TASKS_AT_MILESTONE) || !tasks_is_reported(t, task))
		return;
	item.id = ++t->next_mark;
	hook_invoke(&t->hooks, TASKS_AT_MILESTONE, &item);
}

/* Out of memory: the run ends soon with this error. */
static inline void tasks_fail(struct tasks *t, int error)
{
	hook_fail(&t->world->hooks, error);
}

/**
 * tasks_place() - Set where a task is.
 * @t: the builder
 * @task: @where and @where_id are set; "?" without memory, which is reported
 * @form: enum tasks_kind or enum tasks_form, see place.c
 * @a: number of the process, or major number of the device, or number of the CPU
 * @b: number of the thread, or minor number
 *
 * Context: Any.
 * Return: the place, NULL without memory.
 */
const struct tasks_place *tasks_place(struct tasks *t, struct trace_task *task, u32 form, u32 a,
				      u32 b);

/* Use tasks_be_at(). */
void tasks_place_of(struct tasks *t, struct tasks_thread *th, struct trace_task *task);

/* Set where a task of a thread is, by its kind. */
static inline void tasks_be_at(struct tasks *t, struct tasks_thread *th, struct trace_task *task)
{
	const struct tasks_place *place = th->places[task->kind];

	if (unlikely(!place)) {
		tasks_place_of(t, th, task);
		return;
	}
	task->where = place->name;
	task->where_id = place->id;
}

/**
 * tasks_parent_of() - The parent of a task of a thread.
 * @t: the builder
 * @th: the thread
 * @kind: of the task
 *
 * Context: Any.
 * Return: id of the nearest one that is reported; 0: none.
 */
u64 tasks_parent_of(const struct tasks *t, const struct tasks_thread *th, enum tasks_kind kind);

/**
 * tasks_begin_of() - Begin a task of a thread: set the fields common to all kinds.
 * @t: the builder
 * @th: the thread
 * @task: is set; call tasks_start() when its own fields are set
 * @kind: of it
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_begin_of(struct tasks *t, struct tasks_thread *th, struct trace_task *task,
		    enum tasks_kind kind, const struct world_item *it);

/**
 * tasks_file_end() - A file is closed.
 * @t: the builder
 * @file: the file; is freed
 * @ns: when
 * @flags: enum trace_flags
 *
 * Context: From a hook of the world.
 */
void tasks_file_end(struct tasks *t, struct tasks_file *file, u64 ns, u16 flags);

/**
 * tasks_cpu_of() - Find what is unknown about a CPU.
 * @t: the builder
 * @nr: its number; a CPU of the capture
 *
 * Context: Any.
 * Return: that.
 */
static inline struct tasks_cpu *tasks_cpu_of(const struct tasks *t, u32 nr)
{
	return &t->cpus[world_cpu_index(t->world, nr)];
}

/*
 * A row: where the hook is attached, and a bit for each kind of tasks that needs it.
 */
struct tasks_hook {
	enum world_position position;
	hook_fn fn;
	u32 kinds;
};

int tasks_attach(struct tasks *t, const struct tasks_hook *hooks, unsigned int nr) __must_check;

/* Each file has some. What belongs to a process ends before it. */
int tasks_sched_attach(struct tasks *t) __must_check;
int tasks_call_attach(struct tasks *t) __must_check;
int tasks_file_attach(struct tasks *t) __must_check;
int tasks_mapping_attach(struct tasks *t) __must_check;
int tasks_page_attach(struct tasks *t) __must_check;
int tasks_thread_attach(struct tasks *t) __must_check;

void tasks_thread_destroy(struct tasks *t);
void tasks_file_destroy(struct tasks *t);
void tasks_mapping_destroy(struct tasks *t);
void tasks_page_destroy(struct tasks *t);

#endif /* OVNIK_TASKS_TASKS_PRIV_H */

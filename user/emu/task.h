/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_TASK_H
#define OVNIK_EMU_TASK_H

#include <string.h>
#include <sys/queue.h>

#include "emu/core.h"
#include "util/hash.h"
#include "util/types.h"

/*
 * Types of tasks, shared by the models of runtimes with tasks. A type belongs to a
 * process and has a number there. The value in the output depends on its label only, so
 * that a label has the same colour in every process and every trace.
 */

/**
 * struct task_type - A type of task.
 * @link: in the order in which they were declared
 * @node: in the table of its process
 * @id: its number
 * @gid: its value in the output
 * @label: its label
 */
struct task_type {
	STAILQ_ENTRY(task_type) link;
	struct hash_node node;
	u32 id;
	u32 gid;
	char label[];
};

/**
 * task_type_gid() - The value of a label in the output.
 * @label: text, not necessarily NUL-terminated
 * @len: its length
 */
u32 task_type_gid(const char *label, size_t len);

/**
 * task_type_create() - The event that declares a type: jumbo, u32 number and label.
 * @emu: emulator
 * @th: thread whose event it is
 * @ev: event of a model with tasks, with at least four bytes
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check task_type_create(struct emu *emu, struct emu_thread *th,
				  const struct ovni_ev *ev);

/**
 * task_type_find() - Find a type of a process.
 * @emu: emulator
 * @proc: process
 * @model: MODEL_ID_*
 * @id: its number
 *
 * Return: the type, or NULL with the reason in @emu.
 */
const struct task_type *task_type_find(struct emu *emu, const struct emu_proc *proc,
				       enum model_id model, u32 id);

/**
 * task_type_label() - Give the values of a channel the labels of all types.
 * @emu: emulator at its end
 * @model: MODEL_ID_*
 * @chan: index of the channel among those of the model
 *
 * Return: 0, or a negative errno with the reason in @emu, such as two labels with the
 * same value.
 */
int __must_check task_type_label(struct emu *emu, enum model_id model, u32 chan);

/*
 * Tasks, shared by the models of runtimes with tasks. A task belongs to a process. It is
 * executed as one body, or as several if it is parallel. Each thread has a stack of the
 * bodies it has begun and not ended, with emu_thread.priv[model] on top. A paused body
 * stays there while others run above it.
 */

#define TASK_PAUSES	0x01	/* may pause */
#define TASK_REPEATS	0x02	/* may run again when it has ended */
#define TASK_PARALLEL	0x04	/* has many bodies */
#define TASK_NESTS	0x08	/* others may run above it while it runs */

/**
 * enum task_state - State of a body.
 */
enum task_state {
	TASK_CREATED,
	TASK_RUNNING,
	TASK_PAUSED,
	TASK_DEAD,
};

struct task;

/**
 * struct task_body - An execution of a task.
 * @task: the task
 * @below: the body below on the stack of its thread, NULL at the bottom
 * @id: its number, from 1
 * @state: enum task_state
 */
struct task_body {
	struct task *task;
	struct task_body *below;
	u32 id;
	u8 state;
};

/**
 * struct task - A task.
 * @node: in the table
 * @type: its type
 * @id: its number
 * @flags: TASK_*
 * @body: its only body, unless it is parallel
 */
struct task {
	struct hash_node node;
	const struct task_type *type;
	u32 id;
	u8 flags;
	struct task_body body;
};

/**
 * struct parallel_body - One of the bodies of a parallel task.
 * @node: in the table
 * @body: the body
 */
struct parallel_body {
	struct hash_node node;
	struct task_body body;
};

/**
 * struct task_proc - Types and tasks of a process, emu_proc.priv[model].
 * @declared: types in the order in which they were declared
 * @types: the same by number
 * @tasks: struct task by number
 * @bodies: bodies of parallel tasks by number of the task and their own
 */
struct task_proc {
	STAILQ_HEAD(, task_type) declared;
	struct hash_table types;
	struct hash_table tasks;
	struct hash_table bodies;
};

/**
 * struct task_ref - Which body an event is about.
 * @model: MODEL_ID_*
 * @task: number of the task
 * @body: number of the body, 0 for the only one of a task that is not parallel
 */
struct task_ref {
	enum model_id model;
	u32 task;
	u32 body;
};

/**
 * task_u32() - A number in the payload of an event.
 * @ev: event that has it
 * @index: 0 for the first one
 */
static inline u32 task_u32(const struct ovni_ev *ev, u32 index)
{
	u32 v;

	memcpy(&v, (const u8 *)ev->payload + index * sizeof(v), sizeof(v));
	return v;
}

/**
 * task_model() - The model of an event.
 * @emu: emulator
 * @ev: an event of it, which was found in its table
 */
static inline enum model_id task_model(const struct emu *emu, const struct ovni_ev *ev)
{
	return emu->dispatch[ev->mcv[0]]->model->id;
}

/**
 * task_proc_get() - Types and tasks of a process, created on first use.
 * @emu: emulator
 * @proc: process
 * @model: MODEL_ID_*
 *
 * Return: them, or NULL with the reason in @emu.
 */
struct task_proc *task_proc_get(struct emu *emu, struct emu_proc *proc, enum model_id model);

/**
 * task_proc_free() - Free types and tasks of a process.
 * @priv: struct task_proc
 */
void task_proc_free(void *priv);

/**
 * task_create() - The event that makes a task: u32 number, u32 number of the type.
 * @emu: emulator
 * @th: thread whose event it is
 * @ev: event with at least eight bytes
 * @model: MODEL_ID_*
 * @flags: TASK_*
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check task_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev,
			     enum model_id model, u8 flags);

/*
 * A thread begins, pauses, resumes or ends a body. Return: the body, or NULL with the
 * reason in @emu.
 */
struct task_body *task_execute(struct emu *emu, struct emu_thread *th, struct task_ref ref);
struct task_body *task_pause(struct emu *emu, struct emu_thread *th, struct task_ref ref);
struct task_body *task_resume(struct emu *emu, struct emu_thread *th, struct task_ref ref);
struct task_body *task_end(struct emu *emu, struct emu_thread *th, struct task_ref ref);

/**
 * task_running() - The body that a thread runs.
 * @th: thread
 * @model: MODEL_ID_*
 *
 * Return: the top of its stack, or NULL if that is not running or there is none.
 */
static inline struct task_body *task_running(const struct emu_thread *th, enum model_id model)
{
	struct task_body *top = th->priv[model];

	return top && top->state == TASK_RUNNING ? top : NULL;
}

#endif /* OVNIK_EMU_TASK_H */

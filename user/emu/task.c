// SPDX-License-Identifier: GPL-2.0-only
/* Tasks and their bodies; what the models of runtimes with tasks keep of a process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"
#include "emu/task.h"
#include "util/msg.h"

static struct task_proc *task_proc_new(void)
{
	struct task_proc *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	STAILQ_INIT(&tasks->declared);
	if (!hash_init(&tasks->types) && !hash_init(&tasks->tasks) && !hash_init(&tasks->bodies))
		return tasks;
	task_proc_free(tasks);
	return NULL;
}

struct task_proc *task_proc_get(struct emu *emu, struct emu_proc *proc, enum model_id model)
{
	if (!proc->priv[model]) {
		proc->priv[model] = task_proc_new();
		if (!proc->priv[model])
			emu_fail(emu, -ENOMEM, "out of memory");
	}
	return proc->priv[model];
}

static void free_type(struct hash_node *node)
{
	free(container_of(node, struct task_type, node));
}

static void free_task(struct hash_node *node)
{
	free(container_of(node, struct task, node));
}

static void free_body(struct hash_node *node)
{
	free(container_of(node, struct parallel_body, node));
}

void task_proc_free(void *priv)
{
	struct task_proc *tasks = priv;

	hash_destroy(&tasks->types, free_type);
	hash_destroy(&tasks->tasks, free_task);
	hash_destroy(&tasks->bodies, free_body);
	free(tasks);
}

static struct task *lookup_task(const struct task_proc *tasks, u32 id)
{
	struct hash_node *node = hash_first(&tasks->tasks, hash_of(&tasks->tasks, id, 0));

	for (; node; node = hash_next(node)) {
		struct task *task = container_of(node, struct task, node);

		if (task->id == id)
			return task;
	}
	return NULL;
}

static struct task *task_new(const struct task_type *type, u32 id, u8 flags)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->type = type;
	task->id = id;
	task->flags = flags;
	task->body.task = task;
	task->body.id = 1;
	return task;
}

int task_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev,
		enum model_id model, u8 flags)
{
	u32 id = task_u32(ev, 0);
	const struct task_type *type = task_type_find(emu, th->proc, model, task_u32(ev, 1));
	struct task_proc *tasks = th->proc->priv[model];
	struct task *task;

	if (!type)
		return -ENOENT;
	if (lookup_task(tasks, id))
		return emu_fail(emu, -EEXIST, "process %d has task %u already", th->proc->pid, id);
	task = task_new(type, id, flags);
	if (!task)
		return emu_fail(emu, -ENOMEM, "out of memory");
	hash_add(&tasks->tasks, &task->node, hash_of(&tasks->tasks, id, 0));
	return 0;
}

static struct task_body *lookup_body(const struct task_proc *tasks, struct task_ref ref)
{
	u64 hash = hash_of(&tasks->bodies, ref.task, ref.body);
	struct hash_node *node;

	for (node = hash_first(&tasks->bodies, hash); node; node = hash_next(node)) {
		struct task_body *body = &container_of(node, struct parallel_body, node)->body;

		if (body->task->id == ref.task && body->id == ref.body)
			return body;
	}
	return NULL;
}

static struct task_body *body_new(struct emu *emu, struct task_proc *tasks, struct task *task,
				  struct task_ref ref)
{
	struct parallel_body *new = calloc(1, sizeof(*new));

	if (!new) {
		emu_fail(emu, -ENOMEM, "out of memory");
		return NULL;
	}
	new->body.task = task;
	new->body.id = ref.body;
	hash_add(&tasks->bodies, &new->node, hash_of(&tasks->bodies, ref.task, ref.body));
	return &new->body;
}

static struct task *task_find(struct emu *emu, const struct emu_thread *th, struct task_ref ref)
{
	const struct task_proc *tasks = th->proc->priv[ref.model];
	struct task *task = tasks ? lookup_task(tasks, ref.task) : NULL;

	if (!task)
		emu_fail(emu, -ENOENT, "process %d has no task %u", th->proc->pid, ref.task);
	else if (!(task->flags & TASK_PARALLEL) != !ref.body)
		emu_fail(emu, -EINVAL, "task %u is %sparallel and has no body %u",
			 ref.task, ref.body ? "not " : "", ref.body);
	else
		return task;
	return NULL;
}

/* Find the body, or create it if it does not exist and @make is set. */
static struct task_body *body_find(struct emu *emu, const struct emu_thread *th,
				   struct task_ref ref, bool make)
{
	struct task *task = task_find(emu, th, ref);
	struct task_proc *tasks = th->proc->priv[ref.model];
	struct task_body *body;

	if (!task)
		return NULL;
	if (!(task->flags & TASK_PARALLEL))
		return &task->body;
	body = lookup_body(tasks, ref);
	if (body)
		return body;
	if (make)
		return body_new(emu, tasks, task, ref);
	emu_fail(emu, -ENOENT, "task %u has no body %u", ref.task, ref.body);
	return NULL;
}

static const char *state_name(u8 state)
{
	static const char *const name[] = {
		[TASK_CREATED] = "not begun",
		[TASK_RUNNING] = "running",
		[TASK_PAUSED] = "paused",
		[TASK_DEAD] = "ended",
	};

	return name[state];
}

static struct task_body *refuse(struct emu *emu, const struct task_body *body, const char *what)
{
	emu_fail(emu, -EINVAL, "body %u of task %u cannot %s, it is %s", body->id,
		 body->task->id, what, state_name(body->state));
	return NULL;
}

static bool may_nest(struct emu *emu, const struct emu_thread *th, struct task_ref ref)
{
	const struct task_body *top = task_running(th, ref.model);

	if (!top)
		return true;
	if (!(top->task->flags & TASK_NESTS)) {
		emu_fail(emu, -EINVAL, "thread %d cannot begin task %u, it is running task %u",
			 th->tid, ref.task, top->task->id);
		return false;
	}
	if (model_warn(&emu->run[ref.model], MODEL_WARN_NESTED))
		msg_warn("%s: thread %d begins task %u while it is running task %u (reported once)",
			 emu->run[ref.model].model->name, th->tid, ref.task, top->task->id);
	return true;
}

struct task_body *task_execute(struct emu *emu, struct emu_thread *th, struct task_ref ref)
{
	struct task_body *body;

	if (!ref.task) {
		emu_fail(emu, -EINVAL, "0 is not a task");
		return NULL;
	}
	body = body_find(emu, th, ref, true);
	if (!body)
		return NULL;
	if (body->state != TASK_CREATED &&
	    !(body->state == TASK_DEAD && body->task->flags & TASK_REPEATS))
		return refuse(emu, body, "begin");
	if (!may_nest(emu, th, ref))
		return NULL;
	body->state = TASK_RUNNING;
	body->below = th->priv[ref.model];
	th->priv[ref.model] = body;
	return body;
}

/* The body on top of the thread's stack, which must be @ref. */
static struct task_body *body_on_top(struct emu *emu, const struct emu_thread *th,
				     struct task_ref ref)
{
	struct task_body *body = body_find(emu, th, ref, false);

	if (!body || body == th->priv[ref.model])
		return body;
	emu_fail(emu, -EINVAL, "body %u of task %u is not the one thread %d began last", body->id,
		 body->task->id, th->tid);
	return NULL;
}

struct task_body *task_pause(struct emu *emu, struct emu_thread *th, struct task_ref ref)
{
	struct task_body *body = body_on_top(emu, th, ref);

	if (!body)
		return NULL;
	if (body->state != TASK_RUNNING)
		return refuse(emu, body, "pause");
	if (!(body->task->flags & TASK_PAUSES)) {
		emu_fail(emu, -EPERM, "task %u is of a kind that cannot pause", ref.task);
		return NULL;
	}
	body->state = TASK_PAUSED;
	return body;
}

struct task_body *task_resume(struct emu *emu, struct emu_thread *th, struct task_ref ref)
{
	struct task_body *body = body_on_top(emu, th, ref);

	if (!body)
		return NULL;
	if (body->state != TASK_PAUSED)
		return refuse(emu, body, "resume");
	body->state = TASK_RUNNING;
	return body;
}

struct task_body *task_end(struct emu *emu, struct emu_thread *th, struct task_ref ref)
{
	struct task_body *body = body_on_top(emu, th, ref);

	if (!body)
		return NULL;
	if (body->state != TASK_RUNNING)
		return refuse(emu, body, "end");
	body->state = TASK_DEAD;
	th->priv[ref.model] = body->below;
	body->below = NULL;
	return body;
}

// SPDX-License-Identifier: GPL-2.0-only
/* nosv events about tasks: VY (types) and VT (tasks). */
#include <errno.h>

#include "emu/nosv/nosv_model.h"
#include "emu/task.h"

static struct task_ref payload_ref(const struct ovni_ev *ev)
{
	return (struct task_ref){
		.model = MODEL_ID_NOSV,
		.task = task_u32(ev, 0),
		.body = task_u32(ev, 1),
	};
}

static int set(struct emu *emu, struct emu_thread *th, enum nosv_chan chan,
	       const struct task_body *body, s64 value)
{
	return emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_NOSV, chan),
		       body ? CHAN_INT(value) : CHAN_NULL);
}

/* Show a body, or that there is none, on the channels of its thread. */
static int show(struct emu *emu, struct emu_thread *th, const struct task_body *body)
{
	const struct emu_proc *proc = th->proc;
	int ret;

	ret = set(emu, th, NOSV_CHAN_BODYID, body, body ? body->id : 0);
	if (ret)
		return ret;
	ret = set(emu, th, NOSV_CHAN_TASKID, body, body ? body->task->id : 0);
	if (ret)
		return ret;
	ret = set(emu, th, NOSV_CHAN_TYPE, body, body ? body->task->type->gid : 0);
	if (ret)
		return ret;
	ret = set(emu, th, NOSV_CHAN_APPID, body, proc->app_id);
	if (ret || proc->rank < 0)
		return ret;
	return set(emu, th, NOSV_CHAN_RANK, body, (s64)proc->rank + 1);
}

static struct chan *subsystem(struct emu *emu, struct emu_thread *th)
{
	return emu_thread_chan(emu, th, MODEL_ID_NOSV, NOSV_CHAN_SUBSYSTEM);
}

int nosv_type(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_type_create(emu, th, ev, MODEL_ID_NOSV);
}

int nosv_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_create(emu, th, ev, MODEL_ID_NOSV, TASK_PAUSES | TASK_REPEATS);
}

int nosv_create_parallel(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_create(emu, th, ev, MODEL_ID_NOSV, TASK_PARALLEL);
}

int nosv_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_execute(emu, th, payload_ref(ev));
	int ret;

	if (!body)
		return -EINVAL;
	ret = emu_push(emu, subsystem(emu, th), NOSV_ST_BODY);
	return ret ? ret : show(emu, th, body);
}

int nosv_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	int ret;

	if (!task_end(emu, th, payload_ref(ev)))
		return -EINVAL;
	ret = emu_pop(emu, subsystem(emu, th), NOSV_ST_BODY);
	return ret ? ret : show(emu, th, NULL);
}

int nosv_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_pause(emu, th, payload_ref(ev)) ? show(emu, th, NULL) : -EINVAL;
}

int nosv_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_resume(emu, th, payload_ref(ev));

	return body ? show(emu, th, body) : -EINVAL;
}

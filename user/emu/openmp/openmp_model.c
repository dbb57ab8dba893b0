// SPDX-License-Identifier: GPL-2.0-only
/* The openmp model: tasks and worksharings of OpenMP, and what the runtime does. */
#include <errno.h>

#include "emu/core.h"
#include "emu/task.h"
#include "emu/track.h"

enum {
	CHAN_SUBSYSTEM,
	CHAN_LABEL,
	CHAN_TASKID,
};

#define SUBSYSTEM_TABLE(state, label)					\
	state(9, "PWd", "PWD", "Work-distribution: Distribute")		\
	state(10, "PWc", "PWC", "Work-distribution: Dynamic for chunk")	\
	state(11, "PWy", "PWY", "Work-distribution: Dynamic for initialization")	\
	state(12, "PWs", "PWS", "Work-distribution: Static for chunk")	\
	state(13, "PWe", "PWE", "Work-distribution: Section")		\
	state(14, "PWi", "PWI", "Work-distribution: Single")		\
	state(15, "PTa", "PTA", "Task: Allocation")			\
	state(16, "PTc", "PTC", "Task: Check deps")			\
	state(17, "PTd", "PTD", "Task: Duplicating")			\
	state(18, "PTr", "PTR", "Task: Releasing deps")			\
	state(19, "PT[", "PT]", "Task: Running task")			\
	state(20, "PTi", "PTI", "Task: Running task if0")		\
	state(21, "PTs", "PTS", "Task: Scheduling")			\
	state(22, "PTg", "PTG", "Task: Taskgroup")			\
	state(23, "PTt", "PTT", "Task: Taskwait")			\
	state(24, "PTw", "PTW", "Task: Taskwait deps")			\
	state(25, "PTy", "PTY", "Task: Taskyield")			\
	state(6, "PIa", "PIA", "Critical: Acquiring")			\
	state(7, "PIr", "PIR", "Critical: Releasing")			\
	state(8, "PI[", "PI]", "Critical: Section")			\
	state(1, "PBf", "PBF", "Barrier: Fork")				\
	state(2, "PBj", "PBJ", "Barrier: Join")				\
	state(3, "PBb", "PBB", "Barrier: Plain")			\
	state(5, "PBt", "PBT", "Barrier: Task")				\
	label(4, "Barrier: Spin wait")					\
	state(26, "PA[", "PA]", "Runtime: Attached")			\
	state(27, "PCf", "PCF", "Runtime: Fork call")			\
	state(28, "PCi", "PCI", "Runtime: Initialization")		\
	state(29, "PMi", "PMI", "Runtime: Internal microtask")		\
	state(30, "PMu", "PMU", "Runtime: User microtask")		\
	state(31, "PH[", "PH]", "Runtime: Worker main loop")

static const struct ovni_label subsystem_labels[] = {
	SUBSYSTEM_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct model_chan openmp_chans[] = {
	[CHAN_SUBSYSTEM] = {
		.name = "openmp.subsystem", .label = "OpenMP subsystem", .type = 50,
		.kind = CHAN_STACK, .dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL,
		MODEL_ROWS(ACTIVE, RUNNING), .lint = true, MODEL_LABELS(subsystem_labels),
	},
	[CHAN_LABEL] = {
		.name = "openmp.label", .label = "OpenMP label", .type = 51, .kind = CHAN_STACK,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(ACTIVE, RUNNING),
	},
	[CHAN_TASKID] = {
		.name = "openmp.taskid", .label = "OpenMP task ID", .type = 52, .kind = CHAN_STACK,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(ACTIVE, RUNNING),
	},
};

static const struct model_breakdown openmp_breakdown = {
	.trace = "openmp-breakdown", .label = "CPU: OpenMP Runtime/Label breakdown", .type = 53,
	.subsystem = CHAN_SUBSYSTEM, .task = CHAN_LABEL, .choice = CHAN_LABEL,
};

static struct chan *openmp_chan(struct emu *emu, struct emu_thread *th, u32 chan)
{
	return emu_thread_chan(emu, th, MODEL_ID_OPENMP, chan);
}

static struct task_ref payload_ref(const struct ovni_ev *ev)
{
	return (struct task_ref){ .model = MODEL_ID_OPENMP, .task = task_u32(ev, 0) };
}

static int openmp_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	if (!task_u32(ev, 0))
		return emu_fail(emu, -EINVAL, "0 is not a task");
	return task_create(emu, th, ev, MODEL_ID_OPENMP, TASK_REPEATS | TASK_NESTS);
}

static int openmp_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_execute(emu, th, payload_ref(ev));

	if (!body)
		return -EINVAL;
	return emu_push(emu, openmp_chan(emu, th, CHAN_TASKID), body->task->id) ?:
	       emu_push(emu, openmp_chan(emu, th, CHAN_LABEL), body->task->type->gid);
}

static int openmp_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_end(emu, th, payload_ref(ev));

	if (!body)
		return -EINVAL;
	return emu_pop(emu, openmp_chan(emu, th, CHAN_TASKID), body->task->id) ?:
	       emu_pop(emu, openmp_chan(emu, th, CHAN_LABEL), body->task->type->gid);
}

/* Worksharings have types, as tasks have, but no other property of tasks. */
static int openmp_share(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_type *type;

	type = task_type_find(emu, th->proc, MODEL_ID_OPENMP, task_u32(ev, 0));
	return type ? emu_push(emu, openmp_chan(emu, th, CHAN_LABEL), type->gid) : -ENOENT;
}

static int openmp_unshare(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_type *type;

	type = task_type_find(emu, th->proc, MODEL_ID_OPENMP, task_u32(ev, 0));
	return type ? emu_pop(emu, openmp_chan(emu, th, CHAN_LABEL), type->gid) : -ENOENT;
}

static int openmp_label(struct emu *emu)
{
	return task_type_label(emu, MODEL_ID_OPENMP, CHAN_LABEL);
}

#define SUBSYSTEM_EVENTS(value, in, out, text) MODEL_EVENTS(CHAN_SUBSYSTEM, value, in, out)

static const struct model_event openmp_events[] = {
	SUBSYSTEM_TABLE(SUBSYSTEM_EVENTS, MODEL_NO_EVENTS)
	{ .mcv = "PBs", .op = OP_IGNORE },
	{ .mcv = "PBS", .op = OP_IGNORE },
	{ .mcv = "POc", .call = task_type_create, .check = SIZE_JUMBO, .size = 4 },
	{ .mcv = "PPc", .call = openmp_create, .check = SIZE_EXACT, .size = 8 },
	{ .mcv = "PPx", .call = openmp_execute, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "PPe", .call = openmp_end, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "PQx", .call = openmp_share, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "PQe", .call = openmp_unshare, .check = SIZE_MIN, .size = 4 },
};

DEFINE_MODEL(openmp) = {
	.name = "openmp", .letter = 'P', .major = 1, .minor = 2, .patch = 1, .id = MODEL_ID_OPENMP,
	.need = NEED_RUNNING, MODEL_TABLE(chans, openmp_chans), MODEL_TABLE(events, openmp_events),
	.breakdown = &openmp_breakdown, .label = openmp_label, .free_proc = task_proc_free,
};

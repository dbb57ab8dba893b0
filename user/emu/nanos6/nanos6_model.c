// SPDX-License-Identifier: GPL-2.0-only
/* The nanos6 model: tasks of the Nanos6 runtime, and what the runtime does. */
#include <errno.h>

#include "emu/core.h"
#include "emu/task.h"
#include "emu/track.h"
#include "util/msg.h"

enum {
	CHAN_TASKID,
	CHAN_TYPE,
	CHAN_SUBSYSTEM,
	CHAN_RANK,
	CHAN_THREAD_TYPE,
	CHAN_IDLE,
};

#define ST_UNKNOWN	2
#define ST_BODY		1
#define ST_PROGRESSING	100
#define ST_RESTING	101
#define ST_ABSORBING	102

#define SUBSYSTEM_TABLE(state, label)					\
	label(ST_UNKNOWN, "Unknown subsystem")					\
	label(ST_BODY, "Task: Running body")					\
	state(3, "6C[", "6C]", "Task: Creating")			\
	state(4, "6U[", "6U]", "Task: Submitting")			\
	state(5, "6F[", "6F]", "Task: Spawning function")		\
	state(6, "6O[", "6O]", "Task: Running task for")		\
	state(9, "6S[", "6S]", "Scheduler: Serving tasks")		\
	state(7, "6Sa", "6SA", "Scheduler: Adding ready tasks")		\
	state(8, "6Sp", "6SP", "Scheduler: Processing ready tasks")	\
	state(10, "6Dr", "6DR", "Dependency: Registering")		\
	state(11, "6Du", "6DU", "Dependency: Unregistering")		\
	state(12, "6Bw", "6BW", "Blocking: Taskwait")			\
	state(14, "6Bb", "6BB", "Blocking: Blocking current task")	\
	state(15, "6Bu", "6BU", "Blocking: Unblocking remote task")	\
	state(13, "6Bf", "6BF", "Blocking: Wait for deadline")		\
	state(18, "6Wt", "6WT", "Worker: Handling task")		\
	state(19, "6W[", "6W]", "Worker: Looking for work")		\
	state(20, "6Ww", "6WW", "Worker: Switching to another thread")	\
	state(21, "6Wm", "6WM", "Worker: Migrating CPU")		\
	state(22, "6Ws", "6WS", "Worker: Suspending thread")		\
	state(23, "6Wr", "6WR", "Worker: Resuming another thread")	\
	state(24, "6Wg", "6WG", "Worker: Sponge mode")			\
	state(16, "6Ma", "6MA", "Memory: Allocating")			\
	state(17, "6Mf", "6MF", "Memory: Freeing")			\
	label(61, "EV Scheduler: Send task")				\
	label(60, "EV Scheduler: Recv task")				\
	label(62, "EV Scheduler: Self-assign task")			\
	label(63, "EV CPU: Becomes idle")				\
	label(64, "EV CPU: Becomes active")				\
	label(65, "EV Worker: Waking another thread")

#define THREAD_TYPE_TABLE(state, label)					\
	state(4, "6He", "6HE", "External")				\
	state(3, "6Hw", "6HW", "Worker")				\
	state(1, "6Hl", "6HL", "Leader")				\
	state(2, "6Hm", "6HM", "Main")

static const struct ovni_label subsystem_labels[] = {
	SUBSYSTEM_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct ovni_label thread_type_labels[] = {
	THREAD_TYPE_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct ovni_label idle_labels[] = {
	{ ST_PROGRESSING, "Progressing" },
	{ ST_RESTING, "Resting" },
	{ ST_ABSORBING, "Absorbing noise" },
};

static const struct model_chan nanos6_chans[] = {
	[CHAN_TASKID] = {
		.name = "nanos6.taskid", .label = "Nanos6 task ID", .type = 35,
		.flags = PRV_SKIP_DUP, MODEL_ROWS(RUNNING, RUNNING),
	},
	[CHAN_TYPE] = {
		.name = "nanos6.task_type", .label = "Nanos6 task type", .type = 36,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_EMIT_DUP, MODEL_ROWS(RUNNING, RUNNING),
	},
	[CHAN_SUBSYSTEM] = {
		.name = "nanos6.subsystem", .label = "Nanos6 subsystem", .type = 37,
		.kind = CHAN_STACK, .flags = PRV_SKIP_DUP, MODEL_ROWS(ACTIVE, RUNNING),
		.lint = true, MODEL_LABELS(subsystem_labels),
	},
	[CHAN_RANK] = {
		.name = "nanos6.rank", .label = "Nanos6 task MPI rank", .type = 38,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_EMIT_DUP, MODEL_ROWS(RUNNING, RUNNING),
	},
	[CHAN_THREAD_TYPE] = {
		.name = "nanos6.thread_type", .label = "Nanos6 thread type", .type = 39,
		.kind = CHAN_STACK, .flags = PRV_SKIP_DUP, MODEL_ROWS(NONE, RUNNING),
		MODEL_LABELS(thread_type_labels),
	},
	[CHAN_IDLE] = {
		.name = "nanos6.idle", .label = "Nanos6 idle state", .type = 40,
		.flags = PRV_SKIP_DUP, MODEL_ROWS(RUNNING, RUNNING), .init = ST_PROGRESSING,
		.cpu_null = ST_RESTING, MODEL_LABELS(idle_labels),
	},
};

static const struct model_breakdown nanos6_breakdown = {
	.trace = "nanos6-breakdown", .label = "CPU: Nanos6 Runtime/Idle/Task breakdown",
	.type = 41, .subsystem = CHAN_SUBSYSTEM, .task = CHAN_TYPE, .choice = CHAN_SUBSYSTEM,
	.idle = CHAN_IDLE, .body = ST_BODY, .unknown = ST_UNKNOWN,
};

static struct chan *nanos6_chan(struct emu *emu, struct emu_thread *th, u32 chan)
{
	return emu_thread_chan(emu, th, MODEL_ID_NANOS6, chan);
}

static struct task_ref payload_ref(const struct ovni_ev *ev)
{
	return (struct task_ref){ .model = MODEL_ID_NANOS6, .task = task_u32(ev, 0) };
}

/* Show a body, or that there is none, on the channels of its thread. */
static int show(struct emu *emu, struct emu_thread *th, const struct task_body *body)
{
	s32 rank = th->proc->rank;
	int ret;

	ret = emu_set(emu, nanos6_chan(emu, th, CHAN_TASKID),
		      body ? CHAN_INT(body->task->id) : CHAN_NULL);
	if (ret)
		return ret;
	ret = emu_set(emu, nanos6_chan(emu, th, CHAN_TYPE),
		      body ? CHAN_INT(body->task->type->gid) : CHAN_NULL);
	if (ret || rank < 0)
		return ret;
	return emu_set(emu, nanos6_chan(emu, th, CHAN_RANK),
		       body ? CHAN_INT((s64)rank + 1) : CHAN_NULL);
}

static int nanos6_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_create(emu, th, ev, MODEL_ID_NANOS6, TASK_PAUSES | TASK_NESTS);
}

static int nanos6_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_execute(emu, th, payload_ref(ev));

	if (!body)
		return -EINVAL;
	return emu_push(emu, nanos6_chan(emu, th, CHAN_SUBSYSTEM), ST_BODY) ?: show(emu, th, body);
}

static int nanos6_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	if (!task_end(emu, th, payload_ref(ev)))
		return -EINVAL;
	return emu_pop(emu, nanos6_chan(emu, th, CHAN_SUBSYSTEM), ST_BODY) ?:
	       show(emu, th, task_running(th, MODEL_ID_NANOS6));
}

static int nanos6_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_pause(emu, th, payload_ref(ev)) ? show(emu, th, NULL) : -EINVAL;
}

static int nanos6_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_resume(emu, th, payload_ref(ev));

	return body ? show(emu, th, body) : -EINVAL;
}

static int nanos6_old(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)th;
	(void)ev;
	if (model_warn(&emu->run[MODEL_ID_NANOS6], MODEL_WARN_OLD))
		msg_warn("event 6TC is obsolete and ignored");
	return 0;
}

static int nanos6_label(struct emu *emu)
{
	return task_type_label(emu, MODEL_ID_NANOS6, CHAN_TYPE);
}

#define SUBSYSTEM_EVENTS(value, in, out, text) MODEL_EVENTS(CHAN_SUBSYSTEM, value, in, out)
#define THREAD_TYPE_EVENTS(value, in, out, text) MODEL_EVENTS(CHAN_THREAD_TYPE, value, in, out)

static const struct model_event nanos6_events[] = {
	SUBSYSTEM_TABLE(SUBSYSTEM_EVENTS, MODEL_NO_EVENTS)
	THREAD_TYPE_TABLE(THREAD_TYPE_EVENTS, MODEL_NO_EVENTS)
	{ .mcv = "6Pp", .op = OP_SET, .chan = CHAN_IDLE, .state = ST_PROGRESSING },
	{ .mcv = "6Pr", .op = OP_SET, .chan = CHAN_IDLE, .state = ST_RESTING },
	{ .mcv = "6Pa", .op = OP_SET, .chan = CHAN_IDLE, .state = ST_ABSORBING },
	{ .mcv = "6Yc", .call = task_type_create, .check = SIZE_JUMBO, .size = 4 },
	{ .mcv = "6Tc", .call = nanos6_create, .check = SIZE_EXACT, .size = 8 },
	{ .mcv = "6Tx", .call = nanos6_execute, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "6Te", .call = nanos6_end, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "6Tp", .call = nanos6_pause, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "6Tr", .call = nanos6_resume, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "6TC", .call = nanos6_old },
	{ .mcv = "6W*", .op = OP_IGNORE },
	{ .mcv = "6t[", .op = OP_IGNORE },
	{ .mcv = "6t]", .op = OP_IGNORE },
	{ .mcv = "6S@", .op = OP_IGNORE },
	{ .mcv = "6Sr", .op = OP_IGNORE },
	{ .mcv = "6Ss", .op = OP_IGNORE },
};

DEFINE_MODEL(nanos6) = {
	.name = "nanos6", .letter = '6', .major = 1, .minor = 1, .id = MODEL_ID_NANOS6,
	.need = NEED_ACTIVE, MODEL_TABLE(chans, nanos6_chans), MODEL_TABLE(events, nanos6_events),
	.breakdown = &nanos6_breakdown, .label = nanos6_label, .free_proc = task_proc_free,
};

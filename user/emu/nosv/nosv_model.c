// SPDX-License-Identifier: GPL-2.0-only
/* The nosv model: tasks of the nOS-V runtime, and what the runtime does. */
#include <errno.h>
#include <stdlib.h>

#include "emu/nosv/nosv_model.h"
#include "emu/task.h"
#include "emu/track.h"
#include "util/msg.h"

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

static int nosv_create(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_create(emu, th, ev, MODEL_ID_NOSV, TASK_PAUSES | TASK_REPEATS);
}

static int nosv_create_parallel(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_create(emu, th, ev, MODEL_ID_NOSV, TASK_PARALLEL);
}

static int nosv_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_execute(emu, th, payload_ref(ev));

	if (!body)
		return -EINVAL;
	return emu_push(emu, subsystem(emu, th), NOSV_ST_BODY) ?: show(emu, th, body);
}

static int nosv_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	if (!task_end(emu, th, payload_ref(ev)))
		return -EINVAL;
	return emu_pop(emu, subsystem(emu, th), NOSV_ST_BODY) ?: show(emu, th, NULL);
}

static int nosv_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	return task_pause(emu, th, payload_ref(ev)) ? show(emu, th, NULL) : -EINVAL;
}

static int nosv_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct task_body *body = task_resume(emu, th, payload_ref(ev));

	return body ? show(emu, th, body) : -EINVAL;
}

#define ST_SERVING	7
#define ST_PROGRESSING	100
#define ST_RESTING	101
#define ST_ABSORBING	102

#define SUBSYSTEM_TABLE(state, label)					\
	label(NOSV_ST_UNKNOWN, "Unknown subsystem")					\
	state(6, "VSh", "VSf", "Scheduler: Hungry")			\
	state(ST_SERVING, "VS[", "VS]", "Scheduler: Serving")			\
	state(8, "VU[", "VU]", "Scheduler: Submitting")			\
	state(9, "VMa", "VMA", "Memory: Allocating")			\
	state(10, "VMf", "VMF", "Memory: Freeing")			\
	label(NOSV_ST_BODY, "Task: In body")					\
	state(12, "VAr", "VAR", "API: Create")				\
	state(13, "VAd", "VAD", "API: Destroy")				\
	state(14, "VAs", "VAS", "API: Submit")				\
	state(15, "VAp", "VAP", "API: Pause")				\
	state(16, "VAy", "VAY", "API: Yield")				\
	state(17, "VAw", "VAW", "API: Waitfor")				\
	state(18, "VAc", "VAC", "API: Scheduling point")		\
	state(19, "VAa", "VAA", "API: Attach")				\
	state(20, "VAe", "VAE", "API: Detach")				\
	state(21, "VAl", "VAL", "API: Mutex lock")			\
	state(22, "VAt", "VAT", "API: Mutex trylock")			\
	state(23, "VAu", "VAU", "API: Mutex unlock")			\
	state(24, "VAb", "VAB", "API: Barrier wait")			\
	state(25, "VAo", "VAO", "API: Cond wait")			\
	state(26, "VAg", "VAG", "API: Cond signal")			\
	state(27, "VAk", "VAK", "API: Cond broadcast")			\
	state(28, "VAj", "VAJ", "API: Join")				\
	state(29, "VAm", "VAM", "API: Join all")			\
	state(30, "VAi", "VAI", "API: Wait")				\
	state(31, "VAn", "VAN", "API: Wait all")			\
	state(32, "VHw", "VHW", "Thread: Worker")			\
	state(33, "VHd", "VHD", "Thread: Delegate")			\
	label(35, "EV Scheduler: Send task")				\
	label(34, "EV Scheduler: Recv task")				\
	label(36, "EV Scheduler: Self-assign task")

static const struct ovni_label subsystem_labels[] = {
	SUBSYSTEM_TABLE(MODEL_STATE_LABEL, MODEL_LABEL)
};

static const struct ovni_label idle_labels[] = {
	{ ST_PROGRESSING, "Progressing" },
	{ ST_RESTING, "Resting" },
	{ ST_ABSORBING, "Absorbing noise" },
};

static const struct model_chan nosv_chans[] = {
	[NOSV_CHAN_BODYID] = {
		.name = "nosv.bodyid", .label = "nOS-V task body ID", .type = 15,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING),
	},
	[NOSV_CHAN_TASKID] = {
		.name = "nosv.taskid", .label = "nOS-V task ID", .type = 10,
		.flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING),
	},
	[NOSV_CHAN_TYPE] = {
		.name = "nosv.task_type", .label = "nOS-V task type", .type = 11,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING),
	},
	[NOSV_CHAN_APPID] = {
		.name = "nosv.appid", .label = "nOS-V task AppID", .type = 12,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING),
	},
	[NOSV_CHAN_SUBSYSTEM] = {
		.name = "nosv.subsystem", .label = "nOS-V subsystem", .type = 13,
		.kind = CHAN_STACK, .dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL,
		MODEL_ROWS(ACTIVE, RUNNING), .lint = true, MODEL_LABELS(subsystem_labels),
	},
	[NOSV_CHAN_RANK] = {
		.name = "nosv.rank", .label = "nOS-V task MPI rank", .type = 14,
		.dup = CHAN_DUP_ALLOW, .flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING),
	},
	[NOSV_CHAN_IDLE] = {
		.name = "nosv.idle", .label = "nOS-V idle state", .type = 16,
		.flags = PRV_SKIP_DUP_NULL, MODEL_ROWS(RUNNING, RUNNING), .init = ST_PROGRESSING,
		.cpu_null = ST_RESTING, MODEL_LABELS(idle_labels),
	},
};

static const struct model_breakdown nosv_breakdown = {
	.trace = "nosv-breakdown", .label = "CPU: nOS-V Runtime/Idle/Task breakdown", .type = 17,
	.subsystem = NOSV_CHAN_SUBSYSTEM, .task = NOSV_CHAN_TYPE, .choice = NOSV_CHAN_SUBSYSTEM,
	.idle = NOSV_CHAN_IDLE, .body = NOSV_ST_BODY, .unknown = NOSV_ST_UNKNOWN,
};

#define EVENTS(value, in, out, text) MODEL_EVENTS(NOSV_CHAN_SUBSYSTEM, value, in, out)

static const struct model_event nosv_events[] = {
	SUBSYSTEM_TABLE(EVENTS, MODEL_NO_EVENTS)
	MODEL_EVENTS(NOSV_CHAN_SUBSYSTEM, ST_SERVING, "VSN", "VSn")
	{ .mcv = "VPp", .op = OP_SET, .chan = NOSV_CHAN_IDLE, .state = ST_PROGRESSING },
	{ .mcv = "VPr", .op = OP_SET, .chan = NOSV_CHAN_IDLE, .state = ST_RESTING },
	{ .mcv = "VPa", .op = OP_SET, .chan = NOSV_CHAN_IDLE, .state = ST_ABSORBING },
	{ .mcv = "VYc", .call = task_type_create, .check = SIZE_JUMBO, .size = 4 },
	{ .mcv = "VTc", .call = nosv_create, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VTC", .call = nosv_create_parallel, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VTx", .call = nosv_execute, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VTe", .call = nosv_end, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VTp", .call = nosv_pause, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VTr", .call = nosv_resume, .check = SIZE_MIN, .size = 8 },
	{ .mcv = "VWC", .call = nosv_count, .check = SIZE_JUMBO },
	{ .mcv = "VSr", .op = OP_IGNORE },
	{ .mcv = "VSs", .op = OP_IGNORE },
	{ .mcv = "VS@", .op = OP_IGNORE },
	{ .mcv = "VHa", .op = OP_IGNORE },
	{ .mcv = "VHA", .op = OP_IGNORE },
};

/* Not every configuration of the runtime reports enough for a breakdown. */
static int check_breakdown(struct emu *emu)
{
	const struct nosv_data *data = nosv_data_get(emu);
	u32 said;

	if (!data)
		return -ENOMEM;
	said = data->can_breakdown + data->cannot_breakdown;
	if (said != emu->sys.nthreads)
		return emu_fail(emu, -EINVAL,
				"a breakdown needs the boolean nosv.can_breakdown in every thread, %u of %u threads lack it",
				emu->sys.nthreads - said, emu->sys.nthreads);
	if (!data->cannot_breakdown)
		return 0;
	msg_warn("no breakdown of nosv: %u of %u threads do not support it",
		 data->cannot_breakdown, emu->sys.nthreads);
	emu->run[MODEL_ID_NOSV].breakdown = NULL;
	return 0;
}

static int nosv_freeze(struct emu *emu)
{
	int ret = emu->options & EMU_BREAKDOWN ? check_breakdown(emu) : 0;

	return ret ? ret : nosv_counters_freeze(emu);
}

static int nosv_label(struct emu *emu)
{
	return task_type_label(emu, MODEL_ID_NOSV, NOSV_CHAN_TYPE);
}

DEFINE_MODEL(nosv) = {
	.name = "nosv", .letter = 'V', .major = 2, .minor = 7, .id = MODEL_ID_NOSV,
	.need = NEED_ACTIVE, .need_in_cpu = true, MODEL_TABLE(chans, nosv_chans),
	MODEL_TABLE(events, nosv_events), .breakdown = &nosv_breakdown, .meta = nosv_meta_load,
	.freeze = nosv_freeze, .label = nosv_label, .views = nosv_views,
	.free_proc = task_proc_free, .free = nosv_data_free,
};

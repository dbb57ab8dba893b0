// SPDX-License-Identifier: GPL-2.0-only
/* Prepares declarations for events: rows, channels, files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/breakdown.h"
#include "emu/core.h"
#include "emu/track.h"
#include "util/msg.h"

#define SLOT_MAX 0xffff	/* slot numbers are u16 */

/* Return: the slot number, in order, or a negative errno. */
static int slot_new(struct emu *emu, const struct model_chan *spec, enum slot_follow follow)
{
	u32 n = emu->nslots + emu->ncpu_slots;
	struct slot *slot;

	if (n >= SLOT_MAX)
		return emu_fail(emu, -ENOSPC, "too many channels");
	slot = realloc(emu->slot, (n + 1) * sizeof(*slot));
	if (!slot)
		return emu_fail(emu, -ENOMEM, "out of memory");
	emu->slot = slot;
	slot += n;
	memset(slot, 0, sizeof(*slot));
	slot->spec = spec;
	prv_type_init(&slot->type[PRV_THREAD], spec->type, spec->flags);
	prv_type_init(&slot->type[PRV_CPU], spec->type, spec->flags);
	slot->type[PRV_CPU].add[ST_NULL] = spec->cpu_null;
	slot->follow = follow;
	slot->thread = n < SLOT_MODEL ? n : n - SLOT_MODEL + THREAD_NR_CORE;
	slot->cpu = n - SLOT_CPU;
	return n;
}

int emu_slot_add(struct emu *emu, const struct model_chan *spec)
{
	int n = slot_new(emu, spec, FOLLOW_MODEL);

	emu->nslots += n >= 0;
	return n;
}

/* Add a channel that every CPU has, after all of threads. */
static int emu_slot_add_cpu(struct emu *emu, const struct model_chan *spec)
{
	int n = slot_new(emu, spec, FOLLOW_NOTHING);

	emu->ncpu_slots += n >= 0;
	return n;
}

/* Most core channels one event can write: a thread's and two CPUs'. */
#define CORE_DIRTY (THREAD_NR_CORE + 2 * CPU_NR_CORE)

static const struct ovni_label state_labels[] = {
	{ TH_UNKNOWN, "Unknown" },
	{ TH_RUNNING, "Running" },
	{ TH_PAUSED, "Paused" },
	{ TH_DEAD, "Dead" },
	{ TH_COOLING, "Cooling" },
	{ TH_WARMING, "Warming" },
};

static const struct model_chan core_chans[SLOT_MODEL] = {
	[SLOT_THREAD + THREAD_CPU] = {
		.name = "thread.cpu", .label = "Thread: CPU affinity", .type = 6,
		.flags = PRV_NEXT, .plain_label = true,
	},
	[SLOT_THREAD + THREAD_STATE] = {
		.name = "thread.state", .label = "Thread: thread state", .type = 4,
		.flags = PRV_SKIP_DUP, .plain_label = true, MODEL_LABELS(state_labels),
	},
	[SLOT_THREAD + THREAD_TID] = {
		.name = "thread.tid_active", .label = "Thread: TID of the ACTIVE thread",
		.type = 2, .dup = CHAN_DUP_IGNORE, .plain_label = true,
	},
	[SLOT_CPU + CPU_TID] = {
		.name = "cpu.tid_running", .label = "CPU: TID of the RUNNING thread", .type = 2,
		.dup = CHAN_DUP_IGNORE, .plain_label = true,
	},
	[SLOT_CPU + CPU_PID] = {
		.name = "cpu.pid_running", .label = "CPU: PID of the RUNNING thread", .type = 1,
		.dup = CHAN_DUP_IGNORE, .plain_label = true,
	},
	[SLOT_CPU + CPU_NRUNNING] = {
		.name = "cpu.nrunning", .label = "CPU: Number of RUNNING threads", .type = 3,
		.dup = CHAN_DUP_IGNORE, .flags = PRV_ZERO, .plain_label = true,
	},
	[SLOT_CPU + CPU_TH_RUNNING] = {
		.name = "cpu.th_running", .dup = CHAN_DUP_IGNORE,
	},
	[SLOT_CPU + CPU_TH_ACTIVE] = {
		.name = "cpu.th_active", .dup = CHAN_DUP_IGNORE,
	},
};

static int freeze_model(struct emu *emu, struct model_run *run)
{
	const struct model *model = run->model;
	u32 i;
	int ret;

	if (!run->on)
		return 0;
	emu->dispatch[(u8)model->letter] = run;
	if (model->runs)
		emu->runs[emu->nruns++] = model;
	run->first = emu->nslots - SLOT_MODEL;
	for (i = 0; i < model->nchans; i++) {
		ret = emu_slot_add(emu, &model->chans[i]);
		if (ret < 0)
			return ret;
	}
	return model->freeze ? model->freeze(emu) : 0;
}

static int freeze_model_cpus(struct emu *emu, struct model_run *run)
{
	u32 i;
	int ret;

	run->first_cpu = emu->ncpu_slots;
	for (i = 0; run->on && i < run->model->ncpu_chans; i++) {
		ret = emu_slot_add_cpu(emu, &run->model->cpu_chans[i]);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int freeze_slots(struct emu *emu)
{
	int i, ret;

	for (i = 0; i < SLOT_MODEL; i++) {
		ret = emu_slot_add(emu, &core_chans[i]);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < EMU_NR_MODELS; i++) {
		ret = freeze_model(emu, &emu->run[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < EMU_NR_MODELS; i++) {
		ret = freeze_model_cpus(emu, &emu->run[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static u64 *words_alloc(const struct emu *emu)
{
	return calloc(emu->nwords, sizeof(u64));
}

/* Find the channels to visit when a state or a CPU's thread changes. */
static int freeze_tracking(struct emu *emu)
{
	u32 n = emu->nslots - SLOT_MODEL;
	u32 i;

	emu->nwords = n / 64 + 1;
	emu->thread_tracked = words_alloc(emu);
	emu->cpu_tracked[SET_RUNNING] = words_alloc(emu);
	emu->cpu_tracked[SET_ACTIVE] = words_alloc(emu);
	if (!emu->thread_tracked || !emu->cpu_tracked[SET_RUNNING] ||
	    !emu->cpu_tracked[SET_ACTIVE])
		return emu_fail(emu, -ENOMEM, "out of memory");
	for (i = 0; i < n; i++) {
		const struct model_chan *spec = emu->slot[SLOT_MODEL + i].spec;
		int set = spec->cpu == TRACK_ACTIVE ? SET_ACTIVE : SET_RUNNING;

		/* A punctual channel has no state to show again. */
		if (spec->punctual)
			continue;
		if (spec->thread != TRACK_NONE) {
			emu->thread_tracked[i / 64] |= 1ull << i % 64;
			emu->nthread_tracked++;
		}
		if (spec->cpu != TRACK_NONE) {
			emu->cpu_tracked[set][i / 64] |= 1ull << i % 64;
			emu->ncpu_tracked[set]++;
		}
	}
	/* An event writes the models' channels of one thread and of two CPUs. */
	if (chan_dirty_init(&emu->dirty, CORE_DIRTY + n + 2 * emu->ncpu_slots))
		return emu_fail(emu, -ENOMEM, "out of memory");
	return 0;
}

/* Find the channels that others follow. */
static void freeze_follow(struct emu *emu)
{
	u32 i;

	for (i = 0; i < SLOT_MODEL; i++)
		emu->slot[i].follow = FOLLOW_NOTHING;
	if (emu->nthread_tracked)
		emu->slot[SLOT_THREAD + THREAD_STATE].follow = FOLLOW_STATE;
	emu->slot[SLOT_CPU + CPU_TH_RUNNING].follow = FOLLOW_RUNNING;
	emu->slot[SLOT_CPU + CPU_TH_ACTIVE].follow = FOLLOW_ACTIVE;
	for (; i < emu->nslots; i++) {
		const struct model_chan *spec = emu->slot[i].spec;

		if (spec->thread == TRACK_NONE && spec->cpu == TRACK_NONE)
			emu->slot[i].follow = FOLLOW_NOTHING;
	}
}

static void freeze_chan(struct chan *c, struct slot *slot, void *owner)
{
	const struct model_chan *spec = slot->spec;

	chan_init(c, spec->kind, spec->dup, slot, owner);
	c->enabled = track_thread(spec->thread, TH_UNKNOWN);
	if (spec->init)
		c->state = CHAN_INT(spec->init);
	c->follow = slot->follow;
}

static void freeze_out(struct emu *emu, enum prv_file file, struct prv_out *out, u32 row,
		       struct slot *slot)
{
	prv_out_init(out, &emu->prv[file][row / EMU_PART_ROWS], row % EMU_PART_ROWS,
		     &slot->type[file]);
	if (slot->spec->optional)
		out->last = CHAN_NULL;
}

static int freeze_thread(struct emu *emu, struct emu_thread *th)
{
	u32 n = THREAD_NR_CORE + emu->nslots - SLOT_MODEL;
	u32 i;

	th->chan = calloc(n, sizeof(*th->chan));
	th->out = calloc(n, sizeof(*th->out));
	th->busy = words_alloc(emu);
	if (!th->chan || !th->out || !th->busy)
		return emu_fail(emu, -ENOMEM, "out of memory");
	memcpy(th->busy, emu->thread_tracked, emu->nwords * sizeof(u64));
	for (i = 0; i < n; i++) {
		u32 at = i < THREAD_NR_CORE ? SLOT_THREAD + i : SLOT_MODEL + i - THREAD_NR_CORE;
		struct slot *slot = &emu->slot[at];

		freeze_chan(&th->chan[i], slot, th);
		freeze_out(emu, PRV_THREAD, &th->out[i], th->row, slot);
		if (slot->spec->thread == TRACK_NONE)
			th->chan[i].out = &th->out[i];
	}
	return 0;
}

static void freeze_cpu_chan(struct chan *c, struct slot *slot, struct emu_cpu *cpu)
{
	freeze_chan(c, slot, cpu);
	if (slot->spec->type)
		c->out = &cpu->out[slot->cpu];
}

static int freeze_cpu(struct emu *emu, struct emu_cpu *cpu)
{
	u32 own = emu->nslots - SLOT_CPU;	/* the first of @model_chan */
	u32 n = own + emu->ncpu_slots;
	u32 i;

	cpu->model_chan = calloc(emu->ncpu_slots + 1, sizeof(*cpu->model_chan));
	cpu->out = calloc(n, sizeof(*cpu->out));
	cpu->busy = words_alloc(emu);
	if (!cpu->model_chan || !cpu->out || !cpu->busy)
		return emu_fail(emu, -ENOMEM, "out of memory");
	memset(cpu->busy, 0xff, emu->nwords * sizeof(u64));
	for (i = 0; i < n; i++) {
		struct slot *slot = &emu->slot[SLOT_CPU + i];

		freeze_out(emu, PRV_CPU, &cpu->out[i], cpu->row, slot);
		if (i < CPU_NR_CORE)
			freeze_cpu_chan(&cpu->chan[i], slot, cpu);
		else if (i >= own)
			freeze_cpu_chan(&cpu->model_chan[i - own], slot, cpu);
	}
	return 0;
}

static int freeze_rows(struct emu *emu)
{
	u32 i;
	int ret;

	for (i = 0; i < emu->sys.nthreads; i++) {
		ret = freeze_thread(emu, emu->sys.threads[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < emu->sys.ncpus; i++) {
		ret = freeze_cpu(emu, emu->sys.cpus[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int freeze_parts(struct emu *emu, enum prv_file file, u32 rows)
{
	u32 n = (rows - 1) / EMU_PART_ROWS + 1;
	char name[EMU_NAME_MAX];
	int ret;

	emu->prv[file] = calloc(n, sizeof(*emu->prv[file]));
	if (!emu->prv[file])
		return emu_fail(emu, -ENOMEM, "out of memory");
	for (; emu->nprv[file] < n; emu->nprv[file]++) {
		struct prv *prv = &emu->prv[file][emu->nprv[file]];

		emu_name(name, emu_prv_base[file], emu->nprv[file],
			 emu->options & EMU_COMPRESS ? ".prv.gz" : ".prv");
		ret = prv_open(prv, emu->outdir, name, rows < EMU_PART_ROWS ? rows : EMU_PART_ROWS,
			       &emu->texts, emu->options);
		if (ret)
			return emu_fail(emu, ret, "the traces cannot be created");
		rows -= prv->rows;
	}
	if (n > 1)
		msg_info("%s: written in %u parts, because a Paraver trace has at most %d rows",
			 emu_prv_base[file], n, EMU_PART_ROWS);
	return 0;
}

static int freeze_outputs(struct emu *emu, const char *outdir)
{
	emu->outdir = strdup(outdir);
	if (!emu->outdir)
		return emu_fail(emu, -ENOMEM, "out of memory");
	return freeze_parts(emu, PRV_THREAD, emu->sys.nthreads) ?:
	       freeze_parts(emu, PRV_CPU, emu->sys.ncpus);
}

int emu_freeze(struct emu *emu, const char *outdir)
{
	int ret;

	if (emu->frozen)
		return emu_fail(emu, -EINVAL, "emu_freeze() was called before");
	ret = emu->sorted ? 0 : system_sort(emu);
	if (ret)
		return ret;
	ret = freeze_slots(emu);
	if (ret)
		return ret;
	ret = freeze_tracking(emu);
	if (ret)
		return ret;
	freeze_follow(emu);
	ret = freeze_outputs(emu, outdir);
	if (ret)
		return ret;
	ret = freeze_rows(emu);
	if (ret)
		return ret;
	ret = breakdown_open(emu);
	if (ret)
		return ret;
	emu->frozen = true;
	emu->open = true;
	return 0;
}

void emu_thaw(struct emu *emu)
{
	u32 n = THREAD_NR_CORE + emu->nslots - SLOT_MODEL;
	u32 i, j;

	for (i = 0; i < emu->sys.nthreads; i++) {
		struct emu_thread *th = emu->sys.threads[i];

		for (j = 0; th->chan && j < n; j++)
			chan_free(&th->chan[j]);
	}
	for (i = 0; emu->ncpu_slots && i < emu->sys.ncpus; i++) {
		const struct emu_cpu *cpu = emu->sys.cpus[i];

		for (j = 0; cpu->model_chan && j < emu->ncpu_slots; j++)
			chan_free(&cpu->model_chan[j]);
	}
	chan_dirty_free(&emu->dirty);
	free(emu->restore.row);
	idmap_free(&emu->restore.at);
	for (i = 0; i < NR_CPU_SETS; i++)
		free(emu->cpu_tracked[i]);
	for (i = 0; i < NR_PRV; i++)
		free(emu->prv[i]);
	free(emu->thread_tracked);
	free(emu->outdir);
	free(emu->slot);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The emulator: create, configure, process events, finish. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/breakdown.h"
#include "emu/cfg.h"
#include "emu/core.h"
#include "emu/pcf.h"
#include "util/msg.h"

struct emu *emu_new(const struct model *const *models)
{
	struct emu *emu = calloc(1, sizeof(*emu));
	int i;

	if (!emu)
		return NULL;
	if (system_init(&emu->sys))
		goto err_destroy;
	for (i = 0; i < EMU_NR_MODELS; i++) {
		if (model_compile(&emu->run[i], models[i]))
			goto err_destroy;
		emu->run[i].on = models[i]->always;
	}
	return emu;

err_destroy:
	emu_destroy(emu);
	return NULL;
}

static void free_procs(struct emu *emu, const struct model *model)
{
	u32 i, j;

	for (i = 0; i < emu->sys.nlooms; i++) {
		const struct emu_loom *loom = emu->sys.looms[i];

		for (j = 0; j < loom->nprocs; j++) {
			if (loom->procs[j]->priv[model->id])
				model->free_proc(loom->procs[j]->priv[model->id]);
		}
	}
}

static void emu_free_models(struct emu *emu)
{
	u32 i, j;

	for (i = 0; i < EMU_NR_MODELS && emu->run[i].model; i++) {
		const struct model *model = emu->run[i].model;

		if (model->free_thread) {
			for (j = 0; j < emu->sys.nthreads; j++)
				model->free_thread(emu->sys.threads[j]);
		}
		if (model->free_proc)
			free_procs(emu, model);
		if (model->free)
			model->free(emu);
		model_run_free(&emu->run[i]);
	}
}

static int emu_close_prv(struct emu *emu)
{
	int ret = 0;
	u32 part;
	int i;

	for (i = 0; i < NR_PRV; i++) {
		for (part = 0; part < emu->nprv[i]; part++) {
			int err = prv_close(&emu->prv[i][part]);

			ret = ret ? ret : err;
		}
	}
	return ret;
}

void emu_destroy(struct emu *emu)
{
	int ret;

	if (!emu)
		return;
	ret = emu_close_prv(emu);
	if (breakdown_close(emu) || ret)
		msg_error("the traces are incomplete");
	emu_free_models(emu);
	emu_thaw(emu);
	system_free(&emu->sys);
	free(emu);
}

void emu_options(struct emu *emu, u32 options)
{
	emu->options |= options;
}

static struct model_run *run_by_name(struct emu *emu, const char *name)
{
	int i;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		if (!strcmp(emu->run[i].model->name, name))
			return &emu->run[i];
	}
	return NULL;
}

int emu_require(struct emu *emu, const char *name, const char *version)
{
	struct model_run *run = run_by_name(emu, name);
	int ret;

	if (!run)
		return 0;
	ret = model_version_check(run->model, version);
	if (ret == -EINVAL)
		return emu_fail(emu, ret, "model %s: cannot read version \"%s\"", name, version);
	if (ret)
		return emu_fail(emu, ret, "model %s: version %s is required, %u.%u is supported",
				name, version, run->model->major, run->model->minor);
	run->on = true;
	return 0;
}

bool emu_model_known(struct emu *emu, const char *name)
{
	return run_by_name(emu, name);
}

void emu_require_all(struct emu *emu)
{
	int i;

	for (i = 0; i < EMU_NR_MODELS; i++)
		emu->run[i].on = true;
}

static EMU_COLD const struct model *model_by_letter(const struct emu *emu, u8 letter)
{
	int i;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		if (emu->run[i].model->letter == letter)
			return emu->run[i].model;
	}
	return NULL;
}

static EMU_COLD int event_refuse(struct emu *emu, const struct ovni_ev *ev)
{
	const struct model *model = model_by_letter(emu, ev->mcv[0]);

	if (emu->dispatch[ev->mcv[0]])
		return emu_fail(emu, -ENOENT, "the %s model has no such event", model->name);
	if (model)
		return emu_fail(emu, -ENOENT, "no thread requires the %s model", model->name);
	return emu_fail(emu, -ENOENT, "unknown model");
}

/* Unknown models are skipped with a warning. A letter that is not printable is damage. */
static EMU_COLD int event_unknown(struct emu *emu, const struct ovni_ev *ev)
{
	u8 letter = ev->mcv[0];

	if (emu->options & EMU_STRICT || letter <= ' ' || letter > '~' ||
	    model_by_letter(emu, letter))
		return event_refuse(emu, ev);
	emu->unknown[letter]++;
	return 0;
}

static int event_size(struct emu *emu, const struct model_event *desc, const struct ovni_ev *ev)
{
	bool jumbo = desc->check == SIZE_JUMBO;

	if (ev->jumbo != jumbo)
		return emu_fail(emu, -EINVAL, "a %s event is expected",
				jumbo ? "jumbo" : "normal");
	if (desc->check == SIZE_EXACT ? ev->size == desc->size : ev->size >= desc->size)
		return 0;
	return emu_fail(emu, -EINVAL, "payload of %u bytes, %s%u expected", ev->size,
			desc->check == SIZE_EXACT ? "" : "at least ", desc->size);
}

static int event_allowed(struct emu *emu, const struct model *model, const struct emu_thread *th)
{
	if (model->need_in_cpu && unlikely(th->out_of_cpu))
		return emu_fail(emu, -EPERM, "thread %d is out of the CPU", th->tid);
	if (model->need == NEED_ACTIVE && !track_is_active(th->state))
		return emu_fail(emu, -EPERM, "thread %d is not active", th->tid);
	if (model->need == NEED_RUNNING && th->state != TH_RUNNING)
		return emu_fail(emu, -EPERM, "thread %d is not running", th->tid);
	return 0;
}

static int event_table(struct emu *emu, const struct model_event *desc, struct chan *c)
{
	switch (desc->op) {
	case OP_PUSH:
		return emu_push(emu, c, desc->state);
	case OP_POP:
		return emu_pop(emu, c, desc->state);
	case OP_SET:
		return emu_set(emu, c, CHAN_INT(desc->state));
	case OP_CLEAR:
		return emu_set(emu, c, CHAN_NULL);
	default:
		return 0;
	}
}

/* The pre phase: what the event changes. */
static int event_pre(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct model_run *run = emu->dispatch[ev->mcv[0]];
	const struct model_event *desc;
	int ret;

	if (unlikely(!run))
		return event_unknown(emu, ev);
	desc = model_event_find(run, ev->mcv);
	if (unlikely(!desc))
		return event_unknown(emu, ev);
	ret = event_allowed(emu, run->model, th);
	if (unlikely(ret))
		return ret;
	if (desc->check != SIZE_ANY) {
		ret = event_size(emu, desc, ev);
		if (unlikely(ret))
			return ret;
	}
	if (desc->op == OP_CALL)
		return desc->call(emu, th, ev);
	return event_table(emu, desc, emu_thread_chan(emu, th, run->model->id, desc->chan));
}

static __always_inline int event_clock(struct emu *emu, s64 clock)
{
	if (unlikely(!emu->started)) {
		emu->first = clock;
		emu->clock = clock;
		emu->started = true;
	}
	if (unlikely(clock < emu->clock))
		return emu_fail(emu, -EINVAL, "the clock goes back from %lld to %lld",
				(long long)emu->clock, (long long)clock);
	emu->clock = clock;
	prv_advance(&emu->texts.clock, (u64)clock - (u64)emu->first);
	return 0;
}

static EMU_COLD int event_not_now(struct emu *emu)
{
	return emu_fail(emu, -EINVAL, "events are not accepted %s",
			emu->failed ? "after an error" : "before emu_freeze()");
}

/* The phases after pre, which returned @ret. */
static inline int event_end(struct emu *emu, int ret)
{
	if (likely(!ret))
		ret = likely(!emu->breakdown) ? emit_event(emu) : breakdown_event(emu);
	if (unlikely(ret)) {
		emu->failed = true;
		emu->open = false;
	}
	return ret;
}

int emu_event(struct emu *emu, struct emu_thread *thread, const struct ovni_ev *ev)
{
	int ret;

	if (unlikely(!emu->open))
		return event_not_now(emu);
	ret = event_clock(emu, (s64)ev->clock);
	if (likely(!ret))
		ret = event_pre(emu, thread, ev);
	return event_end(emu, ret);
}

int emu_cpu_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev)
{
	const struct model_run *run = emu->dispatch[ev->mcv[0]];
	int ret;

	if (!emu->open)
		return event_not_now(emu);
	ret = event_clock(emu, (s64)ev->clock);
	if (!ret && (!run || !run->model->cpu_event))
		ret = event_refuse(emu, ev);
	if (!ret)
		ret = run->model->cpu_event(emu, cpu, ev);
	return event_end(emu, ret);
}

static int finish_models(struct emu *emu)
{
	int i, ret;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		const struct model_run *run = &emu->run[i];

		if (!run->on || !run->model->finish)
			continue;
		ret = run->model->finish(emu);
		if (ret)
			return ret;
	}
	return 0;
}

/* Check a stack that must be empty at the end. */
static int lint_slot(struct emu *emu, const struct slot *slot)
{
	const struct emu_thread *open = NULL;
	u32 n = 0;
	u32 i;

	for (i = 0; i < emu->sys.nthreads; i++) {
		const struct emu_thread *th = emu->sys.threads[i];

		if (!th->chan[slot->thread].depth)
			continue;
		open = open ? open : th;
		n++;
	}
	if (!n)
		return 0;
	return emu_fail(emu, -EINVAL,
			"at the end of the trace %s is not empty in %u of %u threads, the first is thread %d with state %lld on top",
			slot->spec->name, n, emu->sys.nthreads, open->tid,
			(long long)open->chan[slot->thread].state.i);
}

static int lint(struct emu *emu)
{
	u32 i;
	int ret = 0;

	for (i = SLOT_MODEL; emu->options & EMU_LINT && i < emu->nslots && !ret; i++) {
		if (emu->slot[i].spec->lint)
			ret = lint_slot(emu, &emu->slot[i]);
	}
	return ret;
}

static int label_models(struct emu *emu)
{
	int i, ret = 0;

	for (i = 0; i < EMU_NR_MODELS; i++) {
		const struct model_run *run = &emu->run[i];
		int err = 0;

		if (run->on && run->model->label)
			err = run->model->label(emu);
		ret = ret ? ret : err;
	}
	return ret;
}

static void report_unknown(const struct emu *emu)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(emu->unknown); i++) {
		if (emu->unknown[i])
			msg_warn("unknown model %c: %llu event%s skipped", i,
				 (unsigned long long)emu->unknown[i],
				 emu->unknown[i] == 1 ? " was" : "s were");
	}
}

/* Check the end of the trace. The first reason found is kept. */
static int judge(struct emu *emu)
{
	int labels = label_models(emu);

	report_unknown(emu);
	if (emu->failed)
		return -EINVAL;
	if (labels)
		return labels;
	return finish_models(emu) ?: lint(emu);
}

int emu_finish(struct emu *emu)
{
	int pcf, row, cfg, prv, breakdown, late;
	int verdict;

	if (!emu->frozen || !emu->outdir)
		return emu_fail(emu, -EINVAL, "emu_finish() without emu_freeze()");
	verdict = judge(emu);

	/* Whatever the verdict, the output must be readable. */
	pcf = pcf_write(emu);
	row = row_write(emu);
	cfg = cfg_write(emu);
	breakdown = breakdown_write(emu);
	late = punctual_finish(emu);
	prv = emu_close_prv(emu);
	if (breakdown_close(emu))
		prv = -EIO;
	free(emu->outdir);
	emu->outdir = NULL;
	emu->failed = true;
	emu->open = false;
	if (!pcf && !row && !cfg && !breakdown && !prv && !late)
		return verdict;
	/* Files that are cut are of no use, whatever the verdict. */
	if (!verdict)
		emu_fail(emu, -EIO, "the trace cannot be written");
	return -EIO;
}

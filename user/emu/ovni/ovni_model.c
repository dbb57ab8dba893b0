// SPDX-License-Identifier: GPL-2.0-only
/* The ovni model: threads, where they run, user marks, the tracer itself. */
#include <errno.h>
#include <stdlib.h>

#include "emu/ovni/ovni_model.h"
#include "util/msg.h"

#define OVNI_CHAN_FLUSH		0	/* index of the flush channel in the model's table */
#define OVNI_ST_FLUSHING	1

#define FLUSH_LONG_NS	(10 * 1000 * 1000)
#define BURST_SLOW_NS	100

static int ovni_flush_begin(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct ovni_thread *priv = ovni_thread_get(emu, th);

	(void)ev;
	if (!priv)
		return -ENOMEM;
	priv->flush_begin = emu->clock;
	return emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_OVNI, OVNI_CHAN_FLUSH),
		       CHAN_INT(OVNI_ST_FLUSHING));
}

static int ovni_flush_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct ovni_thread *priv = th->priv[MODEL_ID_OVNI];

	(void)ev;
	if (priv && th->state == TH_RUNNING && emu->clock - priv->flush_begin > FLUSH_LONG_NS)
		priv->long_flushes++;
	return emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_OVNI, OVNI_CHAN_FLUSH), CHAN_NULL);
}

static int cmp_s64(const void *a, const void *b)
{
	s64 x = *(const s64 *)a;
	s64 y = *(const s64 *)b;

	return (x > y) - (x < y);
}

static void burst_report(const struct emu_thread *th, const struct ovni_thread *priv)
{
	s64 delta[OVNI_BURST_MAX - 1];
	u32 n = ARRAY_SIZE(delta);
	s64 median;
	u32 i;

	for (i = 0; i < n; i++)
		delta[i] = priv->burst[i + 1] - priv->burst[i];
	qsort(delta, n, sizeof(delta[0]), cmp_s64);
	median = delta[n / 2];
	msg_info("loom %s: burst of %d events, ns between two: median %lld, mean %.1f, max %lld",
		 th->proc->loom->name, OVNI_BURST_MAX, (long long)median,
		 (double)(priv->burst[n] - priv->burst[0]) / n, (long long)delta[n - 1]);
	if (median > BURST_SLOW_NS)
		msg_warn("loom %s: writing an event takes more than %d ns",
			 th->proc->loom->name, BURST_SLOW_NS);
}

static int ovni_burst(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct ovni_thread *priv = ovni_thread_get(emu, th);

	(void)ev;
	if (!priv)
		return -ENOMEM;
	if (!priv->burst)
		priv->burst = calloc(OVNI_BURST_MAX, sizeof(*priv->burst));
	if (!priv->burst)
		return emu_fail(emu, -ENOMEM, "out of memory");
	priv->burst[priv->nburst++] = emu->clock;
	if (priv->nburst < OVNI_BURST_MAX)
		return 0;
	burst_report(th, priv);
	priv->nburst = 0;
	return 0;
}

static int ovni_cpu_count(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)th;
	(void)ev;
	if (model_warn(&emu->run[MODEL_ID_OVNI], MODEL_WARN_OLD))
		msg_warn("event OCn is obsolete and ignored");
	return 0;
}

static const struct ovni_label flush_labels[] = {
	{ OVNI_ST_FLUSHING, "Flushing" },
};

static const struct model_chan ovni_chans[] = {
	[OVNI_CHAN_FLUSH] = {
		.name = "ovni.flush", .label = "Flushing ovni buffer", .type = 7,
		.flags = PRV_SKIP_DUP, MODEL_ROWS(NONE, RUNNING), MODEL_LABELS(flush_labels),
	},
};

static const struct model_event ovni_events[] = {
	{ .mcv = "OHx", .call = ovni_execute, .check = SIZE_MIN, .size = 4 },
	{ .mcv = "OHe", .call = ovni_end },
	{ .mcv = "OHc", .call = ovni_cool },
	{ .mcv = "OHp", .call = ovni_pause },
	{ .mcv = "OHw", .call = ovni_warm },
	{ .mcv = "OHr", .call = ovni_resume },
	{ .mcv = "OHC", .op = OP_IGNORE },
	{ .mcv = "OAs", .call = ovni_affinity, .check = SIZE_EXACT, .size = 4 },
	{ .mcv = "OAr", .call = ovni_affinity_other, .check = SIZE_EXACT, .size = 8 },
	{ .mcv = "OM[", .call = ovni_mark_push, .check = SIZE_EXACT, .size = 12 },
	{ .mcv = "OM]", .call = ovni_mark_pop, .check = SIZE_EXACT, .size = 12 },
	{ .mcv = "OM=", .call = ovni_mark_set, .check = SIZE_EXACT, .size = 12 },
	{ .mcv = "OF[", .call = ovni_flush_begin },
	{ .mcv = "OF]", .call = ovni_flush_end },
	{ .mcv = "OCn", .call = ovni_cpu_count },
	{ .mcv = "OB", .call = ovni_burst },
	{ .mcv = "OU", .op = OP_IGNORE },
};

static void ovni_free_thread(struct emu_thread *th)
{
	struct ovni_thread *priv = th->priv[MODEL_ID_OVNI];

	if (priv)
		free(priv->burst);
	free(priv);
	th->priv[MODEL_ID_OVNI] = NULL;
}

static int ovni_finish(struct emu *emu)
{
	const struct emu_thread *alive = NULL;
	u64 long_flushes = 0;
	u32 n = 0;
	u32 i;

	for (i = 0; i < emu->sys.nthreads; i++) {
		const struct emu_thread *th = emu->sys.threads[i];
		const struct ovni_thread *priv = th->priv[MODEL_ID_OVNI];

		long_flushes += priv ? priv->long_flushes : 0;
		if (th->state == TH_DEAD)
			continue;
		alive = alive ? alive : th;
		n++;
	}
	if (long_flushes)
		msg_warn("%llu flushes of trace buffers took more than 10 ms",
			 (unsigned long long)long_flushes);
	if (!n)
		return 0;
	return emu_fail(emu, -EINVAL,
			"at the end of the trace %u of %u threads are not dead, the first is thread %d of process %d in loom %s",
			n, emu->sys.nthreads, alive->tid, alive->proc->pid,
			alive->proc->loom->name);
}

DEFINE_MODEL(ovni) = {
	.name = "ovni", .letter = 'O', .major = 1, .minor = 1, .id = MODEL_ID_OVNI,
	.need = NEED_NOTHING, .need_in_cpu = true, .always = true, MODEL_TABLE(chans, ovni_chans),
	MODEL_TABLE(events, ovni_events), .freeze = ovni_mark_freeze, .finish = ovni_finish,
	.views = ovni_mark_views,
	.free_thread = ovni_free_thread, .free = ovni_mark_free,
};

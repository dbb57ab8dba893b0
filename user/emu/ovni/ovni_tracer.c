// SPDX-License-Identifier: GPL-2.0-only
/* ovni events about the tracer: its flushes, and bursts that measure its cost. */
#include <errno.h>
#include <stdlib.h>

#include "emu/ovni/ovni_model.h"
#include "util/msg.h"

#define FLUSH_LONG_NS	(10 * 1000 * 1000)
#define BURST_SLOW_NS	100

int ovni_flush_begin(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct ovni_thread *priv = ovni_thread_get(emu, th);

	(void)ev;
	if (!priv)
		return -ENOMEM;
	priv->flush_begin = emu->clock;
	return emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_OVNI, OVNI_CHAN_FLUSH),
		       CHAN_INT(OVNI_ST_FLUSHING));
}

int ovni_flush_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
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

int ovni_burst(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
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

int ovni_cpu_count(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)th;
	(void)ev;
	if (model_warn(&emu->run[MODEL_ID_OVNI], MODEL_WARN_OLD))
		msg_warn("event OCn is obsolete and ignored");
	return 0;
}

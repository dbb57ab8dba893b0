// SPDX-License-Identifier: GPL-2.0-only
/* From channels to lines. */
#include <errno.h>
#include <string.h>

#include "emu/core.h"
#include "emu/emit.h"
#include "emu/track.h"

static EMU_COLD int emit_fail(struct emu *emu, const struct slot *slot, struct chan_value v,
			      int err)
{
	switch (err) {
	case -EEXIST:
		return emu_fail(emu, err, "%s: value %lld is written twice", slot->spec->name,
				(long long)v.i);
	case -EDOM:
		return emu_fail(emu, err, "%s: 0 is not a value", slot->spec->name);
	default:
		return emu_fail(emu, err, "the trace cannot be written");
	}
}

/* Does a CPU row follow this channel of this thread now? */
static inline bool emit_cpu_follows(const struct slot *slot, const struct emu_thread *th)
{
	if (!th->cpu || slot->spec->cpu == TRACK_NONE)
		return false;
	return track_cpu_thread(slot->spec->cpu, th->cpu) == th;
}

static int emit_punctual(struct emu *emu, struct chan *c)
{
	const struct slot *slot = c->slot;
	struct emu_thread *th = c->owner;
	struct chan_value v = c->ev;
	int ret;

	if (v.st == ST_NULL)
		return 0;
	c->ev = CHAN_NULL;
	if (slot < &emu->slot[SLOT_MODEL])
		return emu_fail(emu, -EINVAL, "%s: no punctual states here", slot->spec->name);
	ret = prv_emit_punctual(&th->out[slot->thread], v);
	if (!ret && emit_cpu_follows(slot, th))
		ret = prv_emit_punctual(&th->cpu->out[slot->cpu], v);
	return ret ? emit_fail(emu, slot, v, ret) : 0;
}

static int emit_punctual_all(struct emu *emu)
{
	struct prv_clock now = emu->prv_clock;
	int ret = 0;
	u32 i;

	prv_clock_back(&emu->prv_clock);
	for (i = 0; i < emu->dirty.n && !ret; i++)
		ret = emit_punctual(emu, emu->dirty.list[i]);
	emu->prv_clock = now;
	emu->dirty.nr_punctual = 0;
	return ret;
}

/* The thread has another state: some of its channels show or hide. */
static int emit_state(struct emu *emu, struct emu_thread *th)
{
	u32 i;

	for (i = 0; i < emu->nthread_tracked; i++) {
		const struct slot *slot = emu->thread_tracked[i];
		struct prv_out *out = &th->out[slot->thread];
		struct chan *c = &th->chan[slot->thread];
		struct chan_value v;
		int ret;

		c->enabled = track_thread(slot->spec->thread, th->state);
		v = chan_read(c);
		if (v.st == ST_NULL && prv_is_quiet(out))
			continue;
		ret = prv_emit(out, v);
		if (unlikely(ret))
			return emit_fail(emu, slot, v, ret);
	}
	return 0;
}

/* The CPU follows another thread, or none. */
static int emit_select(struct emu *emu, const struct emu_cpu *cpu, enum cpu_set_id set)
{
	const struct slot **slot = emu->cpu_tracked[set];
	const struct slot **end = slot + emu->ncpu_tracked[set];
	const struct chan *chan = NULL;
	struct chan_value v, without;

	without = track_cpu_without(&cpu->set[set]);
	if (cpu->set[set].n == 1)
		chan = cpu->set[set].first->chan;
	for (; slot < end; slot++) {
		struct prv_out *out = &cpu->out[(*slot)->cpu];
		int ret;

		v = chan ? track_cpu_chan(&chan[(*slot)->thread]) : without;
		if (v.st == ST_NULL && prv_is_quiet(out))
			continue;
		ret = prv_emit(out, v);
		if (unlikely(ret))
			return emit_fail(emu, *slot, v, ret);
	}
	return 0;
}

/* A model has written: what follows the channel is looked at again. */
static int emit_model(struct emu *emu, const struct chan *c)
{
	const struct slot *slot = c->slot;
	struct emu_thread *th = c->owner;
	struct chan_value v;
	int ret;

	/* Hidden by the thread's state: then not even null is written. */
	if (!c->out && track_thread(slot->spec->thread, th->state)) {
		v = chan_read(c);
		ret = prv_emit(&th->out[slot->thread], v);
		if (unlikely(ret))
			return emit_fail(emu, slot, v, ret);
	}
	if (!emit_cpu_follows(slot, th))
		return 0;
	v = track_cpu(slot->spec->cpu, th->cpu, slot->thread);
	ret = prv_emit(&th->cpu->out[slot->cpu], v);
	return likely(!ret) ? 0 : emit_fail(emu, slot, v, ret);
}

static inline int emit_follow(struct emu *emu, const struct chan *c)
{
	switch (c->follow) {
	case FOLLOW_STATE:
		return emit_state(emu, c->owner);
	case FOLLOW_RUNNING:
		return emit_select(emu, c->owner, SET_RUNNING);
	case FOLLOW_ACTIVE:
		return emit_select(emu, c->owner, SET_ACTIVE);
	default:
		return emit_model(emu, c);
	}
}

/* Draw what is drawn as it is written; keep on the list what others follow. */
static int emit_direct(struct emu *emu)
{
	struct chan **at = emu->dirty.list;
	struct chan **end = at + emu->dirty.n;
	struct chan **follow = at;
	int ret;

	for (; at < end; at++) {
		struct chan *c = *at;

		if (c->out) {
			ret = prv_emit(c->out, chan_read(c));
			if (unlikely(ret))
				return emit_fail(emu, c->slot, c->state, ret);
		}
		if (c->follow)
			*follow++ = c;
		else
			chan_clear(c);
	}
	emu->dirty.n = follow - emu->dirty.list;
	return 0;
}

int emit_event(struct emu *emu)
{
	struct chan_dirty *d = &emu->dirty;
	u32 i;
	int ret;

	if (unlikely(d->nr_punctual)) {
		ret = emit_punctual_all(emu);
		if (ret)
			return ret;
	}
	ret = emit_direct(emu);
	if (unlikely(ret))
		return ret;
	for (i = 0; i < d->n; i++) {
		struct chan *c = d->list[i];

		ret = emit_follow(emu, c);
		if (unlikely(ret))
			return ret;
		chan_clear(c);
	}
	d->n = 0;
	return 0;
}

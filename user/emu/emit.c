// SPDX-License-Identifier: GPL-2.0-only
/* From channels to lines. */
#include <errno.h>
#include <string.h>

#include "emu/core.h"
#include "emu/track.h"

EMU_COLD int emit_fail(struct emu *emu, const struct slot *slot, struct chan_value v, int err)
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

/* For paths colder than emit_direct(), in which prv_emit_state() is inlined. */
static int emit_out(struct emu *emu, const struct slot *slot, struct prv_out *out,
		    struct chan_value v)
{
	int ret = prv_emit(out, v);

	return likely(!ret) ? 0 : emit_fail(emu, slot, v, ret);
}

static inline void bit_assign(u64 *words, u32 bit, bool value)
{
	u64 mask = 1ull << bit % 64;

	if (value)
		words[bit / 64] |= mask;
	else
		words[bit / 64] &= ~mask;
}

/* Null channels are skipped, so @enabled is refreshed only when one is read. */
static inline void emit_enable(const struct slot *slot, const struct emu_thread *th,
			       struct chan *c)
{
	c->enabled = track_thread(slot->spec->thread, th->state);
}

static int emit_select_chan(struct emu *emu, const struct emu_cpu *cpu,
			    const struct cpu_set *set, u32 i)
{
	const struct slot *slot = &emu->slot[SLOT_MODEL + i];
	struct prv_out *out = &cpu->out[slot->cpu];
	struct chan_value v;

	if (set->n == 1) {
		struct chan *c = &set->first->chan[slot->thread];

		emit_enable(slot, set->first, c);
		v = track_cpu_chan(c);
	} else {
		v = track_cpu_without(set);
	}
	if (v.st == ST_NULL && prv_is_quiet(out)) {
		bit_assign(cpu->busy, i, false);
		return 0;
	}
	bit_assign(cpu->busy, i, true);
	return emit_out(emu, slot, out, v);
}

/* The CPU still follows the thread, but may see another value of the channel. */
static int emit_state_on_cpu(struct emu *emu, const struct slot *slot, const struct emu_thread *th)
{
	const struct emu_cpu *cpu = th->cpu;

	if (cpu->chan[CPU_TH_ACTIVE].dirty || !track_cpu_follows(slot->spec->cpu, th))
		return 0;
	return emit_select_chan(emu, cpu, &cpu->set[SET_ACTIVE], slot - &emu->slot[SLOT_MODEL]);
}

static int emit_state_chan(struct emu *emu, struct emu_thread *th, u32 i)
{
	const struct slot *slot = &emu->slot[SLOT_MODEL + i];
	struct chan *c = &th->chan[slot->thread];
	struct prv_out *out = &th->out[slot->thread];
	struct chan_value v;

	emit_enable(slot, th, c);
	if (unlikely(slot->spec->cpu == TRACK_ACTIVE) && th->cpu) {
		int ret = emit_state_on_cpu(emu, slot, th);

		if (ret)
			return ret;
	}
	v = chan_read(c);
	if (v.st == ST_NULL && prv_is_quiet(out)) {
		if (c->state.st == ST_NULL)
			bit_assign(th->busy, i, false);
		return 0;
	}
	return emit_out(emu, slot, out, v);
}

/* The thread has another state: some of its channels show or hide. */
static int emit_state(struct emu *emu, struct emu_thread *th)
{
	u32 w;

	for (w = 0; w < emu->nwords; w++) {
		u64 bits = th->busy[w] & emu->thread_tracked[w];

		for (; bits; bits &= bits - 1) {
			int ret = emit_state_chan(emu, th, 64 * w + __builtin_ctzll(bits));

			if (unlikely(ret))
				return ret;
		}
	}
	return 0;
}

/* The CPU now follows another thread, or none, or several. */
static __attribute__((noinline)) int emit_select(struct emu *emu, const struct emu_cpu *cpu,
						 enum cpu_set_id id)
{
	u32 w;

	for (w = 0; w < emu->nwords; w++) {
		u64 bits = emu_select_bits(emu, cpu, id, w);

		for (; bits; bits &= bits - 1) {
			int ret = emit_select_chan(emu, cpu, &cpu->set[id],
						   64 * w + __builtin_ctzll(bits));

			if (unlikely(ret))
				return ret;
		}
	}
	return 0;
}

/* A model has written the channel: update the rows that show it. */
static int emit_model(struct emu *emu, struct chan *c)
{
	const struct slot *slot = c->slot;
	struct emu_thread *th = c->owner;
	u32 i = slot - &emu->slot[SLOT_MODEL];
	struct chan_value v;
	int ret;

	/* A channel that can be hidden may need a line when it shows again, even if null. */
	bit_assign(th->busy, i, !c->out || c->state.st != ST_NULL);
	emit_enable(slot, th, c);
	/* If the thread's state hides it, nothing is written, not even null. */
	if (!c->out && c->enabled) {
		ret = emit_out(emu, slot, &th->out[slot->thread], chan_read(c));
		if (unlikely(ret))
			return ret;
	}
	if (!track_cpu_follows(slot->spec->cpu, th))
		return 0;
	v = track_cpu(slot->spec->cpu, th->cpu, slot->thread);
	bit_assign(th->cpu->busy, i, true);
	return emit_out(emu, slot, &th->cpu->out[slot->cpu], v);
}

static inline int emit_follow(struct emu *emu, struct chan *c)
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

/* Render channels with a direct output; keep those on the list that others follow. */
static int emit_direct(struct emu *emu)
{
	struct chan **at = emu->dirty.list;
	struct chan **end = emu->dirty.end;
	struct chan **follow = at;
	int ret;

	for (; at < end; at++) {
		struct chan *c = *at;

		if (c->out) {
			/* It is never hidden. */
			ret = prv_emit_state(c->out, c->state);
			if (unlikely(ret))
				return emit_fail(emu, c->slot, c->state, ret);
		}
		if (c->follow)
			*follow++ = c;
		else
			chan_clear(c);
	}
	emu->dirty.end = follow;
	return 0;
}

int emit_event(struct emu *emu)
{
	struct chan_dirty *d = &emu->dirty;
	struct chan **at;
	int ret;

	if (unlikely(d->nr_punctual)) {
		ret = punctual_emit(emu);
		if (ret)
			return ret;
	}
	ret = emit_direct(emu);
	if (unlikely(ret))
		return ret;
	for (at = d->list; at < d->end; at++) {
		struct chan *c = *at;

		ret = emit_follow(emu, c);
		if (unlikely(ret))
			return ret;
		chan_clear(c);
	}
	d->end = d->list;
	return 0;
}

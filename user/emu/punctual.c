// SPDX-License-Identifier: GPL-2.0-only
/* States of an instant: a nanosecond before it, or behind it if there is no room before. */
#include <errno.h>
#include <stdlib.h>

#include "emu/core.h"
#include "emu/track.h"

static int punctual_restore(struct emu *emu)
{
	struct restore *restore = &emu->restore;
	struct prv_clock *clock = &emu->texts.clock;
	u64 now = clock->now;
	int ret = 0;
	u32 i;

	if (!restore->n || now <= restore->after)
		return 0;
	prv_clock_set(clock, restore->after + 1);
	for (i = 0; i < restore->n && !ret; i++)
		ret = prv_emit_again(restore->out[i]);
	prv_clock_set(clock, now);
	/* A nanosecond that has lines now is no room. */
	if (clock->before <= restore->after)
		clock->before = restore->after + 1;
	restore->n = 0;
	return ret ? emu_fail(emu, ret, "the trace cannot be written") : 0;
}

static int restore_add(struct emu *emu, struct prv_out *out)
{
	struct restore *restore = &emu->restore;
	u32 size = restore->size ? 2 * restore->size : 16;
	struct prv_out **grown;

	if (restore->n == restore->size) {
		grown = reallocarray(restore->out, size, sizeof(*grown));
		if (!grown)
			return emu_fail(emu, -ENOMEM, "out of memory");
		restore->out = grown;
		restore->size = size;
	}
	restore->after = emu->texts.clock.now;
	restore->out[restore->n++] = out;
	return 0;
}

static int show(struct emu *emu, const struct slot *slot, struct prv_out *out,
		struct chan_value v, bool room)
{
	int ret = prv_emit_punctual(out, v, room);

	if (ret)
		return emit_fail(emu, slot, v, ret);
	return room ? 0 : restore_add(emu, out);
}

static int show_chan(struct emu *emu, struct chan *c, bool room)
{
	const struct slot *slot = c->slot;
	struct emu_thread *th = c->owner;
	struct chan_value v = c->ev;
	int ret;

	if (v.st == ST_NULL)
		return 0;
	c->ev = CHAN_NULL;
	if (slot < &emu->slot[SLOT_MODEL] || slot >= &emu->slot[emu->nslots])
		return emu_fail(emu, -EINVAL, "%s: punctual states are not supported",
				slot->spec->name);
	ret = show(emu, slot, &th->out[slot->thread], v, room);
	if (!ret && track_cpu_follows(slot->spec->cpu, th))
		ret = show(emu, slot, &th->cpu->out[slot->cpu], v, room);
	return ret;
}

int punctual_emit(struct emu *emu)
{
	struct prv_clock *clock = &emu->texts.clock;
	int ret = punctual_restore(emu);
	u64 now = clock->now;
	bool room = now > clock->before;
	struct chan **at;

	if (room)
		prv_clock_set(clock, now - 1);
	for (at = emu->dirty.list; at < emu->dirty.end && !ret; at++)
		ret = show_chan(emu, *at, room);
	prv_clock_set(clock, now);
	emu->dirty.nr_punctual = emu->restore.n;
	return ret;
}

int punctual_finish(struct emu *emu)
{
	if (!emu->restore.n)
		return 0;
	prv_advance(&emu->texts.clock, emu->restore.after + 1);
	return punctual_restore(emu);
}

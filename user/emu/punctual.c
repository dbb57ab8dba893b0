// SPDX-License-Identifier: GPL-2.0-only
/* States of an instant: a nanosecond before it, or behind it if there is no room before. */
#include <errno.h>
#include <stdint.h>
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

	if (now <= restore->after)
		return 0;
	prv_clock_set(clock, restore->after + 1);
	for (i = 0; i < restore->n && !ret; i++)
		ret = prv_emit_again(restore->row[i].out);
	prv_clock_set(clock, now);
	/* A nanosecond that has lines now is no room. */
	if (clock->before <= restore->after)
		clock->before = restore->after + 1;
	restore->n = 0;
	return ret ? emu_fail(emu, ret, "the trace cannot be written") : 0;
}

/* Return: the row among those that show something in this instant, or NULL without memory. */
static struct restore_row *restore_row(struct restore *restore, struct prv_out *out)
{
	struct idmap_slot *slot = idmap_put(&restore->at, (uintptr_t)out);
	u32 size = restore->size ? 2 * restore->size : 16;
	struct restore_row *grown;

	if (!slot)
		return NULL;
	if (slot->bits < restore->n && restore->row[slot->bits].out == out)
		return &restore->row[slot->bits];
	if (restore->n == restore->size) {
		grown = reallocarray(restore->row, size, sizeof(*grown));
		if (!grown)
			return NULL;
		restore->row = grown;
		restore->size = size;
	}
	slot->bits = restore->n++;
	restore->row[slot->bits] = (struct restore_row){ .out = out };
	return &restore->row[slot->bits];
}

static int show_late(struct emu *emu, const struct slot *slot, struct prv_out *out,
		     struct chan_value v)
{
	struct restore_row *row = restore_row(&emu->restore, out);
	int ret;

	if (!row)
		return emu_fail(emu, -ENOMEM, "out of memory");
	emu->restore.after = emu->texts.clock.now;
	if (__builtin_add_overflow(row->sum, v.i, &row->sum))
		row->sum = INT64_MAX;
	ret = prv_emit_over(out, CHAN_INT(row->sum));
	return ret ? emit_fail(emu, slot, v, ret) : 0;
}

static int show_chan(struct emu *emu, struct chan *c, bool room)
{
	const struct slot *slot = c->slot;
	struct emu_thread *th = c->owner;
	struct chan_value v = c->ev;
	struct prv_out *row, *cpu_row;
	int ret;

	if (v.st == ST_NULL)
		return 0;
	c->ev = CHAN_NULL;
	if (slot < &emu->slot[SLOT_MODEL] || slot >= &emu->slot[emu->nslots])
		return emu_fail(emu, -EINVAL, "%s: punctual states are not supported",
				slot->spec->name);
	row = &th->out[slot->thread];
	cpu_row = track_cpu_follows(slot->spec->cpu, th) ? &th->cpu->out[slot->cpu] : NULL;
	if (unlikely(!room))
		return show_late(emu, slot, row, v) ?:
		       (cpu_row ? show_late(emu, slot, cpu_row, v) : 0);
	ret = prv_emit_punctual(row, v);
	if (!ret && cpu_row)
		ret = prv_emit_punctual(cpu_row, v);
	return ret ? emit_fail(emu, slot, v, ret) : 0;
}

int punctual_emit(struct emu *emu)
{
	struct prv_clock *clock = &emu->texts.clock;
	int ret = unlikely(emu->restore.n) ? punctual_restore(emu) : 0;
	/* With its text, which takes longer to make than to copy. */
	struct prv_clock now = *clock;
	bool room = now.now > now.before;
	struct chan **at;

	if (room)
		prv_clock_set(clock, now.now - 1);
	for (at = emu->dirty.list; at < emu->dirty.end && !ret; at++)
		ret = show_chan(emu, *at, room);
	*clock = now;
	emu->dirty.nr_punctual = emu->restore.n;
	return ret;
}

int punctual_finish(struct emu *emu)
{
	struct prv_clock *clock = &emu->texts.clock;

	if (!emu->restore.n)
		return 0;
	if (clock->now <= emu->restore.after)
		prv_advance(clock, emu->restore.after + 1);
	return punctual_restore(emu);
}

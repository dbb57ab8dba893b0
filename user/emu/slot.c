// SPDX-License-Identifier: GPL-2.0-only
/* Adding channels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/core.h"

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
	slot->type[PRV_CPU].null = spec->cpu_null;
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

int emu_slot_add_cpu(struct emu *emu, const struct model_chan *spec)
{
	int n = slot_new(emu, spec, FOLLOW_NOTHING);

	emu->ncpu_slots += n >= 0;
	return n;
}

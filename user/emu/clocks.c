// SPDX-License-Identifier: GPL-2.0-only
/* The clocks of looms on several hosts. */
#include <stdio.h>
#include <stdlib.h>

#include "align/align.h"
#include "emu/clocks.h"
#include "util/msg.h"

static bool several_hosts(const struct system *sys)
{
	u32 i;

	for (i = 1; i < sys->nlooms; i++) {
		if (!system_same_host(sys->looms[i], sys->looms[0]))
			return true;
	}
	return false;
}

static int load(struct align *a, const struct emu_loom *loom)
{
	char *dir;
	int ret;

	if (asprintf(&dir, "%s/loom.%s", loom->trace, loom->name) < 0)
		return msg_no_memory();
	a->node = loom->name;
	ret = align_load(a, dir);
	free(dir);
	return ret;
}

static int align_looms(const struct system *sys, struct align *all)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < sys->nlooms && !ret; i++)
		ret = load(&all[i], sys->looms[i]);
	if (ret)
		return ret;
	align_by_walls(all, sys->nlooms);
	for (i = 0; i < sys->nlooms; i++) {
		sys->looms[i]->offset = all[i].offset;
		sys->looms[i]->synced = all[i].known;
	}
	return 0;
}

int clocks_align(const struct system *sys)
{
	struct align *all;
	int ret;

	if (!several_hosts(sys))
		return 0;
	all = calloc(sys->nlooms, sizeof(*all));
	if (!all)
		return msg_no_memory();
	ret = align_looms(sys, all);
	free(all);
	return ret;
}

void clocks_warn(const struct system *sys)
{
	const struct emu_loom *first = NULL;
	u32 i, n = 0;

	for (i = 0; i < sys->nlooms; i++) {
		if (sys->looms[i]->synced)
			continue;
		first = first ? first : sys->looms[i];
		n++;
	}
	if (first && several_hosts(sys))
		msg_warn("%u of %u looms, the first is %s, have no clock offset: their times are compared with those of other nodes as they are, and may be wrong",
			 n, sys->nlooms, first->name);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware counters of nOS-V: declared in metadata, written by VWC. Their views for Paraver are
 * named after them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/cfg.h"
#include "emu/nosv/nosv_model.h"
#include "emu/track.h"

int nosv_views(const struct emu *emu)
{
	const struct nosv_data *data = emu->run[MODEL_ID_NOSV].priv;
	int ret = 0;
	u32 i;

	for (i = 0; data && i < data->ncounters && !ret; i++)
		ret = cfg_make(emu, "nosv", data->counter[i].label, data->counter[i].spec.type);
	return ret;
}

struct nosv_data *nosv_data_get(struct emu *emu)
{
	struct model_run *run = &emu->run[MODEL_ID_NOSV];

	if (!run->priv) {
		run->priv = calloc(1, sizeof(struct nosv_data));
		if (!run->priv)
			emu_fail(emu, -ENOMEM, "out of memory");
	}
	return run->priv;
}

void nosv_data_free(struct emu *emu)
{
	struct nosv_data *data = emu->run[MODEL_ID_NOSV].priv;
	u32 i;

	for (i = 0; data && i < data->ncounters; i++)
		free(data->counter[i].label);
	free(data);
	emu->run[MODEL_ID_NOSV].priv = NULL;
}

static int counter_add(struct emu *emu, struct nosv_counter *counter, u32 index, const char *label)
{
	struct model_chan *spec = &counter->spec;

	counter->label = strdup(label);
	if (!counter->label)
		return emu_fail(emu, -ENOMEM, "out of memory");
	snprintf(counter->name, sizeof(counter->name), "nosv.hwc%u", index);
	spec->name = counter->name;
	spec->label = counter->label;
	spec->type = NOSV_COUNTER_PRV_TYPE + index;
	spec->dup = CHAN_DUP_ALLOW;
	spec->flags = PRV_SKIP_DUP_NULL | PRV_ZERO;
	spec->thread = TRACK_ACTIVE;
	spec->cpu = TRACK_RUNNING;
	spec->plain_label = true;
	return 0;
}

static int counters_add(struct emu *emu, struct nosv_data *data, const char *const *label, u32 n)
{
	int ret = 0;

	while (data->ncounters < n && !ret) {
		u32 i = data->ncounters;

		ret = counter_add(emu, &data->counter[i], i, label[i]);
		data->ncounters += !ret;
	}
	return ret;
}

static int counters_same(struct emu *emu, const struct nosv_data *data, const char *const *label,
			 u32 n)
{
	u32 i;

	if (data->ncounters != n)
		return emu_fail(emu, -EINVAL, "nosv: some threads have %u hardware counters, others %u",
				data->ncounters, n);
	for (i = 0; i < n; i++) {
		if (strcmp(data->counter[i].label, label[i]))
			return emu_fail(emu, -EINVAL,
					"nosv: hardware counter %u is \"%.100s\" and \"%.100s\"", i,
					data->counter[i].label, label[i]);
	}
	return 0;
}

int nosv_counters_declare(struct emu *emu, const char *const *label, u32 n)
{
	struct nosv_data *data = nosv_data_get(emu);

	if (!data)
		return -ENOMEM;
	if (emu->frozen)
		return emu_fail(emu, -EINVAL, "hardware counters are declared too late");
	if (n > NOSV_MAX_COUNTERS)
		return emu_fail(emu, -EINVAL, "nosv: %u hardware counters, at most %d are supported",
				n, NOSV_MAX_COUNTERS);
	if (data->ncounters && n)
		return counters_same(emu, data, label, n);
	return counters_add(emu, data, label, n);
}

int nosv_counters_freeze(struct emu *emu)
{
	const struct nosv_data *data = emu->run[MODEL_ID_NOSV].priv;
	u32 i;

	for (i = 0; data && i < data->ncounters; i++) {
		int ret = emu_slot_add(emu, &data->counter[i].spec);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Their channels follow those of the model's table. */
int nosv_count(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	const struct nosv_data *data = emu->run[MODEL_ID_NOSV].priv;
	u32 n = data ? data->ncounters : 0;
	s64 value;
	u32 i;
	int ret = 0;

	if (!n)
		return emu_fail(emu, -EINVAL, "no thread declares hardware counters");
	if (ev->size != n * sizeof(value))
		return emu_fail(emu, -EINVAL, "payload of %u bytes, %zu expected for %u hardware counters",
				ev->size, n * sizeof(value), n);
	for (i = 0; i < n && !ret; i++) {
		memcpy(&value, (const u8 *)ev->payload + i * sizeof(value), sizeof(value));
		ret = emu_set(emu, emu_thread_chan(emu, th, MODEL_ID_NOSV, NOSV_NR_CHANS + i),
			      CHAN_INT(value));
	}
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_NOSV_MODEL_H
#define OVNIK_EMU_NOSV_MODEL_H

#include "emu/core.h"

struct json_object;

/* Private to the nosv model. */

#define NOSV_MAX_COUNTERS	100
#define NOSV_COUNTER_PRV_TYPE	200

/**
 * struct nosv_counter - A hardware counter.
 * @spec: its channel
 * @label: its label
 * @name: name in messages
 */
struct nosv_counter {
	struct model_chan spec;
	char *label;
	char name[24];
};

/**
 * struct nosv_data - What the model keeps in the emulator.
 * @counter: hardware counters, the same for all threads that have any
 * @ncounters: how many
 * @can_breakdown: number of threads that allow a breakdown
 * @cannot_breakdown: number of threads that do not
 */
struct nosv_data {
	struct nosv_counter counter[NOSV_MAX_COUNTERS];
	u32 ncounters;
	u32 can_breakdown;
	u32 cannot_breakdown;
};

/**
 * nosv_data_get() - The model's data, created on first use.
 * @emu: emulator
 *
 * Return: the data, or NULL with the reason in @emu.
 */
struct nosv_data *nosv_data_get(struct emu *emu);

/**
 * nosv_data_free() - Free the model's data.
 * @emu: emulator
 */
void nosv_data_free(struct emu *emu);

/**
 * nosv_meta_load() - Read nOS-V's part of a stream.json, if any.
 * @emu: emulator, not frozen
 * @path: name of the file, for messages
 * @root: its contents
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check nosv_meta_load(struct emu *emu, const char *path, struct json_object *root);

/**
 * nosv_breakdown_declare() - Declare whether a thread allows a breakdown.
 * @emu: emulator, not frozen
 * @can: it does
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check nosv_breakdown_declare(struct emu *emu, bool can);

/**
 * nosv_counters_declare() - Declare the hardware counters of a thread.
 * @emu: emulator, not frozen
 * @label: their labels
 * @n: how many
 *
 * Return: 0, or a negative errno with the reason in @emu, such as other counters before.
 */
int __must_check nosv_counters_declare(struct emu *emu, const char *const *label, u32 n);

/* The event of hardware counters: VWC. */
int nosv_count(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);

/**
 * nosv_counters_freeze() - Give every declared counter its channel.
 * @emu: emulator being frozen
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check nosv_counters_freeze(struct emu *emu);

/**
 * nosv_views() - Write the views of hardware counters.
 * @emu: emulator at its end
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check nosv_views(const struct emu *emu);

/* Channels of the model, by index in its table. */
enum nosv_chan {
	NOSV_CHAN_BODYID,
	NOSV_CHAN_TASKID,
	NOSV_CHAN_TYPE,
	NOSV_CHAN_APPID,
	NOSV_CHAN_SUBSYSTEM,
	NOSV_CHAN_RANK,
	NOSV_CHAN_IDLE,
	NOSV_NR_CHANS,
};

#define NOSV_ST_UNKNOWN	2
#define NOSV_ST_BODY	11

#endif /* OVNIK_EMU_NOSV_MODEL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_OVNI_MODEL_H
#define OVNIK_EMU_OVNI_MODEL_H

#include <errno.h>
#include <stdlib.h>

#include "emu/core.h"
#include "trace/activity.h"

/* Private to the ovni model; each function is the pre phase of an event. */

#define OVNI_BURST_MAX 100

/**
 * struct ovni_thread - The ovni model's data of a thread.
 * @flush_begin: clock of the last OF[
 * @long_flushes: flushes that took too long
 * @count: last value of each activity that is a count
 * @burst: clocks of OB? events, OVNI_BURST_MAX; NULL before the first
 * @nburst: how many
 */
struct ovni_thread {
	s64 flush_begin;
	u64 long_flushes;
	s64 count[OVNI_NR_ACTIVITIES];
	s64 *burst;
	u32 nburst;
};

/**
 * ovni_thread_get() - The ovni model's data of a thread, created on first use.
 * @emu: emulator
 * @th: thread
 *
 * Return: the data, or NULL with the reason in @emu.
 */
static inline struct ovni_thread *ovni_thread_get(struct emu *emu, struct emu_thread *th)
{
	if (!th->priv[MODEL_ID_OVNI]) {
		th->priv[MODEL_ID_OVNI] = calloc(1, sizeof(struct ovni_thread));
		if (!th->priv[MODEL_ID_OVNI])
			emu_fail(emu, -ENOMEM, "out of memory");
	}
	return th->priv[MODEL_ID_OVNI];
}

/* Threads (ovni_thread.c): OHx OHe OHc OHp OHw OHr OAs OAr. */
int ovni_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_cool(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_warm(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_affinity(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_affinity_other(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);

/* User marks (ovni_mark.c): OM[ OM] OM=. */
int ovni_mark_push(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_mark_pop(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
int ovni_mark_set(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);

/**
 * ovni_mark_freeze() - Give every declared mark its channel.
 * @emu: emulator being frozen
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int ovni_mark_freeze(struct emu *emu);

/**
 * ovni_mark_views() - Write the views of the application's own marks.
 * @emu: emulator, at the end
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int ovni_mark_views(const struct emu *emu);

/**
 * ovni_mark_free() - Free all declarations.
 * @emu: emulator
 */
void ovni_mark_free(struct emu *emu);

/**
 * ovni_mark_end() - Clear the levels of a thread that ends.
 * @emu: emulator
 * @th: thread
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int ovni_mark_end(struct emu *emu, struct emu_thread *th);

#endif /* OVNIK_EMU_OVNI_MODEL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CORE_H
#define OVNIK_EMU_CORE_H

#include "emu/chan.h"
#include "emu/emu.h"
#include "emu/fail.h"
#include "emu/model.h"
#include "emu/name.h"
#include "emu/prv.h"
#include "emu/system.h"
#include "util/types.h"

/* What the parts of the emulator share; emu.h is for everybody else. */

/*
 * Slots: what is known of a channel beyond its state. Thread core channels,
 * CPU core channels, the models' channels of threads, then those of CPUs.
 */
#define SLOT_THREAD	0
#define SLOT_CPU	THREAD_NR_CORE
#define SLOT_MODEL	(THREAD_NR_CORE + CPU_NR_CORE)

/**
 * enum slot_follow - What is looked at again when a channel was written.
 * @FOLLOW_NOTHING: nothing
 * @FOLLOW_STATE: the thread's channels, which show or hide
 * @FOLLOW_RUNNING: the CPU's channels, it follows another running thread
 * @FOLLOW_ACTIVE: the CPU's channels, it follows another active thread
 * @FOLLOW_MODEL: this channel on the rows of thread and CPU
 */
enum slot_follow {
	FOLLOW_NOTHING,
	FOLLOW_STATE,
	FOLLOW_RUNNING,
	FOLLOW_ACTIVE,
	FOLLOW_MODEL,
};

/**
 * struct slot - A channel that all threads or all CPUs have.
 * @spec: its description; type 0 means that no trace has it
 * @type: what its lines look like
 * @follow: enum slot_follow
 * @thread: index in emu_thread.chan and .out (thread channels)
 * @cpu: index in emu_cpu.out
 * @late: more labels than those of @spec, known at the end only
 * @nlate: how many
 */
struct slot {
	const struct model_chan *spec;
	struct prv_type type[NR_PRV];
	u8 follow;
	u16 thread;
	u16 cpu;
	const struct ovni_label *late;
	u32 nlate;
};

struct breakdown;

/**
 * struct emu - An emulator.
 * @sys: what is emulated
 * @run: the models
 * @dispatch: the models that are on, by letter
 * @slot: channels
 * @nslots: how many, without the models' channels of CPUs
 * @ncpu_slots: the models' channels of CPUs, which follow
 * @nwords: words that a bit for each channel of a model takes
 * @thread_tracked: channels to look at when a thread changes state, a bit each
 * @nthread_tracked: how many
 * @cpu_tracked: channels to look at when a CPU's thread changes, by set
 * @ncpu_tracked: how many
 * @nruns: number of @runs
 * @runs: models that are on and want to know which thread runs
 * @dirty: channels written by the present event
 * @prv_clock: present time in them
 * @prv: the traces, in parts of EMU_PART_ROWS rows
 * @nprv: number of parts
 * @outdir: where they are
 * @first: clock of the first event
 * @clock: clock of the present event
 * @started: there was an event
 * @sorted: rows are given, nothing that has one can be added
 * @frozen: nothing can be added any more
 * @open: events are taken
 * @failed: an event was refused, or everything is over
 * @show_errors: draw error states
 * @compress: the traces are compressed
 * @lint: be strict about how a trace ends
 * @strict: refuse what belongs to unknown models
 * @want_breakdown: draw what CPUs do, too
 * @breakdown: the traces with that, or NULL
 * @unknown: events of unknown models, by letter
 * @reason: why the last call failed
 */
struct emu {
	struct system sys;
	struct model_run run[EMU_NR_MODELS];
	const struct model_run *dispatch[256];
	struct slot *slot;
	u32 nslots;
	u32 ncpu_slots;
	u32 nwords;
	u64 *thread_tracked;
	u32 nthread_tracked;
	u64 *cpu_tracked[NR_CPU_SETS];
	u32 ncpu_tracked[NR_CPU_SETS];
	u32 nruns;
	const struct model *runs[EMU_NR_MODELS];
	struct chan_dirty dirty;
	struct prv_clock prv_clock;
	struct prv *prv[NR_PRV];
	u32 nprv[NR_PRV];
	char *outdir;
	s64 first;
	s64 clock;
	bool started;
	bool sorted;
	bool frozen;
	bool open;
	bool failed;
	bool show_errors;
	bool compress;
	bool lint;
	bool strict;
	bool want_breakdown;
	struct breakdown *breakdown;
	u64 unknown[256];
	char reason[512];
};

/**
 * emu_new() - Make an emulator with these models; emu_create() has them all.
 * @models: by enum model_id
 *
 * Return: as emu_create().
 */
struct emu *emu_new(const struct model *const *models);

/**
 * emu_slot_add() - Add a channel that every thread has.
 * @emu: emulator being frozen
 * @spec: its description, which must stay
 *
 * Return: the slot number or a negative errno.
 */
int __must_check emu_slot_add(struct emu *emu, const struct model_chan *spec);

/**
 * emu_slot_add_cpu() - Add a channel that every CPU has, when all others are there.
 * @emu: emulator being frozen
 * @spec: its description, which must stay
 *
 * Return: the slot number or a negative errno.
 */
int __must_check emu_slot_add_cpu(struct emu *emu, const struct model_chan *spec);

/**
 * emu_set() - Set a single channel within the pre phase.
 * @emu: emulator
 * @c: channel
 * @v: new state
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
static inline int __must_check emu_set(struct emu *emu, struct chan *c, struct chan_value v)
{
	int ret = chan_set(&emu->dirty, c, v);

	return likely(!ret) ? 0 : emu_chan_fail(emu, c, "set", v.i, ret);
}

/**
 * emu_push() - Enter a state of a stack channel within the pre phase.
 * @emu: emulator
 * @c: channel
 * @st: state
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
static inline int __must_check emu_push(struct emu *emu, struct chan *c, s64 st)
{
	int ret = chan_push(&emu->dirty, c, st);

	return likely(!ret) ? 0 : emu_chan_fail(emu, c, "push", st, ret);
}

/**
 * emu_pop() - Leave a state of a stack channel within the pre phase.
 * @emu: emulator
 * @c: channel
 * @st: the state that must be on top
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
static inline int __must_check emu_pop(struct emu *emu, struct chan *c, s64 st)
{
	int ret = chan_pop(&emu->dirty, c, st);

	return likely(!ret) ? 0 : emu_chan_fail(emu, c, "pop", st, ret);
}

/**
 * emu_thread_chan() - Channel of a model.
 * @emu: emulator
 * @th: thread
 * @model: MODEL_ID_*
 * @chan: index within the model's table
 */
static inline struct chan *emu_thread_chan(const struct emu *emu, struct emu_thread *th, u32 model,
					   u32 chan)
{
	return &th->chan[THREAD_NR_CORE + emu->run[model].first + chan];
}

/**
 * emu_cpu_chan() - Channel that a model has of a CPU.
 * @emu: emulator
 * @cpu: CPU
 * @model: MODEL_ID_*
 * @chan: index within the model's table
 */
static inline struct chan *emu_cpu_chan(const struct emu *emu, const struct emu_cpu *cpu,
					u32 model, u32 chan)
{
	return &cpu->model_chan[emu->run[model].first_cpu + chan];
}

#endif /* OVNIK_EMU_CORE_H */

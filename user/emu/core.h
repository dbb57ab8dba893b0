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
#include "util/idmap.h"
#include "util/types.h"

/* Shared by the parts of the emulator; its users include emu.h. */

/*
 * Slots describe channels. Order: thread core channels,
 * CPU core channels, the models' channels of threads, then those of CPUs.
 */
#define SLOT_THREAD	0
#define SLOT_CPU	THREAD_NR_CORE
#define SLOT_MODEL	(THREAD_NR_CORE + CPU_NR_CORE)

/**
 * enum slot_follow - What is visited after a channel was written.
 * @FOLLOW_NOTHING: nothing
 * @FOLLOW_STATE: the thread's channels, which show or hide
 * @FOLLOW_RUNNING: the CPU's channels, as it follows another running thread
 * @FOLLOW_ACTIVE: the CPU's channels, as it follows another active thread
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
 * @spec: its description; type 0 means it is in no trace
 * @type: prepared text of its lines
 * @follow: enum slot_follow
 * @thread: index in emu_thread.chan and .out (thread channels)
 * @cpu: index in emu_cpu.out
 * @late: labels known at the end only, in addition to those of @spec
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
 * struct restore_row - A row that shows a punctual state.
 * @out: its output
 * @sum: of all such states in this instant
 */
struct restore_row {
	struct prv_out *out;
	s64 sum;
};

/**
 * struct restore - Rows that show a punctual state, because there was no room before it.
 * @after: the instant, in nanoseconds since the beginning
 * @row: the rows, in the order in which they came
 * @n: how many
 * @size: room in @row
 * @at: for an output that is or was among them, its index in @row
 */
struct restore {
	u64 after;
	struct restore_row *row;
	u32 n;
	u32 size;
	struct idmap at;
};

/**
 * struct emu - An emulator.
 * @sys: the emulated system
 * @run: the models
 * @dispatch: enabled models, by letter
 * @slot: channels
 * @nslots: how many, without the models' channels of CPUs
 * @ncpu_slots: the models' channels of CPUs, which follow
 * @nwords: words of a bitmap of the models' channels
 * @thread_tracked: bitmap of channels to visit when a thread changes state
 * @nthread_tracked: how many
 * @cpu_tracked: bitmaps of channels to visit when a CPU's thread changes, by set
 * @ncpu_tracked: how many
 * @nruns: number of @runs
 * @runs: enabled models that have @runs
 * @dirty: channels written by the current event
 * @restore: what to show again behind a punctual state
 * @texts: current time in the traces, and other texts
 * @prv: the traces, in parts of EMU_PART_ROWS rows
 * @nprv: number of parts
 * @outdir: directory of the traces
 * @first: clock of the first event
 * @clock: clock of the current event
 * @started: there was an event
 * @sorted: rows are assigned; threads and CPUs cannot be added any more
 * @frozen: nothing can be added any more
 * @open: events are accepted
 * @failed: an event was refused, or the emulator is finished
 * @options: of enum emu_option
 * @breakdown: the breakdowns, or NULL
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
	struct restore restore;
	struct prv_texts texts;
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
	u32 options;
	struct breakdown *breakdown;
	u64 unknown[256];
	char reason[512];
};

/**
 * emu_new() - Make an emulator with some models; emu_create() passes all.
 * @models: by enum model_id
 *
 * Return: as emu_create().
 */
struct emu *emu_new(const struct model *const *models);

/**
 * emit_event() - The emit and post phases of an event.
 * @emu: emulator
 *
 * Visits only the channels the event has written. Order within an instant:
 * punctual states; direct outputs in writing order; then what follows them: a
 * thread's channels after a change of its state, a CPU's channels after a change
 * of the thread it follows.
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check emit_event(struct emu *emu);

/**
 * emit_fail() - Say why a line was refused.
 * @emu: emulator
 * @slot: the channel's
 * @v: the value
 * @err: what the writer returned
 *
 * Return: @err.
 */
int emit_fail(struct emu *emu, const struct slot *slot, struct chan_value v, int err) EMU_COLD;

/**
 * punctual_emit() - Show the punctual states that the event has written.
 * @emu: emulator
 *
 * They show from the nanosecond before until now. If there may be lines of now already,
 * they show until the nanosecond behind it, and those of one row and time add up: they are
 * amounts.
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check punctual_emit(struct emu *emu);

/**
 * punctual_finish() - End the punctual states that still show.
 * @emu: emulator after its last event; the traces may become 1 ns longer
 *
 * Return: as punctual_emit().
 */
int __must_check punctual_finish(struct emu *emu);

/**
 * emu_thaw() - Free what emu_freeze() made, in part or in whole.
 * @emu: emulator
 */
void emu_thaw(struct emu *emu);

/**
 * emu_slot_add() - Add a channel that every thread has.
 * @emu: emulator being frozen
 * @spec: its description, which must outlive @emu
 *
 * Return: the slot number or a negative errno.
 */
int __must_check emu_slot_add(struct emu *emu, const struct model_chan *spec);

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

/**
 * emu_select_bits() - Channels to visit when a CPU follows other threads, most often none.
 * @emu: emulator
 * @cpu: CPU
 * @id: the set of threads that has changed
 * @w: word of the bitmap of the models' channels
 */
static inline u64 emu_select_bits(const struct emu *emu, const struct emu_cpu *cpu,
				  enum cpu_set_id id, u32 w)
{
	const struct cpu_set *set = &cpu->set[id];
	u64 bits = cpu->busy[w];

	if (set->n == 1)
		bits |= set->first->busy[w];
	/* An error state shows on all channels. */
	else if (set->n)
		bits = ~0ull;
	return bits & emu->cpu_tracked[id][w];
}

#endif /* OVNIK_EMU_CORE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_MODEL_H
#define OVNIK_EMU_MODEL_H

#include "emu/prv.h"
#include "emu/system.h"
#include "emu/track.h"
#include "ovni/format.h"
#include "util/types.h"

/*
 * A model is a table of channels, a table of events, and functions for the
 * events that do more than write one channel. See Documentation/emulator.rst
 * for how to add one.
 */

/**
 * struct model_label - What a value is called.
 * @value: value
 * @text: label in the PCF
 */
struct model_label {
	s64 value;
	const char *text;
};

/**
 * struct model_chan - A channel that every thread has.
 * @name: what messages call it
 * @label: label of the type in the PCF
 * @type: PRV type
 * @kind: enum chan_kind
 * @dup: enum chan_dup
 * @flags: PRV_*
 * @thread: when thread rows show it
 * @cpu: which thread of the CPU a CPU row follows, TRACK_NONE for no CPU row
 * @plain_label: @label stands alone in the PCF, else with what is followed
 * @optional: a row has no line of it before its first state that is not null, the PCF
 *	declares the type only if there is such a line
 * @punctual: has no state but those of an instant
 * @cpu_null: what a CPU row shows instead of null
 * @labels: labels of the values, in PCF order
 * @nlabels: how many
 */
struct model_chan {
	const char *name;
	const char *label;
	u32 type;
	u8 kind;
	u8 dup;
	u8 flags;
	u8 thread;
	u8 cpu;
	bool plain_label;
	bool optional;
	bool punctual;
	s64 cpu_null;
	const struct model_label *labels;
	u32 nlabels;
};

/**
 * enum model_op - What an event does.
 * @OP_CALL: calls its function
 * @OP_IGNORE: nothing
 * @OP_PUSH: pushes the state
 * @OP_POP: pops the state
 * @OP_SET: sets the state
 * @OP_CLEAR: sets null
 */
enum model_op {
	OP_CALL,
	OP_IGNORE,
	OP_PUSH,
	OP_POP,
	OP_SET,
	OP_CLEAR,
};

/**
 * enum model_size - How the size of the payload is checked.
 * @SIZE_ANY: not at all, the payload is not read
 * @SIZE_MIN: a normal event with at least that many bytes
 * @SIZE_EXACT: a normal event with that many bytes
 * @SIZE_JUMBO: a jumbo event with at least that many bytes
 */
enum model_size {
	SIZE_ANY,
	SIZE_MIN,
	SIZE_EXACT,
	SIZE_JUMBO,
};

/**
 * struct model_event - An event.
 * @mcv: its three letters, or two for a category with any third letter
 * @op: what it does
 * @chan: index of the channel
 * @state: state for the channel
 * @check: enum model_size
 * @size: bytes
 * @call: for OP_CALL; returns 0 or a negative errno with the reason in emu
 */
struct model_event {
	const char *mcv;
	u8 op;
	u8 chan;
	u8 check;
	u8 size;
	s64 state;
	int (*call)(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev);
};

/**
 * enum model_need - State a thread must be in for its events.
 */
enum model_need {
	NEED_NOTHING,
	NEED_ACTIVE,
	NEED_RUNNING,
};

/**
 * struct model - A model.
 * @name: as in ovni.require
 * @letter: first letter of its events
 * @major: version that is understood
 * @minor: version that is understood
 * @need: enum model_need
 * @need_in_cpu: events are refused while the thread is out of the CPU
 * @id: its place in emu_thread.priv
 * @chans: its channels
 * @nchans: how many
 * @events: its events
 * @nevents: how many
 * @freeze: adds channels known from metadata only, or NULL
 * @cpu_event: takes an event of a CPU's own stream, or NULL
 * @finish: judges the end of the trace, or NULL
 * @free_thread: frees emu_thread.priv[id], or NULL
 * @free: frees what it keeps in the emulator, or NULL
 */
struct model {
	const char *name;
	char letter;
	u8 major;
	u8 minor;
	u8 need;
	bool need_in_cpu;
	u8 id;
	const struct model_chan *chans;
	u32 nchans;
	const struct model_event *events;
	u32 nevents;
	int (*freeze)(struct emu *emu);
	int (*cpu_event)(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev);
	int (*finish)(struct emu *emu);
	void (*free_thread)(struct emu_thread *th);
	void (*free)(struct emu *emu);
};

/**
 * struct model_run - A model within one emulator.
 * @model: its tables
 * @on: some thread requires it
 * @first: index of its first channel among the model channels
 * @cat: row of @row by category, 0 for an unknown one
 * @row: events by category and value; row 0 is empty
 * @nrows: number of rows
 */
struct model_run {
	const struct model *model;
	bool on;
	u32 first;
	u8 cat[256];
	const struct model_event *(*row)[256];
	u32 nrows;
};

/* All models, in the order in which their outputs are visited. */
extern const struct model *const emu_models[EMU_NR_MODELS];
extern const struct model model_kernel;
extern const struct model model_ovni;

#define MODEL_ID_KERNEL	0
#define MODEL_ID_OVNI	1

/**
 * model_compile() - Make the tables of a model quick to look up.
 * @run: to fill in
 * @model: model
 *
 * Return: 0, -EINVAL for a table that contradicts itself, -ENOMEM.
 */
int __must_check model_compile(struct model_run *run, const struct model *model);

/**
 * model_run_free() - Free what model_compile() made.
 * @run: model
 */
void model_run_free(struct model_run *run);

/**
 * model_version_check() - Does a required version match a model?
 * @model: model
 * @version: three numbers separated by dots
 *
 * Return: 0, -EINVAL when it cannot be read, -ENOTSUP when it does not match.
 */
int __must_check model_version_check(const struct model *model, const char *version);

/**
 * model_event_find() - Look up an event.
 * @run: model
 * @mcv: its letters
 *
 * Return: the event or NULL.
 */
static inline const struct model_event *model_event_find(const struct model_run *run,
							 const u8 *mcv)
{
	return run->row[run->cat[mcv[1]]][mcv[2]];
}

#endif /* OVNIK_EMU_MODEL_H */

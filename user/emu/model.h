/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_MODEL_H
#define OVNIK_EMU_MODEL_H

#include "emu/prv.h"
#include "emu/system.h"
#include "emu/track.h"
#include "trace/format.h"
#include "trace/label.h"
#include "util/types.h"

struct json_object;

/*
 * A model is a table of channels, a table of events, and functions for the
 * events that do more than write one channel. Documentation/extending.rst
 * describes how to add one.
 */

/**
 * struct model_chan - A channel that every thread or every CPU has.
 * @name: name in messages
 * @label: label of the type in the PCF
 * @type: PRV type
 * @kind: enum chan_kind
 * @dup: enum chan_dup
 * @flags: PRV_*
 * @thread: when thread rows show it
 * @cpu: which thread of the CPU a CPU row follows, TRACK_NONE for no CPU row
 * @plain_label: the PCF has @label alone, else with the followed state appended
 * @optional: a row has no line of it before its first state that is not null, the PCF
 *	declares the type only if there is such a line
 * @punctual: has punctual states only
 * @lint: a stack that must be empty at the end with EMU_LINT
 * @init: state at the beginning, 0 for none
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
	bool lint;
	s64 init;
	s64 cpu_null;
	const struct ovni_label *labels;
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

/* Fields of a channel and of a model: the rows that show a channel, a table and its length. */
#define MODEL_ROWS(threads, cpus)	.thread = TRACK_##threads, .cpu = TRACK_##cpus
#define MODEL_LABELS(table)		.labels = table, .nlabels = ARRAY_SIZE(table)
#define MODEL_TABLE(field, table)	.field = table, .n##field = ARRAY_SIZE(table)

/*
 * States that are entered by one event and left by another. A model lists them once,
 * as state(value, event that enters, event that leaves, label), with label(value,
 * label) for values that no event of the list writes. Both tables are generated from it.
 */
#define MODEL_LABEL(value, text)		{ value, text },
#define MODEL_STATE_LABEL(value, in, out, text)	{ value, text },
#define MODEL_NO_EVENTS(value, text)
#define MODEL_EVENTS(to, value, in, out)				\
	{ .mcv = in, .op = OP_PUSH, .chan = to, .state = value },	\
	{ .mcv = out, .op = OP_POP, .chan = to, .state = value },

/**
 * enum model_need - State a thread must be in for its events.
 */
enum model_need {
	NEED_NOTHING,
	NEED_ACTIVE,
	NEED_RUNNING,
};

/**
 * struct model_breakdown - A trace of what all CPUs do.
 * @trace: name of its files, without suffix
 * @label: label of its type
 * @type: PRV type
 * @subsystem: index of the channel shown otherwise
 * @task: index of the channel shown while a task runs
 * @choice: the one of the two whose writes decide which of them is shown
 * @idle: index of the channel that is shown unless it has its first state, 0 for none
 * @body: the subsystem that is shown as @task if that is not null; 0 for any
 * @unknown: value shown without subsystem
 */
struct model_breakdown {
	const char *trace;
	const char *label;
	u32 type;
	u8 subsystem;
	u8 task;
	u8 choice;
	u8 idle;
	s64 body;
	s64 unknown;
};

/**
 * struct model - A model.
 * @name: as in ovni.require
 * @letter: first letter of its events
 * @major: supported version
 * @minor: supported version
 * @patch: supported version; any patch of it is accepted
 * @need: enum model_need
 * @need_in_cpu: events are refused while the thread is out of the CPU
 * @always: enabled even if not required
 * @id: its place in emu_thread.priv
 * @chans: its channels
 * @nchans: how many
 * @cpu_chans: its channels of CPUs
 * @ncpu_chans: how many
 * @events: its events
 * @nevents: how many
 * @breakdown: its breakdown, or NULL
 * @meta: reads its part of a thread's stream.json and reports errors, or NULL
 * @freeze: adds channels known from metadata only, or NULL
 * @runs: called when a physical CPU begins to run a thread, or NULL
 * @cpu_event: takes an event of a CPU's own stream, or NULL
 * @finish: checks the end of the trace, or NULL
 * @label: adds labels known at the end only; called after an error, too; or NULL
 * @views: writes views generated from the trace, or NULL
 * @free_thread: frees emu_thread.priv[id], or NULL
 * @free_proc: frees an emu_proc.priv[id], or NULL
 * @free: frees what it keeps in the emulator, or NULL
 */
struct model {
	const char *name;
	char letter;
	u8 major;
	u8 minor;
	u8 patch;
	u8 need;
	bool need_in_cpu;
	bool always;
	u8 id;
	const struct model_chan *chans;
	u32 nchans;
	const struct model_chan *cpu_chans;
	u32 ncpu_chans;
	const struct model_event *events;
	u32 nevents;
	const struct model_breakdown *breakdown;
	int (*meta)(struct emu *emu, const char *path, struct json_object *root);
	int (*freeze)(struct emu *emu);
	int (*runs)(struct emu *emu, struct emu_thread *th);
	int (*cpu_event)(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev);
	int (*finish)(struct emu *emu);
	int (*label)(struct emu *emu);
	int (*views)(const struct emu *emu);
	void (*free_thread)(struct emu_thread *th);
	void (*free_proc)(void *priv);
	void (*free)(struct emu *emu);
};

#define MODEL_DECLARE(id, name)	extern const struct model model_##name;
EMU_MODEL_TABLE(MODEL_DECLARE)

/* Begins the definition of a model; does not compile without its row in EMU_MODEL_TABLE. */
#define DEFINE_MODEL(name)						\
	_Static_assert(sizeof(model_##name), "in EMU_MODEL_TABLE");	\
	const struct model model_##name

/**
 * struct model_run - A model within one emulator.
 * @model: its tables
 * @on: enabled
 * @first: index of its first channel among the model channels
 * @first_cpu: index of its first channel in emu_cpu.model_chan
 * @cat: row of @row by category, 0 for an unknown one
 * @row: events by category and value; row 0 is empty
 * @nrows: number of rows
 * @breakdown: as that of @model, NULL if the trace does not have one
 * @late: labels known at the end only
 * @priv: data of the model
 * @warned: bit per warning that was given
 */
struct model_run {
	const struct model *model;
	bool on;
	u32 first;
	u32 first_cpu;
	u8 cat[256];
	const struct model_event *(*row)[256];
	u32 nrows;
	const struct model_breakdown *breakdown;
	struct ovni_label *late;
	void *priv;
	u32 warned;
};

#define MODEL_WARN_NESTED	0x01	/* a task within a task */
#define MODEL_WARN_OLD		0x02	/* an obsolete event */

/**
 * model_warn() - Is this the first time for a warning?
 * @run: model
 * @bit: MODEL_WARN_*
 */
static inline bool model_warn(struct model_run *run, u32 bit)
{
	bool first = !(run->warned & bit);

	run->warned |= bit;
	return first;
}

/**
 * model_compile() - Compile the tables of a model for quick lookup.
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
 * Return: 0, -EINVAL if it cannot be parsed, -ENOTSUP if it does not match.
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

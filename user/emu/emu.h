/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_EMU_H
#define OVNIK_EMU_EMU_H

#include "trace/format.h"
#include "util/types.h"

/*
 * The channel emulator: ovni events in, Paraver traces out. There are two ways
 * to feed it. Either trace directories:
 *
 *	emu = emu_create();
 *	tr = emu_trace_open(emu, &dir, 1, NULL);
 *	emu_freeze(emu, outdir);
 *	emu_trace_play(tr);
 *	emu_finish(emu);
 *	emu_trace_close(tr);
 *	emu_destroy(emu);
 *
 * or events in the order of their clocks from another part of the program:
 *
 *	emu = emu_create();
 *	emu_require(emu, "kernel", "1.0.0");
 *	loom = emu_loom_add(emu, "node.0");
 *	emu_cpu_add(loom, 0, 0);
 *	proc = emu_proc_add(loom, 100);
 *	emu_proc_app(proc, 1);
 *	thread = emu_thread_add(proc, 101);
 *	emu_freeze(emu, outdir);
 *	emu_event(emu, thread, &ev);
 *	emu_finish(emu);
 *	emu_destroy(emu);
 *
 * A function that returns an error leaves the reason for emu_reason(). Only
 * warnings, file errors and the errors of emu_trace_*() go to stderr.
 *
 * Context: one emulator is used by one thread at a time; several emulators are
 * independent.
 */

struct emu;
struct emu_cpu;
struct emu_loom;
struct emu_proc;
struct emu_thread;
struct emu_trace;

/**
 * enum emu_mark_kind - How a user mark is written.
 * @EMU_MARK_SINGLE: OM= sets it
 * @EMU_MARK_STACK: OM[ pushes, OM] pops
 */
enum emu_mark_kind {
	EMU_MARK_SINGLE,
	EMU_MARK_STACK,
};

/**
 * emu_create() - Make an empty emulator.
 *
 * Return: the emulator, or NULL if out of memory or if the table of a model contradicts
 * itself, which is reported on stderr.
 */
struct emu *emu_create(void);

/**
 * emu_destroy() - Free an emulator; closes the outputs if they are open.
 * @emu: emulator or NULL
 */
void emu_destroy(struct emu *emu);

/**
 * emu_reason() - Why the last failed call failed.
 * @emu: emulator
 */
const char *emu_reason(const struct emu *emu);

/**
 * enum emu_option - What an emulator does besides.
 * @EMU_SHOW_ERRORS: renders the two error states: a CPU row whose CPU has more than one running
 *	thread shows 777, one that follows a disabled channel 666. Upstream writes 0 there
 * @EMU_COMPRESS: compresses the traces: .prv.gz, which Paraver reads directly
 * @EMU_LINT: checks the end of the trace more strictly: states that models of runtimes entered
 *	must have been left
 * @EMU_STRICT: refuses unknown models; otherwise their events are skipped, and their number is
 *	reported at the end
 * @EMU_BREAKDOWN: also writes traces of what all CPUs do, for enabled models that have such a
 *	trace; the files go beside the others
 * @EMU_DEBUG: prints each event of a trace before it is emulated
 */
enum emu_option {
	EMU_SHOW_ERRORS = 0x01,
	EMU_COMPRESS = 0x02,
	EMU_LINT = 0x04,
	EMU_STRICT = 0x08,
	EMU_BREAKDOWN = 0x10,
	EMU_DEBUG = 0x20,
};

/**
 * emu_options() - Turn options on.
 * @emu: emulator, without metadata or events yet
 * @options: of enum emu_option
 */
void emu_options(struct emu *emu, u32 options);

/**
 * emu_require() - Turn a model on.
 * @emu: emulator, not frozen
 * @model: its name; an unknown one has no effect, see emu_model_known()
 * @version: three numbers separated by dots
 *
 * The ovni model is always on.
 *
 * Return: 0, -EINVAL when @version cannot be read or does not match.
 */
int __must_check emu_require(struct emu *emu, const char *model, const char *version);

/**
 * emu_models_list() - Names and versions of all models, a line each.
 * @indent: what each line begins with
 *
 * Return: the text, to be freed; NULL if there is no memory.
 */
char *emu_models_list(const char *indent);

/**
 * emu_model_known() - Is there a model of that name?
 * @emu: emulator
 * @name: name as in ovni.require
 */
bool emu_model_known(struct emu *emu, const char *name);

/**
 * emu_require_all() - Turn all models on.
 * @emu: emulator, not frozen
 */
void emu_require_all(struct emu *emu);

/**
 * emu_loom_add() - Add a loom, or find the one of that name.
 * @emu: emulator, not frozen
 * @name: its name, by which looms are sorted unless they have ranks
 *
 * Return: the loom, or NULL without memory.
 */
struct emu_loom *emu_loom_add(struct emu *emu, const char *name);

/**
 * emu_cpu_add() - Add a CPU to a loom.
 * @loom: loom
 * @index: number used by events, from 0, without gaps once all are added
 * @phyid: the operating system's number, by which CPUs are sorted and named
 *
 * Adding the same CPU again has no effect.
 *
 * Return: 0, -EINVAL for a number in use by another CPU, -ENOMEM.
 */
int __must_check emu_cpu_add(struct emu_loom *loom, s32 index, s32 phyid);

/**
 * emu_cpu_find() - Find a CPU that was added.
 * @loom: loom
 * @index: number used by events; not the virtual CPU's
 *
 * Return: the CPU or NULL.
 */
struct emu_cpu *emu_cpu_find(const struct emu_loom *loom, s32 index);

/**
 * emu_proc_add() - Add a process to a loom, or find the one with that pid.
 * @loom: loom
 * @pid: greater than 0
 *
 * Return: the process, or NULL.
 */
struct emu_proc *emu_proc_add(struct emu_loom *loom, s32 pid);

/**
 * emu_proc_app() - Set the application a process belongs to; required once.
 * @proc: process
 * @app_id: greater than 0, shown in row names: "TH app_id.tid"
 *
 * Return: 0, or -EINVAL if another number was set before.
 */
int __must_check emu_proc_app(struct emu_proc *proc, s32 app_id);

/**
 * emu_proc_rank() - Set the MPI rank of a process.
 * @proc: process
 * @rank: from 0
 * @nranks: how many there are
 *
 * Return: 0, or -EINVAL if another rank was set before or it is too large.
 */
int __must_check emu_proc_rank(struct emu_proc *proc, s32 rank, s32 nranks);

/**
 * emu_proc_name() - Give a process a name, a label of PRV type 1.
 * @proc: process
 * @name: text; replaces an earlier name
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check emu_proc_name(struct emu_proc *proc, const char *name);

/**
 * emu_thread_add() - Add a thread to a process.
 * @proc: process
 * @tid: greater than 0, once per process
 *
 * Return: the thread, or NULL.
 */
struct emu_thread *emu_thread_add(struct emu_proc *proc, s32 tid);

/**
 * emu_thread_name() - Give a thread a name, a label of PRV type 2.
 * @thread: thread
 * @name: text; replaces an earlier name
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check emu_thread_name(struct emu_thread *thread, const char *name);

/**
 * emu_mark_add() - Declare a type of user mark, rendered as PRV type 100 + @type.
 * @emu: emulator, not frozen
 * @type: 0..99
 * @title: label of the type
 * @kind: single or stack
 *
 * Declaring the same mark again has no effect. Marks are rendered in the order of
 * their declarations.
 *
 * Return: 0, -EINVAL if it differs from an earlier declaration, -ENOMEM.
 */
int __must_check emu_mark_add(struct emu *emu, s32 type, const char *title,
			      enum emu_mark_kind kind);

/**
 * emu_mark_label() - Give a value of a mark a label.
 * @emu: emulator, not finished (labels are written at the end)
 * @type: a declared mark
 * @value: value
 * @text: label
 *
 * Return: 0, -EINVAL for an undeclared mark or another label of this value,
 * -ENOMEM.
 */
int __must_check emu_mark_label(struct emu *emu, s32 type, s64 value, const char *text);

/**
 * emu_mark_activity() - Render a mark as one of ovnik's activities.
 * @emu: emulator, not frozen
 * @type: a declared mark
 * @key: key of a row of OVNI_ACTIVITY_TABLE; an unknown one has no effect
 *
 * Return: 0, -EINVAL for an undeclared mark, one of the wrong kind, or one that is
 * another activity already.
 */
int __must_check emu_mark_activity(struct emu *emu, s32 type, const char *key);

/**
 * emu_freeze() - Sort the rows and create the PRV files; events may follow.
 * @emu: emulator
 * @outdir: directory for the files
 *
 * Earlier output there is removed.
 *
 * Return: 0 or a negative errno.
 */
int __must_check emu_freeze(struct emu *emu, const char *outdir);

/**
 * emu_event() - Emulate one event.
 * @emu: frozen emulator
 * @thread: the thread whose event it is
 * @ev: the event; its clock, taken as signed, is not less than that of the
 *	event before
 *
 * After an error no other event is accepted.
 *
 * Return: 0 or a negative errno.
 */
int __must_check emu_event(struct emu *emu, struct emu_thread *thread, const struct ovni_ev *ev);

/**
 * emu_cpu_event() - Emulate an event of a CPU's own stream.
 * @emu: frozen emulator
 * @cpu: the CPU whose event it is
 * @ev: as for emu_event()
 *
 * Return: 0 or a negative errno.
 */
int __must_check emu_cpu_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev);

/**
 * emu_finish() - Check the end, write PCF and ROW files and views, close all.
 * @emu: frozen emulator
 *
 * After a failed event, too, the files are closed in a readable state; they end
 * before that event.
 *
 * Return: 0, or a negative errno if the trace is rejected or a file could
 * not be written. After a failed event it fails with the reason of that event.
 */
int __must_check emu_finish(struct emu *emu);

/**
 * emu_trace_open() - Find the streams of traces and add what they describe.
 * @emu: emulator, not frozen
 * @dirs: trace directories, which have no loom in common
 * @n: how many; the numbers of applications go on from one to the next
 * @offsets: table of clock offsets, or NULL: for the looms of each directory its
 *	clock-offsets.txt if there is one
 *
 * Return: the traces as one, or NULL after an error, reported on stderr.
 */
struct emu_trace *emu_trace_open(struct emu *emu, const char *const *dirs, u32 n,
				 const char *offsets);

/**
 * emu_trace_play() - Give all events of a trace to the emulator, by clock.
 * @tr: trace; its emulator is frozen
 *
 * Return: 0, or a negative errno after an error, reported on stderr with
 * stream, offset and event.
 */
int __must_check emu_trace_play(struct emu_trace *tr);

/**
 * emu_trace_report() - Print what was read: events, streams, looms and models.
 * @tr: trace that was played
 */
void emu_trace_report(const struct emu_trace *tr);

/**
 * emu_trace_close() - Free a trace.
 * @tr: trace or NULL
 */
void emu_trace_close(struct emu_trace *tr);

#endif /* OVNIK_EMU_EMU_H */

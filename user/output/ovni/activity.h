/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_ACTIVITY_H
#define OVNIK_OUTPUT_OVNI_ACTIVITY_H

#include "trace/activity.h"
#include "world/world.h"

/*
 * Memory, page cache and files, as marks: see OVNI_ACTIVITY_TABLE. A mark is refused
 * while its thread is off the CPU, and a pushed one must be popped with the same value.
 * So the marks reported for each thread are kept, and those that come while it is off
 * the CPU are reported when it gets one.
 *
 *	fault_begin	OM[ page_fault (access); an older one is popped first
 *	fault_end	OM= page_faults_*; OM] page_fault if there is one
 *	io_begin	OM[ file_call (op); older ones of either kind are popped first
 *	io_read, write	OM= bytes_*, if any; OM] of what is open, unless the call has
 *			another way to end (aio, io_uring)
 *	cow_break, page_*, buffer_*	OM= their count
 *	mm_*		OM= mapped_memory, for the thread that changed its own; for others
 *			with that address space when they get a CPU
 *
 * No other event, even of another thread, has the clock of a count: this keeps the
 * nanosecond before it free to show the step.
 *
 * If the end of something may be among missing events (doubt), it is popped, because it
 * is unknown whether it goes on. A thread off the CPU is put on the virtual CPU for it,
 * for no time. So it is when an end is recorded of a thread that is not known to run.
 */

struct ovni_translate;
struct row;

/**
 * struct ovni_doing - What was reported for a thread.
 * @fault: enum ovni_fault of the page fault in progress, 0: none
 * @call: enum ovni_file_call of the system call in progress, 0: none
 * @pending: counts that have grown off the CPU, a bit each
 * @kib: mapped memory reported last
 * @count: counts, by enum ovni_activity
 */
struct ovni_doing {
	u8 fault;
	u8 call;
	u16 pending;
	u64 kib;
	u64 count[OVNI_NR_ACTIVITIES];
};

/**
 * ovni_activity_attach() - Translate records of memory and files.
 * @t: the translation
 * @w: the world
 *
 * Context: From ovni_translate_attach().
 * Return: 0, -ENOMEM.
 */
int ovni_activity_attach(struct ovni_translate *t, struct world *w) __must_check;

/**
 * ovni_activities_of() - Which activities can a capture have?
 * @records: how many of each event it has, by number
 *
 * Context: Any.
 * Return: a bit for each enum ovni_activity.
 */
u32 ovni_activities_of(const u64 *records);

/**
 * ovni_activity_changed() - Is there anything to report for a thread that gets a CPU?
 * @doing: of the thread
 * @task: its task
 *
 * Context: Any.
 * Return: true if ovni_activity_resume() may report something.
 */
static inline bool ovni_activity_changed(const struct ovni_doing *doing,
					 const struct world_task *task)
{
	if (doing->fault | doing->call | doing->pending)
		return true;
	return task->space && task->space->bytes >> 10 != doing->kib;
}

/**
 * ovni_activity_resume() - A thread got a CPU: report what could not be reported before.
 * @t: the translation
 * @thread: index of the thread
 * @task: its task
 *
 * Context: From a hook of the world, after the events of the switch.
 */
void ovni_activity_resume(struct ovni_translate *t, u32 thread, const struct world_task *task);

/**
 * ovni_activity_settle() - Report what is pending.
 * @t: the translation
 * @thread: index of the thread
 *
 * Context: From a hook of the world, while the thread is in the CPU in ovni's terms.
 */
void ovni_activity_settle(struct ovni_translate *t, u32 thread);

/**
 * ovni_activity_pop() - Pop what is in progress.
 * @t: the translation
 * @doing: of the thread
 * @row: gets two events at most
 *
 * Context: The thread is in the CPU at this place of @row.
 */
void ovni_activity_pop(struct ovni_translate *t, struct ovni_doing *doing, struct row *row);

/**
 * ovni_activity_off_cpu() - A thread that is off the CPU is so for another reason.
 * @t: the translation
 * @thread: index of the thread
 * @reason: enum ovni_offcpu; not known
 * @ends: what is in progress ends
 * @ns: when
 *
 * It runs on the virtual CPU for no time.
 *
 * Context: From a hook of the world.
 */
void ovni_activity_off_cpu(struct ovni_translate *t, u32 thread, u32 reason, bool ends, u64 ns);

#endif /* OVNIK_OUTPUT_OVNI_ACTIVITY_H */

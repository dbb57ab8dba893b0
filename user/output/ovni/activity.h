/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_ACTIVITY_H
#define OVNIK_OUTPUT_OVNI_ACTIVITY_H

#include "trace/activity.h"
#include "world/world.h"

/*
 * Memory, page cache and files, as marks: see OVNI_ACTIVITY_TABLE. A mark is refused
 * while its thread is off the CPU, and one that was pushed must be popped with the
 * same value; so what was reported for each thread is kept, and what comes while it is off
 * the CPU is reported when it gets one.
 *
 *	fault_begin	OM[ page_fault (access); an older one is popped first
 *	fault_end	OM= page_faults_*; OM] page_fault if there is one
 *	io_begin	OM[ file_call (op); older ones of either kind are popped first
 *	io_read, write	OM= bytes_*, if any; OM] of what is open, unless the call has
 *			another way to end (aio, io_uring)
 *	cow_break, page_*, buffer_*	OM= their count
 *	mm_*		OM= mapped_memory, for who changed its own; for others who have
 *			that address space when they get a CPU
 *
 * No other event has the clock of a count, not even of another thread: only so the
 * nanosecond before it is free to show the step.
 *
 * Where the end of something may be among the events that are missing, it is popped:
 * it is unknown whether it goes on. For the thread on that CPU this is done at once,
 * for all others when they get a CPU the next time.
 */

struct ovni_translate;
struct row;

/**
 * struct ovni_doing - What was reported for a thread.
 * @fault: enum ovni_fault of the page fault in progress, 0: none
 * @call: enum ovni_file_call of the system call in progress, 0: none
 * @pending: counts that have grown off the CPU, a bit each
 * @sure: @doubts of the translation when @fault or @call began; another number now:
 *	  may have ended
 * @kib: mapped memory reported last
 * @count: counts, by enum ovni_activity
 */
struct ovni_doing {
	u8 fault;
	u8 call;
	u16 pending;
	u32 sure;
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
 * ovni_activity_settle() - Tell what is pending.
 * @t: the translation
 * @thread: index of the thread
 *
 * Context: From a hook of the world, while the thread is in the CPU as ovni says it.
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
 * ovni_activity_gap() - Events of a CPU are missing, or were.
 * @t: the translation
 * @gap: which
 * @thread: index of the thread on that CPU, -1: none
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void ovni_activity_gap(struct ovni_translate *t, const struct capture_gap *gap, long thread,
		       u64 ns);

#endif /* OVNIK_OUTPUT_OVNI_ACTIVITY_H */

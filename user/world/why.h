/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_WHY_H
#define OVNIK_WORLD_WHY_H

#include "trace/activity.h"
#include "trace/offcpu.h"
#include "world/world.h"

/* Translate the kernel's values for switches, faults and calls to the trace's. */

_Static_assert((int)OVNI_FILE_CALL_READ == OVNIK_OP_READ, "numbers of calls");
_Static_assert((int)OVNI_FILE_CALL_COPY == OVNIK_OP_COPY, "numbers of calls");

/**
 * ovni_why_off() - Why is a task off the CPU?
 * @state: of a hook of the world, or enum ovnik_task_state
 *
 * Context: Any.
 * Return: enum ovni_offcpu.
 */
static inline u32 ovni_why_off(u16 state)
{
	/* One state, as nearly all. */
	static const u8 plain[] = {
		[OVNIK_STATE_RUNNING] = OVNI_OFFCPU_YIELDED,
		[OVNIK_STATE_INTERRUPTIBLE] = OVNI_OFFCPU_SLEEPING,
		[OVNIK_STATE_UNINTERRUPTIBLE] = OVNI_OFFCPU_DISK_SLEEP,
		[OVNIK_STATE_STOPPED] = OVNI_OFFCPU_STOPPED,
		[OVNIK_STATE_TRACED] = OVNI_OFFCPU_TRACED,
		[OVNIK_STATE_PARKED] = OVNI_OFFCPU_PARKED,
		[OVNIK_STATE_IDLE] = OVNI_OFFCPU_IDLE,
		[OVNIK_STATE_PREEMPTED] = OVNI_OFFCPU_PREEMPTED,
	};

	if (likely(state < ARRAY_SIZE(plain) && plain[state]))
		return plain[state];
	if (state == WORLD_STATE_LOST)
		return OVNI_OFFCPU_LOST;
	if (state == WORLD_STATE_UNKNOWN)
		return OVNI_OFFCPU_UNKNOWN;
	if (state & OVNIK_STATE_PREEMPTED)
		return OVNI_OFFCPU_PREEMPTED;
	if (state & (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE))
		return OVNI_OFFCPU_DEAD;
	if (state & OVNIK_STATE_INTERRUPTIBLE)
		return OVNI_OFFCPU_SLEEPING;
	if (state & OVNIK_STATE_UNINTERRUPTIBLE)
		return OVNI_OFFCPU_DISK_SLEEP;
	if (state & OVNIK_STATE_STOPPED)
		return OVNI_OFFCPU_STOPPED;
	if (state & OVNIK_STATE_TRACED)
		return OVNI_OFFCPU_TRACED;
	if (state & OVNIK_STATE_PARKED)
		return OVNI_OFFCPU_PARKED;
	if (state & OVNIK_STATE_IDLE)
		return OVNI_OFFCPU_IDLE;
	return OVNI_OFFCPU_YIELDED;
}

/**
 * ovni_why_fault() - Which access caused a page fault?
 * @error: enum ovnik_fault_error
 *
 * Context: Any.
 * Return: enum ovni_fault.
 */
static inline u8 ovni_why_fault(u16 error)
{
	if (error & OVNIK_FAULT_INSTR)
		return OVNI_FAULT_FETCH;
	if (error & OVNIK_FAULT_USER)
		return error & OVNIK_FAULT_WRITE ? OVNI_FAULT_WRITE : OVNI_FAULT_READ;
	return error & OVNIK_FAULT_WRITE ? OVNI_FAULT_KERNEL_WRITE : OVNI_FAULT_KERNEL_READ;
}

/**
 * ovni_why_call() - Which system call on a file is it?
 * @op: enum ovnik_file_op, or anything
 *
 * Context: Any.
 * Return: enum ovni_file_call.
 */
static inline u8 ovni_why_call(u16 op)
{
	return op && op <= OVNI_FILE_CALL_COPY ? op : OVNI_FILE_CALL_OTHER;
}

#endif /* OVNIK_WORLD_WHY_H */

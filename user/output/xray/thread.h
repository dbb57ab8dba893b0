/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_THREAD_H
#define OVNIK_OUTPUT_XRAY_THREAD_H

#include "output/xray/fdr.h"
#include "output/xray/functions.h"
#include "output/xray/spill.h"
#include "output/xray/record_text.h"

/*
 * The call stack of a thread, and what its log says of it. The stack is at most
 *
 *	system call on a file	if it is in one
 *	page fault		if it is in one
 *	leaf			always: a run, or why it is off the CPU
 *
 * so leaves cover the life of the thread without gaps. When a function below the leaf begins or
 * ends, the leaf is left before and entered again after it, at the same time.
 */

/**
 * struct xray_life - A thread, from when it gets its number until it ends.
 * @out: its records
 * @pid: its process; 0: unknown
 * @tid: its number
 * @nr: its place in the order of creation
 * @call: the system call it is in, enum xray_function; 0: none
 * @fault: the page fault it is in; 0: none
 * @leaf: what it does; 0: it has ended
 * @cpu: number of the CPU that its records name
 * @base: TSC of the last record
 */
struct xray_life {
	struct spill_stream out;
	u32 pid;
	u32 tid;
	u32 nr;
	u8 call;
	u8 fault;
	u8 leaf;
	u16 cpu;
	u64 base;
};

/**
 * struct xray_stacks - What all threads share.
 * @version: of the log
 * @spill: where their records are kept
 * @largest: bytes of the largest record
 * @text: text of the custom event that is being written
 */
struct xray_stacks {
	u16 version;
	struct spill spill;
	u32 largest;
	char text[RECORD_TEXT_MAX + XRAY_FUNCTION_SIZE];
};

static inline bool xray_runs(const struct xray_life *t)
{
	return t->leaf == XRAY_RUN || t->leaf == XRAY_CONTINUED;
}

/**
 * xray_life_begin() - A thread appears.
 * @s: the stacks
 * @t: zeroed, but with @t->tid
 * @leaf: what it does
 * @cpu: number of the CPU to be written first
 * @tsc: when
 *
 * Context: Any. Like all of these functions, it reports errors in @s->spill.error.
 */
void xray_life_begin(struct xray_stacks *s, struct xray_life *t, u8 leaf, u16 cpu, u64 tsc);

/**
 * xray_life_leaf() - A thread does something else; nothing happens if it has ended.
 * @s: the stacks
 * @t: the thread
 * @leaf: what
 * @cpu: number of its CPU
 * @tsc: when
 *
 * Context: Any.
 */
void xray_life_leaf(struct xray_stacks *s, struct xray_life *t, u8 leaf, u16 cpu, u64 tsc);

/**
 * xray_life_call() - A thread begins a system call; ends an earlier call or page fault.
 * @s: the stacks
 * @t: the thread; it runs
 * @call: which one, of XRAY_CALL_*; 0: none
 * @cpu: number of its CPU
 * @tsc: when
 *
 * Context: Any.
 */
void xray_life_call(struct xray_stacks *s, struct xray_life *t, u8 call, u16 cpu, u64 tsc);

/**
 * xray_life_fault() - A thread begins a page fault; ends an earlier one.
 * @s: the stacks
 * @t: the thread; it runs
 * @fault: which one, of XRAY_FAULT_*; 0: none
 * @cpu: number of its CPU
 * @tsc: when
 *
 * Context: Any.
 */
void xray_life_fault(struct xray_stacks *s, struct xray_life *t, u8 fault, u16 cpu, u64 tsc);

/**
 * xray_life_event() - Add a custom event, whose text is in @s->text, to a thread.
 * @s: the stacks
 * @t: the thread
 * @end: one past the text
 * @cpu: number of its CPU
 * @tsc: when
 *
 * Context: Any.
 */
void xray_life_event(struct xray_stacks *s, struct xray_life *t, char *end, u16 cpu, u64 tsc);

/**
 * xray_life_end() - A thread has ended.
 * @s: the stacks
 * @t: the thread; nothing happens if it had ended
 * @cpu: number of its CPU
 * @tsc: when
 *
 * Context: Any.
 */
void xray_life_end(struct xray_stacks *s, struct xray_life *t, u16 cpu, u64 tsc);

#endif /* OVNIK_OUTPUT_XRAY_THREAD_H */

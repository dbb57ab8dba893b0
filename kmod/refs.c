// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory references: instructions that do nothing, unless this is a guest of a QEMU with ovnik's
 * plugin. See Documentation/refs.rst.
 */
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "config.h"
#include "filter.h"
#include "ovnik_refs.h"
#include "probe.h"
#include "refs.h"

static __always_inline void announce(struct task_struct *task)
{
	if (ovnik_wanted(task))
		asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_IN) : : : "memory");
	else
		asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_OUT) : : : "memory");
}

/* A child matches before it runs for the first time: see ovnik_filter_fork(). */
static void probe_switch(void *unused, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	announce(next);
}

/**
 * ovnik_refs_events() - Which probes are needed.
 *
 * Context: ovnik_lock held.
 * Return: a mask for ovnik_probes_attach().
 */
u64 ovnik_refs_events(void)
{
	return ovnik_config.refs == OVNIK_REFS_MATCHING ? OVNIK_FOR_REFS : 0;
}

/**
 * ovnik_refs_start() - Switch the log on, as configured.
 *
 * Context: Process; ovnik_lock held. The probes are attached, and the filter is armed.
 */
void ovnik_refs_start(void)
{
	switch (ovnik_config.refs) {
	case OVNIK_REFS_ALL:
		asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_ON) OVNIK_REFS_BEGIN
			     : : : "rax", "rdx", "memory");
		return;
	case OVNIK_REFS_MATCHING:
		/* The probe announces all tasks but the one that runs already. */
		preempt_disable();
		asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_TREE) OVNIK_REFS_BEGIN
			     : : : "rax", "rdx", "memory");
		announce(current);
		preempt_enable();
		return;
	case OVNIK_REFS_NONE:
	case OVNIK_NR_REFS:
		return;
	}
}

/**
 * ovnik_refs_stop() - Switch the log off again.
 *
 * Context: Process; ovnik_lock held.
 */
void ovnik_refs_stop(void)
{
	if (ovnik_config.refs != OVNIK_REFS_NONE)
		asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_OFF) : : : "memory");
}

OVNIK_PROBES(refs) = {
	{ OVNIK_TRACEPOINT(sched_switch, probe_switch), .events = OVNIK_FOR_REFS },
	{}
};

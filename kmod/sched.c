// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the scheduler. They run with interrupts off and the lock of a run queue or task
 * held: no lock, no wakeup, no allocation.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/mm_types.h>
#include <linux/smp.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "filter.h"
#include "probe.h"
#include "ring.h"
#include "waker.h"

/* All of the record but the state. */
static __always_inline void fill_switch(struct ovnik_slot slot, struct task_struct *prev,
					struct task_struct *next)
{
	struct ovnik_sched_switch *rec = (void *)slot.rec;

	rec->prev_tid = prev->pid;
	rec->next_tid = next->pid;
	ovnik_commit(&slot, sched_switch);
}

static __always_inline u16 *state_in(struct ovnik_slot slot)
{
	return &((struct ovnik_sched_switch *)slot.rec)->prev_state;
}

/*
 * Any state, as sched:sched_switch has it: __trace_sched_switch_state(), events/sched.h.
 * exit_state may be in @state already: it has no bit that __task_state_index() looks for there.
 * A dead task may be reaped by its parent before it is off its CPU: then both bits are seen, and
 * it was a zombie.
 */
static u16 switch_state(bool preempt, unsigned int state, struct task_struct *prev)
{
	unsigned int index;

	if (preempt)
		return OVNIK_STATE_PREEMPTED;
	index = __task_state_index(state, READ_ONCE(prev->exit_state));
	return index ? 1U << (index - 1) : 0;
}

/*
 * The two ways out of probe_switch() are calls at its end, for which it need not keep registers,
 * with arguments where they are there: of those only @prev moves, because its register gets the
 * TSC. "used" keeps the compiler from dropping @unused.
 */
static noinline __used void switch_slow(struct task_struct *prev, bool preempt,
					unsigned long unused, struct task_struct *next,
					unsigned int state)
{
	struct ovnik_slot slot;

	if (!ovnik_begin_slow(&slot, sched_switch))
		return;
	*state_in(slot) = switch_state(preempt, state, prev);
	fill_switch(slot, prev, next);
}

static noinline __used void switch_oddly(struct task_struct *prev, bool preempt,
					 struct ovnik_record *rec, struct task_struct *next,
					 unsigned int state, struct ovnik_subbuf *sb)
{
	struct ovnik_slot slot = { rec, sb };

	*state_in(slot) = switch_state(preempt, state, prev);
	fill_switch(slot, prev, next);
}

static void probe_switch(void *unused, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int state)
{
	struct ovnik_slot slot;

	if (!ovnik_wanted2(prev, next))
		return;
	if (unlikely(!ovnik_begin_fast(&slot, sched_switch)))
		return switch_slow(prev, preempt, 0, next, state);
	/* Nearly always running or asleep: the value itself. The upper byte is 0 already. */
	BUILD_BUG_ON((TASK_INTERRUPTIBLE ^ OVNIK_STATE_INTERRUPTIBLE) |
		     (TASK_UNINTERRUPTIBLE ^ OVNIK_STATE_UNINTERRUPTIBLE));
	/* READ_ONCE() would not let it be an operand of "or", and cost a register. */
	state |= data_race(prev->exit_state);
	if (unlikely(preempt || state & ~(OVNIK_TASK_FREEZABLE | TASK_NORMAL)))
		return switch_oddly(prev, preempt, slot.rec, next, state, slot.sb);
	*(u8 *)state_in(slot) = state;
	fill_switch(slot, prev, next);
}

/*
 * Who wakes a task that is queued to another CPU, which makes it runnable later, in an
 * interrupt or before it idles. A task is queued once at a time, and taken before it runs, so
 * that a slot is never stale. If two queued tasks share a slot, the first one's waker is unknown.
 */
#define QUEUED_SLOTS	8192

union queued {
	struct {
		u32	waker;
		u32	tid;	/* 0: nobody is queued */
	};
	u64		both;
};

static union queued queued[QUEUED_SLOTS];

static __always_inline union queued *queued_slot(u32 tid)
{
	return &queued[tid % QUEUED_SLOTS];
}

/* An interrupt does not wake for the task that it interrupts. */
static __always_inline u32 waker_here(void)
{
	return likely(in_task()) ? current->pid : 0;
}

/*
 * void __smp_call_single_queue(int cpu, struct llist_node *node): also of calls of functions.
 * The lock of the task is held, and the queue orders what is written here before its reader.
 */
static void notrace probe_queue(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct llist_node *llist = (void *)ovnik_ftrace_arg(fregs, 1);
	struct __call_single_node *node = container_of(llist, struct __call_single_node, llist);
	union queued entry = { .waker = waker_here() };

	if ((node->u_flags & CSD_FLAG_TYPE_MASK) != CSD_TYPE_TTWU)
		return;
	entry.tid = container_of(node, struct task_struct, wake_entry)->pid;
	WRITE_ONCE(queued_slot(entry.tid)->both, entry.both);
}

static noinline u32 take_queued(union queued *slot, u32 tid)
{
	union queued entry = { .both = READ_ONCE(slot->both) };

	/* Another task may have got the slot. */
	if (entry.tid != tid || cmpxchg(&slot->both, entry.both, 0) != entry.both)
		return 0;
	return entry.waker;
}

static __always_inline u32 waker_of(u32 tid)
{
	union queued *slot = queued_slot(tid);

	if (unlikely(READ_ONCE(slot->tid) == tid))
		return take_queued(slot, tid);
	return waker_here();
}

/**
 * ovnik_wakers_reset() - Forget what an earlier capture has not taken.
 *
 * Context: Process; ovnik_lock held, no probe is attached.
 */
void ovnik_wakers_reset(void)
{
	memset(queued, 0, sizeof(queued));
}

static __always_inline void fill_wakeup(struct ovnik_slot slot, struct task_struct *task,
					u32 waker)
{
	struct ovnik_sched_wakeup *rec = (void *)slot.rec;

	rec->cpu = task_cpu(task);
	rec->tid = task->pid;
	rec->waker_tid = waker;
	ovnik_commit(&slot, sched_wakeup);
}

static noinline void wakeup_slow(struct task_struct *task, u32 waker)
{
	struct ovnik_slot slot;

	if (ovnik_begin_slow(&slot, sched_wakeup))
		fill_wakeup(slot, task, waker);
}

static void probe_wakeup(void *unused, struct task_struct *task)
{
	u32 waker = waker_of(task->pid);
	struct ovnik_slot slot;

	if (!ovnik_wanted_tids(task->pid, waker))
		return;
	if (unlikely(!ovnik_begin_fast(&slot, sched_wakeup)))
		return wakeup_slow(task, waker);
	fill_wakeup(slot, task, waker);
}

static void probe_wakeup_new(void *unused, struct task_struct *task)
{
	struct ovnik_sched_wakeup_new *rec;
	struct ovnik_slot slot;

	if (!ovnik_wanted2(task, current))
		return;
	rec = ovnik_begin(&slot, sched_wakeup_new);
	if (!rec)
		return;
	rec->cpu = task_cpu(task);
	rec->tid = task->pid;
	rec->waker_tid = current->pid;
	ovnik_commit(&slot, sched_wakeup_new);
}

static void probe_migrate(void *unused, struct task_struct *task, int dest_cpu)
{
	struct ovnik_sched_migrate *rec;
	struct ovnik_slot slot;

	if (!ovnik_wanted(task))
		return;
	rec = ovnik_begin(&slot, sched_migrate);
	if (!rec)
		return;
	rec->orig_cpu = task_cpu(task);
	rec->tid = task->pid;
	rec->dest_cpu = dest_cpu;
	ovnik_commit(&slot, sched_migrate);
}

OVNIK_PROBES(sched) = {
	{ OVNIK_TRACEPOINT(sched_switch, probe_switch), .events = OVNIK_BIT(sched_switch) },
	{ OVNIK_TRACEPOINT(sched_wakeup, probe_wakeup), .events = OVNIK_BIT(sched_wakeup) },
	{ .hook = "__smp_call_single_queue", .entry = probe_queue,
	  .events = OVNIK_BIT(sched_wakeup) },
	{ OVNIK_TRACEPOINT(sched_wakeup_new, probe_wakeup_new),
	  .events = OVNIK_BIT(sched_wakeup_new) },
	{ OVNIK_TRACEPOINT(sched_migrate_task, probe_migrate), .events = OVNIK_BIT(sched_migrate) },
	{}
};

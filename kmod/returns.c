// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns of functions, by kretprobes.
 *
 * A kretprobe has a number of instances: a call that finds none, because so many tasks are inside
 * the function, is not seen to return. The kernel counts such calls, but not on which CPU, not
 * exactly with several CPUs, and not of whom. So we are asked at the entry of each call, before
 * the kernel is: if it then does not come to our entry handler, there was no instance.
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "config.h"
#include "events.h"
#include "returns.h"
#include "ring.h"

/* Set when the kernel has an instance for a call. Nothing nests in a kprobe on one CPU. */
DEFINE_PER_CPU(bool, ovnik_return_entered);

/* The kernel's, the same for all. */
static kprobe_pre_handler_t kernel_enters;

/* Whether or not the ring is still on. */
static void lose_each(u64 events, unsigned long n)
{
	for (; events; events &= events - 1) {
		unsigned int event = __ffs64(events);

		if (ovnik_event_on(event))
			this_cpu_add(ovnik_ring.dropped[event], n);
	}
}

static noinline void lose_call(const struct ovnik_return *ret, struct pt_regs *regs)
{
	u64 instance[DIV_ROUND_UP(sizeof(struct kretprobe_instance) + OVNIK_RETURN_ARGS, 8)];
	struct kretprobe_instance *ri = (void *)instance;

	if (!this_cpu_read(ovnik_ring.on) || ret->krp.entry_handler(ri, regs))
		return;
	if (ret->miss)
		ret->miss(ri->data);
	else
		lose_each(ret->events, 1);
}

static int enter(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ovnik_return *ret = container_of(kp, struct ovnik_return, krp.kp);

	this_cpu_write(ovnik_return_entered, false);
	kernel_enters(kp, regs);
	if (unlikely(!this_cpu_read(ovnik_return_entered)))
		lose_call(ret, regs);
	return 0;
}

/**
 * ovnik_return_hook() - Hook the entry and the return of a function.
 * @ret:     not hooked
 * @address: of the function
 * @events:  OVNIK_BIT() of what one call is recorded as
 *
 * Calls that begin before this returns may be missed without being counted.
 *
 * Context: Process, may sleep; no ring is on.
 * Return: 0; a negative errno, and it is not hooked.
 */
int ovnik_return_hook(struct ovnik_return *ret, unsigned long address, u64 events)
{
	int err;

	/* The kernel keeps state of the last use. */
	memset(&ret->krp.kp, 0, sizeof(ret->krp.kp));
	ret->krp.kp.addr = (void *)address;
	ret->krp.maxactive = OVNIK_RETURN_INSTANCES;
	ret->events = events;
	err = register_kretprobe(&ret->krp);
	if (err)
		return err;
	kernel_enters = ret->krp.kp.pre_handler;
	/* For CPUs that are in the function now. */
	smp_store_release(&ret->krp.kp.pre_handler, enter);
	return 0;
}

/**
 * ovnik_return_forget_missed() - Forget what the kernel has left out so far.
 * @ret: hooked
 *
 * Context: Process; no ring is on.
 */
void ovnik_return_forget_missed(struct ovnik_return *ret)
{
	ret->counted = READ_ONCE(ret->krp.kp.nmissed);
}

/**
 * ovnik_return_lose_missed() - Count calls that the kernel has left out as dropped.
 * @ret: hooked
 *
 * That is while another kprobe runs, ours or not, so seldom that it has not been seen. Then only
 * how many is known: they are counted for all events of the probe, on this CPU.
 *
 * Context: Process; ovnik_lock held, the rings on or just switched off.
 */
void ovnik_return_lose_missed(struct ovnik_return *ret)
{
	unsigned long missed = READ_ONCE(ret->krp.kp.nmissed);

	/* Several CPUs may count at the same time: then it may step back. */
	if (missed <= ret->counted)
		return;
	lose_each(ret->events, missed - ret->counted);
	ret->counted = missed;
}

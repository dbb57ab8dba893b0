/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RETURNS_H
#define OVNIK_RETURNS_H

#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* Tasks that may be inside a function at once; what others would have recorded is counted. */
#define OVNIK_RETURN_INSTANCES	512

/* Bytes that may be kept between the entry and the return of a function. */
#define OVNIK_RETURN_ARGS	64

/**
 * struct ovnik_return - What runs at the entry and the return of a function.
 * @krp:     the kernel's; its entry handler returns 1 for a call that is not recorded
 * @miss:    counts what a call would have been recorded as, from what the entry handler has kept
 *	     of it; NULL: one of each of @events
 * @events:  OVNIK_BIT() of those of the probe
 * @counted: how often the kernel itself has left it out, of what is counted already
 */
struct ovnik_return {
	struct kretprobe	krp;
	void			(*miss)(const void *args);
	u64			events;
	unsigned long		counted;
};

DECLARE_PER_CPU(bool, ovnik_return_entered);

/* NAME_ret runs enter_NAME() and leave_NAME(), and keeps @args between the two. */
#define OVNIK_RET(name, args)	OVNIK_RET_BY(name, enter_##name, leave_##name, NULL, args)

#define OVNIK_RET_BY(name, enter, leave, miss_call, args)			\
	static int name##_entered(struct kretprobe_instance *ri, struct pt_regs *regs) \
	{									\
		BUILD_BUG_ON(sizeof(args) > OVNIK_RETURN_ARGS);			\
		this_cpu_write(ovnik_return_entered, true);			\
		return enter(ri, regs);						\
	}									\
	static struct ovnik_return name##_ret = {				\
		.krp = {							\
			.entry_handler	= name##_entered,			\
			.handler	= leave,				\
			.data_size	= sizeof(args),				\
		},								\
		.miss = miss_call,						\
	}

int ovnik_return_hook(struct ovnik_return *ret, unsigned long address, u64 events);
void ovnik_return_forget_missed(struct ovnik_return *ret);
void ovnik_return_lose_missed(struct ovnik_return *ret);

#endif /* OVNIK_RETURNS_H */

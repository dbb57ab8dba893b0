/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PROBE_H
#define OVNIK_PROBE_H

#include <linux/build_bug.h>
#include <linux/ftrace.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#include "around.h"
#include "ovnik.h"
#include "returns.h"

#define OVNIK_BIT(name)		BIT_ULL(OVNIK_EV_##name)

/* A probe that the filter needs: no event has number 0. */
#define OVNIK_FOR_FILTER	BIT_ULL(0)

/* A probe that memory references need: nor has one the last number. */
#define OVNIK_FOR_REFS		BIT_ULL(63)
static_assert(OVNIK_NR_EVENTS <= 63);

/**
 * struct ovnik_range - The address range of a kernel function.
 * @name:  of the function; "one|other": the first that this kernel has
 * @start: its first byte; found at module load
 * @end:	   after its last byte
 *
 * To identify the caller of a hooked function.
 */
struct ovnik_range {
	const char	*name;
	unsigned long	start;
	unsigned long	end;
};

static __always_inline bool ovnik_in_range(const struct ovnik_range *range, unsigned long ip)
{
	return ip - range->start < range->end - range->start;
}

/**
 * typedef ovnik_entry_fn - What runs at the entry of a kernel function.
 * @parent_ip: its return address
 * @fregs:     its arguments: ovnik_ftrace_arg()
 */
typedef void (*ovnik_entry_fn)(unsigned long parent_ip, struct ftrace_regs *fregs);

/**
 * struct ovnik_probe - A function of ours that hooks a place of the kernel.
 * @hook:     name of the tracepoint, or of the function if @entry or @ret is set;
 *	      "one|other": the first function that this kernel has
 * @func:     what runs at the tracepoint
 * @entry:    what runs at the entry of the function
 * @ret:      what runs at its entry and return: returns.c
 * @around:   what runs around it; refused with -EBUSY while a BPF program does, too
 * @instead:  attached only where this could not be, whose work it does at a higher price
 * @caller:   the only caller of @hook that counts, or NULL
 * @guard:    may be hooked even if its events are off
 * @events:   OVNIK_BIT() of the events it writes
 * @tracepoint: found at module load
 * @address:  of the function; found at module load
 * @attached: it is attached now
 */
struct ovnik_probe {
	const char		*hook;
	void			*func;
	ovnik_entry_fn		entry;
	struct ovnik_return	*ret;
	struct ovnik_around	*around;
	struct ovnik_around	*instead;
	struct ovnik_range	*caller;
	bool			guard;
	u64			events;
	struct tracepoint	*tracepoint;
	unsigned long		address;
	bool			attached;
};

/*
 * The tables of probes, each ending with a probe without hook. Hooks of a kind are attached
 * in this order.
 */
#define OVNIK_PROBE_TABLES(TABLE)						\
	TABLE(sched)								\
	TABLE(task)								\
	TABLE(mm)								\
	TABLE(remap)								\
	TABLE(cow)								\
	TABLE(fault)								\
	TABLE(pagecache)							\
	TABLE(file)								\
	TABLE(rw)								\
	TABLE(calls)								\
	TABLE(refs)

#define OVNIK_PROBE_TABLE(name)		extern struct ovnik_probe ovnik_##name##_probes[];
OVNIK_PROBE_TABLES(OVNIK_PROBE_TABLE)

/* Begins a table; does not compile without its row above. */
#define OVNIK_PROBES(name)							\
	static_assert(sizeof(ovnik_##name##_probes[0]));			\
	struct ovnik_probe ovnik_##name##_probes[]

/*
 * A row's tracepoint and what runs there, whose prototype must be that of the tracepoint:
 * otherwise it does not compile. The file must include the tracepoint's header.
 */
#define OVNIK_TRACEPOINT(name, probe)						\
	.hook = #name,								\
	.func = (void *)(probe) +						\
		BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##name, \
					       void (typeof(probe) *)))

int ovnik_probes_find(void);
const char *ovnik_probes_lack(unsigned int event);
void ovnik_probes_forget(void);
int ovnik_probes_attach(u64 events);
void ovnik_probes_detach(void);
void ovnik_probes_unhook_rest(void);
void ovnik_probes_forget_missed(void);
void ovnik_probes_lose_missed(void);

#endif /* OVNIK_PROBE_H */

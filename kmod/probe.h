/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PROBE_H
#define OVNIK_PROBE_H

#include <linux/ftrace.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#include "ovnik.h"

#define OVNIK_BIT(name)		BIT_ULL(OVNIK_EV_##name)

/* Of a probe that the filter needs: no event has number 0. */
#define OVNIK_FOR_FILTER	BIT_ULL(0)

/**
 * struct ovnik_probe - A function of ours at a place of the kernel.
 * @hook:     name of the tracepoint, or of the function if @ops is set
 * @func:     what runs at the tracepoint
 * @ops:      what runs at the entry of the function
 * @events:   OVNIK_BIT() of the events it writes
 * @tracepoint: found at module load
 * @attached: it runs
 */
struct ovnik_probe {
	const char		*hook;
	void			*func;
	struct ftrace_ops	*ops;
	u64			events;
	struct tracepoint	*tracepoint;
	bool			attached;
};

/* One table a family, each ending with a probe without hook. */
extern struct ovnik_probe ovnik_sched_probes[];
extern struct ovnik_probe ovnik_task_probes[];
extern struct ovnik_probe ovnik_mm_probes[];

int ovnik_task_init(void);
void ovnik_task_exit(void);

int ovnik_probes_find(void);
void ovnik_probes_forget(void);
int ovnik_probes_attach(u64 events);
void ovnik_probes_detach(void);

#endif /* OVNIK_PROBE_H */

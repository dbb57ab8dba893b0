/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_AROUND_H
#define OVNIK_AROUND_H

#include <linux/linkage.h>
#include <linux/types.h>

int ovnik_around_attach(void);
void ovnik_around_detach(void);
void ovnik_around_exit(void);

/* around_fault.S; only ftrace may call it. */
void ovnik_around_fault(void);

/* Called by around_fault.S, in cow.c. */
asmlinkage void ovnik_fault_leave(u32 fault, u32 flags);

#endif /* OVNIK_AROUND_H */

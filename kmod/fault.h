/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_FAULT_H
#define OVNIK_FAULT_H

#include <linux/linkage.h>
#include <linux/types.h>

asmlinkage void ovnik_fault_leave(u32 fault, u32 flags);

#endif /* OVNIK_FAULT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_SWITCH_H
#define OVNIK_REFS_SWITCH_H

#include "ovnik_refs.h"

/* Switches on the log of QEMU's plugin. */
static inline void refs_on(void)
{
	asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_ON) OVNIK_REFS_BEGIN : : : "rax", "rdx", "memory");
}

/* Switches it off, from the next instruction on. */
static inline void refs_off(void)
{
	asm volatile(OVNIK_REFS_NOP(OVNIK_REFS_OFF) : : : "memory");
}

#endif /* OVNIK_REFS_SWITCH_H */

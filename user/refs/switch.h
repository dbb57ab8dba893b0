/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_SWITCH_H
#define OVNIK_REFS_SWITCH_H

/*
 * An instruction that does nothing, but switches on the log of QEMU's plugin. The log begins
 * with the next translated block: a read of the TSC ends this one, and tells the time.
 */
static inline void refs_on(void)
{
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 'o', 'v', 'n', '1'\n\t"
		     "rdtsc\n\t"
		     "rdtsc" : : : "rax", "rdx", "memory");
}

/* Switches it off, from the next instruction on. */
static inline void refs_off(void)
{
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 'o', 'v', 'n', '0'" : : : "memory");
}

#endif /* OVNIK_REFS_SWITCH_H */

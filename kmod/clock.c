// SPDX-License-Identifier: GPL-2.0-only
/* The TSC: its properties, and its relation to CLOCK_MONOTONIC. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/ktime.h>
#include <asm/tsc.h>

#include "clock.h"
#include "ovnik.h"

/* Keep the narrowest pair: an SMI or a hypervisor may widen some. */
#define PAIR_TRIES	8

/**
 * ovnik_clock_init() - Check that there is a clock for stamps.
 *
 * Context: Process, at module load.
 * Return: 0; -ENODEV if the CPU has no TSC.
 */
int ovnik_clock_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz) {
		pr_err("no usable TSC: records cannot be stamped\n");
		return -ENODEV;
	}
	if (check_tsc_unstable())
		pr_warn("the kernel has marked the TSC as unstable: do not compare times across CPUs\n");
	return 0;
}

/**
 * ovnik_clock_flags() - The flags of the TSC for every sub-buffer.
 *
 * Context: Any.
 * Return: OVNIK_SB_*_TSC and OVNIK_SB_TSC_TRUSTED of enum ovnik_subbuf_flags.
 */
u32 ovnik_clock_flags(void)
{
	u32 flags = 0;

	if (boot_cpu_has(X86_FEATURE_CONSTANT_TSC))
		flags |= OVNIK_SB_CONSTANT_TSC;
	if (boot_cpu_has(X86_FEATURE_NONSTOP_TSC))
		flags |= OVNIK_SB_NONSTOP_TSC;
	if (!check_tsc_unstable())
		flags |= OVNIK_SB_TSC_TRUSTED;
	return flags;
}

/**
 * ovnik_clock_pair() - Read both clocks as close together as possible.
 * @pair: is set
 *
 * Context: Process.
 */
void ovnik_clock_pair(struct ovnik_clock_pair *pair)
{
	struct ovnik_clock_pair one;
	unsigned long flags;
	int i;

	for (i = 0; i < PAIR_TRIES; i++) {
		local_irq_save(flags);
		one.tsc = rdtsc();
		one.ns = ktime_get_mono_fast_ns();
		one.width = rdtsc() - one.tsc;
		local_irq_restore(flags);
		if (!i || one.width < pair->width)
			*pair = one;
	}
}

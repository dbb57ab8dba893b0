// SPDX-License-Identifier: GPL-2.0-only
/* What is known about the TSC, and what it says together with CLOCK_MONOTONIC. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/ktime.h>
#include <asm/tsc.h>

#include "clock.h"
#include "ovnik.h"

/* The narrowest of so many pairs: an SMI or a hypervisor may widen some. */
#define PAIR_TRIES	8

/**
 * ovnik_clock_init() - Is there a clock to stamp with?
 *
 * Context: Process, at module load.
 * Return: 0; -ENODEV if the CPU has no TSC.
 */
int ovnik_clock_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz) {
		pr_err("this machine has no usable TSC, and records are stamped with it\n");
		return -ENODEV;
	}
	if (check_tsc_unstable())
		pr_warn("the kernel has marked the TSC as unstable: times across CPUs are not to be trusted\n");
	return 0;
}

/**
 * ovnik_clock_flags() - What is to be said of the TSC in every sub-buffer.
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
 * ovnik_clock_pair() - Read both clocks as nearly at once as can be.
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

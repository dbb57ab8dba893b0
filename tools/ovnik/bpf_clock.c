// SPDX-License-Identifier: GPL-2.0-only
/* The probes' clock and its properties. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <x86intrin.h>

#include "backend.h"
#include "bpf.h"
#include "system.h"

static bool by_tsc(void)
{
	return probes.config && probes.config->clock == OVNIK_BPF_CLOCK_TSC;
}

/**
 * bpf_clock_now() - Read the probes' clock.
 *
 * Return: ticks, or ns.
 */
u64 bpf_clock_now(void)
{
	return by_tsc() ? __rdtsc() : system_clock_ns(CLOCK_MONOTONIC);
}

/* CPUID leaf 80000007, EDX bit 8: the kernel derives constant and nonstop from it. */
static bool tsc_is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1 << 8;
}

static bool tsc_is_trusted(void)
{
	char text[256];

	system_line(SYSTEM_CLOCKSOURCE, text, sizeof(text));
	return !strncmp(text, "tsc", 3);
}

/**
 * bpf_clock_flags() - The clock's flags for a sub-buffer's header.
 *
 * Return: enum ovnik_subbuf_flags. CLOCK_MONOTONIC has all three properties.
 */
u32 bpf_clock_flags(void)
{
	static int flags = -1;

	if (!by_tsc())
		return OVNIK_SB_CONSTANT_TSC | OVNIK_SB_NONSTOP_TSC | OVNIK_SB_TSC_TRUSTED;
	if (flags < 0) {
		flags = tsc_is_invariant() ? OVNIK_SB_CONSTANT_TSC | OVNIK_SB_NONSTOP_TSC : 0;
		flags |= tsc_is_trusted() ? OVNIK_SB_TSC_TRUSTED : 0;
	}
	return flags;
}

/* "TSC ns width" of the narrowest of 16 readings. */
static void show_now(char *text)
{
	u64 best[3] = { 0, 0, ~0ULL };
	int i;

	for (i = 0; i < 16; i++) {
		u64 start = bpf_clock_now(), ns = system_clock_ns(CLOCK_MONOTONIC);
		u64 width = bpf_clock_now() - start;

		if (width >= best[2])
			continue;
		best[0] = start;
		best[1] = ns;
		best[2] = width;
	}
	if (!by_tsc()) {
		best[1] = best[0];
		best[2] = 0;
	}
	snprintf(text, CONTROL_TEXT, "%llu %llu %llu", best[0], best[1], best[2]);
}

/* The probes use the TSC only if the module is loaded. */
static int show_tsc_khz(char *text)
{
	if (by_tsc())
		return backend_module.read("clock/tsc_khz", text);
	strcpy(text, "1000000");
	return 0;
}

static u32 clock_flag(const char *name)
{
	if (!strcmp(name, "constant_tsc"))
		return OVNIK_SB_CONSTANT_TSC;
	if (!strcmp(name, "nonstop_tsc"))
		return OVNIK_SB_NONSTOP_TSC;
	return strcmp(name, "trusted") ? 0 : OVNIK_SB_TSC_TRUSTED;
}

/**
 * bpf_clock_show() - Print a property of the clock.
 * @name: name of the module's file in clock/
 * @text: is set; CONTROL_TEXT bytes
 *
 * Return: 0; -ENOENT if there is no such file; another negative errno.
 */
int bpf_clock_show(const char *name, char *text)
{
	u32 flag = clock_flag(name);
	int ret = 0;

	if (flag)
		strcpy(text, bpf_clock_flags() & flag ? "1" : "0");
	else if (!strcmp(name, "now"))
		show_now(text);
	else if (!strcmp(name, "source"))
		strcpy(text, by_tsc() ? "tsc" : "monotonic");
	else if (!strcmp(name, "tsc_khz"))
		ret = show_tsc_khz(text);
	else
		ret = -ENOENT;
	return ret;
}

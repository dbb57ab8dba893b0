/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_KNOWN_H
#define OVNIK_OUTPUT_REPORT_KNOWN_H

#include "world/world.h"

struct tracer_answer;

/*
 * Of which CPUs something is known. Of one whose file is missing, empty or all damaged nothing is:
 * its switches are missing, and no thread was seen on it.
 */

#define REPORT_CPUS_TEXT	48	/* bytes of a list of CPUs */

/**
 * struct report_known_cpu - A CPU.
 * @nr: its number
 * @elsewhere: it is left out
 * @ran: a thread was seen on it
 * @blind: switches of it are missing
 */
struct report_known_cpu {
	u32 nr;
	bool elsewhere;
	bool ran;
	bool blind;
};

/**
 * struct report_known - All CPUs of a capture.
 * @world: while attached
 * @cpus: in the order of the world's
 * @nr: length of @cpus
 */
struct report_known {
	struct world *world;
	struct report_known_cpu *cpus;
	u32 nr;
};

/**
 * report_known_attach() - Attach to a world.
 * @k: is set; call report_known_free() in any case
 * @w: the world
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int report_known_attach(struct report_known *k, struct world *w) __must_check;

/**
 * report_known_ran() - A thread was on a CPU for some time.
 * @k: the CPUs
 * @cpu: number of the CPU
 */
void report_known_ran(struct report_known *k, u32 cpu);

/**
 * report_is_known() - Is anything known of a CPU?
 * @cpu: the CPU
 *
 * Return: true if it is.
 */
static inline bool report_is_known(const struct report_known_cpu *cpu)
{
	return cpu->ran || !cpu->blind;
}

/**
 * report_known_count() - How many CPUs that are not left out are known, or are not?
 * @k: the CPUs
 * @known: those that are
 *
 * Return: their number.
 */
u32 report_known_count(const struct report_known *k, bool known);

/**
 * report_known_text() - Name those CPUs.
 * @k: the CPUs
 * @known: those that are known, or those that are not
 * @text: set to "CPU 1", "CPUs 0-3,5"; a list that is too long becomes "12 of 64 CPUs"
 *
 * Return: @text.
 */
const char *report_known_text(const struct report_known *k, bool known,
			      char text[REPORT_CPUS_TEXT]);

/**
 * report_known_write() - Write of which CPUs nothing is known, if there are any.
 * @k: the CPUs
 * @to: where to
 */
void report_known_write(const struct report_known *k, struct tracer_answer *to);

/**
 * report_known_free() - Free them.
 * @k: as report_known_attach() left it, or zeroed
 */
void report_known_free(struct report_known *k);

#endif /* OVNIK_OUTPUT_REPORT_KNOWN_H */

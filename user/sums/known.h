/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_KNOWN_H
#define OVNIK_SUMS_KNOWN_H

#include "world/world.h"

struct tracer_answer;

/*
 * Which CPUs are in the capture. One whose file is missing, empty or all damaged is not: nearly all
 * of its time is in gaps with switches. Nearly, for a file that ends at a header still says who ran
 * before it.
 */

/* Of one that is there, this part of the time is seen at least. */
#define REPORT_SEEN		20

#define REPORT_CPUS_TEXT	24	/* bytes of a list of CPUs */

/**
 * struct report_known_cpu - A CPU.
 * @nr: its number
 * @elsewhere: it is left out
 * @missing: nothing of it is in the capture; set at the end
 * @gap: when the last gap began, ns
 * @blind: time in gaps with switches, ns
 */
struct report_known_cpu {
	u32 nr;
	bool elsewhere;
	bool missing;
	u64 gap;
	u64 blind;
};

/**
 * struct report_known - All CPUs of a capture.
 * @world: while attached
 * @cpus: in the order of the world's
 * @nr: length of @cpus
 * @begin: of the capture, ns
 */
struct report_known {
	struct world *world;
	struct report_known_cpu *cpus;
	u32 nr;
	u64 begin;
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
 * report_known_sum() - Is a sum over all CPUs known? While a CPU is missing, 0 is not.
 * @k: the CPUs
 * @sum: the sum
 *
 * Return: true if it is.
 */
bool report_known_sum(const struct report_known *k, u64 sum);

/**
 * report_known_write() - Name the CPUs that are missing, if there are any; JSON: a table, too.
 * @k: the CPUs
 * @json: as JSON
 * @to: where to
 */
void report_known_write(const struct report_known *k, bool json, struct tracer_answer *to);

/**
 * report_known_free() - Free them.
 * @k: as report_known_attach() left it, or zeroed
 */
void report_known_free(struct report_known *k);

#endif /* OVNIK_SUMS_KNOWN_H */

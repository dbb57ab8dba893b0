/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_REPORT_H
#define OVNIK_OUTPUT_REPORT_REPORT_H

#include "util/types.h"

/*
 * What a user wants to know first of a capture: who used the CPUs, who waited for what,
 * which files cost most, what is missing. Attached to tasks and to the world. Memory: by
 * processes, by 65,536 files and those that are open, and some KiB a CPU.
 */

#define REPORT_ROWS		10	/* of a table, by default */
#define REPORT_ROWS_MAX		10000

struct facts;
struct report;
struct world;

/**
 * struct report_options - What to do.
 * @rows: of a table, at most
 * @json: as JSON, with all processes and files
 */
struct report_options {
	unsigned int rows;
	bool json;
};

/**
 * report_create() - Make an empty report.
 * @opt: what to do
 *
 * Context: Any.
 * Return: what report_destroy() frees; NULL without memory.
 */
struct report *report_create(const struct report_options *opt);

/**
 * report_destroy() - Free a report.
 * @r: from report_create(), or NULL
 *
 * Context: Not from a hook.
 */
void report_destroy(struct report *r);

/**
 * report_attach() - Have a report told of what a world tells.
 * @r: the report
 * @w: the world, with a clock
 *
 * Context: Once; before world_begin().
 * Return: 0, -ENOMEM.
 */
int report_attach(struct report *r, struct world *w) __must_check;

/**
 * report_detach() - Let go of the world; what is known stays.
 * @r: the report, or NULL
 *
 * Context: Before the world is destroyed.
 */
void report_detach(struct report *r);

/**
 * report_write() - Print the report on stdout.
 * @r: the report, after world_end() and report_detach()
 * @facts: of the last pass
 *
 * Context: Any.
 * Return: 0, -ENOMEM, -EIO (both told).
 */
int report_write(struct report *r, const struct facts *facts) __must_check;

#endif /* OVNIK_OUTPUT_REPORT_REPORT_H */

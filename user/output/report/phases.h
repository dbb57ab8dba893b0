/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_PHASES_H
#define OVNIK_OUTPUT_REPORT_PHASES_H

#include "answer/answer.h"
#include "output/output.h"

/*
 * Phases: the values of the marks that an application wrote in a trace that is merged. A thread
 * is in a phase from the value's begin to its end, whatever other values begin within.
 */

/**
 * struct report_phase - A phase.
 * @mark: title of the mark
 * @name: text of the value
 * @times: how often it began
 * @threads: how many threads were in it
 * @ns: time in it, of all of them
 * @least: of the thread that was in it for the shortest time
 * @most: of the one that was for the longest
 */
struct report_phase {
	char *mark;
	char *name;
	u64 times;
	u64 threads;
	u64 ns;
	u64 least;
	u64 most;
};

struct report_phases;

/**
 * report_phases_attach() - Begin to look at the marks of what is merged.
 * @p: is set; report_phases_free() frees it, also after a failure
 * @env: of the report; with events
 *
 * Context: Before world_begin().
 * Return: 0, a negative errno (reported, except -ENOMEM).
 */
int report_phases_attach(struct report_phases **p, const struct output_env *env) __must_check;

/**
 * report_phases_finish() - Sum up.
 * @p: the phases
 * @end: of the capture, ns
 * @phases: are set; they and their names are those of @p
 * @nr: is set
 *
 * Return: 0, a negative errno.
 */
int report_phases_finish(struct report_phases *p, u64 end, struct report_phase **phases, u32 *nr)
	__must_check;

#define REPORT_PHASE_COLUMNS	"mark,phase,times,threads,average,least,most,balance"

/**
 * report_phase_write() - Write the cells of REPORT_PHASE_COLUMNS.
 * @phase: of at least one thread
 * @to: where to; the row is begun
 */
void report_phase_write(const struct report_phase *phase, struct tracer_answer *to);

/**
 * report_phases_write() - Write a table of the phases of one node.
 * @phases: the phases
 * @nr: how many
 * @rows: most rows
 * @to: where to
 *
 * Return: 0, -ENOMEM.
 */
int report_phases_write(struct report_phase *phases, u32 nr, unsigned int rows,
			struct tracer_answer *to) __must_check;

/**
 * report_phases_free() - Free everything.
 * @p: the phases, or NULL
 *
 * Context: Not from a hook.
 */
void report_phases_free(struct report_phases *p);

#endif /* OVNIK_OUTPUT_REPORT_PHASES_H */

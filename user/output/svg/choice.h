/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_SVG_CHOICE_H
#define OVNIK_OUTPUT_SVG_CHOICE_H

#include "output/timeline/timeline.h"

/**
 * struct choice_row - A row for a thread, or for a program of several processes.
 * @th: the thread; of a program, its first one
 * @processes: of the program; 0: it is a thread's row
 * @run: how long it ran, ns
 */
struct choice_row {
	const struct timeline_thread *th;
	u32 processes;
	u64 run;
};

/**
 * struct choice - What of a timeline is in a picture: what is used most.
 * @threads: of the whole timeline, by number - 1
 * @program_tints: of the timeline's programs, by number
 * @values: texts of the marks' values that have a color of their own; NULL: none
 * @value_colors: of the values, by number, as indices in timeline_tints; 0: not known
 * @marked: threads of the rows have marks
 * @cpus: rows: indices of CPUs, in order
 * @nr_cpus: length of @cpus
 * @tasks: rows: threads and programs, in the order in which their processes appeared
 * @nr_tasks: length of @tasks
 * @all_tasks: how many there would be
 * @folded: programs of several processes have a row each, and there are some
 * @files: rows: files, the most used first
 * @nr_files: length of @files
 */
struct choice {
	const struct timeline_thread **threads;
	u8 *program_tints;
	const char *values[TIMELINE_TINTS - 1];
	u8 *value_colors;
	bool marked;
	u32 *cpus;
	u32 nr_cpus;
	struct choice_row *tasks;
	u32 nr_tasks;
	u32 all_tasks;
	bool folded;
	const struct timeline_file **files;
	u32 nr_files;
};

/**
 * choice_make() - Choose what is in a picture.
 * @c: is set; call choice_free() in any case
 * @tl: the timeline
 * @rows: most rows of each sort
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int choice_make(struct choice *c, const struct timeline *tl, u32 rows) __must_check;

/**
 * choice_free() - Free a choice.
 * @c: as choice_make() left it
 *
 * Context: Any.
 */
void choice_free(struct choice *c);

#endif /* OVNIK_OUTPUT_SVG_CHOICE_H */

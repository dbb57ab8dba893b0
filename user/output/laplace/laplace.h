/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_LAPLACE_LAPLACE_H
#define OVNIK_OUTPUT_LAPLACE_LAPLACE_H

#include "util/file.h"
#include "world/world.h"

/**
 * struct laplace_file - A trace.
 * @out: the file
 * @incomplete: something is missing that belongs here
 */
struct laplace_file {
	struct file out;
	bool incomplete;
};

/**
 * struct laplace - Writer of Laplace's raw kernel trace.
 * @split: a trace a CPU
 * @files: one, or one a CPU
 * @nr_files: how many
 * @by_cpu: where what happens on a CPU goes, by number of the CPU
 * @error: of the world: gets those of the files
 * @lost: sidecar with what is missing; created with the first gap
 * @lost_path: its path
 * @gaps: lines in the sidecar
 * @unplaced: lines left out, for no task is known to have the address space
 * @high: upper half of the last time written, plus 1
 * @high_text: it in hex, without leading zeros
 * @high_len: digits of it
 */
struct laplace {
	bool split;
	struct laplace_file *files;
	unsigned int nr_files;
	struct laplace_file **by_cpu;
	int *error;
	struct file lost;
	char *lost_path;
	u64 gaps;
	u64 unplaced;
	u64 high;
	char high_text[8];
	u32 high_len;
};

/**
 * laplace_attach_hooks() - Write what the world reports.
 * @l: its files are open
 * @w: the world
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int laplace_attach_hooks(struct laplace *l, struct world *w) __must_check;

#endif /* OVNIK_OUTPUT_LAPLACE_LAPLACE_H */

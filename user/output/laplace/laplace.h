/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_LAPLACE_LAPLACE_H
#define OVNIK_OUTPUT_LAPLACE_LAPLACE_H

#include "util/file.h"
#include "world/world.h"

/**
 * struct laplace_file - A trace.
 * @out: the file
 * @incomplete: something is missing that would stand here
 */
struct laplace_file {
	struct file out;
	bool incomplete;
};

/**
 * struct laplace - Writer of Laplace's raw kernel trace.
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
 * laplace_attach() - Write a Laplace trace of what the world tells.
 * @l: is set; call laplace_close() in any case
 * @w: the world
 * @dir: directory for laplace.txt, or laplace.cpuN.txt, and laplace.txt.lost
 * @split: a trace a CPU: what happens on a CPU stands in its own only, what changes
 *	   tasks, address spaces, page cache and files for all CPUs in every one
 *
 * Context: Before world_begin().
 * Return: 0; -ENOMEM; what creating a file gave (told).
 */
int laplace_attach(struct laplace *l, struct world *w, const char *dir, bool split) __must_check;

/**
 * laplace_finish() - End the trace.
 * @l: after world_end()
 * @damaged: something may be missing that no gap tells: no end marker
 *
 * The end marker goes into each trace of which nothing is missing.
 *
 * Context: Any.
 * Return: 0; what writing gave (told).
 */
int laplace_finish(struct laplace *l, bool damaged) __must_check;

/**
 * laplace_close() - Free the writer; closes its files if they are open.
 * @l: as laplace_attach() left it, or zeroed
 *
 * Context: Any.
 */
void laplace_close(struct laplace *l);

#endif /* OVNIK_OUTPUT_LAPLACE_LAPLACE_H */

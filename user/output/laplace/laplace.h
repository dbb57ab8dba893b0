/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_LAPLACE_LAPLACE_H
#define OVNIK_OUTPUT_LAPLACE_LAPLACE_H

#include "util/file.h"
#include "world/world.h"

/**
 * struct laplace_file - A trace.
 * @out: the file
 * @incomplete: events of this trace are missing
 */
struct laplace_file {
	struct file out;
	bool incomplete;
};

/**
 * struct laplace - Writer of Laplace's raw kernel trace.
 * @split: one trace per CPU
 * @files: one, or one per CPU
 * @nr_files: how many
 * @by_cpu: file for the events of a CPU, by the number of the CPU
 * @page_size: bytes of a page
 * @error: the world's, which gets errors of the files
 * @lost: file that lists missing events; created at the first gap
 * @lost_path: its path
 * @gaps: lines in @lost
 * @unplaced: lines left out because no task, or no frame, is known of the address space
 * @high: upper half of the last time written, plus 1; 0: none was written
 * @high_text: that half in hex, without leading zeros
 * @high_len: digits of it
 */
struct laplace {
	bool split;
	struct laplace_file *files;
	unsigned int nr_files;
	struct laplace_file **by_cpu;
	u64 page_size;
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
 * laplace_attach() - Write what the world reports.
 * @l: all zero, or with @split; call laplace_close() in any case
 * @w: the world; gets errors of the files
 * @out: directory for laplace.txt or laplace.cpuN.txt, and laplace.txt.lost
 *
 * Context: Before world_begin().
 * Return: 0, a negative errno; all but -ENOMEM are reported.
 */
int laplace_attach(struct laplace *l, struct world *w, const char *out) __must_check;

/**
 * laplace_finish() - Write the end marker where nothing is missing; close the files.
 * @l: writer
 * @cap: the capture
 *
 * Context: After world_end().
 * Return: 0; the first error of a file (reported).
 */
int laplace_finish(struct laplace *l, const struct capture *cap) __must_check;

/**
 * laplace_close() - Free a writer.
 * @l: as laplace_attach() left it, or zeroed
 */
void laplace_close(struct laplace *l);

#endif /* OVNIK_OUTPUT_LAPLACE_LAPLACE_H */

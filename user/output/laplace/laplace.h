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
 * @error: the world's, which gets errors of the files
 * @lost: file that lists missing events; created at the first gap
 * @lost_path: its path
 * @gaps: lines in @lost
 * @unplaced: lines left out because no task is known to have the address space
 * @high: upper half of the last time written, plus 1; 0: none was written
 * @high_text: that half in hex, without leading zeros
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

#endif /* OVNIK_OUTPUT_LAPLACE_LAPLACE_H */

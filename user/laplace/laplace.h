/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_LAPLACE_LAPLACE_H
#define OVNIK_LAPLACE_LAPLACE_H

#include "laplace/output.h"
#include "world/world.h"

/**
 * struct laplace - Writer of Laplace's raw kernel trace.
 * @out: the trace
 * @lost: sidecar with what is missing; created with the first gap
 * @lost_path: its path
 * @gaps: lines in the sidecar
 * @high: upper half of the last time written, plus 1
 * @high_text: it in hex, without leading zeros
 * @high_len: digits of it
 */
struct laplace {
	struct output out;
	struct output lost;
	char *lost_path;
	u64 gaps;
	u64 high;
	char high_text[8];
	u32 high_len;
};

/**
 * laplace_attach() - Write a Laplace trace of what the world tells.
 * @l: is set; call laplace_close() in any case
 * @w: the world
 * @path: file to write; @path with ".lost" behind is the sidecar
 *
 * Context: Before world_begin().
 * Return: 0; -ENOMEM; what creating the file gave (told).
 */
int laplace_attach(struct laplace *l, struct world *w, const char *path) __must_check;

/**
 * laplace_finish() - End the trace.
 * @l: after world_end()
 * @complete: nothing was lost and nothing damaged: write the end marker
 *
 * Context: Any.
 * Return: 0; what writing gave (told).
 */
int laplace_finish(struct laplace *l, bool complete) __must_check;

/**
 * laplace_close() - Free the writer; closes its files if they are open.
 * @l: as laplace_attach() left it, or zeroed
 *
 * Context: Any.
 */
void laplace_close(struct laplace *l);

#endif /* OVNIK_LAPLACE_LAPLACE_H */

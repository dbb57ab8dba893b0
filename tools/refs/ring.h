/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_RING_H
#define OVNIK_REFS_RING_H

#include "util/types.h"

#define RING_CHUNK	(1U << 17)	/* words */

/**
 * ring_open() - Create the file, and start the thread that writes it.
 * @path: of the file
 * @options: as refs_encoder_open()
 * @every: as refs_encoder_open()
 *
 * Context: Any.
 * Return: room for RING_CHUNK words; NULL after an error (reported).
 */
u64 *ring_open(const char *path, u32 options, u32 every);

/**
 * ring_next() - A chunk is full.
 * @nr: words in it
 *
 * Waits if the writer is behind: nothing is lost.
 *
 * Context: Any.
 * Return: room for RING_CHUNK words.
 */
u64 *ring_next(u32 nr);

/**
 * ring_close() - Write what is left, and the end of the file.
 * @nr: words in the chunk
 *
 * An error is reported.
 *
 * Context: Any.
 */
void ring_close(u32 nr);

#endif /* OVNIK_REFS_RING_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_GZ_H
#define OVNIK_EMU_GZ_H

#include <stddef.h>

#include "util/types.h"

/*
 * A compressed file whose first line changes at the end. A gzip file may have several
 * members, whose texts are concatenated (RFC 1952, 2.2). The first member has that line,
 * stored uncompressed so that its length stays the same; the second one has the rest.
 */

struct gz;

#define GZ_LINE_MAX	128	/* longest first line */
#define GZ_FIRST_MAX	(GZ_LINE_MAX + 23)

/**
 * gz_create() - Make a compressor.
 *
 * Return: the compressor, or NULL without memory.
 */
struct gz *gz_create(void);

/**
 * gz_first() - Make the member with the first line.
 * @to: GZ_FIRST_MAX bytes
 * @line: the line
 * @len: its length, GZ_LINE_MAX at most
 *
 * Return: bytes in @to.
 */
size_t gz_first(u8 *to, const char *line, size_t len);

/**
 * gz_write() - Compress some of the rest.
 * @gz: compressor
 * @text: bytes
 * @len: how many
 * @last: these are the last bytes
 * @write: takes compressed bytes; returns 0 or a negative errno
 * @data: for @write
 *
 * Return: 0, or the error of @write.
 */
int __must_check gz_write(struct gz *gz, const char *text, size_t len, bool last,
			  int (*write)(void *data, const void *buf, size_t len), void *data);

/**
 * gz_destroy() - Free a compressor.
 * @gz: compressor or NULL
 */
void gz_destroy(struct gz *gz);

#endif /* OVNIK_EMU_GZ_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_OFFSETS_H
#define OVNIK_TRACE_OFFSETS_H

#include "util/types.h"

#define OVNI_OFFSETS_FILE "clock-offsets.txt"

/**
 * struct ovni_offset - What to add to the clocks of a host.
 * @host: name of the host
 * @ns: nanoseconds
 * @std: their standard deviation
 * @line: line of the table, for messages
 * @used: some loom runs on that host
 */
struct ovni_offset {
	char *host;
	s64 ns;
	double std;
	u32 line;
	bool used;
};

/**
 * struct ovni_offsets - A table of clock offsets. All zero is no table.
 * @path: file name, for messages
 * @offset: the offsets
 * @n: how many
 * @timed: it says when it was measured, and how exactly
 * @at: when, by the clock of the first host
 * @within: with these offsets two hosts differ by at most that, ns
 */
struct ovni_offsets {
	char *path;
	struct ovni_offset *offset;
	u32 n;
	bool timed;
	s64 at;
	s64 within;
};

/**
 * ovni_offsets_load() - Read a table: a header line, then lines of rank, host,
 * median, mean and standard deviation. The median is used, without its fraction. After the names
 * of the columns the header may say at=NS and within=NS, as that of ovnik-sync does.
 * @table: to fill in
 * @path: file name
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check ovni_offsets_load(struct ovni_offsets *table, const char *path);

/**
 * ovni_offsets_of() - The entry of a loom's host; it is used from then on.
 * @table: table
 * @loom: name of the loom; the part before the first dot is its host
 *
 * Return: the entry, NULL for a host that is not in the table.
 */
const struct ovni_offset *ovni_offsets_of(struct ovni_offsets *table, const char *loom);

/**
 * ovni_offsets_find() - What to add to the clocks of a loom.
 * @table: table
 * @loom: name of the loom; the part before the first dot is its host
 *
 * Return: nanoseconds, 0 for a host that is not in the table.
 */
s64 ovni_offsets_find(struct ovni_offsets *table, const char *loom);

/**
 * ovni_offsets_check() - Check that every host of the table has a loom.
 * @table: table
 *
 * Return: 0, or -EINVAL for a host without a loom, reported on stderr.
 */
int __must_check ovni_offsets_check(const struct ovni_offsets *table);

/**
 * ovni_offsets_free() - Free a table.
 * @table: table
 */
void ovni_offsets_free(struct ovni_offsets *table);

#endif /* OVNIK_TRACE_OFFSETS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_STREAM_H
#define OVNIK_MERGE_STREAM_H

#include "util/types.h"

struct merge_stream;
struct merge_trace;

/**
 * merge_stream_take() - Read the metadata of a stream.
 * @tr: its trace; gets the numbers of marks
 * @s: with the names of its files; gets the rest
 *
 * Return: 1; 0 if it is not that of a thread; a negative errno. Both are reported.
 */
int merge_stream_take(struct merge_trace *tr, struct merge_stream *s) __must_check;

/**
 * merge_stream_killed() - Report that a stream was not finished.
 * @s: the stream
 *
 * Return: -EINVAL.
 */
int merge_stream_killed(const struct merge_stream *s);

#endif /* OVNIK_MERGE_STREAM_H */

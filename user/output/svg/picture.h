/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_SVG_PICTURE_H
#define OVNIK_OUTPUT_SVG_PICTURE_H

#include <stdio.h>

#include "output/timeline/timeline.h"

/**
 * picture_write() - Draw a timeline.
 * @f: where to
 * @tl: the timeline
 * @mm: width of the picture
 * @rows: most rows each of CPUs, threads and files
 *
 * Context: After timeline_finish(). Errors of writing are those of @f.
 * Return: 0, -ENOMEM.
 */
int picture_write(FILE *f, const struct timeline *tl, u32 mm, u32 rows) __must_check;

#endif /* OVNIK_OUTPUT_SVG_PICTURE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PRV_DRAW_H
#define OVNIK_OUTPUT_PRV_DRAW_H

#include "decode/decode.h"

/**
 * draw_trace() - Draw a merged trace.
 * @trace: directory of the trace
 * @opt: where the PRV, PCF and ROW files go, and whether they are compressed
 *
 * For a trace that has more in it than a translation tells; see prv.h for others.
 *
 * Context: Any.
 * Return: 0; a negative errno (told).
 */
int draw_trace(const char *trace, const struct decode_options *opt) __must_check;

#endif /* OVNIK_OUTPUT_PRV_DRAW_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_PLACE_H
#define OVNIK_DECODE_PLACE_H

#include "output/output.h"
#include "util/stage.h"

/*
 * The files of a run in its output directory. Files that no requested output owns are never
 * changed.
 */

/**
 * place_apart() - Is the output directory another one than that of a capture?
 * @out: the output directory
 * @capture: what is read
 *
 * Context: Any.
 * Return: 0; -EINVAL if not (reported).
 */
int place_apart(const char *out, const char *capture) __must_check;

/**
 * place_check() - Can all requested outputs be made?
 * @stage: begun in the output directory
 * @outs: the outputs
 *
 * Context: Any; nothing is changed.
 * Return: 0, a negative errno (reported).
 */
int place_check(const struct stage *stage, const struct outputs *outs) __must_check;

/**
 * place_clear() - Remove the files of the requested outputs, whichever run wrote them.
 * @stage: begun in the output directory
 * @outs: the outputs
 *
 * Links are removed, not what they point to.
 *
 * Context: Any.
 * Return: 0, the first negative errno (reported); the other files are removed all the same.
 */
int place_clear(const struct stage *stage, const struct outputs *outs);

#endif /* OVNIK_DECODE_PLACE_H */

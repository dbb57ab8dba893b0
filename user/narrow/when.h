/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NARROW_WHEN_H
#define OVNIK_NARROW_WHEN_H

#include "narrow/narrow.h"

/* Private to user/narrow: when a part begins and ends. */

/**
 * when_parse() - Read a time.
 * @text: for example 1.5, 20ms, -3s, 14:30:00.25, 2026-01-31 14:30:00, @1700000000.5
 * @when: is set
 *
 * Return: 0, -EINVAL.
 */
int when_parse(const char *text, struct narrow_time *when) __must_check;

/**
 * when_find() - Find the part's beginning and end in its capture.
 * @n: the part; @from and @to are set
 *
 * Return: 0, -ERANGE (reported).
 */
int when_find(struct narrow *n) __must_check;

#endif /* OVNIK_NARROW_WHEN_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_LABELS_H
#define OVNIK_MERGE_LABELS_H

#include "util/types.h"

/*
 * The texts of custom events, numbered in order of appearance. A text is cut after
 * XRAY_LABEL_MAX - 1 bytes, and only so many different ones have a number of their own.
 * The others share one, and data that are not text share another.
 */

#define XRAY_LABEL_MAX		80
#define XRAY_LABELS_MAX		256
#define XRAY_LABEL_OTHER	(XRAY_LABELS_MAX + 1)	/* too many texts */
#define XRAY_LABEL_DATA		(XRAY_LABELS_MAX + 2)	/* not a text */
#define XRAY_LABEL_NUMBERS	(XRAY_LABELS_MAX + 3)	/* one past the last number */

/**
 * struct xray_labels - The texts, which become labels of values.
 * @text: by number, less one
 * @hash: of each
 * @nr: how many
 */
struct xray_labels {
	char text[XRAY_LABELS_MAX][XRAY_LABEL_MAX];
	u32 hash[XRAY_LABELS_MAX];
	u32 nr;
};

/**
 * xray_labels_number() - Find the number of an event's text.
 * @t: the texts; a new one is added
 * @data: of the event; NULL: it is too large
 * @size: its size in bytes
 *
 * Return: 1 to XRAY_LABEL_NUMBERS - 1.
 */
u32 xray_labels_number(struct xray_labels *t, const u8 *data, u32 size);

/**
 * xray_labels_get() - Find the text of a number.
 * @t: the texts
 * @number: from xray_labels_number()
 *
 * Return: the text.
 */
const char *xray_labels_get(const struct xray_labels *t, u32 number);

#endif /* OVNIK_MERGE_LABELS_H */

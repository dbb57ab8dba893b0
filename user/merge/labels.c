// SPDX-License-Identifier: GPL-2.0-only
/* The texts of custom events: see labels.h. */
#include <string.h>

#include "merge/labels.h"

/* Zeroes and line feeds at the end are not part of the text. */
static u32 trim(const u8 *data, u32 size)
{
	while (size && (!data[size - 1] || data[size - 1] == '\n'))
		size--;
	return size;
}

static bool is_text(const u8 *data, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++) {
		if (data[i] < ' ' || data[i] > '~')
			return false;
	}
	return size > 0;
}

static u32 hash_of(const char *text)
{
	u32 hash = 2166136261U;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 16777619U;
	return hash;
}

u32 xray_labels_number(struct xray_labels *t, const u8 *data, u32 size)
{
	char text[XRAY_LABEL_MAX] = "";
	u32 i, hash;

	size = data ? trim(data, size) : 0;
	if (!size || !is_text(data, size))
		return XRAY_LABEL_DATA;
	memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
	hash = hash_of(text);
	for (i = 0; i < t->nr; i++) {
		if (t->hash[i] == hash && !strcmp(t->text[i], text))
			return i + 1;
	}
	if (t->nr == XRAY_LABELS_MAX)
		return XRAY_LABEL_OTHER;
	memcpy(t->text[i], text, sizeof(text));
	t->hash[i] = hash;
	return ++t->nr;
}

const char *xray_labels_get(const struct xray_labels *t, u32 number)
{
	if (number == XRAY_LABEL_DATA)
		return "(data)";
	return number > t->nr ? "(other text)" : t->text[number - 1];
}

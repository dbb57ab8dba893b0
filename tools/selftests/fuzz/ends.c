// SPDX-License-Identifier: GPL-2.0-only
/* What the reader hands on is sound: names and strings of a record end in it. */
#include <string.h>

#include "capture/cursor.h"
#include "capture/events.h"
#include "target.h"

int __real_cursor_next_slow(struct cursor *c);
int __wrap_cursor_next_slow(struct cursor *c);

static bool ends(const struct event_field *field, const struct ovnik_record *rec)
{
	u32 len = field->size;

	if (!len)
		len = (rec->words ? rec->words * OVNIK_REC_ALIGN : rec->size) - field->offset;
	return memchr((const u8 *)rec + field->offset, '\0', len);
}

/* Whoever uses a name relies on it, and mostly goes wrong where no sanitizer looks. */
int __wrap_cursor_next_slow(struct cursor *c)
{
	int ret = __real_cursor_next_slow(c);
	const struct event_desc *desc = &event_table[c->item.event];
	u32 i;

	for (i = 0; !ret && c->item.kind == ITEM_RECORD && i < desc->nr_fields; i++) {
		if (desc->fields[i].type[0] != 'u')
			must(ends(&desc->fields[i], c->item.data), "a record's text ends in it");
	}
	return ret;
}

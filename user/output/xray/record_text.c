// SPDX-License-Identifier: GPL-2.0-only
/* A record as text: see record_text.h. */
#include <stdio.h>
#include <string.h>

#include "util/decimal.h"
#include "util/hex.h"
#include "util/utf8.h"
#include "output/xray/record_text.h"

static enum record_text_how how_of(const struct event_field *field)
{
	static const char * const hex[] = {
		"address", "pfn", "dev", "task_state", "task_flags", "vma_flags", "open_flags",
		"rename_flags", "fault_error",
	};
	unsigned int i;

	if (!strcmp(field->type, "comm") || !strcmp(field->type, "str"))
		return TEXT_STRING;
	if (!strcmp(field->unit, "result"))
		return TEXT_SIGNED;
	for (i = 0; i < ARRAY_SIZE(hex); i++) {
		if (!strcmp(field->unit, hex[i]))
			return TEXT_HEX;
	}
	return TEXT_DECIMAL;
}

static void init_event(struct record_text_event *event, const struct event_desc *desc)
{
	static const char * const open[] = {
		[TEXT_DECIMAL] = "", [TEXT_SIGNED] = "", [TEXT_HEX] = "0x", [TEXT_STRING] = "\"",
	};
	/* Skip the first field if it is the record's length: it does not describe the event. */
	unsigned int i = event_has_text(desc);

	event->nr = 0;
	for (; i < desc->nr_fields; i++) {
		struct record_text_field *field = &event->fields[event->nr];

		field->how = how_of(&desc->fields[i]);
		field->size = desc->fields[i].size;
		field->offset = desc->fields[i].offset;
		field->len = snprintf(field->label, sizeof(field->label), "%s %s=%s",
				      event->nr ? "" : desc->name, desc->fields[i].name,
				      open[field->how]);
		event->nr++;
	}
}

void record_text_init(struct record_text_event *events)
{
	unsigned int i;

	memset(events, 0, OVNIK_NR_EVENTS * sizeof(*events));
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name)
			init_event(&events[i], &event_table[i]);
	}
}

static char *put_byte(char *to, u8 byte)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'x';
	*to++ = digits[byte >> 4];
	*to++ = digits[byte & 15];
	return to;
}

static char *put_string(char *to, const char *text)
{
	unsigned int len;

	for (; *text; text += len) {
		len = utf8_shown(text);
		if (!len || *text == '"' || *text == '\\') {
			to = put_byte(to, *text);
			len = 1;
			continue;
		}
		memcpy(to, text, len);
		to += len;
	}
	*to++ = '"';
	return to;
}

static inline u64 number(const u8 *p, u8 size)
{
	u64 value;
	u32 word;
	u16 half;

	if (size == sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		return word;
	}
	if (size == sizeof(half)) {
		memcpy(&half, p, sizeof(half));
		return half;
	}
	memcpy(&value, p, sizeof(value));
	return value;
}

static inline char *put_field(char *to, const struct record_text_field *field, const u8 *at)
{
	u64 value;

	if (field->how == TEXT_STRING)
		return put_string(to, (const char *)at);
	value = number(at, field->size);
	if (field->how == TEXT_HEX)
		return hex_put(to, value);
	if (field->how == TEXT_SIGNED && (s32)value < 0) {
		*to++ = '-';
		value = (u32)-(u32)value;
	}
	return decimal_put(to, value);
}

char *record_text_put(char *to, const struct record_text_event *event, const void *rec)
{
	const struct record_text_field *field = event->fields, *end = field + event->nr;

	for (; field < end; field++) {
		/*
		 * Copy the whole array, for a constant size; the next field overwrites the excess.
		 */
		memcpy(to, field->label, sizeof(field->label));
		to = put_field(to + field->len, field, (const u8 *)rec + field->offset);
	}
	return to;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_RECORD_TEXT_H
#define OVNIK_OUTPUT_XRAY_RECORD_TEXT_H

#include "capture/events.h"
#include "util/types.h"

/*
 * A record as the text of a custom event, made from the event table:
 *
 *	file_open tid=100 dev=0x800001 generation=0 flags=0x8000 ino=4711 path="/etc/passwd"
 *
 * The name of the event, then its fields in the order of the table, without the length of a record
 * that ends in a string. Numbers are decimal; addresses, page frames, devices and bit masks are
 * hex with 0x. In a string, quotation marks, backslashes, control characters and invalid UTF-8 are
 * written as \xNN.
 */

#define TEXT_LABEL_MAX	32	/* " field=0x" */
#define RECORD_TEXT_MAX	(4 * OVNIK_REC_MAX + (EVENT_FIELDS_MAX + 1) * (TEXT_LABEL_MAX + 24))

/**
 * enum record_text_how - How a field is written.
 * @TEXT_DECIMAL: as a number
 * @TEXT_SIGNED: as a number of 32 bits that may be negative
 * @TEXT_HEX: in hex
 * @TEXT_STRING: as a string
 */
enum record_text_how {
	TEXT_DECIMAL,
	TEXT_SIGNED,
	TEXT_HEX,
	TEXT_STRING,
};

/**
 * struct record_text_field - How to write a field.
 * @label: text before it
 * @len: bytes of @label
 * @how: enum record_text_how
 * @size: bytes in the record
 * @offset: where it is in the record
 */
struct record_text_field {
	char label[TEXT_LABEL_MAX];
	u8 len;
	u8 how;
	u8 size;
	u16 offset;
};

/**
 * struct record_text_event - How to write an event.
 * @nr: length of @fields
 * @fields: its fields; the first one's label begins with the event's name
 */
struct record_text_event {
	u32 nr;
	struct record_text_field fields[EVENT_FIELDS_MAX];
};

/**
 * record_text_init() - Prepare, from the event table, how to write events.
 * @events: OVNIK_NR_EVENTS of them; are set
 *
 * Context: Any.
 */
void record_text_init(struct record_text_event *events);

/**
 * record_text_put() - Write a record.
 * @to: room for RECORD_TEXT_MAX bytes
 * @event: how
 * @rec: the record, in our layout
 *
 * Context: Any.
 * Return: pointer past the text.
 */
char *record_text_put(char *to, const struct record_text_event *event, const void *rec);

#endif /* OVNIK_OUTPUT_XRAY_RECORD_TEXT_H */

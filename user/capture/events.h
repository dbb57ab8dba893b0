/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_EVENTS_H
#define OVNIK_CAPTURE_EVENTS_H

#include <ovnik.h>

#include "util/types.h"

#define EVENT_NUMBERS		256	/* type is a byte */
#define EVENT_FIELDS_MAX	32	/* a capture's description may have */
#define EVENT_NAME_MAX		64

/**
 * struct event_field - One field of an event as this ovnik knows it.
 * @name: name, by which fields of captures are matched
 * @type: u16, u32, u64, comm or str
 * @unit: what it counts, see the event table
 * @offset: bytes from the beginning of the record
 * @size: bytes; 0 for str
 */
struct event_field {
	const char *name;
	const char *type;
	const char *unit;
	u16 offset;
	u16 size;
};

/**
 * struct event_desc - One event as this ovnik knows it.
 * @name: name, by which events of captures are matched; NULL where there is none
 * @family: name of its family
 * @sentence: what it means, with fields as %{name}
 * @size: least number of bytes of its records, padding included
 * @nr_fields: length of @fields
 * @fields: its fields, in the order of the record
 */
struct event_desc {
	const char *name;
	const char *family;
	const char *sentence;
	u16 size;
	u16 nr_fields;
	const struct event_field *fields;
};

/* By number; entry 0 and unused numbers have no name. */
extern const struct event_desc event_table[OVNIK_NR_EVENTS];

/* Is the last field a string? */
static inline bool event_has_text(const struct event_desc *desc)
{
	return desc->nr_fields && !desc->fields[desc->nr_fields - 1].size;
}

/**
 * event_name() - Name an event for a message.
 * @event: our number
 *
 * Context: Any.
 * Return: the name; "unknown" for 0 and numbers not in the table.
 */
const char *event_name(unsigned int event);

/**
 * event_by_name() - Find an event.
 * @name: its name, not terminated
 * @len: its length in bytes
 *
 * Context: Any.
 * Return: our number; 0 if there is none of that name.
 */
unsigned int event_by_name(const char *name, size_t len) __must_check;

/**
 * struct event_meta_field - A field as a capture describes it.
 * @name: name
 * @type: u16, u32, u64, comm or str
 * @offset: bytes from the beginning of the record
 * @size: bytes; 0 for str
 * @unit: what it counts; may be cut
 */
struct event_meta_field {
	char name[EVENT_NAME_MAX];
	char type[8];
	u16 offset;
	u16 size;
	char unit[8];
};

/**
 * struct event_meta - An event as a capture describes it.
 * @name: name
 * @number: type in the capture's records
 * @size: least bytes of its records
 * @nr_fields: fields in @fields
 * @fields: its fields
 */
struct event_meta {
	char name[EVENT_NAME_MAX];
	u16 number;
	u16 size;
	u16 nr_fields;
	struct event_meta_field fields[EVENT_FIELDS_MAX];
};

/**
 * struct event_move - How one field gets from a record to our layout.
 * @from: offset in the capture's record
 * @to: offset in ours
 * @from_size: bytes there; 0 for str
 * @to_size: bytes in ours; 0 for str
 */
struct event_move {
	u16 from;
	u16 to;
	u16 from_size;
	u16 to_size;
};

/**
 * struct event_layout - How to read the records of one type of a capture.
 * @size: least bytes of a record
 * @str: offset of the string at the end, 0 if there is none
 * @clear: bytes of our layout to clear before the moves
 * @event: our number of it, 0 if the event is unknown
 * @described: the capture or our table describes it
 * @same: our layout is the same: no translation
 * @nr_moves: length of @moves
 * @nr_comms: length of @comms
 * @moves: what to translate; only where @same is not set
 * @comms: offsets of its task names
 * @name: the capture's name for it
 */
struct event_layout {
	u16 size;
	u16 str;
	u16 clear;
	u8 event;
	bool described;
	bool same;
	u8 nr_moves;
	u8 nr_comms;
	struct event_move moves[EVENT_FIELDS_MAX];
	u16 comms[EVENT_FIELDS_MAX];
	char name[EVENT_NAME_MAX];
};

/**
 * struct event_rule - All that must be checked in most records.
 * @size: least bytes of a record
 * @event: our number of it
 * @plain: only @size must be checked, and our layout is the same
 */
struct event_rule {
	u16 size;
	u8 event;
	bool plain;
};

/**
 * struct event_layouts - How to read the records of a capture.
 * @nr: events the capture counts, that is the length of a header's lost[]; 0 if
 *	unknown
 * @rules: per type; small because every record uses it
 * @by_number: per type
 */
struct event_layouts {
	u16 nr;
	struct event_rule rules[EVENT_NUMBERS];
	struct event_layout by_number[EVENT_NUMBERS];
};

/**
 * event_layouts_builtin() - Set the layouts that this ovnik writes.
 * @layouts: is set
 *
 * Context: Any.
 */
void event_layouts_builtin(struct event_layouts *layouts);

/**
 * event_layouts_add() - Add an event's description from a capture.
 * @layouts: zeroed, or with other events added before
 * @meta: the description
 * @why: set to the reason if it is refused
 *
 * Context: Any.
 * Return: 0, -EINVAL if the description is invalid.
 */
int event_layouts_add(struct event_layouts *layouts, const struct event_meta *meta,
		      const char **why) __must_check;

/**
 * event_layouts_lack() - Which of our events and fields does a capture not describe?
 * @layouts: of the capture
 * @text: set to their names, as many as fit
 * @size: its bytes
 *
 * Context: Any.
 * Return: true if there are any.
 */
bool event_layouts_lack(const struct event_layouts *layouts, char *text, size_t size);

/**
 * event_translate() - Convert a record to our layout.
 * @layout: its layout
 * @rec: the record, already checked
 * @len: bytes of it
 * @to: room for OVNIK_REC_MAX bytes; fields that @rec does not have are 0
 *
 * Context: Any.
 */
void event_translate(const struct event_layout *layout, const void *rec, u32 len, void *to);

#endif /* OVNIK_CAPTURE_EVENTS_H */

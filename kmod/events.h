/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EVENTS_H
#define OVNIK_EVENTS_H

#include <linux/types.h>

/**
 * struct ovnik_field_info - A field of an event's record.
 * @name:   as in the table
 * @type:   as in the table
 * @unit:   as in the table
 * @offset: bytes from the start of the record
 * @size:   bytes; 0 for a str
 */
struct ovnik_field_info {
	const char	*name;
	const char	*type;
	const char	*unit;
	u16		offset;
	u16		size;
};

/**
 * struct ovnik_event_info - A row of the event table.
 * @name:     as in the table; NULL for an unused number
 * @family:   as in the table
 * @sentence: as in the table
 * @fields:   ends with an unnamed field
 * @size:     bytes of the record, without a str
 * @internal: of an internal family: cannot be switched off
 */
struct ovnik_event_info {
	const char			*name;
	const char			*family;
	const char			*sentence;
	const struct ovnik_field_info	*fields;
	u16				size;
	bool				internal;
};

extern const struct ovnik_event_info ovnik_events[];

#endif /* OVNIK_EVENTS_H */

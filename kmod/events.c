// SPDX-License-Identifier: GPL-2.0-only
/* The event table as data, for sysfs to describe. */
#include <linux/stddef.h>
#include <linux/string.h>

#include "events.h"
#include "ovnik.h"

#define SIZE_u16	2
#define SIZE_u32	4
#define SIZE_u64	8
#define SIZE_comm	OVNIK_COMM_LEN
#define SIZE_str	0

#define FIELD(ev, ftype, fname, funit) {		\
	.name = #fname,					\
	.type = #ftype,					\
	.unit = #funit,					\
	.offset = offsetof(struct ovnik_##ev, fname),	\
	.size = SIZE_##ftype,				\
},

#define FIELDS(nr, ev, family, changes, letter, mcv, sentence, hook, misses, list) \
	static const struct ovnik_field_info fields_##ev[] = { list {} };

OVNIK_EVENT_TABLE(FIELDS, FIELD)

#define EVENT(nr, ev, fam, changes, letter, mcv, what, hook, misses, list) [nr] = { \
	.name = #ev,					\
	.family = #fam,					\
	.sentence = what,				\
	.fields = fields_##ev,				\
	.size = sizeof(struct ovnik_##ev),		\
	.internal = OVNIK_INTERNAL_##fam,		\
},

const struct ovnik_event_info ovnik_events[OVNIK_NR_EVENTS] = {
	OVNIK_EVENT_TABLE(EVENT, OVNIK_NO_FIELD)
};

// SPDX-License-Identifier: GPL-2.0-only
/* The event table as data, and captures whose table differs. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "capture/events.h"

#define SIZE_u16	2
#define SIZE_u32	4
#define SIZE_u64	8
#define SIZE_comm	OVNIK_COMM_LEN
#define SIZE_str	0

#define FIELD_ROW(ev, ftype, fname, funit) {				\
	.name = #fname, .type = #ftype, .unit = #funit,			\
	.offset = offsetof(struct ovnik_##ev, fname), .size = SIZE_##ftype \
},

#define EVENT_FIELDS(nr, ev, family, changes, letter, mcv, sentence, hook, misses, ...) \
	static const struct event_field fields_##ev[] = { __VA_ARGS__ };

#define EVENT_ROW(nr, ev, fam, changes, letter, mcv, what, ...)		\
	[nr] = {							\
		.name = #ev, .family = #fam, .sentence = what,		\
		.size = sizeof(struct ovnik_##ev),			\
		.nr_fields = ARRAY_SIZE(fields_##ev), .fields = fields_##ev, \
	},

OVNIK_EVENT_TABLE(EVENT_FIELDS, FIELD_ROW)

const struct event_desc event_table[OVNIK_NR_EVENTS] = {
	OVNIK_EVENT_TABLE(EVENT_ROW, OVNIK_NO_FIELD)
};

const char *event_name(unsigned int event)
{
	if (event >= OVNIK_NR_EVENTS || !event_table[event].name)
		return "unknown";
	return event_table[event].name;
}

unsigned int event_by_name(const char *name, size_t len)
{
	unsigned int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (event_table[i].name && strlen(event_table[i].name) == len &&
		    !memcmp(event_table[i].name, name, len))
			return i;
	}
	return 0;
}

static void describe(struct event_meta *meta, unsigned int number)
{
	const struct event_desc *desc = &event_table[number];
	unsigned int i;

	memset(meta, 0, sizeof(*meta));
	snprintf(meta->name, sizeof(meta->name), "%s", desc->name);
	meta->number = number;
	meta->size = desc->size;
	meta->nr_fields = desc->nr_fields;
	for (i = 0; i < desc->nr_fields; i++) {
		struct event_meta_field *field = &meta->fields[i];

		snprintf(field->name, sizeof(field->name), "%s", desc->fields[i].name);
		snprintf(field->type, sizeof(field->type), "%s", desc->fields[i].type);
		field->offset = desc->fields[i].offset;
		field->size = desc->fields[i].size;
	}
}

void event_layouts_builtin(struct event_layouts *layouts)
{
	struct event_meta meta;
	const char *why;
	unsigned int i;

	memset(layouts, 0, sizeof(*layouts));
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (!event_table[i].name)
			continue;
		describe(&meta, i);
		/* Our own table is valid, so nothing is refused. */
		if (event_layouts_add(layouts, &meta, &why))
			continue;
	}
	layouts->nr = OVNIK_NR_EVENTS;
}

static int type_size(const char *type)
{
	if (!strcmp(type, "u16"))
		return SIZE_u16;
	if (!strcmp(type, "u32"))
		return SIZE_u32;
	if (!strcmp(type, "u64"))
		return SIZE_u64;
	if (!strcmp(type, "comm"))
		return SIZE_comm;
	return strcmp(type, "str") ? -EINVAL : SIZE_str;
}

static const char *refuse_field(const struct event_meta *meta, unsigned int i)
{
	const struct event_meta_field *field = &meta->fields[i];
	int size = type_size(field->type);
	unsigned int j;

	if (size < 0)
		return "a field's type is not one of u16, u32, u64, comm, str";
	if (field->offset < OVNIK_REC_HEADER || field->offset + size > meta->size)
		return "a field lies outside its record";
	if (size == SIZE_str && i + 1 < meta->nr_fields)
		return "a string is not the last field";
	if (field->size != size)
		return "a field's size does not belong to its type";
	for (j = 0; j < i; j++) {
		const struct event_meta_field *other = &meta->fields[j];

		if (!strcmp(other->name, field->name))
			return "two fields have the same name";
		/* A string has no end: it lies behind all others. */
		if (field->offset < other->offset + other->size &&
		    (size == SIZE_str || other->offset < field->offset + size))
			return "two fields overlap";
	}
	return NULL;
}

static bool is_named(const struct event_layouts *layouts, const char *name)
{
	unsigned int i;

	for (i = 1; i < layouts->nr; i++) {
		if (layouts->by_number[i].described && !strcmp(layouts->by_number[i].name, name))
			return true;
	}
	return false;
}

/*
 * Nothing about a record is checked but what this leaves open: how long it is, and that its
 * texts end in it.
 */
static const char *refuse(const struct event_layouts *layouts, const struct event_meta *meta)
{
	unsigned int i;

	if (!meta->number || meta->number >= EVENT_NUMBERS)
		return "the number is not 1..255";
	if (layouts->by_number[meta->number].described)
		return "two events have the same number";
	if (is_named(layouts, meta->name))
		return "two events have the same name";
	if (meta->size < OVNIK_REC_ALIGN || meta->size > OVNIK_REC_MAX)
		return "the size is impossible";
	if (meta->nr_fields > EVENT_FIELDS_MAX)
		return "too many fields";
	for (i = 0; i < meta->nr_fields; i++) {
		const char *why = refuse_field(meta, i);

		if (why)
			return why;
	}
	return NULL;
}

static const struct event_field *find_field(const struct event_desc *desc, const char *name)
{
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		if (!strcmp(desc->fields[i].name, name))
			return &desc->fields[i];
	}
	return NULL;
}

/* A string instead of a number or the like: it is another field. */
static bool convertible(const char *from, const char *to)
{
	bool plain = from[0] == 'u' && to[0] == 'u';

	return plain || !strcmp(from, to);
}

static void plan_moves(struct event_layout *layout, const struct event_meta *meta)
{
	const struct event_desc *desc = &event_table[layout->event];
	unsigned int i;

	layout->same = meta->size >= desc->size;
	layout->clear = desc->size;
	/* A string that no move sets is empty. */
	if (event_has_text(desc) && layout->clear <= desc->fields[desc->nr_fields - 1].offset)
		layout->clear = desc->fields[desc->nr_fields - 1].offset + 1;
	for (i = 0; i < meta->nr_fields; i++) {
		const struct event_meta_field *from = &meta->fields[i];
		const struct event_field *to = find_field(desc, from->name);
		struct event_move *move = &layout->moves[layout->nr_moves];

		if (!to || !convertible(from->type, to->type))
			continue;
		move->from = from->offset;
		move->to = to->offset;
		move->from_size = from->size;
		move->to_size = to->size;
		layout->nr_moves++;
		if (from->offset != to->offset || strcmp(from->type, to->type))
			layout->same = false;
	}
	if (layout->nr_moves != desc->nr_fields)
		layout->same = false;
}

static void set_rule(struct event_rule *rule, const struct event_layout *layout)
{
	rule->size = layout->size;
	rule->event = layout->event;
	rule->plain = layout->same && !layout->str && !layout->nr_comms &&
		      layout->event != OVNIK_EV_anchor;
}

int event_layouts_add(struct event_layouts *layouts, const struct event_meta *meta,
		      const char **why)
{
	struct event_layout *layout;
	unsigned int i;

	*why = refuse(layouts, meta);
	if (*why)
		return -EINVAL;
	layout = &layouts->by_number[meta->number];
	layout->described = true;
	layout->size = (meta->size + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1);
	memcpy(layout->name, meta->name, sizeof(layout->name));
	for (i = 0; i < meta->nr_fields; i++) {
		if (!strcmp(meta->fields[i].type, "str"))
			layout->str = meta->fields[i].offset;
		if (!strcmp(meta->fields[i].type, "comm"))
			layout->comms[layout->nr_comms++] = meta->fields[i].offset;
	}
	/* A string may begin where the padding would be. */
	if (layout->str)
		layout->size = meta->size;
	layout->event = event_by_name(meta->name, strlen(meta->name));
	if (layout->event)
		plan_moves(layout, meta);
	set_rule(&layouts->rules[meta->number], layout);
	if (meta->number >= layouts->nr)
		layouts->nr = meta->number + 1;
	return 0;
}

static bool is_moved(const struct event_layout *layout, const struct event_field *to)
{
	unsigned int i;

	for (i = 0; i < layout->nr_moves; i++) {
		if (layout->moves[i].to == to->offset)
			return true;
	}
	return false;
}

static const struct event_layout *layout_of(const struct event_layouts *layouts,
					    unsigned int event)
{
	unsigned int i;

	for (i = 1; i < layouts->nr; i++) {
		if (layouts->by_number[i].event == event)
			return &layouts->by_number[i];
	}
	return NULL;
}

/* Append to a list, or say that it goes on. */
static void list(char *text, size_t size, const char *event, const char *field)
{
	size_t len = strlen(text), end = sizeof(", ...");
	char word[2 * EVENT_NAME_MAX + 4];

	snprintf(word, sizeof(word), "%s%s%s%s", len ? ", " : "", event, field ? "." : "",
		 field ? field : "");
	if (len + strlen(word) + end <= size)
		strcpy(text + len, word);
	else if (len < 5 || strcmp(text + len - 5, ", ..."))
		strcpy(text + len, ", ...");
}

bool event_layouts_lack(const struct event_layouts *layouts, char *text, size_t size)
{
	unsigned int i, j;

	*text = '\0';
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		const struct event_desc *desc = &event_table[i];
		const struct event_layout *layout = layout_of(layouts, i);

		if (desc->name && !layout)
			list(text, size, desc->name, NULL);
		for (j = 0; layout && j < desc->nr_fields; j++) {
			if (!is_moved(layout, &desc->fields[j]))
				list(text, size, desc->name, desc->fields[j].name);
		}
	}
	return *text;
}

static void move_field(const struct event_move *move, const u8 *rec, u32 len, u8 *to)
{
	u64 value = 0;
	u16 size;

	if (!move->from_size) {
		u32 bytes = len - move->from;

		if (bytes > OVNIK_REC_MAX - (u32)move->to)
			bytes = OVNIK_REC_MAX - (u32)move->to;
		memcpy(to + move->to, rec + move->from, bytes);
		to[move->to + bytes - 1] = '\0';
		size = move->to + bytes;
		memcpy(to + OVNIK_REC_HEADER, &size, sizeof(size));
		return;
	}
	if (move->from_size > sizeof(value)) {
		memcpy(to + move->to, rec + move->from, move->to_size);
		return;
	}
	memcpy(&value, rec + move->from, move->from_size);
	memcpy(to + move->to, &value, move->to_size);
}

/* A string is the last field. */
static bool moves_text(const struct event_layout *layout)
{
	return layout->nr_moves && !layout->moves[layout->nr_moves - 1].from_size;
}

void event_translate(const struct event_layout *layout, const void *rec, u32 len, void *to)
{
	const struct event_desc *desc = &event_table[layout->event];
	bool text = event_has_text(desc);
	struct ovnik_record *head = to;
	unsigned int i;

	memset(to, 0, layout->clear);
	memcpy(to, rec, offsetof(struct ovnik_record, size));
	head->type = layout->event;
	head->words = text ? 0 : desc->size / OVNIK_REC_ALIGN;
	for (i = 0; i < layout->nr_moves; i++)
		move_field(&layout->moves[i], rec, len, to);
	if (text && !moves_text(layout))
		head->size = desc->fields[desc->nr_fields - 1].offset + 1;
}

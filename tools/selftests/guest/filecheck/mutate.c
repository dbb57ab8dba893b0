// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test of the checker itself. Each field of some records of each kind is altered, in
 * a copy; only of those that the log knows completely.
 */

#include <stddef.h>

#include "filecheck.h"

struct field {
	unsigned int kind;
	size_t at;
	size_t size;
	const char *name;
};

#define SIZE_u16	2
#define SIZE_u32	4
#define SIZE_u64	8
#define SIZE_comm	1
#define SIZE_str	1
#define FIELD_ROW(ev, type, name, unit) \
	{ OVNIK_EV_##ev, offsetof(struct ovnik_##ev, name), SIZE_##type, #name },
#define EVENT_ROWS(nr, name, family, changes, letter, mcv, sentence, hook, misses, fields) fields

static const struct field fields[] = { OVNIK_EVENT_TABLE(EVENT_ROWS, FIELD_ROW) };

#define NR_FIELDS	(sizeof(fields) / sizeof(*fields))

static bool is_noticed(const struct events *events, struct items *want)
{
	struct items got = {};
	bool noticed;

	quiet = true;
	noticed = !check(events, want, &got);
	quiet = false;
	free(got.item);
	return noticed;
}

static size_t record_size(const struct ovnik_record *rec)
{
	return rec->words ? rec->words * OVNIK_REC_ALIGN : rec->size;
}

/* The last bit of a field. */
static bool field_noticed(struct events *events, struct items *want, size_t at,
			  const struct field *field)
{
	struct event before = events->event[at];
	char copy[OVNIK_REC_MAX];
	bool noticed;

	memcpy(copy, before.record, record_size(before.record));
	copy[field->at] ^= 1;
	events->event[at].record = copy;
	noticed = is_noticed(events, want);
	events->event[at] = before;
	if (!noticed)
		printf("# not noticed: another %s in %s\n", field->name,
		       kind_name(field->kind));
	return noticed;
}

static bool loss_noticed(struct events *events, struct items *want, size_t at)
{
	struct event before = events->event[at];
	bool noticed;

	events->event[at].kind = OVNIK_EV_anchor;
	noticed = is_noticed(events, want);
	events->event[at] = before;
	events->event[at].tsc = 0;
	noticed = is_noticed(events, want) && noticed;
	events->event[at] = before;
	if (!noticed)
		printf("# not noticed: a %s that is missing, or at a wrong time\n",
		       kind_name(before.kind));
	return noticed;
}

static bool double_noticed(struct events *events, struct items *want, size_t at)
{
	bool noticed;

	*add_event(events) = events->event[at];
	noticed = is_noticed(events, want);
	events->nr--;
	if (!noticed)
		printf("# not noticed: a second %s\n", kind_name(events->event[at].kind));
	return noticed;
}

static bool place_noticed(struct events *events, struct items *want, size_t at, unsigned int *done)
{
	bool all = loss_noticed(events, want, at) && double_noticed(events, want, at);
	const struct field *field;

	*done += 3;
	for (field = fields; field < fields + NR_FIELDS; field++) {
		if (field->kind != events->event[at].kind || !strcmp(field->name, "size"))
			continue;
		++*done;
		if (!field_noticed(events, want, at, field))
			all = false;
	}
	return all;
}

static bool is_strict(const struct item *got, unsigned int kind)
{
	return got->kind == kind && got->match && !(got->match->loose & LOG_LOOSE) &&
	       (!got->text || *got->text);
}

/* The first, the middle and the last one of a kind. */
static bool kind_noticed(struct events *events, struct items *want, const struct items *got,
			 unsigned int kind, unsigned int *done)
{
	size_t nr = 0, seen = 0, i;
	bool all = true;

	for (i = 0; i < got->nr; i++)
		nr += is_strict(&got->item[i], kind);
	for (i = 0; i < got->nr; i++) {
		if (!is_strict(&got->item[i], kind))
			continue;
		if (!seen || seen == nr / 2 || seen + 1 == nr)
			all = place_noticed(events, want, got->item[i].order, done) && all;
		seen++;
	}
	if (!nr)
		printf("# there is no %s to alter\n", kind_name(kind));
	return all && nr;
}

bool all_noticed(struct events *events, struct items *want, const struct items *got)
{
	unsigned int kind, done = 0;
	bool all = true;

	for (kind = OVNIK_EV_file_open; kind <= OVNIK_EV_file_rename; kind++)
		all = kind_noticed(events, want, got, kind, &done) && all;
	printf("# %u mutations\n", done);
	return all;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Changes of a CPU's file that know its records and headers: see edit.h. */
#include <stddef.h>
#include <string.h>

#include "survey.h"

static u32 length_of(const struct ovnik_record *rec)
{
	u32 len = rec->words ? rec->words * OVNIK_REC_ALIGN : ovnik_record_size(rec);

	return (len + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1);
}

static bool is_header(const struct part *part, u32 at)
{
	return part->len >= sizeof(struct ovnik_subbuf) &&
	       at <= part->len - sizeof(struct ovnik_subbuf) &&
	       header(part, at)->magic == OVNIK_SUBBUF_MAGIC;
}

/* Sub-buffers begin at multiples of 8, unless bytes were cut out. */
static u32 next_header(const struct part *part, u32 at)
{
	for (at += OVNIK_REC_ALIGN; at < part->len; at += OVNIK_REC_ALIGN) {
		if (is_header(part, at))
			return at;
	}
	return part->len;
}

static void survey_records(struct survey *s, const struct part *part, u32 subbuf)
{
	u32 at = s->subbuf[subbuf], end = next_header(part, at);

	at += header(part, at)->header_size & ~(OVNIK_REC_ALIGN - 1);
	while (at + sizeof(struct ovnik_record) <= end && s->nr < RECORDS_MAX) {
		struct place *place = &s->records[s->nr];

		place->at = at;
		place->subbuf = subbuf;
		place->len = length_of(record(part, place));
		if (!place->len || place->len > end - at)
			break;
		at += place->len;
		s->nr++;
	}
}

void survey_file(struct survey *s, const struct part *part)
{
	u32 at = 0;

	s->nr = 0;
	s->nr_subbufs = 0;
	if (!is_header(part, 0))
		at = part->len;
	while (at < part->len && s->nr_subbufs < SUBBUFS_MAX) {
		s->subbuf[s->nr_subbufs] = at;
		survey_records(s, part, s->nr_subbufs++);
		at = next_header(part, at);
	}
	s->subbuf[s->nr_subbufs] = part->len;
}

static const struct event_desc *desc_of(u8 type)
{
	return type < OVNIK_NR_EVENTS && event_table[type].name ? &event_table[type] : NULL;
}

/* The value of some field of that unit in some record. */
static u64 value_of(const struct survey *s, const struct part *part, const char *unit)
{
	u32 tries, i;

	for (tries = 0; s->nr && tries < 20; tries++) {
		const struct place *place = &s->records[draw(s->nr)];
		const struct event_desc *desc = desc_of(record(part, place)->type);
		u64 value = 0;

		for (i = 0; desc && i < desc->nr_fields; i++) {
			const struct event_field *f = &desc->fields[i];

			if (strcmp(f->unit, unit) || f->type[0] != 'u' ||
			    f->offset + f->size > place->len)
				continue;
			memcpy(&value, part->data + place->at + f->offset, f->size);
			return value;
		}
	}
	return draw(5000);
}

static void fill_text(u8 *to, u32 len)
{
	static const char *const texts[] = {
		"a", "/bin/sh", "\x1b[2J", "\xc2\x9b", "\xff", "=1", "a b", "..", "%n", "\n", "\"",
	};
	const char *text = texts[draw(ARRAY_SIZE(texts))];
	u32 i, n = strlen(text);

	for (i = 0; i < len; i++)
		to[i] = text[i % n];
	if (len && draw(2))
		to[draw(4) ? len - 1 : draw(len)] = '\0';
}

/* Tables by number are walked to their end: large numbers are slow, so they are rare. */
static u64 draw_value(const char *unit, u64 old)
{
	u64 value = draw_number(old);

	return !strcmp(unit, "tid") && draw(64) ? value % 5000 : value;
}

static void set_field(const struct survey *s, struct part *part, const struct place *place,
		      const struct event_field *f)
{
	u8 *at = part->data + place->at + f->offset;
	u64 value = 0;

	if (f->offset + f->size > place->len)
		return;
	if (f->type[0] != 'u') {
		fill_text(at, f->size ? f->size : place->len - f->offset);
		return;
	}
	memcpy(&value, at, f->size);
	value = draw(2) ? value_of(s, part, f->unit) : draw_value(f->unit, value);
	memcpy(at, &value, f->size);
}

static void change_field(const struct survey *s, struct part *part, const struct place *place)
{
	struct ovnik_record *rec = record(part, place);
	const struct event_desc *desc = desc_of(rec->type);

	if (desc && desc->nr_fields && draw(16))
		set_field(s, part, place, &desc->fields[draw(desc->nr_fields)]);
	else
		part->data[place->at + draw(place->len)] = draw(256);
}

/* Each value of a unit that is the same becomes the same other one. */
static void rename_value(const struct survey *s, struct part *part)
{
	static const char *const units[] = {
		"tid", "mm", "address", "inode", "file", "pfn", "cpu",
	};
	const char *unit = units[draw(ARRAY_SIZE(units))];
	u64 from = value_of(s, part, unit), value;
	u64 to = draw(2) ? value_of(s, part, unit) : draw_value(unit, from);
	u32 i, k;

	for (i = 0; i < s->nr; i++) {
		const struct event_desc *desc = desc_of(record(part, &s->records[i])->type);

		for (k = 0; desc && k < desc->nr_fields; k++) {
			const struct event_field *f = &desc->fields[k];
			u8 *at = part->data + s->records[i].at + f->offset;

			if (f->type[0] != 'u' || strcmp(f->unit, unit) ||
			    f->offset + f->size > s->records[i].len)
				continue;
			value = 0;
			memcpy(&value, at, f->size);
			if (value == from)
				memcpy(at, &to, f->size);
		}
	}
}

/* A record of any event, with values that occur. */
static void insert_record(const struct survey *s, struct part *part, const struct place *before)
{
	unsigned int type = 1 + draw(OVNIK_NR_EVENTS - 1), i;
	const struct event_desc *desc = desc_of(type);
	u8 bytes[256] = { 0 };
	struct place place = { .at = before->at };
	struct ovnik_record rec = { .type = type };
	bool str;

	if (!desc)
		return;
	str = desc->nr_fields && !desc->fields[desc->nr_fields - 1].size;
	place.len = (desc->size + (str ? draw(40) : 0) + 7) & ~7U;
	rec.delta = record(part, before)->delta;
	rec.words = str ? 0 : place.len / OVNIK_REC_ALIGN;
	rec.size = place.len;
	memcpy(bytes, &rec, sizeof(rec));
	if (!edit_replace(part, place.at, 0, bytes, place.len))
		return;
	for (i = str; i < desc->nr_fields; i++)
		set_field(s, part, &place, &desc->fields[i]);
}

/* Longer or shorter; its length says so, mostly. */
static void resize_record(struct part *part, const struct place *place)
{
	struct ovnik_record *rec = record(part, place);
	static const u8 zero[64];
	u32 words = place->len / OVNIK_REC_ALIGN, n = 1 + draw(words < 8 ? words : 8);
	u32 end = place->at + place->len, len = place->len;

	if (draw(2) || n >= words) {
		edit_replace(part, end, 0, draw(2) ? zero : part->data + place->at,
			     n * OVNIK_REC_ALIGN);
		len += n * OVNIK_REC_ALIGN;
	} else {
		len -= n * OVNIK_REC_ALIGN;
		edit_replace(part, place->at + len, n * OVNIK_REC_ALIGN, NULL, 0);
	}
	if (!draw(8))
		return;
	if (rec->words)
		rec->words = len / OVNIK_REC_ALIGN;
	else
		rec->size = len - draw(8);
}

/* The length in the other form. */
static void change_form(struct part *part, const struct place *place)
{
	struct ovnik_record *rec = record(part, place);

	if (rec->words) {
		rec->words = 0;
		rec->size = place->len;
	} else {
		rec->words = place->len / OVNIK_REC_ALIGN;
	}
}

static void copy_record(struct part *part, const struct place *before, const struct part *from,
			const struct place *place)
{
	u8 copy[OVNIK_REC_MAX];

	if (place->len > sizeof(copy))
		return;
	memcpy(copy, from->data + place->at, place->len);
	edit_replace(part, before->at, 0, copy, place->len);
}

/* Where the text at the end of a record begins; 0: there is none. */
static u32 end_text(const struct ovnik_record *rec)
{
	const struct event_desc *desc = desc_of(rec->type);
	const struct event_field *last;

	if (!desc || !desc->nr_fields)
		return 0;
	last = &desc->fields[desc->nr_fields - 1];
	return last->size ? 0 : last->offset;
}

/* Its text becomes that of another one, which mostly has one and is before it. */
static void refer(const struct survey *s, struct part *part, const struct place *place)
{
	struct ovnik_record *rec = record(part, place);
	u32 at = end_text(rec), back = draw_number(0), size, i, tries;

	size = (at + sizeof(back) + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1U);
	if (!at || size > place->len)
		return;
	for (tries = 0; draw(16) && tries < 20; tries++) {
		i = draw(s->nr);
		back = place->at - s->records[i].at;
		if (s->records[i].at < place->at && end_text(record(part, &s->records[i])))
			break;
	}
	rec->words = 0;
	rec->size = (at + sizeof(back)) | OVNIK_REC_AGAIN;
	memcpy(part->data + place->at + at, &back, sizeof(back));
	edit_replace(part, place->at + size, place->len - size, NULL, 0);
}

static void edit_record(struct survey *s, struct part *part, const struct part *other)
{
	static struct survey theirs;
	const struct place *place = &s->records[draw(s->nr)];

	switch (draw(16)) {
	case 0:
	case 1:
		edit_replace(part, place->at, place->len, NULL, 0);
		break;
	case 2:
		copy_record(part, place, part, &s->records[draw(s->nr)]);
		break;
	case 3:
		survey_file(&theirs, other ? other : part);
		if (theirs.nr)
			copy_record(part, place, other ? other : part,
				    &theirs.records[draw(theirs.nr)]);
		break;
	case 4:
	case 5:
		insert_record(s, part, place);
		break;
	case 6:
		resize_record(part, place);
		break;
	case 7:
		change_form(part, place);
		break;
	case 8:
		record(part, place)->delta = draw_number(record(part, place)->delta);
		break;
	case 9:
		record(part, place)->type = draw(draw(4) ? OVNIK_NR_EVENTS : 256);
		break;
	case 10:
		rename_value(s, part);
		break;
	case 11:
		refer(s, part, place);
		break;
	default:
		change_field(s, part, place);
	}
}

static void change_header(struct part *part, u32 at)
{
	static const struct {
		u16 offset;
		u16 size;
	} fields[] = {
#define FIELD(name)	\
	{ offsetof(struct ovnik_subbuf, name), sizeof(((struct ovnik_subbuf *)0)->name) }
		FIELD(magic), FIELD(version), FIELD(header_size), FIELD(cpu), FIELD(nr_events),
		FIELD(session), FIELD(seq), FIELD(tsc), FIELD(ns), FIELD(width), FIELD(tid),
		FIELD(tsc_end), FIELD(size), FIELD(flags), FIELD(used), FIELD(committed),
		FIELD(crc),
#undef FIELD
	};
	unsigned int i = draw(ARRAY_SIZE(fields) + 4);
	u64 value = 0;
	u32 offset, size;

	/* The rest are losses and counts. */
	offset = i < ARRAY_SIZE(fields) ? fields[i].offset : sizeof(struct ovnik_subbuf) +
		 4 * draw(3 * header(part, at)->nr_events);
	size = i < ARRAY_SIZE(fields) ? fields[i].size : 4;
	if (offset + size > part->len - at)
		return;
	memcpy(&value, part->data + at + offset, size);
	value = draw_number(value);
	memcpy(part->data + at + offset, &value, size);
}

static void edit_subbuf(const struct survey *s, struct part *part)
{
	static u8 copy[PACK_ROOM];
	u32 i = draw(s->nr_subbufs), from = s->subbuf[i], len = s->subbuf[i + 1] - from;

	switch (draw(8)) {
	case 0:
		edit_replace(part, from, len, NULL, 0);
		break;
	case 1:
		memcpy(copy, part->data + from, len);
		edit_replace(part, s->subbuf[draw(s->nr_subbufs + 1)], 0, copy, len);
		break;
	default:
		change_header(part, from);
	}
}

void edit_capture(struct part *part, const struct part *other)
{
	static struct survey s;

	survey_file(&s, part);
	if (!s.nr_subbufs || !draw(32))
		edit_bytes(part);
	else if (s.nr && draw(5))
		edit_record(&s, part, other);
	else
		edit_subbuf(&s, part);
}

void edit_to_statedump(struct part *part)
{
	static struct survey s;
	u32 i;

	survey_file(&s, part);
	for (i = s.nr; i > 0; i--) {
		const struct place *place = &s.records[i - 1];
		const struct event_desc *desc = desc_of(record(part, place)->type);

		if (desc && strcmp(desc->family, "dump"))
			edit_replace(part, place->at, place->len, NULL, 0);
	}
}

static bool has_text(const struct event_desc *desc)
{
	u32 i;

	for (i = 0; desc && i < desc->nr_fields; i++) {
		if (desc->fields[i].type[0] != 'u')
			return true;
	}
	return false;
}

unsigned int edit_some_type(const struct part *part)
{
	unsigned int type = 0, tries;
	static struct survey s;

	survey_file(&s, part);
	for (tries = 0; s.nr && tries < 4; tries++) {
		type = record(part, &s.records[draw(s.nr)])->type;
		if (has_text(desc_of(type)))
			break;
	}
	return type;
}

/*
 * Text without an end, or a length that ends before the fields do: bad only where nothing
 * comes after it, because what does has a 0 somewhere.
 */
static void unterminate(const struct survey *s, struct part *part, const struct place *place)
{
	u32 end = s->subbuf[place->subbuf + 1], from = draw(place->len);
	struct ovnik_record *rec = record(part, place);

	if (draw(2)) {
		from = from < 16 && place->len > 16 ? 16 : from;
		memset(part->data + place->at + from, 'x', place->len - from);
	} else if (place->len > 16) {
		rec->words = rec->words ? 2 : 0;
		rec->size = 16;
		part->data[place->at + 15] = '\0';
		edit_replace(part, place->at + 16, end - place->at - 16, NULL, 0);
		return;
	}
	if (draw(2))
		change_form(part, place);
	if (draw(4))
		edit_replace(part, place->at + place->len, end - place->at - place->len, NULL, 0);
}

void edit_record_of(struct part *part, unsigned int type)
{
	static struct survey s;
	const struct place *place;
	u32 tries;

	survey_file(&s, part);
	for (tries = 0; s.nr && tries < 50; tries++) {
		place = &s.records[draw(s.nr)];
		if (record(part, place)->type != type)
			continue;
		switch (draw(5)) {
		case 0:
			resize_record(part, place);
			break;
		case 1:
			change_form(part, place);
			break;
		case 2:
			change_field(&s, part, place);
			break;
		default:
			unterminate(&s, part, place);
		}
		return;
	}
}

static void fill_names(struct part *part, const struct place *place)
{
	const struct event_desc *desc = desc_of(record(part, place)->type);
	u32 i;

	for (i = 0; desc && i < desc->nr_fields; i++) {
		const struct event_field *f = &desc->fields[i];

		if (!strcmp(f->type, "comm") && f->offset + f->size <= place->len)
			memset(part->data + place->at + f->offset, 'x', f->size);
	}
}

void edit_widen_records(struct part *part, unsigned int type, u32 bytes)
{
	static u8 text[WIDEN_MAX];
	static struct survey s;
	u32 i;

	memset(text, 'x', bytes - 1);
	text[bytes - 1] = '\0';
	survey_file(&s, part);
	/* From the end, because places behind an insertion move. */
	for (i = s.nr; i > 0; i--) {
		const struct place *place = &s.records[i - 1];
		struct ovnik_record *rec = record(part, place);

		if (rec->type != type ||
		    !edit_replace(part, place->at + place->len, 0, text, bytes))
			continue;
		if (rec->words && place->len + bytes >= 256 * OVNIK_REC_ALIGN)
			change_form(part, place);
		if (rec->words)
			rec->words += bytes / OVNIK_REC_ALIGN;
		else
			rec->size += bytes;
		if (draw(2))
			fill_names(part, place);
	}
}

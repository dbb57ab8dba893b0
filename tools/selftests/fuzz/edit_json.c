// SPDX-License-Identifier: GPL-2.0-only
/* Changes of JSON that leave it JSON, mostly: see edit.h. */
#include <stdio.h>
#include <string.h>

#include "capture/events.h"
#include "edit.h"

#define SPANS_MAX	4096
#define DEPTH_MAX	32
#define TEXT_MAX	2048

/**
 * struct span - A value of the text.
 * @key: where its key begins, or the value if it has none
 * @begin: where the value begins
 * @end: one past it
 * @parent: number of the object or array that it is in; itself: the root
 * @next: number of the first span that is not in it
 * @type: its first letter; 0 for digits, 'x' for true, false and null
 */
struct span {
	u32 key;
	u32 begin;
	u32 end;
	u32 parent;
	u32 next;
	char type;
};

static struct span spans[SPANS_MAX];
static u32 nr;
static const u8 *text;
static u32 text_len;

static u32 skip_blanks(u32 at)
{
	while (at < text_len && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' ||
				 text[at] == ',' || text[at] == ':'))
		at++;
	return at;
}

static u32 skip_string(u32 at)
{
	for (at++; at < text_len && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < text_len ? at + 1 : text_len;
}

static u32 skip_word(u32 at)
{
	u32 begin = at;

	while (at < text_len && !strchr(",]}:\"[{ \t\n", text[at]))
		at++;
	return at > begin ? at : at + 1;
}

static char type_of(u8 c)
{
	if ((c >= '0' && c <= '9') || c == '-')
		return 0;
	return c == '{' || c == '[' || c == '"' ? c : 'x';
}

static u32 parse(u32 at, u32 parent, u32 depth);

static u32 parse_inside(u32 at, u32 me, u32 depth)
{
	bool object = text[at] == '{';

	for (at = skip_blanks(at + 1); at < text_len; at = skip_blanks(at)) {
		u32 key = at, child = nr;

		if (text[at] == '}' || text[at] == ']')
			return at + 1;
		if (nr == SPANS_MAX || depth == DEPTH_MAX)
			return text_len;
		if (object && text[at] == '"')
			at = skip_blanks(skip_string(at));
		if (at >= text_len)
			break;
		at = parse(at, me, depth + 1);
		spans[child].key = key;
	}
	return text_len;
}

static u32 parse(u32 at, u32 parent, u32 depth)
{
	u32 me = nr++;

	spans[me] = (struct span){
		.key = at, .begin = at, .parent = parent, .type = type_of(text[at]),
	};
	if (text[at] == '{' || text[at] == '[')
		at = parse_inside(at, me, depth);
	else
		at = text[at] == '"' ? skip_string(at) : skip_word(at);
	if (at > text_len)
		at = text_len;
	spans[me].end = at;
	spans[me].next = nr;
	return at;
}

/* Return: false if there is nothing to change. */
static bool parse_part(const struct part *part)
{
	u32 at;

	text = part->data;
	text_len = part->len;
	nr = 0;
	at = skip_blanks(0);
	if (at < text_len)
		parse(at, 0, 0);
	return nr > 1;
}

static bool key_is(const struct span *s, const char *key)
{
	size_t len = strlen(key);

	return s->key + len + 2 < s->begin && text[s->key] == '"' &&
	       !memcmp(text + s->key + 1, key, len) && text[s->key + 1 + len] == '"';
}

static bool same_key(const struct span *a, const struct span *b)
{
	const u8 *end;
	u32 len;

	if (a->key == a->begin || b->key == b->begin)
		return a->key == a->begin && b->key == b->begin;
	end = memchr(text + a->key + 1, '"', a->begin - a->key - 1);
	len = end ? end - (text + a->key) : 0;
	return len && b->key + len < b->begin && !memcmp(text + a->key, text + b->key, len + 1);
}

static u32 child_of(u32 parent)
{
	u32 children[256], n = 0, i;

	for (i = parent + 1; i < spans[parent].next && n < ARRAY_SIZE(children); i = spans[i].next)
		children[n++] = i;
	return n ? children[draw(n)] : 0;
}

static void remove_value(struct part *part, const struct span *s)
{
	u32 from = s->key, to = s->end;

	while (to < text_len && (text[to] == ' ' || text[to] == '\n'))
		to++;
	if (to < text_len && text[to] == ',') {
		to++;
	} else {
		while (from && (text[from - 1] == ' ' || text[from - 1] == '\n'))
			from--;
		from -= from && text[from - 1] == ',';
	}
	edit_replace(part, from, to - from, NULL, 0);
}

/* A copy of @s, with its key, before @to. */
static void copy_before(struct part *part, const struct span *s, const struct span *to)
{
	u8 copy[TEXT_MAX];
	u32 len = s->end - s->key;

	if (len >= sizeof(copy))
		return;
	memcpy(copy, text + s->key, len);
	copy[len++] = ',';
	edit_replace(part, to->key, 0, copy, len);
}

/* The value of @from in place of that of @to. */
static void copy_value(struct part *part, const struct span *from, const struct span *to)
{
	u8 copy[TEXT_MAX];
	u32 len = from->end - from->begin;

	if (len > sizeof(copy))
		return;
	memcpy(copy, text + from->begin, len);
	edit_replace(part, to->begin, to->end - to->begin, copy, len);
}

static void set_text(struct part *part, const struct span *s, const char *value)
{
	edit_replace(part, s->begin, s->end - s->begin, value, strlen(value));
}

static void set_number(struct part *part, const struct span *s)
{
	u64 old = 0, value;
	char digits[32];
	u32 i;

	for (i = s->begin; i < s->end && text[i] >= '0' && text[i] <= '9'; i++)
		old = 10 * old + text[i] - '0';
	value = draw_number(old);
	snprintf(digits, sizeof(digits), draw(16) ? "%llu" : "-%llu", value);
	set_text(part, s, digits);
}

static void set_string(struct part *part, const struct span *s)
{
	static const char *const texts[] = {
		"\"\"", "\"a\"", "\"..\"", "\"a/b\"", "\"\\u0000\"", "\"\\u001b[31m\"",
		"\"\\u009b\"", "\"\\u202e\"", "\"\\n\"", "\"%s%n\"", "\"=1+1\"", "\"a,b;c\"",
		"\"\\ud800\"", "\"*\"", "\"u16\"", "\"u32\"", "\"u64\"", "\"comm\"", "\"str\"",
	};
	char name[EVENT_NAME_MAX + 3];

	if (draw(3)) {
		set_text(part, s, texts[draw(ARRAY_SIZE(texts))]);
		return;
	}
	snprintf(name, sizeof(name), "\"%s\"", event_name(1 + draw(OVNIK_NR_EVENTS - 1)));
	set_text(part, s, name);
}

static void set_other(struct part *part, const struct span *s)
{
	static const char *const values[] = {
		"null", "true", "false", "{}", "[]", "0", "\"\"", "1e99", "-1", "1.5", "[[[]]]",
		"18446744073709551615", "99999999999999999999", "NaN",
	};

	set_text(part, s, values[draw(ARRAY_SIZE(values))]);
}

/* A value of the same key elsewhere, if there is one. */
static const struct span *like(const struct span *s)
{
	u32 i, tries;

	for (tries = 0; tries < 30; tries++) {
		i = draw(nr);
		if (spans[i].type == s->type && same_key(&spans[i], s))
			return &spans[i];
	}
	return &spans[draw(nr)];
}

static void edit_value(struct part *part, const struct span *s)
{
	const struct span *parent = &spans[s->parent], *other = &spans[child_of(s->parent)];

	switch (draw(8)) {
	case 0:
		remove_value(part, s);
		break;
	case 1:
		copy_before(part, s, s);
		break;
	case 2:
		copy_before(part, other, s);
		break;
	case 3:
		copy_value(part, like(s), s);
		break;
	case 4:
		if (!draw(4))
			set_other(part, s);
		else if (parent->end - parent->begin < TEXT_MAX)
			copy_before(part, parent, parent);
		break;
	default:
		if (s->type == 0)
			set_number(part, s);
		else if (s->type == '"')
			set_string(part, s);
		else
			copy_value(part, like(s), s);
	}
}

void edit_json(struct part *part)
{
	if (!draw(16) || !parse_part(part)) {
		edit_bytes(part);
		return;
	}
	edit_value(part, &spans[1 + draw(nr - 1)]);
}

/* Does an object have this name? */
static bool is_called(u32 object, const char *name)
{
	size_t len = strlen(name);
	u32 i;

	for (i = object + 1; i < spans[object].next; i = spans[i].next) {
		const struct span *s = &spans[i];

		if (key_is(s, "name"))
			return s->end - s->begin == len + 2 &&
			       !memcmp(text + s->begin + 1, name, len);
	}
	return false;
}

static u32 find_fields(unsigned int type)
{
	u32 found[256], n = 0, i;

	for (i = 0; i < nr && n < ARRAY_SIZE(found); i++) {
		if (spans[i].type == '[' && key_is(&spans[i], "fields") &&
		    (!type || is_called(spans[i].parent, event_name(type))))
			found[n++] = i;
	}
	return n ? found[draw(n)] : 0;
}

static const char *field_name(const struct event_desc *desc)
{
	static const char *const others[] = { "x", "y", "size", "comm", "filename", "tid" };

	if (desc->nr_fields && draw(3))
		return desc->fields[draw(desc->nr_fields)].name;
	return others[draw(ARRAY_SIZE(others))];
}

/* A field that may be valid: where another is, or not, of any event. */
static void new_field(char *field, size_t room)
{
	static const struct {
		const char *name;
		unsigned int size;
	} types[] = { { "u16", 2 }, { "u32", 4 }, { "u64", 8 }, { "comm", 16 }, { "str", 0 } };
	unsigned int type = draw(ARRAY_SIZE(types));
	const struct event_desc *desc = &event_table[1 + draw(OVNIK_NR_EVENTS - 1)];

	snprintf(field, room, "{\"name\":\"%s\",\"type\":\"%s\",\"offset\":%u,\"size\":%u}",
		 desc->name ? field_name(desc) : "x", types[type].name,
		 6 + 2 * draw(draw(4) ? 12 : 40), types[type].size);
}

static void add_field(struct part *part, u32 fields)
{
	const struct span *s = &spans[fields], *child = &spans[child_of(fields)];
	bool empty = spans[fields].next == fields + 1;
	char field[256];

	new_field(field + 1, sizeof(field) - 2);
	if (empty) {
		edit_replace(part, s->begin + 1, 0, field + 1, strlen(field + 1));
	} else if (draw(2)) {
		/* The last one: strings must be. */
		field[0] = ',';
		edit_replace(part, s->end - 1, 0, field, strlen(field));
	} else {
		strcat(field + 1, ",");
		edit_replace(part, child->key, 0, field + 1, strlen(field + 1));
	}
}

/* The last one may be a string, for which there are rules of its own. */
static u32 last_or_any(u32 fields)
{
	u32 field = child_of(fields), i;

	if (draw(2))
		return field;
	for (i = fields + 1; i < spans[fields].next; i = spans[i].next)
		field = i;
	return field;
}

/* To where another field is, or before all. */
static void set_offset(struct part *part, u32 fields)
{
	u32 field = last_or_any(fields), i;
	char digits[16];

	for (i = field + 1; i < spans[field].next; i = spans[i].next) {
		if (!key_is(&spans[i], "offset"))
			continue;
		snprintf(digits, sizeof(digits), "%u", 6 + 2 * draw(draw(4) ? 8 : 64));
		set_text(part, &spans[i], digits);
		return;
	}
}

static u32 member(u32 object, const char *key)
{
	u32 i;

	for (i = object + 1; i < spans[object].next; i = spans[i].next) {
		if (key_is(&spans[i], key))
			return i;
	}
	return 0;
}

static bool ends_with_string(u32 fields)
{
	static const char str[] = "\"str\"";
	u32 field = 0, type, i;

	for (i = fields + 1; i < spans[fields].next; i = spans[i].next)
		field = i;
	type = field ? member(field, "type") : 0;
	return type && spans[type].end - spans[type].begin == sizeof(str) - 1 &&
	       !memcmp(text + spans[type].begin, str, sizeof(str) - 1);
}

unsigned int edit_widen_event(struct part *part, unsigned int type)
{
	static const struct {
		const char *type;
		unsigned int size, room;
	} types[] = { { "comm", 16, 16 }, { "comm", 16, 16 }, { "u64", 8, 8 }, { "u32", 4, 8 } };
	u32 fields = parse_part(part) ? find_fields(type) : 0, size, what = draw(ARRAY_SIZE(types));
	u32 gap = draw(2) ? 0 : 8 * draw(draw(2) ? 16 : WIDEN_MAX / 8 - 2), old;
	char field[256], digits[16];

	size = fields ? member(spans[fields].parent, "size") : 0;
	if (!size || size > fields || ends_with_string(fields) || spans[fields].next == fields + 1)
		return 0;
	if (sscanf((const char *)text + spans[size].begin, "%5u", &old) != 1)
		return 0;
	snprintf(field, sizeof(field),
		 ",{\"name\":\"%c\",\"type\":\"%s\",\"offset\":%u,\"size\":%u}",
		 'p' + (char)draw(11), types[what].type, old + gap, types[what].size);
	gap += types[what].room;
	snprintf(digits, sizeof(digits), "%u", old + gap);
	if (!edit_replace(part, spans[fields].end - 1, 0, field, strlen(field)))
		return 0;
	set_text(part, &spans[size], digits);
	return gap;
}

void edit_field_twice(struct part *part, unsigned int type)
{
	u32 fields = parse_part(part) ? find_fields(type) : 0, field, i, to = 0;

	field = fields ? child_of(fields) : 0;
	for (i = fields + 1; field && i < spans[fields].next; i = spans[i].next)
		to = i;
	if (to)
		copy_value(part, &spans[field], &spans[to]);
}

void edit_description(struct part *part, unsigned int type)
{
	u32 fields = parse_part(part) ? find_fields(type) : 0, field, other;

	field = fields ? child_of(fields) : 0;
	if (!field) {
		edit_json(part);
		return;
	}
	other = last_or_any(fields);
	switch (draw(7)) {
	case 0:
		remove_value(part, &spans[other]);
		break;
	case 4:
		set_offset(part, fields);
		break;
	case 1:
		copy_before(part, &spans[field], &spans[other]);
		break;
	case 2:
		copy_value(part, &spans[field], &spans[other]);
		break;
	case 3:
		add_field(part, fields);
		break;
	default:
		field = child_of(field);
		edit_value(part, &spans[field ? field : other]);
	}
}

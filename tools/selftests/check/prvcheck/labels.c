// SPDX-License-Identifier: GPL-2.0-only
/* The PCF, which has the labels, and the ROW file, which has the names. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prvcheck.h"
#include "util/utf8.h"

static bool is_text(const char *text)
{
	unsigned int len;

	for (; *text; text += len) {
		len = utf8_len(text);
		if (!len || (unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " ")];
}

/* The PCF. */

int by_number(const void *a, const void *b)
{
	const s64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int by_type(const void *a, const void *b)
{
	const struct event_type *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

const struct event_type *find_type(const struct trace *t, u32 type)
{
	const struct event_type key = { .type = type };

	return bsearch(&key, t->types, t->nr_types, sizeof(key), by_type);
}

static struct event_type *add_type(struct trace *t, u32 type)
{
	struct event_type *new = &t->types[t->nr_types];

	if (t->nr_types == TYPES_MAX)
		errx(2, "too many types");
	memset(new, 0, sizeof(*new));
	new->type = type;
	t->nr_types++;
	return new;
}

void except_types(struct trace *t, const char *list)
{
	u64 type;

	while (get_number(&list, UINT32_MAX, &type)) {
		if (!find_type(t, type))
			add_type(t, type);
		qsort(t->types, t->nr_types, sizeof(*t->types), by_type);
		list += *list == ',';
	}
}

/* "NUMBER LABEL", the number within what std::stoi() takes. */
static bool get_label(const struct lines *l, const char *p, u64 *number)
{
	if (!get_number(&p, INT_MAX, number) || *p != ' ') {
		wrong(l, "no number that an int holds, and a blank");
		return false;
	}
	p += strspn(p, " ");
	if (is_blank(p) || !is_text(p)) {
		wrong(l, "an empty label, or none of printable UTF-8");
		return false;
	}
	return true;
}

static void pcf_value(const struct lines *l, struct event_type *type, const char *line)
{
	u64 value;

	if (!get_label(l, line, &value))
		return;
	type->values = realloc(type->values, (type->nr + 1) * sizeof(*type->values));
	if (!type->values)
		err(2, "no memory");
	type->values[type->nr++] = value;
}

static struct event_type *pcf_type(const struct lines *l, struct trace *t, const char *line)
{
	u64 type;

	if (line[0] != '0' || line[1] != ' ' || !get_label(l, line + 2, &type)) {
		wrong(l, "no '0 TYPE LABEL'");
		return NULL;
	}
	return add_type(t, type);
}

static void pcf_color(const struct lines *l, const char *line)
{
	unsigned int n, r, g, b;
	int end = -1;

	if (sscanf(line, "%u {%u, %u, %u}%n", &n, &r, &g, &b, &end) != 4 || end < 0 || line[end] ||
	    r > 255 || g > 255 || b > 255)
		wrong(l, "no 'N {R, G, B}'");
}

/* What the next lines of a PCF are. */
enum section {
	SECTION_NONE,
	SECTION_OPTIONS,
	SECTION_COLORS,
	SECTION_TYPE,
	SECTION_VALUES_HEAD,
	SECTION_VALUES,
};

static bool pcf_section(const char *line, enum section *section)
{
	static const struct {
		const char *name;
		enum section section;
	} sections[] = {
		{ "DEFAULT_OPTIONS", SECTION_OPTIONS },
		{ "DEFAULT_SEMANTIC", SECTION_OPTIONS },
		{ "STATES", SECTION_OPTIONS },
		{ "STATES_COLOR", SECTION_COLORS },
		{ "EVENT_TYPE", SECTION_TYPE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		if (strcmp(line, sections[i].name))
			continue;
		*section = sections[i].section;
		return true;
	}
	return false;
}

static void pcf_line(struct lines *l, struct trace *t, const char *line, enum section *section)
{
	static struct event_type *type;

	switch (*section) {
	case SECTION_NONE:
		wrong(l, "no section of a PCF");
		break;
	case SECTION_OPTIONS:
		if (!is_text(line) || !strpbrk(line, " "))
			wrong(l, "no 'NAME VALUE'");
		break;
	case SECTION_COLORS:
		pcf_color(l, line);
		break;
	case SECTION_TYPE:
		type = pcf_type(l, t, line);
		*section = SECTION_VALUES_HEAD;
		break;
	case SECTION_VALUES_HEAD:
		if (strcmp(line, "VALUES"))
			wrong(l, "no VALUES");
		*section = SECTION_VALUES;
		break;
	case SECTION_VALUES:
		if (type)
			pcf_value(l, type, line);
		break;
	}
}

static void pcf_sort(const struct lines *l, struct trace *t)
{
	size_t i, j;

	qsort(t->types, t->nr_types, sizeof(*t->types), by_type);
	for (i = 0; i < t->nr_types; i++) {
		struct event_type *type = &t->types[i];

		if (i && type->type == type[-1].type)
			wrong(l, "type %u is declared twice", type->type);
		if (!type->nr)
			continue;
		qsort(type->values, type->nr, sizeof(*type->values), by_number);
		for (j = 1; j < type->nr; j++) {
			if (type->values[j] == type->values[j - 1])
				wrong(l, "type %u: value %lld has two labels", type->type,
				      type->values[j]);
		}
	}
}

void read_pcf(struct lines *l, struct trace *t)
{
	enum section section = SECTION_NONE;
	char *line;

	while ((line = next_line(l))) {
		if (!*line) {
			/* After the labels of a type comes the next type, if any. */
			if (section == SECTION_TYPE || section == SECTION_VALUES_HEAD)
				wrong(l, "an empty line within an EVENT_TYPE");
			else if (section == SECTION_VALUES)
				section = SECTION_NONE;
		} else if (is_blank(line)) {
			wrong(l, "a line of blanks");
		} else if (!pcf_section(line, &section)) {
			pcf_line(l, t, line, &section);
		}
	}
	if (section == SECTION_TYPE || section == SECTION_VALUES_HEAD)
		wrong(l, "it ends within an EVENT_TYPE");
	pcf_sort(l, t);
}

/* The ROW file. */

static bool is_level(const char *name)
{
	static const char *const levels[] = {
		"WORKLOAD", "APPL", "TASK", "THREAD", "SYSTEM", "NODE", "CPU",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		if (!strcmp(name, levels[i]))
			return true;
	}
	return false;
}

static void row_names(struct lines *l, unsigned int nr)
{
	char *line;

	while (nr--) {
		line = next_line(l);
		if (!line) {
			wrong(l, "%u names are missing", nr + 1);
			return;
		}
		if (is_blank(line) || !is_text(line))
			wrong(l, "an empty name, or none of printable UTF-8");
	}
}

void read_row(struct lines *l, const struct trace *t)
{
	bool threads = false;
	unsigned int nr;
	char name[16];
	char *line;
	int end;

	while ((line = next_line(l))) {
		if (!*line)
			continue;
		end = -1;
		if (sscanf(line, "LEVEL %15s SIZE %u%n", name, &nr, &end) != 2 || end < 0 ||
		    line[end] || !is_level(name)) {
			wrong(l, "no 'LEVEL NAME SIZE N': more names than were said, or none");
			continue;
		}
		row_names(l, nr);
		if (strcmp(name, "THREAD"))
			continue;
		threads = true;
		if (nr != t->rows)
			wrong(l, "%u rows, the trace has %u", nr, t->rows);
	}
	if (!threads)
		wrong(l, "no LEVEL THREAD");
}

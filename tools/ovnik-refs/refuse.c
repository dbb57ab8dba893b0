// SPDX-License-Identifier: GPL-2.0-only
/* Find out why a reference is not valid. The conversions only notice that it is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"

#define SHOW_MAX	8

/* Format a byte for a message. */
static const char *show(char text[SHOW_MAX], char byte)
{
	unsigned char c = (unsigned char)byte;

	snprintf(text, SHOW_MAX, c >= ' ' && c < 0x7f ? "'%c'" : "\\x%02x", c);
	return text;
}

static void refuse_type(char *reason, char type, bool wide)
{
	unsigned char c = (unsigned char)type;
	char text[SHOW_MAX];

	if (wide && refs_is_narrow(c))
		snprintf(reason, REFS_REASON_MAX,
			 "type %s belongs to a narrow reference: omit --wide", show(text, type));
	else if (!wide && refs_is_wide(c))
		snprintf(reason, REFS_REASON_MAX,
			 "type %s belongs to a wide reference: add --wide", show(text, type));
	else
		snprintf(reason, REFS_REASON_MAX, "type is %s, not %s", show(text, type),
			 wide ? "R, W or I" : "r, w or i");
}

static void refuse_length(char *reason, u64 length)
{
	snprintf(reason, REFS_REASON_MAX, "length is 0x%llx, not 1 to %u", length,
		 REFS_LENGTH_MAX);
}

/**
 * refs_refuse_binary() - refs_refuse_fn() for binary references.
 * @reason: REFS_REASON_MAX bytes; is set
 * @from: where the conversion has stopped
 * @end: end of the input
 * @wide: whether the references are wide
 *
 * Context: Any.
 * Return: false if the reference is only incomplete.
 */
bool refs_refuse_binary(char *reason, const char *from, const char *end, bool wide)
{
	const struct refs_narrow *ref = (const void *)from;
	size_t len = (size_t)(end - from);

	if (!refs_is_type(ref->type, wide)) {
		refuse_type(reason, from[0], wide);
		return true;
	}
	if (len < refs_size(wide)) {
		snprintf(reason, REFS_REASON_MAX, "the input ends after %zu of a reference's %zu bytes",
			 len, refs_size(wide));
		return false;
	}
	refuse_length(reason, ref->length);
	return true;
}

static const struct {
	const char *name;
	unsigned int digits;
} fields[] = {
	{ "timestamp", 16 },
	{ "length", 2 },
	{ "address space", 8 },
	{ "address", 8 },
};

#define LENGTH		1
#define ADDRESS		3

static unsigned int max_digits(unsigned int field, bool wide)
{
	return field == ADDRESS && wide ? 16 : fields[field].digits;
}

/* Returns true if this field is wrong. */
static bool refuse_field(char *reason, unsigned int i, const char *field, bool wide)
{
	const char *name = fields[i].name;
	size_t digits = strspn(field, "0123456789abcdefABCDEF");
	unsigned int max = max_digits(i, wide);
	u64 length;

	if (field[digits]) {
		char text[SHOW_MAX];

		snprintf(reason, REFS_REASON_MAX, "%s has %s, which is not a hex digit", name,
			 show(text, field[digits]));
		return true;
	}
	if (!digits) {
		snprintf(reason, REFS_REASON_MAX, "%s is empty", name);
		return true;
	}
	if (digits > max) {
		snprintf(reason, REFS_REASON_MAX, "%s has more than %u digits (%u bits)%s", name,
			 max, 4 * max, i == ADDRESS && !wide ? ": wide references have 64" : "");
		return true;
	}
	length = strtoull(field, NULL, 16);
	if (i != LENGTH || (length && length <= REFS_LENGTH_MAX))
		return false;
	refuse_length(reason, length);
	return true;
}

/* Returns true if the type is wrong. */
static bool refuse_beginning(char *reason, const char *line, bool wide)
{
	char text[SHOW_MAX];

	if (!refs_is_type((unsigned char)line[0], wide)) {
		refuse_type(reason, line[0], wide);
		return true;
	}
	if (!line[1] || line[1] == ' ')
		return false;
	snprintf(reason, REFS_REASON_MAX, "after the type is %s, not a blank",
		 show(text, line[1]));
	return true;
}

/* @line is complete, without its newline, or the beginning of a line that is too long. */
static void refuse_line(char *reason, char *line, bool wide)
{
	unsigned int i;
	char *field;

	if (refuse_beginning(reason, line, wide))
		return;
	strsep(&line, " ");
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		field = strsep(&line, " ");
		if (!field) {
			snprintf(reason, REFS_REASON_MAX, "there is no %s", fields[i].name);
			return;
		}
		if (refuse_field(reason, i, field, wide))
			return;
	}
	snprintf(reason, REFS_REASON_MAX, "there are more than five fields");
}

/**
 * refs_refuse_text() - refs_refuse_fn() for lines of text.
 * @reason: REFS_REASON_MAX bytes; is set
 * @from: where the conversion has stopped
 * @end: end of the input
 * @wide: whether the references are wide
 *
 * Context: Any.
 * Return: false if the line may only be incomplete.
 */
bool refs_refuse_text(char *reason, const char *from, const char *end, bool wide)
{
	const char *newline = memchr(from, '\n', (size_t)(end - from));
	size_t len = (size_t)((newline ? newline : end) - from);
	char line[2 * REFS_LINE_MAX];

	if (!newline && len < REFS_LINE_MAX) {
		snprintf(reason, REFS_REASON_MAX, "the input ends without a newline");
		return false;
	}
	if (!len) {
		snprintf(reason, REFS_REASON_MAX, "the line is empty");
		return true;
	}
	if (newline && newline[-1] == '\r') {
		snprintf(reason, REFS_REASON_MAX, "there is a carriage return before the newline");
		return true;
	}
	/* The beginning of a longer line already has a field too long or one too many. */
	if (len > sizeof(line) - 1)
		len = sizeof(line) - 1;
	if (memchr(from, '\0', len)) {
		snprintf(reason, REFS_REASON_MAX, "there is a zero byte in the line");
		return true;
	}
	memcpy(line, from, len);
	line[len] = '\0';
	refuse_line(reason, line, wide);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_UTF8_H
#define OVNIK_UTIL_UTF8_H

#include <stdio.h>

#include "util/types.h"

/**
 * utf8_len() - Length of the character at the beginning of a text.
 * @text: the text; the kernel cuts names anywhere
 *
 * Context: Any.
 * Return: 1 to 4 bytes; 0 if it is no valid character, or the end.
 */
static inline unsigned int utf8_len(const char *text)
{
	const u8 *c = (const u8 *)text;
	unsigned int i, len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	u32 code;

	if (c[0] < 0x80)
		return c[0] != 0;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	code = c[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	/* Overlong, a surrogate, or too large. */
	if (len == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return len == 4 && (code < 0x10000 || code > 0x10ffff) ? 0 : len;
}

/**
 * utf8_shown() - Length of the character at the beginning of a text, if it is harmless.
 * @text: the text
 *
 * Harmful are control characters, C1 too, because terminals obey them, and characters that
 * reorder what follows or end a line: a name could pass for another one, or for more lines.
 *
 * Context: Any.
 * Return: 1 to 4 bytes; 0 if it is harmful, no character, or the end.
 */
unsigned int utf8_shown(const char *text);

/**
 * utf8_is_shown() - Is a text fit for a terminal?
 * @text: the text
 *
 * Context: Any.
 * Return: true if all of it is characters, and none is harmful.
 */
bool utf8_is_shown(const char *text);

/**
 * utf8_clean() - Copy a text and replace invalid bytes by U+FFFD.
 * @to: is set; three times as long as @from, and a byte
 * @from: the text
 *
 * Context: Any.
 * Return: length of @to.
 */
size_t utf8_clean(char *to, const char *from);

/**
 * utf8_code() - Number of a character.
 * @text: begins with a character
 *
 * Context: Any.
 * Return: the code point.
 */
u32 utf8_code(const char *text);

/**
 * utf8_put_escaped() - Write a text with \xNN in place of what is harmful or no character.
 * @f: where to
 * @text: the text
 *
 * See utf8_shown().
 *
 * Context: Any.
 */
void utf8_put_escaped(FILE *f, const char *text);

/**
 * utf8_put_json() - Write JSON with \uNNNN in place of what is harmful.
 * @f: where to
 * @json: valid JSON; control characters of ASCII but DEL are blanks of it
 *
 * Context: Any.
 */
void utf8_put_json(FILE *f, const char *json);

/**
 * utf8_put() - Write a character, or U+FFFD in place of what is none or harmful.
 * @f: where to
 * @text: not at its end; a tab and the end of a line are no harm here
 *
 * Context: Any.
 * Return: how many bytes of @text that was.
 */
unsigned int utf8_put(FILE *f, const char *text);

#endif /* OVNIK_UTIL_UTF8_H */

// SPDX-License-Identifier: GPL-2.0-only
/* Texts in files of lines: see text.h. */
#include <string.h>

#include "output/tracers/builtin/text.h"
#include "util/utf8.h"

/* Length of the printable ASCII in front, up to one of two characters. */
static size_t plain_len(const char *text, char one, char other)
{
	size_t len = 0;

	while (text[len] >= ' ' && text[len] <= '~' && text[len] != one && text[len] != other)
		len++;
	return len;
}

void text_csv(FILE *f, const char *text)
{
	size_t plain = plain_len(text, ',', '"');
	const char *quote;

	if (!text[plain] && !strchr("=+-@", *text)) {
		fwrite_unlocked(text, 1, plain, f);
		return;
	}
	quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
	fputs(quote, f);
	if (*text && strchr("=+-@\t\r", *text))
		fputc('\'', f);
	while (*text) {
		if (*text == '"')
			fputc('"', f);
		text += utf8_put(f, text);
	}
	fputs(quote, f);
}

void text_json(FILE *f, const char *text)
{
	size_t plain;

	fputc('"', f);
	while (*text) {
		unsigned int len = utf8_len(text);

		plain = plain_len(text, '"', '\\');
		if (plain) {
			fwrite_unlocked(text, 1, plain, f);
			text += plain;
			continue;
		}
		if (len && !utf8_shown(text)) {
			fprintf(f, "\\u%04x", utf8_code(text));
			text += len;
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		text += utf8_put(f, text);
	}
	fputc('"', f);
}

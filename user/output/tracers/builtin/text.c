// SPDX-License-Identifier: GPL-2.0-only
/* Texts in files of lines: see text.h. */
#include <string.h>

#include "output/tracers/builtin/text.h"
#include "util/utf8.h"

void text_csv(FILE *f, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

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
	fputc('"', f);
	while (*text) {
		unsigned int len = utf8_len(text);

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

// SPDX-License-Identifier: GPL-2.0-only
/* Valid UTF-8: see utf8.h. */
#include <string.h>

#include "util/utf8.h"

#define REPLACEMENT	"\xef\xbf\xbd"

/* U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: e2 80 8e and so on. */
static bool reorders(const u8 *c)
{
	if (c[0] != 0xe2)
		return false;
	if (c[1] == 0x81)
		return c[2] >= 0xa6 && c[2] <= 0xa9;
	return c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae));
}

unsigned int utf8_shown(const char *text)
{
	unsigned int len = utf8_len(text);
	const u8 *c = (const u8 *)text;

	if (len == 1)
		return *c >= ' ' && *c != 0x7f;
	/* U+0080 to U+009f, U+061C. */
	if (len == 2)
		return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c) ? 0 : 2;
	return len == 3 && reorders(c) ? 0 : len;
}

bool utf8_is_shown(const char *text)
{
	unsigned int len = 1;

	for (; *text && len; text += len)
		len = utf8_shown(text);
	return len;
}

size_t utf8_clean(char *to, const char *from)
{
	unsigned int len;
	size_t n = 0;

	for (; *from; from += len ? len : 1) {
		len = utf8_len(from);
		memcpy(to + n, len ? from : REPLACEMENT, len ? len : 3);
		n += len ? len : 3;
	}
	to[n] = '\0';
	return n;
}

void utf8_put_escaped(FILE *f, const char *text)
{
	unsigned int len;

	for (; *text; text += len ? len : 1) {
		len = utf8_shown(text);
		if (len)
			fwrite(text, 1, len, f);
		else
			fprintf(f, "\\x%02x", (u8)*text);
	}
}

u32 utf8_code(const char *text)
{
	unsigned int i, len = utf8_len(text);
	u32 code = len > 1 ? (u8)text[0] & (0x7f >> len) : (u8)text[0];

	for (i = 1; i < len; i++)
		code = code << 6 | ((u8)text[i] & 0x3f);
	return code;
}

void utf8_put_json(FILE *f, const char *json)
{
	unsigned int len;
	size_t plain;

	while (*json) {
		/* What a harmful character begins with. */
		plain = strcspn(json, "\x7f\xc2\xd8\xe2");
		fwrite(json, 1, plain, f);
		json += plain;
		if (!*json)
			break;
		len = utf8_len(json);
		if (len && !utf8_shown(json))
			fprintf(f, "\\u%04x", utf8_code(json));
		else
			fwrite(json, 1, len ? len : 1, f);
		json += len ? len : 1;
	}
}

unsigned int utf8_put(FILE *f, const char *text)
{
	unsigned int len = utf8_len(text);

	if (utf8_shown(text) || (len && strchr("\t\r\n", *text)))
		fwrite(text, 1, len, f);
	else
		fputs(REPLACEMENT, f);
	return len ? len : 1;
}

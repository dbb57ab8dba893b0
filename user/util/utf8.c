// SPDX-License-Identifier: GPL-2.0-only
/* Valid UTF-8: see utf8.h. */
#include <string.h>

#include "util/utf8.h"

#define REPLACEMENT	"\xef\xbf\xbd"

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

unsigned int utf8_put(FILE *f, const char *text)
{
	unsigned int len = utf8_len(text);

	if (len == 1)
		fputc(*text, f);
	else
		fwrite(len ? text : REPLACEMENT, 1, len ? len : 3, f);
	return len ? len : 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/* What lines share: see line.h. */
#include "output/laplace/line.h"
#include "util/utf8.h"

void laplace_keep_high(struct laplace *l, u32 high)
{
	l->high = (u64)high + 1;
	l->high_len = hex_put32(l->high_text, high) - l->high_text;
}

void laplace_copy_to_others(struct laplace *l, const char *line, size_t len)
{
	unsigned int i;

	for (i = 1; i < l->nr_files; i++) {
		struct file *o = &l->files[i].out;
		char *p = file_room(o);

		memcpy(p, line, len);
		file_done(o, p + len);
	}
}

char *laplace_name(char *p, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int len;

	*p++ = ' ';
	while (*text) {
		u8 c = *text;

		/* Nearly all. */
		if (likely(c >= ' ' && c < 0x7f && c != '\\')) {
			*p++ = c;
			text++;
			continue;
		}
		len = c == '\\' ? 0 : utf8_shown(text);
		if (len) {
			p = mempcpy(p, text, len);
			text += len;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = digits[c >> 4];
		*p++ = digits[c & 15];
		text++;
	}
	return p;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Files line by line, and complaints about them. */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "prvcheck.h"

#define SHOWN		20
#define CHUNK		(1 << 20)

unsigned long complaints;

void wrong(const struct lines *l, const char *fmt, ...)
{
	va_list ap;

	if (++complaints > SHOWN)
		return;
	printf("%s:%lu: ", l->path, l->number);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void lines_open(struct lines *l)
{
	l->f = gzopen(l->path, "r");
	l->buf = malloc(CHUNK + 1);
	if (!l->f || !l->buf)
		err(2, "%s", l->path);
	l->at = l->buf;
	l->end = l->buf;
}

void lines_close(struct lines *l)
{
	gzclose(l->f);
	free(l->buf);
}

static void lines_fill(struct lines *l)
{
	int got;

	memmove(l->buf, l->at, l->end - l->at);
	l->end -= l->at - l->buf;
	l->at = l->buf;
	got = gzread(l->f, l->end, CHUNK - (l->end - l->buf));
	if (got < 0)
		errx(2, "%s: cannot be read", l->path);
	l->end += got;
	l->eof = !got;
}

char *next_line(struct lines *l)
{
	char *line, *end;

	while (!(end = memchr(l->at, '\n', l->end - l->at))) {
		if (l->eof && l->at == l->end)
			return NULL;
		if (l->eof || l->end - l->at == CHUNK) {
			l->number++;
			wrong(l, l->eof ? "the last line has no end" : "endless line");
			return NULL;
		}
		lines_fill(l);
	}
	line = l->at;
	*end = '\0';
	l->at = end + 1;
	l->number++;
	if (memchr(line, '\0', end - line))
		wrong(l, "a NUL");
	return line;
}

bool get_number(const char **p, u64 max, u64 *number)
{
	const char *start = *p;
	u64 n = 0;

	while (isdigit((unsigned char)**p) && n <= max / 10 + 1)
		n = 10 * n + (*(*p)++ - '0');
	*number = n;
	return *p > start && n <= max && !(*start == '0' && *p > start + 1);
}

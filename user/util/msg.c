// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user: one line each, with the program's name in front. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/msg.h"
#include "util/utf8.h"

static const char *prog = "ovnik";
static atomic_bool ended;
static atomic_bool problems_only;

void msg_init(const char *argv0)
{
	const char *slash;

	if (!argv0)
		return;
	slash = strrchr(argv0, '/');
	prog = slash ? slash + 1 : argv0;
}

void msg_problems_only(void)
{
	problems_only = true;
}

void msg_end(void)
{
	ended = true;
}

static void msg_line(const char *kind, const char *fmt, va_list ap)
{
	char *text = NULL, *line = NULL;
	size_t size;
	FILE *f;

	if (ended)
		return;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	f = open_memstream(&line, &size);
	if (f) {
		fprintf(f, "%s: %s", prog, kind);
		/* Names in it may be anybody's: not for the terminal, nor a line more. */
		utf8_put_escaped(f, text ? text : "out of memory");
		fputc('\n', f);
		fclose(f);
	}
	/* One write a line: threads and children share this stderr. */
	if (line)
		fwrite(line, 1, size, stderr);
	free(line);
	free(text);
}

void msg_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line("error: ", fmt, ap);
	va_end(ap);
}

int report_error(const char *path, const char *what, int error)
{
	msg_error("%s: %s: %s", path, what, strerror(error));
	return -error;
}

int msg_no_memory(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		msg_error("out of memory");
	return -ENOMEM;
}

void msg_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line("warning: ", fmt, ap);
	va_end(ap);
}

void msg_info(const char *fmt, ...)
{
	va_list ap;

	if (problems_only)
		return;
	va_start(ap, fmt);
	msg_line("", fmt, ap);
	va_end(ap);
}

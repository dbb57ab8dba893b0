// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user: one line each, with the program's name in front. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/msg.h"

static const char *prog = "ovnik";

void msg_init(const char *argv0)
{
	const char *slash;

	if (!argv0)
		return;
	slash = strrchr(argv0, '/');
	prog = slash ? slash + 1 : argv0;
}

static void msg_line(const char *kind, const char *fmt, va_list ap)
{
	/* One write a line: threads and children share this stderr. */
	flockfile(stderr);
	fprintf(stderr, "%s: %s", prog, kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	funlockfile(stderr);
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

	va_start(ap, fmt);
	msg_line("", fmt, ap);
	va_end(ap);
}

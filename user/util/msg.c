// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user: one line each, with the program's name in front. */
#include <ctype.h>
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

/**
 * struct calling - What is called otherwise.
 * @path: the path; NULL: nothing is
 * @name: what messages call it
 */
static struct calling {
	char *path;
	char *name;
} calling;

/* A longer number is another descriptor. */
static const char *find_path(const char *text)
{
	size_t len = strlen(calling.path);

	while ((text = strstr(text, calling.path)) && isdigit((unsigned char)text[len]))
		text += len;
	return text;
}

static void put_text(FILE *f, const char *text)
{
	const char *at;

	while (calling.path && (at = find_path(text))) {
		fwrite(text, 1, at - text, f);
		fputs(calling.name, f);
		text = at + strlen(calling.path);
	}
	fputs(text, f);
}

/* What is called otherwise is so in the text to free. */
static char *called(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *f;

	f = open_memstream(&copy, &size);
	if (!f)
		return NULL;
	put_text(f, text);
	fclose(f);
	return copy;
}

void msg_call(const char *path, const char *name)
{
	char *new_name = called(name), *new_path = strdup(path);

	free(calling.path);
	free(calling.name);
	calling = (struct calling){ new_path, new_name };
	if (new_path && new_name)
		return;
	free(new_path);
	free(new_name);
	calling = (struct calling){ NULL, NULL };
}

static void msg_line(const char *kind, const char *fmt, va_list ap)
{
	char *text = NULL, *line = NULL, *said = NULL;
	size_t size;
	FILE *f;

	if (ended)
		return;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	said = text ? called(text) : NULL;
	f = open_memstream(&line, &size);
	if (f) {
		fprintf(f, "%s: %s", prog, kind);
		/* Names in it may be anybody's: not for the terminal, nor a line more. */
		utf8_put_escaped(f, said ? said : "out of memory");
		fputc('\n', f);
		fclose(f);
	}
	/* One write a line: threads and children share this stderr. */
	if (line)
		fwrite(line, 1, size, stderr);
	free(line);
	free(said);
	free(text);
}

/* Lines stay lines. */
static ssize_t write_escaped(void *cookie, const char *text, size_t size)
{
	char *copy = strndup(text, size), *rest = copy, *line;

	(void)cookie;
	while ((line = strsep(&rest, "\n"))) {
		utf8_put_escaped(stderr, line);
		if (rest)
			fputc('\n', stderr);
	}
	free(copy);
	return size;
}

FILE *msg_stream(void)
{
	const cookie_io_functions_t how = { .write = write_escaped };

	return fopencookie(NULL, "w", how) ?: stderr;
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

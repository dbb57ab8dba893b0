// SPDX-License-Identifier: GPL-2.0-only
/* What libbpf says while it loads, the verifier's log among it: shown only if that fails. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf.h"
#include "util/msg.h"

#define SHOWN		2000
#define PREFIX		"libbpf: "

static char *text;
static size_t text_len;

static int keep(enum libbpf_print_level level, const char *format, va_list args)
{
	char *one = NULL, *more;
	int len;

	if (level == LIBBPF_DEBUG)
		return 0;
	len = vasprintf(&one, format, args);
	if (len < 0)
		return 0;
	more = realloc(text, text_len + len + 1);
	if (more) {
		memcpy(more + text_len, one, len + 1);
		text = more;
		text_len += len;
	}
	free(one);
	return 0;
}

/**
 * bpf_log_begin() - Keep what libbpf says from now on.
 */
void bpf_log_begin(void)
{
	bpf_log_forget();
	libbpf_set_print(keep);
}

/**
 * bpf_log_forget() - Forget what libbpf has said.
 */
void bpf_log_forget(void)
{
	free(text);
	text = NULL;
	text_len = 0;
}

/**
 * bpf_log_end() - Let libbpf say nothing from now on.
 */
void bpf_log_end(void)
{
	libbpf_set_print(NULL);
	bpf_log_forget();
}

/**
 * bpf_log_show() - Print the end of it, line by line.
 */
void bpf_log_show(void)
{
	const char *line = text, *end;

	if (text_len > SHOWN)
		line += text_len - SHOWN;
	for (; line && *line; line = end + (*end == '\n')) {
		if (!strncmp(line, PREFIX, strlen(PREFIX)))
			line += strlen(PREFIX);
		end = line + strcspn(line, "\n");
		if (end != line)
			msg_error("libbpf: %.*s", (int)(end - line), line);
	}
}

/* Lines that the verifier and libbpf write after the reason. */
static bool is_epilogue(const char *line)
{
	static const char *const begins[] = {
		PREFIX, "-- END ", "processed ", "verification time ", "stack depth ", "\n",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		if (!strncmp(line, begins[i], strlen(begins[i])))
			return true;
	}
	return !*line;
}

/* "libbpf: prog 'NAME': failed to load: ..." */
static bool names_refused(const char *line, char name[64])
{
	char what[5];

	/* sscanf() looks for the end of the text first. */
	if (strncmp(line, PREFIX, strlen(PREFIX)))
		return false;
	return sscanf(line, PREFIX "prog '%63[^']': failed to %4s", name, what) == 2 &&
	       !strcmp(what, "load");
}

/**
 * bpf_log_refused() - Which program did the kernel refuse?
 * @refused: is set
 *
 * Return: false if libbpf names none.
 */
bool bpf_log_refused(struct bpf_refused *refused)
{
	const char *line = text, *why = "", *end;

	for (; line && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (names_refused(line, refused->name)) {
			snprintf(refused->why, sizeof(refused->why), "%.*s",
				 (int)strcspn(why, "\n"), why);
			return true;
		}
		if (!is_epilogue(line))
			why = line;
	}
	return false;
}

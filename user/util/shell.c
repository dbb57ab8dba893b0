// SPDX-License-Identifier: GPL-2.0-only
/* Commands in messages, to be copied into a shell. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/shell.h"
#include "util/types.h"
#include "util/utf8.h"

static bool is_plain(const char *text)
{
	static const char marks[] = "_.,+:@%/-";
	const char *c = text;

	while (isascii(*c) && (isalnum(*c) || (*c && strchr(marks, *c))))
		c++;
	return c != text && !*c;
}

/* A message would show a character that it writes otherwise; a shell reads that only in $''. */
static bool is_shown(const char *text)
{
	unsigned int len;

	for (; *text; text += len) {
		len = utf8_shown(text);
		if (!len)
			return false;
	}
	return true;
}

static void put_escaped(FILE *f, const char *text)
{
	unsigned int len;

	fputs("$'", f);
	for (; *text; text += len ? len : 1) {
		len = utf8_shown(text);
		if (!len)
			fprintf(f, "\\x%02x", (u8)*text);
		else if (*text == '\'' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, len, f);
	}
	putc('\'', f);
}

static void put_quoted(FILE *f, const char *text)
{
	putc('\'', f);
	for (; *text; text++) {
		/* Nothing quotes it within quotes. */
		if (*text == '\'')
			fputs("'\\'", f);
		putc(*text, f);
	}
	putc('\'', f);
}

char *shell_word(const char *text)
{
	char *word = NULL;
	size_t size;
	FILE *f;

	if (is_plain(text) && *text != '-')
		return strdup(text);
	f = open_memstream(&word, &size);
	if (!f)
		return NULL;
	/* It is a file, and no option. */
	if (*text == '-')
		fputs("./", f);
	if (is_plain(text))
		fputs(text, f);
	else if (is_shown(text))
		put_quoted(f, text);
	else
		put_escaped(f, text);
	if (fclose(f)) {
		free(word);
		return NULL;
	}
	return word;
}

char *shell_program(const char *name)
{
	const char *slash = strrchr(program_invocation_name, '/');
	char *path, *word;

	/* Found by PATH, where the other one is, too. */
	if (!slash)
		return shell_word(name);
	if (asprintf(&path, "%.*s/%s", (int)(slash - program_invocation_name),
		     program_invocation_name, name) < 0)
		return NULL;
	word = shell_word(access(path, X_OK) ? name : path);
	free(path);
	return word;
}

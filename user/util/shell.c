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

static bool is_plain(const char *text)
{
	static const char marks[] = "_.,+:@%/-";
	const char *c = text;

	while (isascii(*c) && (isalnum(*c) || (*c && strchr(marks, *c))))
		c++;
	return c != text && !*c;
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

	if (is_plain(text))
		return strdup(text);
	f = open_memstream(&word, &size);
	if (!f)
		return NULL;
	put_quoted(f, text);
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

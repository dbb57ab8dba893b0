// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"

FILE *open_hist(const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	return file;
}

/* "name: 12", anywhere in the line. */
static bool hist_number(const char *text, const char *name, unsigned long long *number)
{
	const char *at = strstr(text, name);

	if (!at || at[strlen(name)] != ':')
		return false;
	*number = strtoull(at + strlen(name) + 1, NULL, 10);
	return true;
}

bool read_hist(FILE *file, const char *first, const char *second, struct hist_line *line)
{
	unsigned long long dropped;
	char text[512];

	while (fgets(text, sizeof(text), file)) {
		if (hist_number(text, "Dropped", &dropped) && dropped)
			errx(1, "ftrace had no room to count %llu", dropped);
		if (!strchr(text, '{'))
			continue;
		if (!hist_number(text, first, &line->key[0]) ||
		    (second && !hist_number(text, second, &line->key[1])) ||
		    !hist_number(text, "hitcount", &line->hits))
			errx(1, "strange histogram: %s", text);
		return true;
	}
	return false;
}

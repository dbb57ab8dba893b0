/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_HIST_H
#define GUEST_HIST_H

/*
 * Reading what a "hist" trigger of ftrace's has counted: lines such as
 * "{ s_dev:    7340032, i_ino:         12 } hitcount:          3".
 */

#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hist_line {
	unsigned long long key[2];
	unsigned long long hits;
};

static inline FILE *open_hist(const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	return file;
}

/* "name: 12", wherever it stands. */
static inline bool hist_number(const char *text, const char *name, unsigned long long *number)
{
	const char *at = strstr(text, name);

	if (!at || at[strlen(name)] != ':')
		return false;
	*number = strtoull(at + strlen(name) + 1, NULL, 10);
	return true;
}

/* @second: NULL if there is but one key. Return: false at the end. */
static inline bool read_hist(FILE *file, const char *first, const char *second,
			     struct hist_line *line)
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

#endif /* GUEST_HIST_H */

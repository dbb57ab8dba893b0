// SPDX-License-Identifier: GPL-2.0-only
/* Finds captures: see captures.h. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/meta.h"
#include "decode/captures.h"
#include "util/msg.h"
#include "util/suggest.h"
#include "util/utf8.h"

/* What a directory holds. */
enum content {
	IS_NO_DIR,
	IS_EMPTY,
	IS_CAPTURE,
	IS_OTHER,
};

static enum content content_of(const char *path)
{
	enum content is = IS_EMPTY;
	struct dirent *entry;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return IS_NO_DIR;
	while (is != IS_CAPTURE && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		is = IS_OTHER;
		if (!strcmp(entry->d_name, META_FILE) ||
		    !fnmatch("cpu[0-9]*.ovk", entry->d_name, 0))
			is = IS_CAPTURE;
	}
	closedir(dir);
	return is;
}

static int add(struct captures *list, char *path)
{
	char **more = path ? realloc(list->path, (list->nr + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(path);
		return msg_no_memory();
	}
	list->path = more;
	list->path[list->nr++] = path;
	return 0;
}

static int add_below(struct captures *list, const char *dir, const char *name, bool *captures)
{
	enum content is;
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return msg_no_memory();
	is = content_of(path);
	if (is == IS_CAPTURE)
		*captures = true;
	if (is == IS_CAPTURE || is == IS_EMPTY)
		return add(list, path);
	free(path);
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return: 1 if there are captures in it, 0, a negative errno. */
static int add_all_below(struct captures *list, const char *path)
{
	unsigned int from = list->nr;
	bool captures = false;
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			ret = add_below(list, path, entry->d_name, &captures);
	}
	closedir(dir);
	while (!captures && list->nr > from)
		free(list->path[--list->nr]);
	if (captures)
		qsort(list->path + from, list->nr - from, sizeof(*list->path), compare_paths);
	return ret ? ret : captures;
}

int captures_add(struct captures *list, const char *dir)
{
	int ret = content_of(dir) == IS_OTHER ? add_all_below(list, dir) : 0;
	char *copy;

	if (ret)
		return ret < 0 ? ret : 0;
	copy = strdup(dir);
	return copy ? add(list, copy) : msg_no_memory();
}

void captures_leave_empty(struct captures *list)
{
	unsigned int i, kept = 0;

	for (i = 0; i < list->nr; i++) {
		if (list->nr > 1 && content_of(list->path[i]) == IS_EMPTY)
			free(list->path[i]);
		else
			list->path[kept++] = list->path[i];
	}
	list->nr = kept;
}

const char *captures_near(const char *name, char *text, size_t size)
{
	struct suggestion near = { .word = name };
	struct dirent *entry;
	DIR *dir;

	*text = '\0';
	dir = opendir(".");
	if (!dir)
		return text;
	while ((entry = readdir(dir))) {
		/* Others may have made it. */
		if (entry->d_name[0] == '.' || !utf8_is_shown(entry->d_name) ||
		    content_of(entry->d_name) != IS_CAPTURE)
			continue;
		suggest_offer(&near, entry->d_name);
		if (near.name != entry->d_name)
			continue;
		/* The entry does not last. */
		suggest_text(&near, text, size);
		near.name = text;
	}
	closedir(dir);
	return text;
}

void captures_free(struct captures *list)
{
	while (list->nr)
		free(list->path[--list->nr]);
	free(list->path);
	list->path = NULL;
}

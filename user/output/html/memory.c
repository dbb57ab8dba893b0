// SPDX-License-Identifier: GPL-2.0-only
/* Files of ovnik-merge --stat, for a page. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/html/memory.h"
#include "util/msg.h"

#define STAT_TEXT_MAX	(1U << 20)	/* of a file; some thousand processes */

/* The lines that fit. @cut: is set if there are more */
static char *read_lines(FILE *f, bool *cut)
{
	char *text = malloc(STAT_TEXT_MAX + 2), *end;
	size_t len;

	if (!text)
		return NULL;
	len = fread(text, 1, STAT_TEXT_MAX + 1, f);
	text[len] = '\0';
	if (len <= STAT_TEXT_MAX)
		return text;
	*cut = true;
	end = strrchr(text, '\n');
	if (end)
		end[1] = '\0';
	return text;
}

/* @head: how its first line begins */
static int read_file(char **text, const char *dir, const char *name, const char *head, bool *cut)
{
	char path[PATH_MAX];
	int error;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return report_error(path, "cannot open", errno);
	errno = 0;
	*text = read_lines(f, cut);
	error = ferror(f) ? errno : 0;
	fclose(f);
	if (!*text)
		return msg_no_memory();
	if (error)
		return report_error(path, "cannot read", error);
	if (strncmp(*text, head, strlen(head))) {
		msg_error("%s: offset 0: this is not what ovnik-merge --stat writes", path);
		return -EINVAL;
	}
	return 0;
}

int page_memory_read(struct page_memory *m, const char *dir)
{
	bool sets_cut = false;
	int ret = read_file(&m->curves, dir, "miss-ratio.csv", "pid,name,pages,misses,references,",
			    &m->cut);

	return ret ? ret : read_file(&m->sets, dir, "working-set.csv", "begin,end,references,pages,",
				     &sets_cut);
}

void page_memory_free(struct page_memory *m)
{
	free(m->curves);
	free(m->sets);
}

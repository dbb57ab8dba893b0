// SPDX-License-Identifier: GPL-2.0-only
/* The table of clock offsets between the hosts of a trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/offsets.h"
#include "util/msg.h"

#define OFFSETS_LINE_MAX	1024	/* bytes, with the line feed */
#define OFFSET_LIMIT	4e18	/* well inside of s64 */
#define OFFSETS_MAX	4096

static int offsets_fail(const struct ovni_offsets *t, u32 line, const char *reason)
{
	msg_error("%s: line %u: %s", t->path, line, reason);
	return -EINVAL;
}

static int offsets_add(struct ovni_offsets *t, const char *host, s64 ns, double std, u32 line)
{
	struct ovni_offset *o;
	char reason[32];
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (!strcmp(t->offset[i].host, host))
			return offsets_fail(t, line, "this host has an offset already");
	}
	if (t->n == OFFSETS_MAX) {
		snprintf(reason, sizeof(reason), "more than %d hosts", OFFSETS_MAX);
		return offsets_fail(t, line, reason);
	}
	o = realloc(t->offset, (t->n + 1) * sizeof(*o));
	if (!o)
		return offsets_fail(t, line, "out of memory");
	t->offset = o;
	o += t->n;
	o->host = strdup(host);
	if (!o->host)
		return offsets_fail(t, line, "out of memory");
	o->ns = ns;
	o->std = std;
	o->line = line;
	o->used = false;
	t->n++;
	return 0;
}

static int offsets_line(struct ovni_offsets *t, char *text, u32 line)
{
	double median, mean, std;
	char host[OFFSETS_LINE_MAX + 1];
	int rank;

	if (text[strspn(text, " \t\r\n")] == '\0')
		return 0;
	if (sscanf(text, "%d %1024s %lf %lf %lf", &rank, host, &median, &mean, &std) != 5)
		return offsets_fail(t, line, "expected: rank host median mean std");
	if (!(median > -OFFSET_LIMIT && median < OFFSET_LIMIT))
		return offsets_fail(t, line, "the offset is out of range");
	if (!(std >= 0 && std < OFFSET_LIMIT))
		return offsets_fail(t, line, "such a standard deviation cannot be");
	return offsets_add(t, host, (s64)median, std, line);
}

static int offsets_header(struct ovni_offsets *t, const char *text)
{
	const char *at = strstr(text, " at=");
	long long ns, within;

	if (!at)
		return 0;
	if (sscanf(at, " at=%lld within=%lld", &ns, &within) != 2)
		return offsets_fail(t, 1, "expected: at=NS within=NS");
	if (ns < 0 || ns > OFFSET_LIMIT || within < 0 || within > OFFSET_LIMIT)
		return offsets_fail(t, 1, "such a time of measurement cannot be");
	t->timed = true;
	t->at = ns;
	t->within = within;
	return 0;
}

static int offsets_read(struct ovni_offsets *t, FILE *f)
{
	char text[OFFSETS_LINE_MAX + 2];
	u32 line = 0;
	int ret;

	while (fgets(text, sizeof(text), f)) {
		line++;
		if (strlen(text) > OFFSETS_LINE_MAX)
			return offsets_fail(t, line, "the line is too long");
		ret = line == 1 ? offsets_header(t, text) : offsets_line(t, text, line);
		if (ret)
			return ret;
	}
	if (ferror(f))
		return offsets_fail(t, line + 1, strerror(errno));
	return t->n ? 0 : offsets_fail(t, line + 1, "the table has no offsets");
}

int ovni_offsets_load(struct ovni_offsets *t, const char *path)
{
	struct stat st;
	FILE *f;
	int fd, ret;

	memset(t, 0, sizeof(*t));
	t->path = strdup(path);
	if (!t->path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return report_error(path, "cannot open", errno);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		msg_error("%s: is not a regular file", path);
		close(fd);
		return -EINVAL;
	}
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	ret = offsets_read(t, f);
	fclose(f);
	return ret;
}

const struct ovni_offset *ovni_offsets_of(struct ovni_offsets *t, const char *loom)
{
	size_t len = strcspn(loom, ".");
	u32 i;

	for (i = 0; i < t->n; i++) {
		struct ovni_offset *o = &t->offset[i];

		if (strlen(o->host) != len || memcmp(o->host, loom, len))
			continue;
		o->used = true;
		return o;
	}
	return NULL;
}

s64 ovni_offsets_find(struct ovni_offsets *t, const char *loom)
{
	const struct ovni_offset *o = ovni_offsets_of(t, loom);

	return o ? o->ns : 0;
}

int ovni_offsets_check(const struct ovni_offsets *t)
{
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (t->offset[i].used)
			continue;
		msg_error("%s: line %u: no loom runs on host %s", t->path, t->offset[i].line,
			  t->offset[i].host);
		return -EINVAL;
	}
	return 0;
}

void ovni_offsets_free(struct ovni_offsets *t)
{
	u32 i;

	for (i = 0; i < t->n; i++)
		free(t->offset[i].host);
	free(t->offset);
	free(t->path);
	memset(t, 0, sizeof(*t));
}

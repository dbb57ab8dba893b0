// SPDX-License-Identifier: GPL-2.0-only
/* The machine as Daisen, Akita's viewer, draws it: components, and how they are connected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/db_priv.h"
#include "util/utf8.h"

#define PART_CPU	(1ULL << 40)
#define PART_DEVICE	(2ULL << 40)
#define PART_QUEUE	(3ULL << 40)

/* Places of several nodes differ; what is before the first dot is a component. */
int db_set_prefix(struct database *d, const struct tracer_run *run)
{
	size_t len = strlen(run->host), i;

	free(d->prefix);
	d->prefix = calloc(3, len + 2);
	if (!d->prefix)
		return -ENOMEM;
	if (!run->several)
		return 0;
	len = utf8_clean(d->prefix, run->host);
	for (i = 0; i < len; i++) {
		if (d->prefix[i] == '/' || d->prefix[i] == '.')
			d->prefix[i] = '_';
	}
	d->prefix[len] = '/';
	return 0;
}

/* A part of the machine, by what its places begin with; @json: what else is known, or "". */
static int put_component(struct database *d, const char *name, const char *type, const char *json)
{
	struct sqlite3_stmt *s = d->run[DO_COMPONENT];

	db_put_text(s, 1, d->prefix);
	db_put_text(s, 2, name);
	db_put_text(s, 3, type);
	db_put_text(s, 4, json);
	return db_put_row(d, s);
}

/* The viewer draws a part whose port is called Top below the one that it is connected to. */
static int put_link(struct database *d, const char *above, const char *below)
{
	struct sqlite3_stmt *s = d->run[DO_LINK];

	db_put_text(s, 1, d->prefix);
	db_put_text(s, 2, above);
	db_put_text(s, 3, below);
	return db_put_row(d, s);
}

int db_put_host(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_HOST];

	idmap_free(&d->parts);
	db_put_text(s, 1, d->prefix);
	db_put_text(s, 2, run->host);
	db_put_text(s, 3, run->clock);
	return db_put_row(d, s);
}

/* Return: 1 if it is new, 0, -ENOMEM. */
static int new_part(struct database *d, u64 part)
{
	u32 nr = d->parts.nr;

	if (!idmap_put(&d->parts, part))
		return -ENOMEM;
	return d->parts.nr > nr;
}

static int put_queue(struct database *d)
{
	int ret = new_part(d, PART_QUEUE);

	if (ret <= 0)
		return ret;
	return put_component(d, "runqueue", "run queue", "") ?: put_link(d, "node", "runqueue");
}

int db_put_cpu(struct database *d, u32 cpu)
{
	char name[24], json[24];
	int ret = new_part(d, PART_CPU | cpu);

	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "cpu[%u]", cpu);
	snprintf(json, sizeof(json), "{\"number\":%u}", cpu);
	return put_queue(d) ?: put_component(d, name, "CPU", json) ?:
	       put_link(d, "runqueue", name);
}

static int put_device(struct database *d, u32 major, u32 minor)
{
	char name[40], json[48];
	int ret = new_part(d, PART_DEVICE | (u64)major << 20 | minor);

	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "pagecache[%u:%u]", major, minor);
	snprintf(json, sizeof(json), "{\"device\":\"%u:%u\"}", major, minor);
	return put_component(d, name, "page cache of a device", json) ?: put_link(d, "node", name);
}

/* The parts are those of which the capture tells something. */
int db_put_part(struct database *d, const char *where)
{
	u32 major, minor;

	if (sscanf(where, "pagecache.%u:%u", &major, &minor) == 2)
		return put_device(d, major, minor);
	return sscanf(where, "cpu.%u", &major) == 1 ? db_put_cpu(d, major) : 0;
}

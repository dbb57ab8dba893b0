// SPDX-License-Identifier: GPL-2.0-only
/* Files of a timeline: see timeline.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/timeline/timeline.h"

static struct timeline_file *find(const struct timeline *tl, const struct trace_file *id, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&tl->table, hash); node; node = hash_next(node)) {
		struct timeline_file *file = container_of(node, struct timeline_file, node);

		if (file->id.ino == id->ino && file->id.dev == id->dev &&
		    file->id.generation == id->generation)
			return file;
	}
	return NULL;
}

static struct timeline_file *add(struct timeline *tl, const struct trace_file *id, u64 hash)
{
	struct timeline_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->id = *id;
	hash_add(&tl->table, &file->node, hash);
	return file;
}

static struct timeline_file *get(struct timeline *tl, const struct trace_file *id)
{
	u64 hash = hash_of(&tl->table, id->ino, (u64)id->dev << 32 | id->generation);
	struct timeline_file *file = find(tl, id, hash);

	return file ? file : add(tl, id, hash);
}

static void give_number(struct timeline *tl, struct timeline_file *file)
{
	file->nr = ++tl->nr_files;
	STAILQ_INSERT_TAIL(&tl->files, file, next);
}

/* One that has a number: @file, or that of all others. */
static struct timeline_file *with_number(struct timeline *tl, struct timeline_file *file)
{
	if (!file || file->nr)
		return file;
	if (tl->nr_files < TIMELINE_FILES) {
		give_number(tl, file);
		return file;
	}
	if (!tl->others) {
		tl->others = calloc(1, sizeof(*tl->others));
		if (tl->others)
			give_number(tl, tl->others);
	}
	return tl->others;
}

u32 timeline_file(struct timeline *tl, const struct trace_file *id)
{
	const struct timeline_file *file = with_number(tl, get(tl, id));

	return file ? file->nr : 0;
}

u32 timeline_use(struct timeline *tl, const struct trace_file *id, u64 ns, u32 use, u64 bytes)
{
	struct timeline_file *file = with_number(tl, get(tl, id));

	if (file && !file->uses)
		file->uses = lane_new(&tl->lanes, ~0ULL);
	if (!file || !file->uses || lane_add(&tl->lanes, file->uses, ns, ns, use, bytes))
		return 0;
	file->bytes += bytes;
	return file->nr;
}

int timeline_open(struct timeline *tl, const struct trace_file *id, const char *path)
{
	struct timeline_file *file = get(tl, id);
	char *copy;

	if (!file)
		return -ENOMEM;
	if (!*path || (file->path && !strcmp(file->path, path)))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	free(file->path);
	file->path = copy;
	return 0;
}

static void free_file(struct hash_node *node)
{
	struct timeline_file *file = container_of(node, struct timeline_file, node);

	free(file->path);
	free(file);
}

void timeline_free_files(struct timeline *tl)
{
	hash_destroy(&tl->table, free_file);
	free(tl->others);
}

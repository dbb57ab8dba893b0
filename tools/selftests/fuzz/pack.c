// SPDX-License-Identifier: GPL-2.0-only
/* A fuzzer's input: see pack.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memfs.h"
#include "pack.h"

/* The file at @at, which is moved on; false at the end. */
static bool next_file(const u8 *data, size_t len, size_t *at, char *name, const u8 **file,
		      u32 *bytes)
{
	size_t n;

	if (*at + 1 >= len)
		return false;
	n = data[(*at)++];
	if (n > PACK_NAME || *at + n + sizeof(*bytes) > len)
		return false;
	memcpy(name, data + *at, n);
	name[n] = '\0';
	memcpy(bytes, data + *at + n, sizeof(*bytes));
	*at += n + sizeof(*bytes);
	if (*bytes > len - *at)
		*bytes = len - *at;
	*file = data + *at;
	*at += *bytes;
	return true;
}

struct part *pack_add(struct pack *pack, const char *name)
{
	struct part *part = &pack->parts[pack->nr];

	if (pack->nr == PACK_PARTS)
		return NULL;
	pack->nr++;
	if (!part->data)
		part->data = aligned_alloc(64, PACK_ROOM);	/* not heap.c's */
	part->len = 0;
	snprintf(part->name, sizeof(part->name), "%s", name);
	return part;
}

void pack_remove(struct pack *pack, unsigned int i)
{
	struct part part = pack->parts[i];

	pack->nr--;
	memmove(&pack->parts[i], &pack->parts[i + 1], (pack->nr - i) * sizeof(part));
	pack->parts[pack->nr] = part;
}

void pack_read_into(struct pack *pack, const u8 *data, size_t len)
{
	char name[PACK_NAME + 1];
	size_t at = PACK_OPTIONS;
	const u8 *file;
	u32 bytes;

	pack->nr = 0;
	memset(pack->opt, 0, sizeof(pack->opt));
	memcpy(pack->opt, data, len < PACK_OPTIONS ? len : PACK_OPTIONS);
	while (pack->nr < PACK_PARTS && next_file(data, len, &at, name, &file, &bytes)) {
		struct part *part = pack_add(pack, name);

		part->len = bytes < PACK_ROOM ? bytes : PACK_ROOM;
		memcpy(part->data, file, part->len);
	}
}

struct pack *pack_read(const u8 *data, size_t len)
{
	static struct pack pack;

	pack_read_into(&pack, data, len);
	return &pack;
}

size_t pack_write(const struct pack *pack, u8 *data, size_t room)
{
	size_t at = PACK_OPTIONS;
	unsigned int i;

	if (room < PACK_OPTIONS)
		return 0;
	memcpy(data, pack->opt, PACK_OPTIONS);
	for (i = 0; i < pack->nr; i++) {
		const struct part *part = &pack->parts[i];
		u8 n = strlen(part->name);
		u32 bytes = part->len;

		if (at + 1 + n + sizeof(bytes) > room)
			break;
		if (bytes > room - at - 1 - n - sizeof(bytes))
			bytes = room - at - 1 - n - sizeof(bytes);
		data[at++] = n;
		memcpy(data + at, part->name, n);
		memcpy(data + at + n, &bytes, sizeof(bytes));
		at += n + sizeof(bytes);
		memcpy(data + at, part->data, bytes);
		at += bytes;
	}
	return at;
}

void pack_mount(const u8 *data, size_t len, const char *dir)
{
	char name[PACK_NAME + 1], path[MEMFS_PATH_MAX];
	size_t at = PACK_OPTIONS;
	const u8 *file;
	u32 bytes;

	while (next_file(data, len, &at, name, &file, &bytes)) {
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		memfs_put(path, file, bytes);
	}
}

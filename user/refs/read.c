// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of a file of memory references. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "refs/read.h"
#include "capture/crc.h"
#include "util/file.h"
#include "util/msg.h"

#define SEARCH	(1U << 20)	/* bytes that are read at once to find the next block */

static int refuse(struct refs_reader *r, const char *why)
{
	msg_error("%s: offset %llu: %s", r->path, r->offset, why);
	r->damage = -EINVAL;
	return -EINVAL;
}

/* Returns the bytes that were read, or a negative errno. */
static ssize_t get(const struct refs_reader *r, void *to, size_t len, u64 offset)
{
	ssize_t got = pread_all(r->fd, to, len, offset);

	if (got < 0)
		msg_error("%s: cannot read: %s", r->path, strerror((int)-got));
	return got;
}

static int check_file(struct refs_reader *r)
{
	const struct refs_file *file = &r->file;

	if (memcmp(file->magic, REFS_MAGIC, sizeof(file->magic)))
		return refuse(r, "not a file of memory references");
	if (file->crc != capture_crc(0, (const u8 *)file, offsetof(struct refs_file, crc)))
		return refuse(r, "the first bytes are damaged");
	if (file->version != REFS_VERSION)
		return refuse(r, "its version is not known");
	return 0;
}

int refs_open(struct refs_reader *r, const char *path)
{
	ssize_t got;
	int ret;

	memset(r, 0, sizeof(*r));
	r->path = path;
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0) {
		ret = -errno;
		msg_error("%s: cannot open: %s", path, strerror(-ret));
		return ret;
	}
	got = get(r, &r->file, sizeof(r->file), 0);
	if (got < 0)
		return (int)got;
	if ((size_t)got < sizeof(r->file))
		return refuse(r, "not a file of memory references");
	ret = check_file(r);
	r->next = sizeof(r->file);
	return ret;
}

void refs_close(struct refs_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->raw);
}

static u64 raw_size(const struct refs_block *block)
{
	u64 size = 0;
	unsigned int i;

	for (i = 0; i < REFS_NR_STREAMS; i++)
		size += block->streams[i];
	return size;
}

static bool is_sound(const struct refs_block *block)
{
	unsigned int i;

	if (block->magic != REFS_BLOCK_MAGIC && block->magic != REFS_END_MAGIC)
		return false;
	if (block->crc != capture_crc(0, (const u8 *)block, offsetof(struct refs_block, crc)))
		return false;
	for (i = 0; i < REFS_NR_KINDS; i++)
		if (block->magic == REFS_BLOCK_MAGIC && block->refs[i] > REFS_BLOCK_MAX)
			return false;
	for (i = 0; i < REFS_NR_STREAMS; i++)
		if (block->streams[i] > REFS_STREAM_MAX)
			return false;
	return block->stored <= REFS_STORED_MAX;
}

/* Find the next header at @offset or behind it. Returns 1; 0 if there is none; negative errno. */
static int search(struct refs_reader *r, u64 offset)
{
	u8 *room = malloc(SEARCH);
	ssize_t got = 0;
	size_t at;

	if (!room) {
		msg_error("%s: no memory", r->path);
		return -ENOMEM;
	}
	for (;; offset += at) {
		got = get(r, room, SEARCH, offset);
		if (got < (ssize_t)sizeof(r->block))
			break;
		for (at = 0; at + sizeof(r->block) <= (size_t)got; at++) {
			memcpy(&r->block, room + at, sizeof(r->block));
			if (!is_sound(&r->block))
				continue;
			free(room);
			r->offset = offset + at;
			return 1;
		}
	}
	free(room);
	return got < 0 ? (int)got : 0;
}

/* Report the blocks that should be before this one. */
static void check_number(struct refs_reader *r)
{
	u64 number = r->block.number;

	if (number != r->number) {
		msg_error("%s: offset %llu: block %llu is here instead of block %llu", r->path,
			  r->offset, number, r->number);
		r->damage = -EINVAL;
	}
	r->number = number + 1;
}

static int at_block(struct refs_reader *r)
{
	char byte;

	check_number(r);
	r->next = r->offset + sizeof(r->block) + r->block.stored;
	if (r->block.magic == REFS_BLOCK_MAGIC)
		return 1;
	if (get(r, &byte, 1, r->next))
		refuse(r, "something follows the end of the file");
	return 0;
}

int refs_next(struct refs_reader *r)
{
	ssize_t got;
	int ret;

	if (!r->next)
		return 0;
	r->offset = r->next;
	got = get(r, &r->block, sizeof(r->block), r->offset);
	if (got < 0)
		return (int)got;
	if ((size_t)got == sizeof(r->block) && is_sound(&r->block))
		return at_block(r);
	refuse(r, (size_t)got < sizeof(r->block) ? "the file has been cut" :
	       "no block begins here");
	ret = search(r, r->offset + 1);
	return ret > 0 ? at_block(r) : ret;
}

/* Returns 1; 0 if it is damaged; a negative errno. */
static int unpack(struct refs_reader *r, u8 *stored, size_t raw)
{
	const struct refs_block *block = &r->block;
	ssize_t got = get(r, stored, block->stored, r->offset + sizeof(*block));

	if (got < 0)
		return (int)got;
	if ((size_t)got < block->stored) {
		refuse(r, "the file has been cut in this block");
		r->next = 0;
		return 0;
	}
	if (capture_crc(0, stored, block->stored) != block->stored_crc)
		refuse(r, "the block is damaged");
	else if (ZSTD_decompress(r->raw, raw, stored, block->stored) != raw)
		refuse(r, "the block cannot be decompressed");
	else
		return 1;
	return 0;
}

int refs_load(struct refs_reader *r)
{
	size_t raw = raw_size(&r->block);
	u8 *stored = malloc(r->block.stored + 1UL);
	int ret;

	if (!r->raw || r->room < raw) {
		free(r->raw);
		r->raw = malloc(raw + 1);
		r->room = raw;
	}
	if (!stored || !r->raw) {
		free(stored);
		msg_error("%s: no memory", r->path);
		return -ENOMEM;
	}
	ret = unpack(r, stored, raw);
	free(stored);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of a file of memory references, as they are written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "refs/block.h"
#include "capture/crc.h"
#include "util/file.h"

#define CHUNK	(1U << 20)

static bool add_chunk(struct refs_blocks *b)
{
	void **chunks = realloc(b->chunks, (b->nr_chunks + 1) * sizeof(*chunks));

	if (!chunks)
		return false;
	b->chunks = chunks;
	chunks[b->nr_chunks] = malloc(CHUNK);
	if (!chunks[b->nr_chunks])
		return false;
	b->nr_chunks++;
	return true;
}

void *refs_blocks_take(struct refs_blocks *b, size_t size)
{
	void *at;

	size = (size + 7) & ~7UL;
	if (b->used + size > CHUNK) {
		b->chunk++;
		b->used = 0;
	}
	if (b->chunk == b->nr_chunks && !add_chunk(b))
		return NULL;
	at = (u8 *)b->chunks[b->chunk] + b->used;
	b->used += size;
	return at;
}

static void begin_block(struct refs_blocks *b, u64 now, u64 cr3)
{
	unsigned int i;

	memset(&b->head, 0, sizeof(b->head));
	b->head.magic = REFS_BLOCK_MAGIC;
	b->head.begin = now;
	b->head.cr3 = cr3;
	for (i = 0; i < REFS_NR_STREAMS; i++)
		b->out[i].len = 0;
	b->number++;
	b->chunk = 0;
	b->used = 0;
}

static void write_part(struct refs_blocks *b, const void *data, size_t len)
{
	if (!b->error)
		b->error = -write_all(b->fd, data, len);
}

static void write_block(struct refs_blocks *b)
{
	struct refs_block *head = &b->head;
	size_t raw = 0, packed;
	unsigned int i;

	for (i = 0; i < REFS_NR_STREAMS; i++) {
		head->streams[i] = b->out[i].len;
		memcpy(b->raw + raw, b->out[i].data, b->out[i].len);
		raw += b->out[i].len;
	}
	packed = ZSTD_compressCCtx(b->zstd, b->packed, b->room, b->raw, raw, 1);
	if (ZSTD_isError(packed)) {
		b->error = -ENOMEM;
		return;
	}
	head->number = b->total.number++;
	head->stored = (u32)packed;
	head->stored_crc = capture_crc(0, b->packed, packed);
	head->crc = capture_crc(0, (u8 *)head, offsetof(struct refs_block, crc));
	write_part(b, head, sizeof(*head));
	write_part(b, b->packed, packed);
	for (i = 0; i < REFS_NR_KINDS; i++)
		b->total.refs[i] += head->refs[i];
	b->total.drift += head->drift;
}

void refs_blocks_end(struct refs_blocks *b, u64 now, u64 cr3, u32 flags)
{
	b->head.end = now;
	b->head.flags = flags;
	if (b->out[REFS_OPS].len && b->number % b->every == 0 && !b->error)
		write_block(b);
	begin_block(b, now, cr3);
}

static bool make_room(struct refs_blocks *b)
{
	unsigned int i;

	b->room = ZSTD_compressBound(REFS_NR_STREAMS * REFS_STREAM_MAX);
	b->raw = malloc(REFS_NR_STREAMS * REFS_STREAM_MAX);
	b->packed = malloc(b->room);
	b->zstd = ZSTD_createCCtx();
	for (i = 0; i < REFS_NR_STREAMS; i++) {
		b->out[i].data = malloc(REFS_STREAM_MAX);
		if (!b->out[i].data)
			return false;
	}
	return b->raw && b->packed && b->zstd;
}

int refs_blocks_open(struct refs_blocks *b, int fd, u32 options, u32 every)
{
	struct refs_file file = { .version = REFS_VERSION, .options = options, .every = every };

	memset(b, 0, sizeof(*b));
	b->fd = fd;
	b->every = every;
	if (!make_room(b)) {
		b->error = -ENOMEM;
		return b->error;
	}
	memcpy(file.magic, REFS_MAGIC, sizeof(file.magic));
	file.crc = capture_crc(0, (u8 *)&file, offsetof(struct refs_file, crc));
	write_part(b, &file, sizeof(file));
	begin_block(b, 0, 0);
	return b->error;
}

int refs_blocks_close(struct refs_blocks *b)
{
	u32 i;

	b->total.magic = REFS_END_MAGIC;
	b->total.crc = capture_crc(0, (u8 *)&b->total, offsetof(struct refs_block, crc));
	write_part(b, &b->total, sizeof(b->total));
	for (i = 0; i < REFS_NR_STREAMS; i++)
		free(b->out[i].data);
	for (i = 0; i < b->nr_chunks; i++)
		free(b->chunks[i]);
	free(b->chunks);
	free(b->raw);
	free(b->packed);
	ZSTD_freeCCtx(b->zstd);
	return b->error;
}

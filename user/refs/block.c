// SPDX-License-Identifier: GPL-2.0-only
/* Blocks of a file of memory references, as they are written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void refs_blocks_end(struct refs_blocks *b, u64 now, u64 cr3, u32 flags)
{
	b->head.end = now;
	b->head.flags = flags;
	if (b->out[REFS_OPS].len && b->number % b->every == 0 && !b->error)
		b->error = refs_packer_put(&b->packer, &b->head, b->out);
	begin_block(b, now, cr3);
}

int refs_blocks_open(struct refs_blocks *b, int fd, u32 options, u32 every)
{
	struct refs_file file = { .version = REFS_VERSION, .options = options, .every = every };

	memset(b, 0, sizeof(*b));
	b->every = every;
	memcpy(file.magic, REFS_MAGIC, sizeof(file.magic));
	file.crc = capture_crc(0, (u8 *)&file, offsetof(struct refs_file, crc));
	b->error = -write_all(fd, &file, sizeof(file));
	if (refs_packer_open(&b->packer, fd) && !b->error)
		b->error = b->packer.error;
	if (!refs_streams_new(b->out) && !b->error)
		b->error = -ENOMEM;
	begin_block(b, 0, 0);
	return b->error;
}

int refs_blocks_close(struct refs_blocks *b)
{
	int error = refs_packer_close(&b->packer, b->error);
	u32 i;

	refs_streams_free(b->out);
	for (i = 0; i < b->nr_chunks; i++)
		free(b->chunks[i]);
	free(b->chunks);
	return b->error ? b->error : error;
}

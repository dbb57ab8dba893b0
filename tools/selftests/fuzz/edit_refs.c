// SPDX-License-Identifier: GPL-2.0-only
/* Changes of a log of memory references: see edit.h. */
#include <string.h>
#include <zstd.h>

#include "capture/crc.h"
#include "edit.h"
#include "refs/format.h"

#define RAW_MAX		(16U << 10)	/* bytes of a block whose streams are changed */
#define BLOCKS		32U
#define REFS_MAX	(64U << 10)	/* of a kind; a few bytes can stand for a block's limit */

/* Where blocks begin; the last one is where they end. */
struct blocks {
	u32 at[BLOCKS + 1];
	u32 nr;
};

/* A block's streams, each with room to grow. */
struct streams {
	struct part parts[REFS_NR_STREAMS];
	u8 data[REFS_NR_STREAMS][2 * RAW_MAX];
};

static void find_blocks(struct blocks *blocks, const struct part *part)
{
	struct refs_block head;
	u32 at = sizeof(struct refs_file);

	blocks->nr = 0;
	while (blocks->nr < BLOCKS && at + sizeof(head) <= part->len) {
		memcpy(&head, part->data + at, sizeof(head));
		if (head.stored > part->len - at - sizeof(head))
			break;
		blocks->at[blocks->nr++] = at;
		at += sizeof(head) + head.stored;
	}
	blocks->at[blocks->nr] = at;
}

static bool take_apart(struct streams *s, const struct refs_block *head, const u8 *stored)
{
	u8 raw[RAW_MAX];
	size_t got = ZSTD_decompress(raw, sizeof(raw), stored, head->stored), at = 0;
	u32 i;

	if (ZSTD_isError(got))
		return false;
	for (i = 0; i < REFS_NR_STREAMS; i++) {
		if (head->streams[i] > got - at)
			return false;
		s->parts[i].data = s->data[i];
		s->parts[i].len = head->streams[i];
		memcpy(s->data[i], raw + at, head->streams[i]);
		at += head->streams[i];
	}
	return true;
}

static void edit_streams(struct streams *s)
{
	u32 n;

	for (n = 1 + draw(3); n; n--) {
		struct part *stream = &s->parts[draw(REFS_NR_STREAMS)];
		u32 room = stream->len + 16 < RAW_MAX ? stream->len + 16 : RAW_MAX;

		stream->len = (u32)LLVMFuzzerMutate(stream->data, stream->len, room);
	}
}

static void put_together(struct part *part, u32 at, struct refs_block *head, struct streams *s)
{
	u8 raw[REFS_NR_STREAMS * RAW_MAX], packed[sizeof(raw) + 1024];
	u32 i, len = 0, old = head->stored;

	for (i = 0; i < REFS_NR_STREAMS; i++) {
		if (draw(32))
			head->streams[i] = s->parts[i].len;
		memcpy(raw + len, s->data[i], s->parts[i].len);
		len += s->parts[i].len;
	}
	head->stored = (u32)ZSTD_compress(packed, sizeof(packed), raw, len, 1);
	memcpy(part->data + at, head, sizeof(*head));
	edit_replace(part, at + sizeof(*head), old, packed, head->stored);
}

static void edit_head(struct refs_block *head)
{
	u64 *const numbers[] = {
		&head->number, &head->begin, &head->end, &head->cr3, &head->drift,
		&head->refs[REFS_FETCH], &head->refs[REFS_LOAD], &head->refs[REFS_STORE],
	};
	u32 field = draw(ARRAY_SIZE(numbers) + 2);

	if (field < ARRAY_SIZE(numbers))
		*numbers[field] = draw_number(*numbers[field]);
	else if (field == ARRAY_SIZE(numbers))
		head->flags ^= REFS_NO_TIME;
	else
		head->magic = draw(2) ? REFS_BLOCK_MAGIC : REFS_END_MAGIC;
}

static void edit_block(struct part *part, u32 at)
{
	static struct streams streams;
	struct refs_block head;

	memcpy(&head, part->data + at, sizeof(head));
	if (!draw(4))
		edit_head(&head);
	if (draw(4) && take_apart(&streams, &head, part->data + at + sizeof(head))) {
		edit_streams(&streams);
		put_together(part, at, &head, &streams);
		return;
	}
	memcpy(part->data + at, &head, sizeof(head));
}

/* One more time, or no more. */
static void edit_order(struct part *part, const struct blocks *blocks)
{
	u32 from = draw(blocks->nr), to = draw(blocks->nr);
	u32 len = blocks->at[from + 1] - blocks->at[from];
	u8 copy[4096];

	if (!draw(3) || len > sizeof(copy)) {
		edit_replace(part, blocks->at[from], len, NULL, 0);
		return;
	}
	memcpy(copy, part->data + blocks->at[from], len);
	edit_replace(part, blocks->at[to], 0, copy, len);
}

static void mend(struct part *part)
{
	struct refs_file *file = (struct refs_file *)part->data;
	struct refs_block head;
	struct blocks blocks;
	u32 i, k;

	find_blocks(&blocks, part);
	file->crc = capture_crc(0, part->data, offsetof(struct refs_file, crc));
	for (i = 0; i < blocks.nr; i++) {
		u8 *at = part->data + blocks.at[i];

		memcpy(&head, at, sizeof(head));
		if (draw(8))
			head.number = i;
		for (k = 0; k < REFS_NR_KINDS; k++)
			head.refs[k] = head.refs[k] < REFS_MAX ? head.refs[k] : REFS_MAX;
		head.stored_crc = capture_crc(0, at + sizeof(head), head.stored);
		head.crc = capture_crc(0, (u8 *)&head, offsetof(struct refs_block, crc));
		memcpy(at, &head, sizeof(head));
	}
}

void edit_refs(struct part *part)
{
	struct blocks blocks;
	u32 n;

	for (n = 1 + draw(3); n; n--) {
		find_blocks(&blocks, part);
		if (!blocks.nr || !draw(64)) {
			edit_bytes(part);
			break;
		}
		if (draw(8))
			edit_block(part, blocks.at[draw(blocks.nr)]);
		else
			edit_order(part, &blocks);
	}
	if (part->len >= sizeof(struct refs_file) && draw(32))
		mend(part);
}

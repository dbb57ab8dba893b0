/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_BLOCK_H
#define OVNIK_REFS_BLOCK_H

#include "refs/pack.h"
#include "util/types.h"

/**
 * struct refs_blocks - A file of memory references that is written.
 * @error: negative errno of the first failure: nothing is written after it
 * @every: one block in so many is kept
 * @number: of the block, also of those that are not kept; not 0
 * @out: what the block has
 * @head: of the block; its references and drift are counted by the caller
 * @chunks: memory that lasts until the block ends
 * @nr_chunks: of @chunks
 * @chunk: that memory is taken from
 * @used: bytes of it
 * @packer: compresses and writes
 */
struct refs_blocks {
	int error;
	u32 every;
	u64 number;
	struct refs_out out[REFS_NR_STREAMS];
	struct refs_block head;
	void **chunks;
	u32 nr_chunks;
	u32 chunk;
	size_t used;
	struct refs_packer packer;
};

/**
 * refs_blocks_open() - Begin a file, and its first block.
 * @b: is set; call refs_blocks_close() in any case
 * @fd: of the file, empty
 * @options: REFS_NO_FETCHES, ...
 * @every: keep one block in so many; not 0
 *
 * Context: Any.
 * Return: 0, or a negative errno.
 */
int refs_blocks_open(struct refs_blocks *b, int fd, u32 options, u32 every) __must_check;

/**
 * refs_blocks_take() - Memory until the block ends.
 * @b: file
 * @size: bytes, 1 MiB at most
 *
 * Context: Any.
 * Return: the memory; NULL if there is none.
 */
void *refs_blocks_take(struct refs_blocks *b, size_t size);

/**
 * refs_blocks_end() - Write the block if it is one of those that are kept; begin the next one.
 * @b: file
 * @now: time
 * @cr3: the address space
 * @flags: of the block that ends: REFS_NO_TIME
 *
 * Context: Any.
 */
void refs_blocks_end(struct refs_blocks *b, u64 now, u64 cr3, u32 flags);

/**
 * refs_blocks_close() - Write the end of the file; free what belongs to it.
 * @b: file, without a block that has anything in it
 *
 * Context: Any.
 * Return: 0, or the negative errno of the first failure.
 */
int refs_blocks_close(struct refs_blocks *b) __must_check;

/* 7 bits a byte, the lowest first. */
static inline u8 *refs_put(u8 *to, u64 value)
{
	while (unlikely(value >= 0x80)) {
		*to++ = (u8)value | 0x80;
		value >>= 7;
	}
	*to++ = (u8)value;
	return to;
}

#endif /* OVNIK_REFS_BLOCK_H */

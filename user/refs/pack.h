/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_PACK_H
#define OVNIK_REFS_PACK_H

#include <pthread.h>

#include "refs/format.h"

/*
 * A thread that compresses and writes a block while the next one is encoded: both take about as
 * long.
 */

/**
 * struct refs_out - A stream of a block.
 * @data: REFS_STREAM_MAX bytes
 * @len: bytes in it
 */
struct refs_out {
	u8 *data;
	u32 len;
};

/**
 * struct refs_packer - The thread, and the block that it has.
 * @fd: of the file
 * @error: negative errno of the first failure: nothing is written after it
 * @head: of the block
 * @out: its streams
 * @total: of the file
 * @zstd: compresses
 * @raw: room for all streams
 * @packed: @room bytes, for the compressed ones
 * @room: bytes of @packed
 * @thread: only if @runs
 * @lock: of what follows, and of all before while @full is false
 * @changed: @full or @end
 * @full: there is a block
 * @end: there will be no more
 * @runs: the thread was begun
 */
struct refs_packer {
	int fd;
	int error;
	struct refs_block head;
	struct refs_out out[REFS_NR_STREAMS];
	struct refs_block total;
	struct ZSTD_CCtx_s *zstd;
	u8 *raw;
	u8 *packed;
	size_t room;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool full;
	bool end;
	bool runs;
};

/**
 * refs_packer_open() - Begin the thread.
 * @p: is set; call refs_packer_close() in any case
 * @fd: of the file, where the first block begins
 *
 * Return: 0, or a negative errno.
 */
int refs_packer_open(struct refs_packer *p, int fd) __must_check;

/**
 * refs_packer_put() - Give it a block, when the one before is written.
 * @p: opened
 * @head: without what compression says; is copied
 * @out: exchanged for streams that are free
 *
 * Return: 0, or the negative errno of the first failure.
 */
int refs_packer_put(struct refs_packer *p, const struct refs_block *head, struct refs_out *out);

/**
 * refs_packer_close() - Write the last block and the end of the file; free what belongs to it.
 * @p: as refs_packer_open() left it
 * @error: negative errno of what its blocks come from: the file gets no end
 *
 * Return: 0, or the negative errno of the first failure.
 */
int refs_packer_close(struct refs_packer *p, int error) __must_check;

/**
 * refs_streams_new() - Make room for the streams of a block.
 * @out: is set; refs_streams_free() frees it in any case
 *
 * Return: false without memory.
 */
bool refs_streams_new(struct refs_out *out);

/**
 * refs_streams_free() - Free them.
 * @out: zeroed, or as refs_streams_new() left it
 */
void refs_streams_free(struct refs_out *out);

#endif /* OVNIK_REFS_PACK_H */

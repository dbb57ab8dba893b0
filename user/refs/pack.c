// SPDX-License-Identifier: GPL-2.0-only
/* The thread that compresses blocks: see pack.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "refs/pack.h"
#include "capture/crc.h"
#include "util/file.h"

bool refs_streams_new(struct refs_out *out)
{
	unsigned int i;

	for (i = 0; i < REFS_NR_STREAMS; i++) {
		out[i].data = malloc(REFS_STREAM_MAX);
		if (!out[i].data)
			return false;
	}
	return true;
}

void refs_streams_free(struct refs_out *out)
{
	unsigned int i;

	for (i = 0; i < REFS_NR_STREAMS; i++)
		free(out[i].data);
}

static void write_part(struct refs_packer *p, const void *data, size_t len)
{
	if (!p->error)
		p->error = -write_all(p->fd, data, len);
}

/* Returns its size; 0 after an error. */
static size_t compress(struct refs_packer *p)
{
	size_t raw = 0, packed;
	unsigned int i;

	for (i = 0; i < REFS_NR_STREAMS; i++) {
		p->head.streams[i] = p->out[i].len;
		memcpy(p->raw + raw, p->out[i].data, p->out[i].len);
		raw += p->out[i].len;
	}
	packed = ZSTD_compressCCtx(p->zstd, p->packed, p->room, p->raw, raw, 1);
	if (!ZSTD_isError(packed))
		return packed;
	p->error = -ENOMEM;
	return 0;
}

static void write_block(struct refs_packer *p)
{
	struct refs_block *head = &p->head;
	size_t packed = compress(p);
	unsigned int i;

	if (!packed)
		return;
	head->number = p->total.number++;
	head->stored = (u32)packed;
	head->stored_crc = capture_crc(0, p->packed, packed);
	head->crc = capture_crc(0, (u8 *)head, offsetof(struct refs_block, crc));
	write_part(p, head, sizeof(*head));
	write_part(p, p->packed, packed);
	for (i = 0; i < REFS_NR_KINDS; i++)
		p->total.refs[i] += head->refs[i];
	p->total.drift += head->drift;
}

static void *pack(void *data)
{
	struct refs_packer *p = data;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->full && !p->end)
			pthread_cond_wait(&p->changed, &p->lock);
		if (!p->full)
			break;
		pthread_mutex_unlock(&p->lock);
		if (!p->error)
			write_block(p);
		pthread_mutex_lock(&p->lock);
		p->full = false;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int refs_packer_open(struct refs_packer *p, int fd)
{
	memset(p, 0, sizeof(*p));
	p->fd = fd;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->room = ZSTD_compressBound(REFS_NR_STREAMS * REFS_STREAM_MAX);
	p->raw = malloc(REFS_NR_STREAMS * REFS_STREAM_MAX);
	p->packed = malloc(p->room);
	p->zstd = ZSTD_createCCtx();
	if (!refs_streams_new(p->out) || !p->raw || !p->packed || !p->zstd)
		p->error = -ENOMEM;
	if (!p->error)
		p->error = -pthread_create(&p->thread, NULL, pack, p);
	p->runs = !p->error;
	return p->error;
}

/* Until the thread has no block. */
static void wait_for_room(struct refs_packer *p)
{
	while (p->full)
		pthread_cond_wait(&p->changed, &p->lock);
}

int refs_packer_put(struct refs_packer *p, const struct refs_block *head, struct refs_out *out)
{
	struct refs_out empty[REFS_NR_STREAMS];
	int error;

	pthread_mutex_lock(&p->lock);
	wait_for_room(p);
	memcpy(empty, p->out, sizeof(empty));
	memcpy(p->out, out, sizeof(empty));
	memcpy(out, empty, sizeof(empty));
	p->head = *head;
	error = p->error;
	p->full = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return error;
}

static void stop(struct refs_packer *p)
{
	pthread_mutex_lock(&p->lock);
	p->end = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
}

int refs_packer_close(struct refs_packer *p, int error)
{
	if (p->runs)
		stop(p);
	if (!p->error)
		p->error = error;
	p->total.magic = REFS_END_MAGIC;
	p->total.crc = capture_crc(0, (u8 *)&p->total, offsetof(struct refs_block, crc));
	write_part(p, &p->total, sizeof(p->total));
	refs_streams_free(p->out);
	free(p->raw);
	free(p->packed);
	ZSTD_freeCCtx(p->zstd);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	return p->error;
}

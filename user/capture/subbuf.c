// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers in a file that may be damaged anywhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/clock.h"
#include "capture/crc.h"
#include "capture/subbuf.h"
#include "util/msg.h"

#define DAMAGES_SHOWN	20
#define SEARCH_CHUNK	65536

static const u64 magic = OVNIK_SUBBUF_MAGIC;

void file_damage(struct capture_file *file, u64 offset, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	file->damages++;
	if (file->quiet || file->damages > DAMAGES_SHOWN)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	msg_warn("%s: offset %llu: %s", file->path, offset, why);
	if (file->damages == DAMAGES_SHOWN)
		msg_warn("%s: further damage in this file is only counted", file->path);
}

/* Bytes read; fewer only at the end of the file or on an error. */
static size_t read_at(struct capture_file *file, u64 offset, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(file->fd, (char *)buf + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			file_damage(file, offset + done, "cannot read: %s", strerror(errno));
		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

static bool magic_at(struct capture_file *file, u64 offset)
{
	u64 found;

	return offset + sizeof(found) <= file->size &&
	       read_at(file, offset, &found, sizeof(found)) == sizeof(found) && found == magic;
}

/* The next magic at or after an offset, at any byte: bytes may be missing. */
static u64 search(struct capture_file *file, u64 offset)
{
	u8 chunk[SEARCH_CHUNK];

	while (offset + sizeof(magic) <= file->size) {
		off_t data = lseek(file->fd, offset, SEEK_DATA);
		size_t got;
		u8 *hit;

		/* A hole reads as zeros: no magic is in it. */
		if (data < 0 && errno == ENXIO)
			break;
		if (data > (off_t)offset)
			offset = data;
		got = read_at(file, offset, chunk, sizeof(chunk));
		hit = memmem(chunk, got, &magic, sizeof(magic));

		if (hit)
			return offset + (hit - chunk);
		if (got < sizeof(chunk))
			break;
		offset += got - (sizeof(magic) - 1);
	}
	return file->size;
}

static const char *refuse(const struct ovnik_subbuf *h)
{
	if (h->magic != magic)
		return "no sub-buffer begins here";
	if (h->version < OVNIK_FORMAT_OLDEST)
		return "the sub-buffer's version is 0";
	if (!h->nr_events || h->nr_events > EVENT_NUMBERS)
		return "the sub-buffer's number of events is impossible";
	if (h->header_size % OVNIK_REC_ALIGN || h->header_size < OVNIK_HEADER_SIZE(h->nr_events))
		return "the sub-buffer's header size is impossible";
	if (h->size > OVNIK_SUBBUF_MAX)
		return "the sub-buffer's size is impossible";
	if (h->ns > CLOCK_NS_MAX)
		return "the sub-buffer's clock is impossible";
	if (!h->used)
		return "the sub-buffer was not closed";
	return NULL;
}

static bool possible_length(const struct ovnik_subbuf *h, u32 used)
{
	return used >= h->header_size && used <= h->size && used % OVNIK_REC_ALIGN == 0;
}

static bool ends_well(struct capture_file *file, u64 end)
{
	return end == file->size || magic_at(file, end);
}

/* used and committed differ: one was changed; the right one leads to the next sub-buffer. */
static u32 pick_length(struct capture_file *file, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);

	if (h->used == h->committed)
		return possible_length(h, h->used) ? h->used : 0;
	file_damage(file, sb->offset, "%u bytes are in use, but %u were written completely",
		    h->used, h->committed);
	if (possible_length(h, h->used) && ends_well(file, sb->offset + h->used))
		return h->used;
	if (possible_length(h, h->committed) && ends_well(file, sb->offset + h->committed))
		return h->committed;
	return 0;
}

/*
 * A sub-buffer ends where the next one begins. If its header disagrees, it ends at
 * the next magic, so no byte is read twice whatever the headers say.
 */
static void find_end(struct capture_file *file, struct subbuf *sb, u32 used)
{
	u64 end = sb->offset + used;

	sb->avail = used;
	sb->cut = false;
	sb->next = end;
	if (ends_well(file, end))
		return;
	sb->next = search(file, sb->offset + subbuf_header(sb)->header_size);
	if (sb->next < end) {
		sb->avail = sb->next - sb->offset;
		sb->cut = true;
		return;
	}
	if (end < file->size)
		file_damage(file, end, "%llu bytes belong to no sub-buffer", sb->next - end);
}

/* 0; 1 if nothing more is there; -EPROTO for a newer version; -EBADMSG (reported). */
static int read_header(struct capture_file *file, u64 offset, struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	const char *why;
	size_t got;
	u32 used;

	if (offset >= file->size)
		return 1;
	sb->offset = offset;
	got = read_at(file, offset, sb->raw, sizeof(sb->raw));
	if (got < sizeof(*h)) {
		file_damage(file, offset, "the file ends within a sub-buffer's header");
		return -EBADMSG;
	}
	if (h->magic == magic && h->version > OVNIK_FORMAT_VERSION) {
		sb->next = search(file, offset + 1);
		return -EPROTO;
	}
	why = refuse(h);
	if (!why && h->header_size > file->size - offset)
		why = "the file ends within a sub-buffer's header";
	if (why) {
		file_damage(file, offset, "%s", why);
		return -EBADMSG;
	}
	used = pick_length(file, sb);
	if (!used) {
		file_damage(file, offset, "the sub-buffer's length is impossible");
		return -EBADMSG;
	}
	find_end(file, sb, used);
	return 0;
}

int subbuf_find(struct capture_file *file, u64 offset, struct subbuf *sb)
{
	int ret;

	for (;;) {
		ret = read_header(file, offset, sb);
		if (ret != -EBADMSG)
			return ret;
		offset = search(file, offset + 1);
	}
}

int subbuf_load(struct capture_file *file, const struct subbuf *sb, u8 **buf, u32 *buf_size)
{
	if (sb->avail > *buf_size) {
		u8 *larger = realloc(*buf, sb->avail);

		if (!larger)
			return -ENOMEM;
		*buf = larger;
		*buf_size = sb->avail;
	}
	if (read_at(file, sb->offset, *buf, sb->avail) < sb->avail) {
		file_damage(file, sb->offset, "the file was cut short while being read");
		return -EIO;
	}
	return 0;
}

bool subbuf_crc_wrong(const struct subbuf *sb, const u8 *buf)
{
	const size_t at = offsetof(struct ovnik_subbuf, crc);
	const struct ovnik_subbuf *h = subbuf_header(sb);
	static const u8 zero[sizeof(h->crc)];
	u32 crc;

	if (!(h->flags & OVNIK_SB_CRC) || sb->cut)
		return false;
	crc = capture_crc(0, buf, at);
	crc = capture_crc(crc, zero, sizeof(zero));
	crc = capture_crc(crc, buf + at + sizeof(zero), sb->avail - at - sizeof(zero));
	return crc != h->crc;
}

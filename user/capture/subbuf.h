/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_SUBBUF_H
#define OVNIK_CAPTURE_SUBBUF_H

#include <ovnik.h>

#include "capture/events.h"
#include "util/types.h"

#define SUBBUF_HEADER_MAX	OVNIK_HEADER_SIZE(EVENT_NUMBERS)

/* The statedump of overwrite mode: a file of its own. */
#define CAPTURE_DUMP_FILE	"dump.ovk"

/**
 * struct capture_file - One cpuN.ovk, or the statedump.
 * @fd: file descriptor, -1 if it could not be opened
 * @path: for messages
 * @size: bytes, when it was opened
 * @cpu: the CPU it belongs to
 * @dump: it is the statedump, of no CPU
 * @elsewhere: what happens on its CPU is left out
 * @meta: meta.json's description of it, or NULL
 * @quiet: damage is counted, not reported
 * @damages: places where it is damaged
 */
struct capture_file {
	int fd;
	char *path;
	u64 size;
	u32 cpu;
	bool dump;
	bool elsewhere;
	const struct meta_cpu *meta;
	bool quiet;
	u64 damages;
};

/**
 * struct subbuf - A sub-buffer that was found in a file.
 * @offset: where it begins
 * @next: where to look for the next one
 * @avail: bytes present; fewer than used if it is @cut
 * @cut: its end is missing
 * @align: aligns @raw
 * @raw: its header
 */
struct subbuf {
	u64 offset;
	u64 next;
	u32 avail;
	bool cut;
	union {
		u64 align;
		u8 raw[SUBBUF_HEADER_MAX];
	};
};

static inline const struct ovnik_subbuf *subbuf_header(const struct subbuf *sb)
{
	return (const struct ovnik_subbuf *)sb->raw;
}

/* Per event, by the capture's number; nr_events of them. */
static inline const u32 *subbuf_count(const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);

	return (const u32 *)&h->lost[h->nr_events];
}

/* Written with a CRC, even if its flag is lost: without one the kernel leaves 0 there. */
static inline bool subbuf_has_crc(const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);

	return h->flags & OVNIK_SB_CRC || h->crc;
}

/**
 * file_damage() - Warn of a damaged place in a file.
 * @file: the file
 * @offset: where
 * @fmt: printf format of the reason
 *
 * The first 20 of a file are reported; all are counted.
 *
 * Context: Any.
 */
void file_damage(struct capture_file *file, u64 offset, const char *fmt, ...) __printf_like(3, 4);

/**
 * subbuf_find() - Find the sub-buffer at an offset, or the next one after it.
 * @file: the file
 * @offset: where one should begin
 * @sb: is set
 *
 * Bytes that cannot be a sub-buffer are reported with file_damage() and skipped.
 * The header found is valid in itself; whether it belongs to the capture is not
 * checked.
 *
 * Context: Any.
 * Return: 0; 1 at the end of the file; -EPROTO if a sub-buffer of a newer format
 * begins at @sb->offset, which is not reported yet, and @sb->next is set.
 */
int subbuf_find(struct capture_file *file, u64 offset, struct subbuf *sb) __must_check;

/**
 * subbuf_load() - Read the bytes present of a sub-buffer.
 * @file: the file
 * @sb: from subbuf_find()
 * @buf: buffer, enlarged where needed; for free()
 * @buf_size: its size
 *
 * Context: Any.
 * Return: 0, -ENOMEM, -EIO (reported).
 */
int subbuf_load(struct capture_file *file, const struct subbuf *sb, u8 **buf,
		u32 *buf_size) __must_check;

/**
 * subbuf_crc_wrong() - Is there a CRC, and is it wrong?
 * @sb: from subbuf_find()
 * @buf: from subbuf_load()
 *
 * Context: Any.
 * Return: true if bytes are known to have changed.
 */
bool subbuf_crc_wrong(const struct subbuf *sb, const u8 *buf);

#endif /* OVNIK_CAPTURE_SUBBUF_H */

// SPDX-License-Identifier: GPL-2.0-only
/* Paraver trace files: lines are copies of prepared texts, with one write(2) per megabyte. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "emu/prv.h"
#include "util/file.h"
#include "util/msg.h"
#include "util/out.h"
#include "util/types.h"

/*
 * A compressed file whose first line changes at the end. A gzip file may have several
 * members, whose texts are concatenated (RFC 1952, 2.2). The first member has that line,
 * stored uncompressed so that its length stays the same; the second one has the rest.
 */

#define GZ_LINE_MAX	128	/* longest first line */
#define GZ_FIRST_MAX	(GZ_LINE_MAX + 23)

/*
 * A trace of 21 MB: level 1 made 3.5 MB in 0.20 s, level 4 made 2.8 MB in 0.22 s,
 * level 6 made 2.7 MB in 0.66 s.
 */
#define GZ_LEVEL	4
#define GZ_FORMAT	(15 + 16)	/* window bits; a gzip header */
#define GZ_BUF		(256 << 10)

struct gz {
	z_stream z;
	u8 buf[GZ_BUF];
};

/* Make a compressor. */
static struct gz *gz_create(void)
{
	struct gz *gz = calloc(1, sizeof(*gz));

	if (!gz)
		return NULL;
	if (deflateInit2(&gz->z, GZ_LEVEL, Z_DEFLATED, GZ_FORMAT, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gz);
		return NULL;
	}
	return gz;
}

static u8 *put_le(u8 *to, u32 v, int bytes)
{
	while (bytes--) {
		*to++ = v;
		v >>= 8;
	}
	return to;
}

/* Make the member with the first line. */
static size_t gz_first(u8 *to, const char *line, size_t len)
{
	static const u8 header[] = { 0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 0xff };
	u8 *p = to;

	memcpy(p, header, sizeof(header));
	p += sizeof(header);
	*p++ = 1;	/* the last block, stored */
	p = put_le(p, len, 2);
	p = put_le(p, ~(u32)len, 2);
	memcpy(p, line, len);
	p += len;
	p = put_le(p, crc32(0, (const u8 *)line, len), 4);
	p = put_le(p, len, 4);
	return p - to;
}

/* Compress some of the rest. */
static int gz_write(struct gz *gz, const char *text, size_t len, bool last,
		    int (*write)(void *data, const void *buf, size_t len), void *data)
{
	gz->z.next_in = (u8 *)text;
	gz->z.avail_in = len;
	do {
		int ret;

		gz->z.next_out = gz->buf;
		gz->z.avail_out = GZ_BUF;
		deflate(&gz->z, last ? Z_FINISH : Z_NO_FLUSH);
		ret = write(data, gz->buf, GZ_BUF - gz->z.avail_out);
		if (ret)
			return ret;
	} while (!gz->z.avail_out);
	return 0;
}

/* Free a compressor. */
static void gz_destroy(struct gz *gz)
{
	if (!gz)
		return;
	deflateEnd(&gz->z);
	free(gz);
}

#define PRV_BUF		(1 << 20)
#define PRV_LINE_MAX	128
#define PRV_HEADER	"#Paraver (19/01/38 at 03:14):%020llu_ns:0:1:1(%u:1)\n"

/* "00" to "99", for two digits at a time. */
#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
static const char digits[] = TEN("0") TEN("1") TEN("2") TEN("3") TEN("4")
			     TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

static inline char *put_pair(char *p, u32 v)
{
	memcpy(p, &digits[2 * v], 2);
	return p + 2;
}

static inline char *put_4(char *p, u32 v)
{
	return put_pair(put_pair(p, v / 100), v % 100);
}

static inline char *put_8(char *p, u32 v)
{
	return put_4(put_4(p, v / 10000), v % 10000);
}

/* A number below 10000 without leading zeroes. */
static inline char *put_short(char *p, u32 v)
{
	if (v >= 1000)
		return put_4(p, v);
	if (v >= 100) {
		*p++ = '0' + v / 100;
		return put_pair(p, v % 100);
	}
	if (v >= 10)
		return put_pair(p, v);
	*p = '0' + v;
	return p + 1;
}

static char *put_u64(char *p, u64 v)
{
	if (v < 10000)
		return put_short(p, v);
	if (v < 100000000)
		return put_4(put_short(p, v / 10000), v % 10000);
	return put_8(put_u64(p, v / 100000000), v % 100000000);
}

static char *put_s64(char *p, s64 v)
{
	if (likely(v >= 0))
		return put_u64(p, (u64)v);
	*p = '-';
	return put_u64(p + 1, -(u64)v);
}

void prv_type_init(struct prv_type *t, u32 type, u8 flags)
{
	char *p = t->text;

	memset(t, 0, sizeof(*t));
	*p++ = ':';
	p = put_u64(p, type);
	*p++ = ':';
	t->len = p - t->text;
	t->type = type;
	t->flags = flags;
}

static int prv_fail(struct prv *prv, int err)
{
	if (!prv->error) {
		prv->error = err;
		report_error(prv->path, "cannot write", err);
	}
	return -err;
}

static int prv_write(void *data, const void *buf, size_t len)
{
	struct prv *prv = data;
	int error = write_all(prv->fd, buf, len);

	return error ? prv_fail(prv, error) : 0;
}

static int prv_put(struct prv *prv, bool last)
{
	size_t len = prv->pos - prv->buf;

	prv->pos = prv->buf;
	if (prv->error)
		return -prv->error;
	if (prv->gz)
		return gz_write(prv->gz, prv->buf, len, last, prv_write, prv);
	return prv_write(prv, prv->buf, len);
}

static int prv_flush(struct prv *prv)
{
	return prv_put(prv, false);
}

static int prv_rows(struct prv *prv, u32 rows)
{
	u32 i;

	prv->row = calloc(rows ? rows : 1, sizeof(*prv->row));
	if (!prv->row)
		return -ENOMEM;
	prv->rows = rows;
	for (i = 0; i < rows; i++) {
		struct prv_row *row = &prv->row[i];
		char *p = row->text;

		memcpy(p, "2:0:1:1:", 8);
		p = put_u64(p + 8, (u64)i + 1);
		*p++ = ':';
		row->len = p - row->text;
	}
	return 0;
}

static void prv_free(struct prv *prv)
{
	gz_destroy(prv->gz);
	free(prv->row);
	free(prv->buf);
	free(prv->path);
	memset(prv, 0, sizeof(*prv));
}

/* The header; it has the same length whatever the duration. */
static size_t prv_header(const struct prv *prv, u8 *to, u64 duration)
{
	char text[GZ_LINE_MAX];
	size_t len;

	len = snprintf(text, sizeof(text), PRV_HEADER, (unsigned long long)duration, prv->rows);
	if (prv->gz)
		return gz_first(to, text, len);
	memcpy(to, text, len);
	return len;
}

int prv_open(struct prv *prv, const char *dir, const char *name, u32 rows,
	     struct prv_clock *clock, bool compress)
{
	u8 header[GZ_FIRST_MAX];

	int ret = -ENOMEM;

	memset(prv, 0, sizeof(*prv));
	prv->path = out_path(dir, name);
	if (!prv->path)
		return -ENOMEM;
	prv->buf = malloc(PRV_BUF);
	prv->gz = compress ? gz_create() : NULL;
	if (!prv->buf || (compress && !prv->gz) || prv_rows(prv, rows)) {
		msg_error("%s: out of memory", prv->path);
		goto err_free;
	}
	prv->fd = open(prv->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (prv->fd < 0) {
		ret = -errno;
		msg_error("%s: cannot create: %s", prv->path, strerror(errno));
		goto err_free;
	}
	prv->clock = clock;
	prv_clock_set(clock, 0);
	prv->pos = prv->buf;
	prv->end = prv->buf + PRV_BUF - PRV_LINE_MAX;
	ret = prv_write(prv, header, prv_header(prv, header, 0));
	if (!ret)
		return 0;
	close(prv->fd);
err_free:
	prv_free(prv);
	return ret;
}

void prv_clock_set(struct prv_clock *clock, u64 now)
{
	clock->before = clock->now;
	clock->now = now;
	clock->len = put_u64(clock->text, now) - clock->text;
}

void prv_clock_back(struct prv_clock *clock)
{
	if (clock->now <= clock->before)
		return;
	/* Most numbers end with another digit than 0. */
	if (clock->text[clock->len - 1] == '0') {
		prv_clock_set(clock, clock->now - 1);
		return;
	}
	clock->text[clock->len - 1]--;
	clock->now--;
}

int prv_line_value(struct prv *prv, char *p, s64 v)
{
	p = put_s64(p, v);
	*p = '\n';
	prv->pos = p + 1;
	return 0;
}

int prv_line_flush(struct prv *prv, const struct prv_row *row, const struct prv_type *t, s64 v)
{
	return prv_flush(prv) ? -EIO : prv_line(prv, row, t, v);
}

int prv_emit_punctual(struct prv_out *o, struct chan_value v)
{
	int ret;

	o->last.st = ST_UNSET;
	ret = prv_emit(o, v);
	o->last.st = ST_UNSET;
	return ret;
}

static int prv_patch(struct prv *prv)
{
	u8 header[GZ_FIRST_MAX];
	size_t len = prv_header(prv, header, prv->clock->now);
	ssize_t n;

	n = pwrite(prv->fd, header, len, 0);
	if (n < 0)
		return prv_fail(prv, errno);
	return (size_t)n == len ? 0 : prv_fail(prv, EIO);
}

int prv_close(struct prv *prv)
{
	int ret = 0;

	if (!prv->path)
		return 0;
	if (!prv_put(prv, true))
		prv_patch(prv);
	if (close(prv->fd) && !prv->error)
		prv_fail(prv, errno);
	ret = -prv->error;
	prv_free(prv);
	return ret;
}

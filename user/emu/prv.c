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

#include "emu/emu.h"
#include "emu/prv.h"
#include "util/decimal.h"
#include "util/file.h"
#include "util/jobs.h"
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
#define PRV_BATCH	(256 << 10)
#define PRV_LINE_MAX	128
#define PRV_HEADER	"#Paraver (19/01/38 at 03:14):%020llu_ns:0:1:1(%u:1)\n"

void prv_type_init(struct prv_type *t, u32 type, u8 flags)
{
	char *p = t->text;

	memset(t, 0, sizeof(*t));
	*p++ = ':';
	p = decimal_put(p, type);
	*p++ = ':';
	t->len = p - t->text;
	t->type = type;
	t->flags = flags;
	t->add[ST_INT] = (flags & PRV_NEXT) != 0;
}

static int prv_fail(struct prv *prv, int err)
{
	if (!prv->error)
		prv->error = err;
	return -err;
}

/* In the emulator's thread, so that a cause is reported before what follows from it. */
static int prv_report(struct prv *prv)
{
	if (!prv->reported)
		report_error(prv->path, "cannot write", prv->error);
	prv->reported = true;
	return -EIO;
}

static int prv_write(void *data, const void *buf, size_t len)
{
	struct prv *prv = data;
	int error = write_all(prv->fd, buf, len);

	return error ? prv_fail(prv, error) : 0;
}

static int prv_put(struct prv *prv, const char *text, size_t len, bool last)
{
	if (prv->error)
		return -prv->error;
	if (prv->gz)
		return gz_write(prv->gz, text, len, last, prv_write, prv);
	return prv_write(prv, text, len);
}

/* In the thread of the file. */
static int take_buffer(void *data, const u8 *text, size_t len)
{
	/* A compressor that has got nothing would begin all the same. */
	return len ? prv_put(data, (const char *)text, len, false) : 0;
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
		p = decimal_put(p + 8, (u64)i + 1);
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

static int prv_create(struct prv *prv)
{
	u8 header[GZ_FIRST_MAX];
	int ret;

	prv->fd = open(prv->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (prv->fd < 0)
		return report_error(prv->path, "cannot create", errno);
	ret = prv_write(prv, header, prv_header(prv, header, 0));
	if (ret) {
		prv_report(prv);
		close(prv->fd);
	}
	return ret;
}

static void begin_buffer(struct prv *prv)
{
	char *end = prv->threaded ? (char *)prv->full.end : prv->buf + PRV_BUF;

	prv->pos = prv->threaded ? (char *)prv->full.pos : prv->buf;
	prv->end = end - PRV_LINE_MAX;
}

static int make_buffer(struct prv *prv)
{
	int ret = 0;

	prv->threaded = jobs_several();
	if (prv->threaded)
		ret = queue_open(&prv->full, PRV_BATCH, take_buffer, prv);
	else
		prv->buf = malloc(PRV_BUF);
	if (!ret && !prv->threaded && !prv->buf)
		ret = msg_no_memory();
	if (!ret)
		begin_buffer(prv);
	return ret;
}

/* What is left in the buffer is the last, but for the end of a compressed file. */
static int end_buffer(struct prv *prv)
{
	if (!prv->threaded)
		return prv_put(prv, prv->buf, prv->pos - prv->buf, true);
	prv->full.pos = (u8 *)prv->pos;
	return queue_close(&prv->full) ?: prv_put(prv, NULL, 0, true);
}

int prv_open(struct prv *prv, const char *dir, const char *name, u32 rows,
	     struct prv_texts *texts, u32 options)
{
	int ret = -ENOMEM;

	memset(prv, 0, sizeof(*prv));
	prv->path = out_path(dir, name);
	if (!prv->path)
		return -ENOMEM;
	if (rows > PRV_ROWS_MAX) {
		msg_error("%s: %u rows, a trace has at most %u", prv->path, rows, PRV_ROWS_MAX);
		ret = -EINVAL;
		goto err_free;
	}
	prv->texts = texts;
	prv->show_errors = options & EMU_SHOW_ERRORS;
	prv->gz = options & EMU_COMPRESS ? gz_create() : NULL;
	if ((options & EMU_COMPRESS && !prv->gz) || prv_rows(prv, rows)) {
		msg_error("%s: out of memory", prv->path);
		goto err_free;
	}
	prv_clock_text(&texts->clock);
	ret = make_buffer(prv);
	if (ret)
		goto err_free;
	ret = prv_create(prv);
	if (!ret)
		return 0;
	queue_close(&prv->full);
err_free:
	prv_free(prv);
	return ret;
}

char *prv_number_new(struct prv_texts *texts, char *p, s64 v)
{
	struct prv_known *known = &texts->known[(u64)v % PRV_NR_KNOWN];
	char *end = decimal_put_signed(p, v);
	size_t len;

	*end++ = '\n';
	len = end - p;
	if (len <= sizeof(known->text)) {
		known->value = v;
		known->len = len;
		memcpy(known->text, p, sizeof(known->text));
	}
	return end;
}

static int flush(struct prv *prv)
{
	int ret;

	if (prv->threaded) {
		prv->full.pos = (u8 *)prv->pos;
		ret = queue_pass(&prv->full);
	} else {
		ret = prv_put(prv, prv->buf, prv->pos - prv->buf, false);
	}
	begin_buffer(prv);
	return ret ? prv_report(prv) : 0;
}

int prv_line_slow(struct prv *prv, const struct prv_row *row, const struct prv_type *t, s64 v)
{
	int ret = flush(prv);

	return ret ? ret : prv_line(prv, row, t, v);
}

int prv_again(const struct prv_out *o, u64 st)
{
	const struct prv_type *t = o->type;

	if (o->last.st != st && !(t->add[ST_NULL] && t->flags & PRV_SKIP_DUP &&
				  o->last.st != ST_UNSET))
		return 1;
	if (t->flags & PRV_SKIP_DUP || (t->flags & PRV_SKIP_DUP_NULL && st == ST_NULL))
		return 0;
	return t->flags & (PRV_SKIP_DUP_NULL | PRV_EMIT_DUP) ? 1 : -EEXIST;
}

int prv_emit_error(struct prv_out *o, u64 st)
{
	struct chan_value v = { st, st == ST_BAD ? ST_BAD_SHOWN : ST_TOO_MANY_TH_SHOWN };

	if (!o->prv->show_errors)
		return prv_emit_state(o, CHAN_NULL);
	if (o->last.i == v.i) {
		int ret = prv_again(o, st);

		if (ret <= 0)
			return ret;
	}
	o->last = v;
	o->type->used = true;
	return prv_line(o->prv, o->row, o->type, v.i);
}

int prv_emit_punctual(struct prv_out *o, struct chan_value v)
{
	int ret;

	o->last.st = ST_UNSET;
	ret = prv_emit(o, v);
	o->last.st = ST_UNSET;
	return ret;
}

int prv_emit_over(struct prv_out *o, struct chan_value v)
{
	struct chan_value last = o->last;
	int ret = prv_emit_punctual(o, v);

	o->last = last;
	/* It has shown nothing, and shows null behind it. */
	if (last.st == ST_UNSET)
		o->last = (struct chan_value){ ST_NULL, o->type->add[ST_NULL] };
	return ret;
}

int prv_emit_again(struct prv_out *o)
{
	return prv_line(o->prv, o->row, o->type, o->last.i);
}

static int prv_patch(struct prv *prv)
{
	u8 header[GZ_FIRST_MAX];
	size_t len = prv_header(prv, header, prv->texts->clock.now);
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
	if (!end_buffer(prv))
		prv_patch(prv);
	if (close(prv->fd) && !prv->error)
		prv_fail(prv, errno);
	ret = -prv->error;
	if (ret)
		prv_report(prv);
	prv_free(prv);
	return ret;
}

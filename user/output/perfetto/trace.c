// SPDX-License-Identifier: GPL-2.0-only
/* A trace that is written, compressed or not: see trace.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/perfetto/trace.h"
#include "util/msg.h"

#define GZIP_BITS	(15 + 16)	/* the largest window, a gzip header */

int trace_open(struct perfetto_trace *t, const char *path, bool gzip, int *latch)
{
	int ret = file_open(&t->file, path, latch);

	if (ret || !gzip)
		return ret;
	t->plain = malloc(TRACE_ROOM);
	if (!t->plain || deflateInit2(&t->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8,
				      Z_DEFAULT_STRATEGY) != Z_OK) {
		msg_error("%s: no memory", path);
		return -ENOMEM;
	}
	t->gzip = true;
	return 0;
}

void trace_compress(struct perfetto_trace *t, int flush)
{
	int ret;

	t->z.next_in = t->plain;
	t->z.avail_in = t->len;
	do {
		char *to = file_room(&t->file);

		t->z.next_out = (u8 *)to;
		t->z.avail_out = FILE_LINE_MAX;
		ret = deflate(&t->z, flush);
		file_done(&t->file, (char *)t->z.next_out);
	} while (ret != Z_STREAM_END && !t->z.avail_out);
	t->len = 0;
}

static size_t append_some(struct perfetto_trace *t, FILE *f)
{
	char *to;
	size_t len;

	if (t->gzip) {
		len = fread(t->plain + t->len, 1, TRACE_ROOM - t->len, f);
		t->len += len;
		if (t->len == TRACE_ROOM)
			trace_compress(t, Z_NO_FLUSH);
		return len;
	}
	to = file_room(&t->file);
	len = fread(to, 1, FILE_LINE_MAX, f);
	file_done(&t->file, to + len);
	return len;
}

int trace_append(struct perfetto_trace *t, const char *path)
{
	FILE *f = fopen(path, "re");
	int ret = 0;

	if (!f)
		return report_error(path, "cannot open", errno);
	while (append_some(t, f))
		;
	if (ferror(f))
		ret = report_error(path, "cannot read", EIO);
	fclose(f);
	return ret;
}

int trace_close(struct perfetto_trace *t)
{
	if (t->gzip) {
		trace_compress(t, Z_FINISH);
		deflateEnd(&t->z);
		t->gzip = false;
	}
	free(t->plain);
	t->plain = NULL;
	return file_close(&t->file);
}

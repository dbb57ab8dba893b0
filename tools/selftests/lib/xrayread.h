/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_XRAYREAD_H
#define OVNIK_SELFTESTS_XRAYREAD_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xray/log.h"
#include "xraygen.h"

/* What reading a log tells on stderr. */
static char said[1 << 16];

static char letter_of(const struct xray_record *rec)
{
	switch (rec->kind) {
	case XRAY_FUNCTION:
		return "fxta"[rec->action];
	case XRAY_CUSTOM_EVENT:
		return 'u';
	case XRAY_TYPED_EVENT:
		return 'v';
	case XRAY_CALL_ARGUMENT:
		return 'A';
	case XRAY_NEW_CPU_ID:
		return 'C';
	default:
		return rec->tsc == ~0ULL ? 'O' : 'T';
	}
}

#define READ_MAX	1024

/* What reading a log gives: all threads, one after the other. */
struct xrayread {
	struct xray_log log;
	int ret;
	u32 nr;
	char letters[READ_MAX];
	struct xray_record recs[READ_MAX];
	u32 threads[READ_MAX];	/* index of each record's */
	u8 data[READ_MAX][8];	/* the first bytes of each event's */
};

static void xrayread_records(struct xrayread *r)
{
	struct xray_cursor c;
	u32 i;

	for (i = 0; !r->ret && i < r->log.nr_threads; i++) {
		r->ret = xray_cursor_open(&c, &r->log, i);
		while (!r->ret && (r->ret = xray_cursor_next(&c)) > 0 && r->nr < READ_MAX - 1) {
			r->ret = 0;
			r->threads[r->nr] = i;
			r->recs[r->nr] = c.rec;
			r->letters[r->nr] = letter_of(&c.rec);
			if (strchr("uv", r->letters[r->nr]) && c.rec.data)
				memcpy(r->data[r->nr], c.rec.data, c.rec.size < 8 ? c.rec.size : 8);
			r->nr++;
		}
		xray_cursor_close(&c);
	}
}

/* Close r->log afterwards. What is told goes to said[]. */
static void xrayread(struct xrayread *r, const void *data, u32 size)
{
	char path[] = "/tmp/ovnik-xray.XXXXXX", told[] = "/tmp/ovnik-told.XXXXXX";
	int fd = mkstemp(path), err = mkstemp(told), saved = dup(2);
	ssize_t n;

	memset(r, 0, sizeof(*r));
	if (fd < 0 || err < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	dup2(err, 2);
	r->ret = xray_log_open(&r->log, path);
	xrayread_records(r);
	dup2(saved, 2);
	n = pread(err, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(saved);
	close(err);
	close(fd);
	unlink(path);
	unlink(told);
}

#endif /* OVNIK_SELFTESTS_XRAYREAD_H */

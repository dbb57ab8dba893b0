// SPDX-License-Identifier: GPL-2.0-only
/* A CPU's file becomes right again after a change: see edit.h. */
#include <string.h>

#include "capture/crc.h"
#include "survey.h"

static void mend_counts(const struct survey *s, struct part *part, u32 subbuf)
{
	struct ovnik_subbuf *h = header(part, s->subbuf[subbuf]);
	u32 *count = (u32 *)&h->lost[h->nr_events], i, type;

	if (OVNIK_HEADER_SIZE(h->nr_events) > s->subbuf[subbuf + 1] - s->subbuf[subbuf])
		return;
	memset(count, 0, h->nr_events * sizeof(*count));
	for (i = 0; i < s->nr; i++) {
		type = record(part, &s->records[i])->type;
		if (s->records[i].subbuf == subbuf && type < h->nr_events)
			count[type]++;
	}
}

static void mend_times(const struct survey *s, struct part *part, u32 subbuf)
{
	struct ovnik_subbuf *h = header(part, s->subbuf[subbuf]);
	u32 i, delta = 0;

	for (i = 0; i < s->nr; i++) {
		struct ovnik_record *rec = record(part, &s->records[i]);

		if (s->records[i].subbuf != subbuf)
			continue;
		if (rec->type == OVNIK_EV_anchor)
			delta = 0;
		else if (rec->delta < delta)
			rec->delta = delta;
		delta = rec->delta;
	}
	if (h->tsc_end < h->tsc + delta)
		h->tsc_end = h->tsc + delta;
}

static void mend_crc(struct part *part, u32 at, u32 len)
{
	struct ovnik_subbuf *h = header(part, at);

	h->crc = 0;
	if (h->flags & OVNIK_SB_CRC)
		h->crc = capture_crc(0, part->data + at, len);
}

void edit_capture_mend(struct part *part)
{
	static struct survey s;
	u32 i;

	survey_file(&s, part);
	for (i = 0; i < s.nr_subbufs; i++) {
		u32 at = s.subbuf[i], len = s.subbuf[i + 1] - at;

		if (draw(32))
			header(part, at)->used = len;
		if (header(part, at)->size < len && draw(32))
			header(part, at)->size = len;
		if (draw(32))
			header(part, at)->committed = header(part, at)->used;
		if (draw(16))
			mend_times(&s, part, i);
		if (draw(16))
			mend_counts(&s, part, i);
		if (draw(32))
			mend_crc(part, at, len);
	}
}

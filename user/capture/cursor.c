// SPDX-License-Identifier: GPL-2.0-only
/* One CPU's records in order, from a file that may be damaged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cursor.h"
#include "capture/gap.h"

#define TSC_END			(~0ULL)
#define ANCHOR_WIDTH_MAX	0xffff

/* None is plain: read_record() looks at each record. */
static const struct event_rule dump_rules[EVENT_NUMBERS];

int cursor_open(struct cursor *c, struct capture *cap, struct capture_file *file)
{
	memset(c, 0, sizeof(*c));
	c->cap = cap;
	c->file = file;
	c->layouts = &cap->meta.layouts;
	c->first = true;
	c->closed = cap->begin;
	c->last = cap->begin;
	c->item.cpu = file - cap->files;
	c->rules = file->dump ? dump_rules : cap->meta.layouts.rules;
	c->scratch = calloc(1, CURSOR_SCRATCH);
	return c->scratch ? 0 : -ENOMEM;
}

void cursor_close(struct cursor *c)
{
	free(c->scratch);
	free(c->texts);
	free(c->buf);
	c->scratch = NULL;
	c->texts = NULL;
	c->buf = NULL;
}

/* Does the header's clock agree with the capture's, or at least with its neighbours? */
static bool clock_possible(struct cursor *c, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	struct clock_anchor anchor = { .tsc = h->tsc, .ns = h->ns, .width = h->width };
	const struct ovnik_subbuf *next;
	struct subbuf after;
	bool quiet;
	int ret;

	if (clock_check(&c->cap->clock, &anchor))
		return true;
	if (h->tsc < c->closed)
		return false;
	quiet = c->file->quiet;
	c->file->quiet = true;
	ret = subbuf_find(c->file, sb->next, &after);
	c->file->quiet = quiet;
	next = subbuf_header(&after);
	return !ret && h->tsc <= h->tsc_end && h->tsc_end <= next->tsc;
}

/* Why a sub-buffer that is valid in itself does not belong here. */
static const char *misplaced(struct cursor *c, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);

	if (!c->file->dump && h->cpu != c->file->cpu)
		return "the sub-buffer is of another CPU";
	if (h->session != c->cap->session)
		return "the sub-buffer is of another capture";
	if (!clock_possible(c, sb) || !clock_in_range(&c->cap->clock, h->tsc))
		return "the sub-buffer's clock contradicts the rest of the capture";
	if (h->tsc < c->last)
		return "the sub-buffer's time goes back";
	return NULL;
}

static void add_open(struct cursor *c, u64 tsc)
{
	struct capture_item *item = &c->pending[c->nr_pending++];

	item->kind = ITEM_OPEN;
	item->tsc = tsc;
	item->cpu = c->item.cpu;
	item->event = 0;
	item->data = subbuf_header(&c->sb);
}

/* A sub-buffer whose bytes are not those that were written: which records that may concern. */
static void doubt(struct cursor *c, bool lacks)
{
	const char *why = lacks ? "the sub-buffer does not say that it has a CRC" :
				  "the sub-buffer's CRC is wrong";
	double from = capture_seconds(c->cap, subbuf_header(&c->sb)->tsc);

	/* The end may be what is wrong. */
	if (c->limit > c->cap->end)
		file_damage(c->file, c->sb.offset,
			    "%s: its records from %.9f s of the capture on may be wrong", why,
			    from);
	else
		file_damage(c->file, c->sb.offset,
			    "%s: its records from %.9f s to %.9f s of the capture may be wrong",
			    why, from, capture_seconds(c->cap, c->limit));
}

static void accept(struct cursor *c)
{
	const struct ovnik_subbuf *h = subbuf_header(&c->sb);
	bool lacks = !(h->flags & OVNIK_SB_CRC) && (c->cap->has_crc || subbuf_has_crc(&c->sb));
	bool intact = !lacks && !subbuf_crc_wrong(&c->sb, c->buf);

	if (!c->first && h->tsc < c->closed) {
		file_damage(c->file, c->sb.offset,
			    "the sub-buffer before says it was closed after this one was opened");
		c->closed = c->last;
	}
	if (!c->first && h->seq <= c->seq)
		file_damage(c->file, c->sb.offset, "the sub-buffer's number goes back");
	gap_before(c, &c->sb, intact);
	gap_close(c, h->tsc);
	add_open(c, h->tsc);

	c->limit = h->tsc_end;
	if (h->tsc_end < h->tsc) {
		file_damage(c->file, c->sb.offset, "the sub-buffer was closed before it was opened");
		c->limit = TSC_END;
	} else if (!clock_in_range(&c->cap->clock, h->tsc_end)) {
		file_damage(c->file, c->sb.offset, "the sub-buffer's end is impossible");
		c->limit = TSC_END;
	}
	if (!intact)
		doubt(c, lacks);
	c->base = h->tsc;
	memset(c->decoded, 0, sizeof(c->decoded));
	/* Its time does not go back, so only the number may be damaged. */
	c->seq = intact ? h->seq : c->seq + !c->first;
	c->first = false;
	c->loaded = true;
	c->broken = false;
	/* In the last one of a file, meta.json says what is missing. */
	c->vouched = intact && !(c->sb.cut && c->sb.next < c->file->size && c->cap->has_crc);
	c->cap->stats.subbufs++;
}

/* All of the sub-buffer was read, or as much as possible. */
static void finish(struct cursor *c)
{
	const struct ovnik_subbuf *h = subbuf_header(&c->sb);
	const u32 *count = subbuf_count(&c->sb);
	unsigned int i, nr = h->nr_events;

	if (nr < c->layouts->nr)
		nr = c->layouts->nr;
	c->loaded = false;
	c->closed = c->broken || c->limit == TSC_END ? c->last : c->limit;
	for (i = 0; i < nr; i++) {
		unsigned int event = c->layouts->rules[i].event;

		c->seen[event] += c->decoded[i];
		if (event)
			c->cap->stats.records[event] += c->decoded[i];
		else
			c->cap->stats.unknown += c->decoded[i];
		if (c->broken || (i < h->nr_events ? count[i] : 0) == c->decoded[i])
			continue;
		file_damage(c->file, c->sb.offset,
			    "the sub-buffer's header counts %u records of type %u, there are %u",
			    i < h->nr_events ? count[i] : 0, i, c->decoded[i]);
		c->broken = true;
	}
	if (c->broken)
		gap_unread(c, &c->sb);
}

static void finish_file(struct cursor *c)
{
	u64 end = c->cap->end > c->last ? c->cap->end : c->last;

	gap_at_end(c);
	gap_close(c, end);
	c->pending[c->nr_pending].kind = ITEM_END;
	c->pending[c->nr_pending].tsc = TSC_END;
	c->pending[c->nr_pending].cpu = c->item.cpu;
	c->pending[c->nr_pending].data = NULL;
	c->nr_pending++;
}

/* Room for a bit of each place where a record may begin. */
static int clear_texts(struct cursor *c)
{
	size_t bytes = c->sb.avail / OVNIK_REC_ALIGN / 8 + 1;
	u8 *texts = c->texts;

	if (bytes > c->texts_size) {
		texts = realloc(texts, bytes);
		if (!texts)
			return -ENOMEM;
		c->texts = texts;
		c->texts_size = bytes;
	}
	memset(texts, 0, bytes);
	return 0;
}

/* Find the next sub-buffer that belongs here, and add its items to the pending ones. */
static int load_next(struct cursor *c)
{
	u64 damages = c->file->damages;
	const char *why;
	int ret;

	c->nr_pending = 0;
	c->next_pending = 0;
	for (;;) {
		ret = subbuf_find(c->file, c->offset, &c->sb);
		if (ret > 0)
			break;
		c->offset = c->sb.next;
		if (ret == -EPROTO)
			why = "the sub-buffer's version is newer than the others'";
		else
			why = misplaced(c, &c->sb);
		if (why) {
			file_damage(c->file, c->sb.offset, "%s", why);
			continue;
		}
		ret = clear_texts(c);
		if (!ret)
			ret = subbuf_load(c->file, &c->sb, &c->buf, &c->buf_size);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			continue;
		if (c->file->damages != damages)
			gap_note(c, GAP_DAMAGED);
		accept(c);
		return 0;
	}
	if (c->file->damages != damages)
		gap_note(c, GAP_DAMAGED);
	finish_file(c);
	return 0;
}

/* NULL, or why the string at the end of a record is invalid. */
static const char *check_string(const struct event_layout *layout, const u8 *rec, u32 size)
{
	if (size <= layout->str || !memchr(rec + layout->str, '\0', size - layout->str))
		return "a record's string does not end in it";
	return NULL;
}

/* NULL, or why a task name is invalid. */
static const char *check_comms(const struct event_layout *layout, const u8 *rec)
{
	unsigned int i;

	for (i = 0; i < layout->nr_comms; i++) {
		if (!memchr(rec + layout->comms[i], '\0', OVNIK_COMM_LEN))
			return "a record's task name does not end in it";
	}
	return NULL;
}

static void take_anchor(struct cursor *c, const struct ovnik_anchor *rec)
{
	struct clock_anchor anchor = { .tsc = rec->tsc, .ns = rec->ns, .width = rec->width };

	c->base = rec->tsc;
	/* As wide as a width can be, or wider: the error is unknown. */
	if (rec->width == ANCHOR_WIDTH_MAX)
		return;
	clock_check(&c->cap->clock, &anchor);
	if (c->cap->collect)
		clock_add(&c->cap->clock, &anchor);
}

/* The time of the record at @pos. */
static const char *read_time(struct cursor *c, const struct event_layout *layout, u64 *tsc)
{
	const struct ovnik_record *rec = (const void *)c->pos;

	if (unlikely(layout->event == OVNIK_EV_anchor)) {
		const struct ovnik_anchor *anchor = (const void *)rec;

		if (!layout->same) {
			event_translate(layout, rec, layout->size, c->scratch);
			anchor = (const void *)c->scratch;
		}
		*tsc = anchor->tsc;
		if (!clock_in_range(&c->cap->clock, *tsc))
			return "a record's time is impossible";
		if (anchor->tsc >= c->last && anchor->tsc <= c->limit)
			take_anchor(c, anchor);
	} else {
		*tsc = c->base + rec->delta;
	}
	if (*tsc < c->last)
		return "a record's time goes back";
	if (*tsc > c->limit)
		return "a record's time is after the end of its sub-buffer";
	return NULL;
}

/* Is the text at the end of a record that of another one? */
static bool is_again(const struct event_layout *layout, const struct ovnik_record *rec)
{
	return !rec->words && layout->str && rec->size & OVNIK_REC_AGAIN;
}

static const char *record_length(const struct event_layout *layout, const struct ovnik_record *rec,
				 size_t left, u32 *len)
{
	/* The first bytes of a string use the structure's padding. */
	u32 least = layout->str ? layout->str + 1U : layout->size;
	u32 size = (u32)rec->words * OVNIK_REC_ALIGN;
	bool again = is_again(layout, rec);
	const char *why = NULL;

	if (!layout->described)
		return "a record's type is unknown";
	if (!size) {
		size = again ? ovnik_record_size(rec) : rec->size;
		if (!layout->str && layout->event)
			return "a record's length is 0";
	}
	if (again)
		least = layout->str + (u32)sizeof(u32);
	if (size < least || size > OVNIK_REC_MAX)
		return "a record's length is impossible";
	*len = (size + OVNIK_REC_ALIGN - 1) & ~(OVNIK_REC_ALIGN - 1);
	if (*len > left)
		return "a record extends past the end of its sub-buffer";
	if (layout->str && !again)
		why = check_string(layout, (const u8 *)rec, size);
	return why ? why : check_comms(layout, (const u8 *)rec);
}

/* The record at @at has a text of its own: others may refer to it. */
static void note_text(struct cursor *c, const struct ovnik_record *rec)
{
	u32 place = ((const u8 *)rec - c->buf) / OVNIK_REC_ALIGN;

	c->texts[place / 8] |= 1 << place % 8;
}

/* The text of the record that begins @back bytes before one; NULL if none with a text does. */
static const char *text_before(const struct cursor *c, const u8 *at, u32 back, u32 *size)
{
	u32 offset = at - c->buf, place = (offset - back) / OVNIK_REC_ALIGN;
	const struct ovnik_record *rec = (const void *)(at - back);
	u32 begin;

	if (back > offset || back % OVNIK_REC_ALIGN || !(c->texts[place / 8] & 1 << place % 8))
		return NULL;
	begin = c->layouts->by_number[rec->type].str;
	*size = rec->size - begin;
	return (const char *)rec + begin;
}

/* A record with the text that it refers to, behind the room for its translation. */
static const char *with_text(struct cursor *c, const struct event_layout *layout,
			     const struct ovnik_record **rec, u32 *len)
{
	struct ovnik_record *whole = (void *)(c->scratch + OVNIK_REC_MAX);
	const u8 *from = (const u8 *)*rec;
	const char *text;
	u32 back, size;

	memcpy(&back, from + layout->str, sizeof(back));
	text = text_before(c, from, back, &size);
	if (!text || layout->str + size > OVNIK_REC_MAX)
		return "a record refers to the text of a record that is missing";
	memcpy(whole, from, layout->str);
	memcpy((u8 *)whole + layout->str, text, size);
	*len = layout->str + size;
	whole->size = *len;
	*rec = whole;
	return NULL;
}

/* Nothing runs on the statedump: its records change no CPU. */
static bool is_of_file(const struct cursor *c, const struct event_layout *layout)
{
	return !c->file->dump || !layout->event || layout->event == OVNIK_EV_anchor ||
	       !strcmp(event_table[layout->event].family, "dump");
}

static const char *read_record(struct cursor *c)
{
	const struct ovnik_record *rec = (const void *)c->pos;
	const struct event_layout *layout;
	size_t left = c->end - c->pos;
	u32 len = 0, size;
	const char *why;
	u64 tsc = 0;

	if (left < sizeof(*rec))
		return "the sub-buffer is cut short";
	layout = &c->layouts->by_number[rec->type];
	why = record_length(layout, rec, left, &len);
	if (!why && !is_of_file(c, layout))
		why = "a record that is not of a statedump";
	if (!why)
		why = read_time(c, layout, &tsc);
	size = len;
	if (!why && is_again(layout, rec))
		why = with_text(c, layout, &rec, &size);
	else if (!why && layout->str && !rec->words)
		note_text(c, rec);
	if (unlikely(why))
		return why;
	c->pos += len;
	c->last = tsc;
	c->decoded[rec->type]++;
	c->item.kind = ITEM_RECORD;
	c->item.event = layout->event;
	c->item.tsc = tsc;
	c->item.data = rec;
	if (unlikely(!layout->same) && layout->event) {
		event_translate(layout, rec, size, c->scratch);
		c->item.data = c->scratch;
	}
	return NULL;
}

static void break_off(struct cursor *c, const char *why)
{
	u64 at = c->sb.offset + (c->pos - c->buf);

	file_damage(c->file, at, "%s", c->sb.cut && c->end - c->pos < OVNIK_REC_MAX ?
		    "the sub-buffer is cut short" : why);
	c->pos = c->end;
	c->broken = true;
}

/* A cut sub-buffer may end between two records. */
static void finish_cut(struct cursor *c)
{
	if (!c->sb.cut || c->broken)
		return;
	file_damage(c->file, c->sb.offset + c->sb.avail, "the sub-buffer is cut short");
	c->broken = true;
}

/* The items before the records were returned: the records come next. */
static void begin_records(struct cursor *c)
{
	if (!c->loaded)
		return;
	c->pos = c->buf + subbuf_header(&c->sb)->header_size;
	c->end = c->buf + c->sb.avail;
	if (c->pos > c->end)
		c->pos = c->end;
}

static int next_pending(struct cursor *c)
{
	int ret;

	if (c->next_pending == c->nr_pending) {
		if (c->loaded) {
			finish_cut(c);
			finish(c);
		}
		if (c->item.kind == ITEM_END && c->nr_pending)
			return 0;
		ret = load_next(c);
		if (ret)
			return ret;
	}
	c->item = c->pending[c->next_pending++];
	if (c->item.kind != ITEM_END)
		c->last = c->item.tsc;
	if (c->next_pending == c->nr_pending)
		begin_records(c);
	return 0;
}

/* Everything but a plain record. */
int cursor_next_slow(struct cursor *c)
{
	const char *why;

	while (c->pos < c->end) {
		why = read_record(c);
		if (why)
			break_off(c, why);
		else if (c->item.event)
			return 0;
	}
	return next_pending(c);
}

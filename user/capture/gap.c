// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is missing, and how much of it.
 *
 * Two neighbouring headers are compared. The kernel dropped the difference of their
 * lost[]; records in the earlier one's count[] that were not read are damaged.
 */
#include <string.h>

#include "capture/gap.h"

static void open_gap(struct cursor *c, u32 cause)
{
	struct capture_gap *gap = &c->gap;

	if (!c->gap_open) {
		memset(gap, 0, sizeof(*gap));
		gap->cpu = c->file->dump ? c->cap->files[0].cpu : c->file->cpu;
		gap->dump = c->file->dump;
		gap->from = c->closed;
		gap->exact = true;
		c->gap_open = true;
	}
	gap->causes |= cause;
}

void gap_note(struct cursor *c, u32 cause)
{
	open_gap(c, cause);
}

static void add_lost(struct cursor *c, unsigned int number, u64 n)
{
	unsigned int event = c->layouts->by_number[number].event;

	if (event)
		c->gap.lost[event] += n;
	else
		c->gap.other += n;
}

/* A damaged header has counts that cannot fit into its bytes. */
static bool counts_possible(const struct cursor *c, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	const u32 *count = subbuf_count(sb);
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < h->nr_events; i++) {
		if (count[i] < c->decoded[i])
			return false;
		sum += count[i];
	}
	return sum * OVNIK_REC_ALIGN <= h->size;
}

void gap_unread(struct cursor *c, const struct subbuf *sb)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	const u32 *count = subbuf_count(sb);
	unsigned int i;

	open_gap(c, GAP_DAMAGED);
	if (!counts_possible(c, sb)) {
		c->gap.exact = false;
		return;
	}
	if (!c->vouched)
		c->gap.exact = false;
	for (i = 0; i < h->nr_events; i++) {
		unsigned int event = c->layouts->by_number[i].event;

		add_lost(c, i, count[i] - c->decoded[i]);
		c->seen[event] += count[i] - c->decoded[i];
	}
}

static void lost_before(struct cursor *c, const struct ovnik_subbuf *h, u32 cause)
{
	unsigned int i;

	for (i = 0; i < h->nr_events; i++) {
		if (h->lost[i] == c->lost[i])
			continue;
		open_gap(c, cause);
		if (h->lost[i] < c->lost[i])
			c->gap.exact = false;
		else
			add_lost(c, i, h->lost[i] - c->lost[i]);
	}
	memset(c->lost, 0, sizeof(c->lost));
	memcpy(c->lost, h->lost, h->nr_events * sizeof(h->lost[0]));
}

/* The number that comes next; records that another reader took are not missing. */
static u64 expected_seq(const struct cursor *c)
{
	const struct meta_cpu *meta = c->file->meta;

	if (!c->first)
		return c->seq + 1;
	return meta && !c->cap->meta.overwrite ? meta->first : 0;
}

void gap_before(struct cursor *c, const struct subbuf *sb, bool intact)
{
	const struct ovnik_subbuf *h = subbuf_header(sb);
	u64 expected = expected_seq(c);
	bool damaged = c->gap_open && (c->gap.causes & GAP_DAMAGED);
	/* Only overwriting skips numbers, and it counts what it overwrites. */
	bool overwritten = h->seq > expected && (h->flags & OVNIK_SB_OVERWRITE);

	if (!intact)
		return;
	lost_before(c, h, overwritten ? GAP_OVERWRITTEN : GAP_LOST);
	if (h->seq <= expected || (overwritten && !damaged))
		return;
	open_gap(c, damaged ? GAP_DAMAGED : GAP_MISSING);
	c->gap.exact = false;
	if (!damaged)
		file_damage(c->file, sb->offset, "sub-buffers %llu to %llu are not in the file",
			    (unsigned long long)expected, (unsigned long long)h->seq - 1);
}

static void lost_at_end(struct cursor *c, const struct meta_cpu *meta)
{
	unsigned int i;

	for (i = 1; i < EVENT_NUMBERS; i++) {
		unsigned int event = c->layouts->by_number[i].event;

		if (!event || meta->counts[event].lost <= c->lost[i])
			continue;
		open_gap(c, GAP_LOST);
		add_lost(c, i, meta->counts[event].lost - c->lost[i]);
	}
}

static void missing_at_end(struct cursor *c, const struct meta_cpu *meta)
{
	unsigned int event;

	if (c->cap->meta.overwrite) {
		c->gap.exact = false;
		return;
	}
	for (event = 1; event < OVNIK_NR_EVENTS; event++) {
		u64 recorded = meta->counts[event].recorded;

		if (recorded > c->seen[event])
			c->gap.lost[event] += recorded - c->seen[event];
	}
}

void gap_at_end(struct cursor *c)
{
	const struct meta_cpu *meta = c->file->meta;

	if (!meta) {
		/* No header follows the last damage, so none counts it. */
		c->gap.exact = false;
		return;
	}
	if (c->file->size < meta->bytes) {
		/* Of one that is not there it is said already. */
		if (c->file->fd >= 0)
			file_damage(c->file, c->file->size,
				    "the file ends here; meta.json says it has %llu bytes",
				    (unsigned long long)meta->bytes);
		open_gap(c, GAP_MISSING);
	}
	if (c->gap_open)
		missing_at_end(c, meta);
	lost_at_end(c, meta);
}

static void add_pending(struct cursor *c, enum item_kind kind, u64 tsc)
{
	struct capture_item *item = &c->pending[c->nr_pending++];

	item->kind = kind;
	item->tsc = tsc;
	item->cpu = c->item.cpu;
	item->event = 0;
	item->data = &c->gap;
}

/* Bytes changed or were inserted, but no record is missing. */
static bool nothing_missing(const struct capture_gap *gap)
{
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			return false;
	}
	return gap->exact && !gap->other;
}

static void count_gap(struct capture_stats *stats, const struct capture_gap *gap)
{
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		stats->lost[i] += gap->lost[i];
	stats->lost_other += gap->other;
	stats->causes |= gap->causes;
	stats->inexact += !gap->exact;
	stats->gaps++;
}

void gap_close(struct cursor *c, u64 to)
{
	struct capture_gap *gap = &c->gap;

	if (!c->gap_open)
		return;
	c->gap_open = false;
	if (nothing_missing(gap))
		return;
	if (gap->from < c->last)
		gap->from = c->last;
	gap->to = to > gap->from ? to : gap->from;
	count_gap(&c->cap->stats, gap);
	add_pending(c, ITEM_GAP_BEGIN, gap->from);
	add_pending(c, ITEM_GAP_END, gap->to);
}

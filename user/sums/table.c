// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the report: see table.h. */
#include <stdio.h>

#include "sums/table.h"

const struct measure sums_measures[SUMS_NR_MEASURES] = {
#define MEASURE(field, form, needs, heading, key, in, by, meaning)		\
	{ { heading, offsetof(struct sum, field), FORM_##form, NEEDS_##needs }, key, in, by,	\
	  meaning },
#include "sums/measures.def"
};

void report_measures(struct report_table *t, struct sums_columns *columns,
		     const struct report_column *own, size_t nr, u32 in, size_t at)
{
	u32 i;

	for (columns->nr = 0; columns->nr < nr; columns->nr++)
		columns->list[columns->nr] = own[columns->nr];
	for (i = 0; i < SUMS_NR_MEASURES; i++) {
		const struct measure *m = &sums_measures[i];
		struct report_column *c = &columns->list[columns->nr];

		if (!(m->in & in))
			continue;
		*c = m->column;
		c->at += at;
		if (in & IN_ALL_IO)
			c->name = m->key;
		columns->nr++;
	}
	t->columns = columns->list;
	t->nr = columns->nr;
}

void report_begin(struct tracer_answer *to, const char *name, const char *columns)
{
	answer_gap(to);
	answer_table(to, name, columns);
}

void report_end(struct tracer_answer *to)
{
	answer_table_end(to);
	answer_gap(to);
}

void report_not_there(struct tracer_answer *to, const char *name, const char *missing)
{
	char text[80];

	snprintf(text, sizeof(text), "no %s in the capture", missing);
	answer_text(to, name, text);
}

/* Recorded, be it outside of the part that is read, or dropped. */
static bool seen(const struct facts *facts, unsigned int event)
{
	const struct capture_stats *stats = &facts->cap->stats;

	return stats->records[event] || stats->lost[event] || facts->cap->has >> event & 1;
}

#define EV(name)	(1ULL << OVNIK_EV_##name)
#define FILE_CALLS	(EV(file_read) | EV(file_write))
#define ALL_PAGES	(EV(page_add) | EV(page_remove) | EV(buffer_add) | EV(buffer_remove))

/**
 * struct need - The events of an enum report_needs.
 * @what: what is missing without them; NULL: not worth a word
 * @name: one of @any is needed, and this is said if there is none
 * @any: bit n: enum ovnik_event n; 0: none
 * @all: likewise: all of them are needed, too
 */
static const struct need {
	const char *what;
	const char *name;
	u64 any;
	u64 all;
} need_of[NR_NEEDS] = {
	[NEEDS_SWITCHES] = { "runs and waits", NULL, 0, EV(sched_switch) },
	[NEEDS_WAKEUPS] = { "wakeups", "sched_wakeup", EV(sched_wakeup) | EV(sched_wakeup_new), 0 },
	[NEEDS_FAULTS] = { "page faults", NULL, 0, EV(page_fault) },
	[NEEDS_FAULT_ENDS] = { "ends of page faults", "page_fault", EV(page_fault),
			       EV(page_fault_end) },
	[NEEDS_COW] = { "COW breaks", "page_fault", EV(page_fault), EV(cow_break) },
	[NEEDS_IO] = { "system calls on files", "file_read, file_write", FILE_CALLS, 0 },
	[NEEDS_CALLS] = { "beginnings of system calls", "file_read, file_write", FILE_CALLS,
			  EV(file_begin) },
	[NEEDS_CACHE] = { "hits of the page cache", "file_read", EV(file_read), EV(page_add) },
	[NEEDS_PAGES] = { "pages of the caches", "page_add", ALL_PAGES, 0 },
	[NEEDS_MIGRATIONS] = { NULL, NULL, 0, EV(sched_migrate) },
};

const char *report_lacks(const struct facts *facts, unsigned int needs)
{
	const struct need *need = &need_of[needs];
	bool any = !need->any;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS && !any; i++)
		any = need->any >> i & 1 && seen(facts, i);
	if (!any)
		return need->name;
	for (i = 0; i < OVNIK_NR_EVENTS && need->all >> i; i++) {
		if (need->all >> i & 1 && !seen(facts, i))
			return event_name(i);
	}
	return NULL;
}

u32 report_lacking(const struct facts *facts)
{
	u32 lacking = 0, i;

	for (i = 0; i < NR_NEEDS; i++)
		lacking |= report_lacks(facts, i) ? 1U << i : 0;
	return lacking;
}

void report_write_lacking(const struct facts *facts, struct tracer_answer *to)
{
	unsigned int i;

	report_begin(to, "not recorded", "");
	for (i = 0; i < NR_NEEDS; i++) {
		const char *missing = report_lacks(facts, i);

		if (!missing || !need_of[i].what)
			continue;
		answer_row(to);
		answer_text(to, "what", need_of[i].what);
		answer_text(to, "missing", missing);
	}
	report_end(to);
}

void report_table_begin(const struct report_table *t, const char *name, const char *before,
			const char *after)
{
	char names[512];
	size_t i, len;

	len = snprintf(names, sizeof(names), "%s", before);
	for (i = 0; i < t->nr && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? "," : "",
				t->columns[i].name);
	if (*after && len < sizeof(names))
		snprintf(names + len, sizeof(names) - len, ",%s", after);
	report_begin(t->to, name, names);
}

/* The hits or the misses of a CPU that is missing would change it. */
static void put_hits(const struct report_table *t, const char *name, const struct report_io *io)
{
	if (io->hits + io->misses && !t->partial)
		answer_share(t->to, name, io->hits, io->hits + io->misses);
}

static void put_average(struct tracer_answer *to, const char *name,
			const struct report_times *times)
{
	if (times->nr)
		answer_ns(to, name, times->ns / times->nr);
}

static void put_name(struct tracer_answer *to, const char *name, const char *text)
{
	if (text && *text)
		answer_text(to, name, text);
}

static void put_number(struct tracer_answer *to, const struct report_column *c, u64 value)
{
	if (value || c->form == FORM_U64)
		answer_u64(to, c->name, value);
}

/* Is it of events, and not one of them is known? */
static bool is_unknown(const struct report_table *t, const struct report_column *c,
		       const void *value)
{
	if (!t->partial || c->needs == NEEDS_NOTHING)
		return false;
	return c->form != FORM_HITS && !*(const u64 *)value;
}

static void put_cell(const struct report_table *t, const struct report_column *c,
		     const void *value)
{
	switch (c->form) {
	case FORM_TEXT:
		put_name(t->to, c->name, value);
		break;
	case FORM_NAME:
		put_name(t->to, c->name, *(char *const *)value);
		break;
	case FORM_U64:
	case FORM_NUMBER:
		put_number(t->to, c, *(const u64 *)value);
		break;
	case FORM_U32:
		answer_u64(t->to, c->name, *(const u32 *)value);
		break;
	case FORM_NS:
		answer_ns(t->to, c->name, *(const u64 *)value);
		break;
	case FORM_BYTES:
		answer_bytes(t->to, c->name, *(const u64 *)value);
		break;
	case FORM_SHARE:
		if (t->whole)
			answer_share(t->to, c->name, *(const u64 *)value, t->whole);
		break;
	case FORM_AVERAGE:
		put_average(t->to, c->name, value);
		break;
	case FORM_HITS:
		put_hits(t, c->name, value);
		break;
	}
}

static bool lacks(const struct report_table *t, u8 needs)
{
	return t->facts ? !!report_lacks(t->facts, needs) : t->lacking >> needs & 1;
}

void report_cells(const struct report_table *t, const void *thing)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct report_column *c = &t->columns[i];
		const void *value = (const char *)thing + c->at;

		if (!lacks(t, c->needs) && !is_unknown(t, c, value))
			put_cell(t, c, value);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the report: see table.h. */
#include <stdio.h>

#include "sums/sums.h"
#include "sums/table.h"

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

static const char *lacks_all(const struct facts *facts, unsigned int a, unsigned int b)
{
	if (!seen(facts, a))
		return event_name(a);
	return seen(facts, b) ? NULL : event_name(b);
}

const char *report_lacks(const struct facts *facts, unsigned int needs)
{
	bool io = seen(facts, OVNIK_EV_file_read) || seen(facts, OVNIK_EV_file_write);

	switch (needs) {
	case NEEDS_SWITCHES:
		return lacks_all(facts, OVNIK_EV_sched_switch, OVNIK_EV_sched_switch);
	case NEEDS_WAKEUPS:
		if (seen(facts, OVNIK_EV_sched_wakeup_new))
			return NULL;
		return lacks_all(facts, OVNIK_EV_sched_wakeup, OVNIK_EV_sched_wakeup);
	case NEEDS_FAULTS:
		return lacks_all(facts, OVNIK_EV_page_fault, OVNIK_EV_page_fault);
	case NEEDS_FAULT_ENDS:
		return lacks_all(facts, OVNIK_EV_page_fault, OVNIK_EV_page_fault_end);
	case NEEDS_COW:
		return lacks_all(facts, OVNIK_EV_page_fault, OVNIK_EV_cow_break);
	case NEEDS_IO:
		return io ? NULL : "file_read, file_write";
	case NEEDS_CALLS:
		return io ? lacks_all(facts, OVNIK_EV_file_begin, OVNIK_EV_file_begin) :
		       "file_read, file_write";
	case NEEDS_CACHE:
		return lacks_all(facts, OVNIK_EV_file_read, OVNIK_EV_page_add);
	case NEEDS_PAGES:
		if (seen(facts, OVNIK_EV_page_remove) || seen(facts, OVNIK_EV_buffer_add) ||
		    seen(facts, OVNIK_EV_buffer_remove))
			return NULL;
		return lacks_all(facts, OVNIK_EV_page_add, OVNIK_EV_page_add);
	case NEEDS_MIGRATIONS:
		return lacks_all(facts, OVNIK_EV_sched_migrate, OVNIK_EV_sched_migrate);
	}
	return NULL;
}

void report_write_lacking(const struct facts *facts, struct tracer_answer *to)
{
	static const char *const what[] = {
		[NEEDS_SWITCHES] = "runs and waits",
		[NEEDS_WAKEUPS] = "wakeups",
		[NEEDS_FAULTS] = "page faults",
		[NEEDS_FAULT_ENDS] = "ends of page faults",
		[NEEDS_COW] = "COW breaks",
		[NEEDS_IO] = "system calls on files",
		[NEEDS_CALLS] = "beginnings of system calls",
		[NEEDS_CACHE] = "hits of the page cache",
		[NEEDS_PAGES] = "pages of the caches",
	};
	unsigned int i;

	report_begin(to, "not recorded", "");
	for (i = NEEDS_SWITCHES; i < ARRAY_SIZE(what); i++) {
		const char *missing = report_lacks(facts, i);

		if (!missing)
			continue;
		answer_row(to);
		answer_text(to, "what", what[i]);
		answer_text(to, "missing", missing);
	}
	report_end(to);
}

void report_table_begin(const struct report_table *t, const char *name)
{
	char names[256];
	size_t i, len = 0;

	names[0] = '\0';
	for (i = 0; i < t->nr && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? "," : "",
				t->columns[i].name);
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

void report_cells(const struct report_table *t, const void *thing)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct report_column *c = &t->columns[i];
		const void *value = (const char *)thing + c->at;

		if (!report_lacks(t->facts, c->needs) && !is_unknown(t, c, value))
			put_cell(t, c, value);
	}
}

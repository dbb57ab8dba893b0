// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statedumps of both sides are compared as sets. One is made after the other: what a task
 * has done until the second one is over may show in one only.
 */

#include "parity.h"

/**
 * struct dump - What one side says.
 * @record: its records, in an order of their own
 * @nr:	    how many
 * @tasks:  that it has
 * @said:   how many it says it has
 */
struct dump {
	const struct record **record;
	size_t nr;
	u64 tasks;
	u64 said;
};

bool is_settled(const struct record *rec)
{
	return rec->event != OVNIK_EV_dump_end && moved[named_tid(rec) % TIDS] != CHANGED;
}

/* Of the first statedump of a side; later ones are of who asked for them. */
static void dump_window(const struct side *side, u64 *from, u64 *to)
{
	size_t i;

	for (i = 0; i < side->nr; i++) {
		const struct record *rec = &side->record[i];

		if (!is_family(rec->event, "dump"))
			continue;
		if (rec->ns < *from)
			*from = rec->ns;
		if (rec->event != OVNIK_EV_dump_end)
			continue;
		if (rec->ns > *to)
			*to = rec->ns;
		return;
	}
	errx(1, "%s: no statedump", side->dir);
}

static void note_moved(const struct record *rec)
{
	u8 how = is_family(rec->event, "sched") ? RAN : CHANGED;
	u64 keys[KEYS_MAX];
	unsigned int nr;

	for (nr = keys_of(rec, keys); nr; nr--) {
		u32 tid = (u32)keys[nr - 1] % TIDS;

		if (moved[tid] < how)
			moved[tid] = how;
	}
}

/* What a thread does, it may do to what is its process'. */
static void spread_moved(const struct side *side)
{
	size_t i;

	for (i = 0; i < side->nr; i++) {
		const struct ovnik_dump_task *task = side->record[i].data;

		if (side->record[i].event == OVNIK_EV_dump_task &&
		    moved[task->tgid % TIDS] < moved[task->tid % TIDS])
			moved[task->tgid % TIDS] = moved[task->tid % TIDS];
	}
}

void find_moved(void)
{
	u64 from = ~0ULL, to = 0;
	size_t i;
	int s;

	dump_window(&sides[0], &from, &to);
	dump_window(&sides[1], &from, &to);
	for (s = 0; s < 2; s++) {
		for (i = 0; i < sides[s].nr; i++) {
			const struct record *rec = &sides[s].record[i];

			if (in_sequence(rec->event) && rec->ns >= from && rec->ns <= to)
				note_moved(rec);
		}
	}
	spread_moved(&sides[0]);
	spread_moved(&sides[1]);
}

/* Order of a set: by event, task and the other fields, those that may differ left out. */
static int compare_dumped(const struct record *a, const struct record *b)
{
	unsigned int i;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	/* Whose it is decides what may differ. */
	if (named_tid(a) != named_tid(b))
		return named_tid(a) < named_tid(b) ? -1 : 1;
	for (i = 0; i < event_table[a->event].nr_fields; i++) {
		const struct event_field *field = &event_table[a->event].fields[i];
		int order;

		if (is_length(&event_table[a->event], field) || field_may_differ(a, a, field->name))
			continue;
		if (is_text(field)) {
			order = strcmp(text_in(a->data, field), text_in(b->data, field));
		} else {
			u64 x = number_in(a->data, field), y = number_in(b->data, field);

			order = x < y ? -1 : x > y;
		}
		if (order)
			return order;
	}
	return 0;
}

static int compare_records(const void *a, const void *b)
{
	const struct record * const *x = a, * const *y = b;

	return compare_dumped(*x, *y);
}

static void add_dumped(struct dump *dump, const struct record *rec)
{
	if (rec->event == OVNIK_EV_dump_end)
		dump->said = ((const struct ovnik_dump_end *)rec->data)->tasks;
	dump->tasks += rec->event == OVNIK_EV_dump_task;
	if (is_settled(rec))
		dump->record[dump->nr++] = rec;
}

static void get_dump(struct dump *dump, const struct side *side, const struct mutation *mutation)
{
	bool end = false;
	size_t i;

	memset(dump, 0, sizeof(*dump));
	dump->record = must_alloc(side->nr + 1, sizeof(*dump->record));
	if (mutation->added)
		add_dumped(dump, mutation->added);
	for (i = 0; i < side->nr && !end; i++) {
		const struct record *rec = &side->record[i];

		end = rec->event == OVNIK_EV_dump_end;
		if (is_family(rec->event, "dump") && rec != mutation->gone)
			add_dumped(dump, rec);
	}
	qsort(dump->record, dump->nr, sizeof(*dump->record), compare_records);
}

static void show_dumped(const struct side *side, const struct record *rec)
{
	if (quiet || differences[rec->event]++ >= SHOWN)
		return;
	printf("# statedump: only of one side\n");
	print_record(side->name, side, rec);
}

static bool same_sets(const struct dump *a, const struct dump *b)
{
	size_t i = 0, j = 0;
	bool same = true;

	while (i < a->nr || j < b->nr) {
		int order = i == a->nr ? 1 : j == b->nr ? -1 :
			    compare_records(&a->record[i], &b->record[j]);

		if (order)
			show_dumped(&sides[order > 0],
				    order > 0 ? b->record[j] : a->record[i]);
		else if (!quiet)
			compared[a->record[i]->event]++;
		same = same && !order;
		i += order <= 0;
		j += order >= 0;
	}
	return same;
}

/* Is what a statedump says at its end true? */
static bool adds_up(const struct dump *dump, const struct side *side)
{
	if (dump->said == dump->tasks) {
		compared[OVNIK_EV_dump_end] += !quiet;
		return true;
	}
	if (!quiet)
		printf("# %s: statedump of %llu tasks, says %llu\n", side->name, dump->tasks,
		       dump->said);
	return false;
}

bool same_dumps(const struct mutation *mutation)
{
	struct dump a, b;
	bool same;

	get_dump(&a, &sides[0], mutation);
	get_dump(&b, &sides[1], &no_mutation);
	same = same_sets(&a, &b);
	same = adds_up(&a, &sides[0]) && same;
	same = adds_up(&b, &sides[1]) && same;
	free(a.record);
	free(b.record);
	return same;
}

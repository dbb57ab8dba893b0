// SPDX-License-Identifier: GPL-2.0-only
/* The test of the comparer itself: each change to a record of the first side must be noticed. */

#include "parity.h"

static unsigned int mutations;

static bool is_noticed(const struct mutation *mutation)
{
	const struct record *recs[] = { mutation->gone, mutation->added };
	u64 keys[KEYS_MAX];
	unsigned int i, nr;

	for (i = 0; i < 2; i++) {
		if (!recs[i])
			continue;
		if (!in_sequence(recs[i]->event))
			return !same_dumps(mutation);
		for (nr = keys_of(recs[i], keys); nr; nr--) {
			if (!same_key(keys[nr - 1], mutation))
				return true;
		}
	}
	return false;
}

static bool must_notice(const struct mutation *mutation, const char *what, size_t at)
{
	mutations++;
	if (is_noticed(mutation))
		return true;
	printf("# not noticed: %s\n", what);
	print_record("of", &sides[0], &sides[0].record[at]);
	return false;
}

static bool notices_field(size_t at, const struct event_field *field)
{
	const struct record *rec = &sides[0].record[at];
	struct record copy = *rec;
	struct mutation mutation = { .gone = rec, .added = &copy, .at = at };
	char *data = copy_data(rec->event, rec->data);
	bool noticed;

	data[field->offset] ^= 1;
	copy.data = data;
	noticed = field_may_differ(&copy, rec, field->name) ||
		  must_notice(&mutation, field->name, at);
	free(data);
	return noticed;
}

/*
 * Where in the side a record may be put so that it is before or after one that
 * it must not change places with; 0: nowhere.
 */
static size_t other_place(size_t at)
{
	const struct record *rec = &sides[0].record[at];
	struct sequence seq;
	u64 keys[KEYS_MAX];
	size_t i, mine = 0, place = 0;

	keys_of(rec, keys);
	get_sequence(&seq, &sides[0], keys[0], &no_mutation);
	for (i = 0; i < seq.nr; i++) {
		const struct record *other = seq.record[i];

		if (other == rec) {
			mine = i + 1;
			continue;
		}
		if (same_record(rec, other) || may_swap(rec, other) || may_swap(other, rec))
			continue;
		place = other - sides[0].record + (mine ? 1 : 0);
		if (mine)
			break;
	}
	free(seq.record);
	return place;
}

static bool notices_changes(size_t at)
{
	const struct record *rec = &sides[0].record[at];
	const struct event_desc *desc = &event_table[rec->event];
	struct record copy = *rec;
	struct mutation dropped = { .gone = rec };
	struct mutation doubled = { .added = &copy, .at = at };
	struct mutation put = { .gone = rec, .added = &copy };
	bool noticed;
	unsigned int i;

	noticed = must_notice(&dropped, "dropped", at);
	/* Where it ends is said once more; that changes nothing. */
	if (rec->event != OVNIK_EV_dump_end)
		noticed = must_notice(&doubled, "doubled", at) && noticed;
	for (i = 0; i < desc->nr_fields; i++) {
		if (!is_length(desc, &desc->fields[i]))
			noticed = notices_field(at, &desc->fields[i]) && noticed;
	}
	put.at = in_sequence(rec->event) ? other_place(at) : 0;
	if (put.at)
		noticed = must_notice(&put, "put elsewhere", at) && noticed;
	return noticed;
}

/*
 * Is it certain to be between the marks on the other side, too? The stamp there may be as
 * far off as any; the last record before a mark is missed by nobody if it need not be there.
 */
static bool is_sure_there(const struct record *rec)
{
	struct record early = *rec, late = *rec;

	early.ns -= max_apart;
	late.ns += max_apart;
	return is_sure(&sides[0], &early) && is_sure(&sides[0], &late);
}

/* Is it one that the other side must have, too? */
static bool must_be_there(size_t at, size_t dump_end)
{
	const struct record *rec = &sides[0].record[at];

	if (in_sequence(rec->event))
		return is_sure_there(rec);
	return rec->event == OVNIK_EV_dump_end ? at == dump_end :
	       is_family(rec->event, "dump") && at < dump_end && is_settled(rec);
}

/* Of the first, the middle and the last one of a kind. */
static bool notices_all_of(unsigned int event, size_t dump_end)
{
	size_t *places = must_alloc(sides[0].nr, sizeof(*places)), nr = 0, i;
	bool noticed = true;

	for (i = 0; i < sides[0].nr; i++) {
		if (sides[0].record[i].event == event && must_be_there(i, dump_end))
			places[nr++] = i;
	}
	if (!nr && compared[event]) {
		printf("# no record of %s is sure to be on the other side\n", event_name(event));
		noticed = false;
	}
	if (nr)
		noticed = notices_changes(places[0]);
	if (nr > 1)
		noticed = notices_changes(places[nr - 1]) && noticed;
	if (nr > 2)
		noticed = notices_changes(places[nr / 2]) && noticed;
	free(places);
	return noticed;
}

bool notices_all(void)
{
	unsigned int event;
	bool noticed = true;
	size_t dump_end = 0;

	while (sides[0].record[dump_end].event != OVNIK_EV_dump_end)
		dump_end++;
	quiet = true;
	for (event = 1; event < OVNIK_NR_EVENTS; event++)
		noticed = notices_all_of(event, dump_end) && noticed;
	printf("# %u mutations%s\n", mutations, noticed ? ", all noticed" : "");
	return noticed;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * parity - what the module and the BPF probes recorded of the same run, is it the same?
 *
 *	parity [-m] MODULE BPF		two captures
 *	parity begin | end		mark the moment for both
 *
 * For each task, the records between the marks must be the same in both captures:
 * as many, in the same order, each field with the same value. Which events there are,
 * what fields they have and which of them name a task is taken from the event table.
 *
 * Where the two captures may differ is said in parityrules.h, with the reason.
 */

#include <sys/prctl.h>
#include <unistd.h>

#include "paritydump.h"
#include "util/msg.h"

#define CONTEXT		4	/* records shown before and behind a difference */

/**
 * struct sequence - The records of a key, of one side.
 * @side:   whose
 * @record: they
 * @nr:	    how many
 * @first:  so many at the beginning are not certain to be between the marks
 * @last:   after it, neither
 */
struct sequence {
	const struct side *side;
	const struct record **record;
	size_t nr;
	size_t first;
	size_t last;
};

/**
 * struct walk - Two sequences on the way through them.
 * @seq:   they
 * @taken: of the second, records that one of the first is the same as
 * @low:   all before it are taken
 * @at:	   how far the first one has got
 * @other: what does not fit there, of the second one
 * @apart: ns at most between the two stamps of a record
 */
struct walk {
	struct sequence seq[2];
	bool *taken;
	size_t low;
	size_t at;
	size_t other;
	u64 apart;
};

static bool has_key(const struct record *rec, u64 key)
{
	u64 keys[KEYS_MAX];
	unsigned int nr = keys_of(rec, keys);

	while (nr) {
		if (keys[--nr] == key)
			return true;
	}
	return false;
}

static void find_sure(struct sequence *seq)
{
	seq->first = 0;
	seq->last = seq->nr;
	while (seq->first < seq->nr && !is_sure(seq->side, seq->record[seq->first]))
		seq->first++;
	while (seq->last > seq->first && !is_sure(seq->side, seq->record[seq->last - 1]))
		seq->last--;
}

static void get_sequence(struct sequence *seq, const struct side *side, u64 key,
			 const struct mutation *mutation)
{
	const struct record *added = mutation->added;
	size_t from = find_refs(side, key), to = find_refs(side, key + 1), i;

	if (added && !has_key(added, key))
		added = NULL;
	seq->side = side;
	seq->nr = 0;
	seq->record = must_alloc(to - from + 1, sizeof(*seq->record));
	for (i = from; i < to; i++) {
		if (added && mutation->at <= side->ref[i].at) {
			seq->record[seq->nr++] = added;
			added = NULL;
		}
		if (&side->record[side->ref[i].at] != mutation->gone)
			seq->record[seq->nr++] = &side->record[side->ref[i].at];
	}
	if (added)
		seq->record[seq->nr++] = added;
	find_sure(seq);
}

static void take(struct walk *walk, const struct record *rec, size_t at)
{
	u64 a = rec->ns, b = walk->seq[1].record[at]->ns;
	u64 apart = a < b ? b - a : a - b;

	walk->taken[at] = true;
	if (walk->apart < apart)
		walk->apart = apart;
}

/* The one that is the same as the next of the first, or false: there is none there. */
static bool find_same(struct walk *walk)
{
	const struct sequence *b = &walk->seq[1];
	const struct record *rec = walk->seq[0].record[walk->at];
	size_t i;

	while (walk->low < b->nr && walk->taken[walk->low])
		walk->low++;
	for (i = walk->low; i < b->nr; i++) {
		if (walk->taken[i])
			continue;
		if (same_record(rec, b->record[i])) {
			take(walk, rec, i);
			return true;
		}
		if (!may_swap(rec->event, b->record[i]->event))
			break;
	}
	walk->other = i;
	return false;
}

/* Is all that the second has left uncertain to belong there? */
static bool rest_is_unsure(struct walk *walk)
{
	const struct sequence *b = &walk->seq[1];
	size_t i;

	for (i = walk->low; i < b->last; i++) {
		if (walk->taken[i])
			continue;
		walk->other = i;
		return false;
	}
	return true;
}

/* The same, if so many at the beginning of each were before the mark? */
static bool same_behind(struct walk *walk, size_t skip_a, size_t skip_b)
{
	const struct sequence *a = &walk->seq[0], *b = &walk->seq[1];
	size_t i;

	for (i = 0; i < b->nr; i++)
		walk->taken[i] = i < skip_b;
	walk->low = skip_b;
	walk->apart = 0;
	for (walk->at = skip_a; walk->at < a->nr; walk->at++) {
		if (!find_same(walk))
			return walk->at >= a->last && rest_is_unsure(walk);
	}
	walk->other = b->nr;
	return rest_is_unsure(walk);
}

static bool same_sequences(struct walk *walk)
{
	size_t skip;

	for (skip = 0; skip <= walk->seq[1].first; skip++) {
		if (same_behind(walk, 0, skip))
			return true;
	}
	for (skip = 1; skip <= walk->seq[0].first; skip++) {
		if (same_behind(walk, skip, 0))
			return true;
	}
	return false;
}

static void show_from(const struct sequence *seq, const char *what, size_t from, size_t to)
{
	for (; from < to && from < seq->nr; from++)
		print_record(what, seq->side, seq->record[from]);
}

static void name_key(u64 key)
{
	u32 cpu = key >> 32 & 0xffff;

	printf("# task %u%s", (u32)key, key >> 56 == KEY_WAKER ? " as waker" : "");
	if (cpu)
		printf(" of CPU %u", cpu - 1);
}

static void show_difference(struct walk *walk, u64 key)
{
	const struct sequence *a = &walk->seq[0], *b = &walk->seq[1];
	size_t before;

	if (quiet)
		return;
	/* Where it is if all before the marks is compared, too. */
	same_behind(walk, 0, 0);
	if (differences[(walk->at < a->nr ? a->record[walk->at] :
					    b->record[walk->other])->event]++ >= SHOWN)
		return;
	before = walk->at > CONTEXT ? walk->at - CONTEXT : 0;
	name_key(key);
	printf(": %s %zu of %zu, %s %zu of %zu\n", a->side->name, walk->at, a->nr, b->side->name,
	       walk->other, b->nr);
	show_from(a, "before", before, walk->at);
	print_record(a->side->name, a->side, walk->at < a->nr ? a->record[walk->at] : NULL);
	print_record(b->side->name, b->side, walk->other < b->nr ? b->record[walk->other] : NULL);
	show_from(a, " then m", walk->at + 1, walk->at + 1 + CONTEXT);
	show_from(b, " then b", walk->other + 1, walk->other + 1 + CONTEXT);
}

static void count(const struct walk *walk, u64 key)
{
	const struct sequence *a = &walk->seq[0];
	u64 keys[KEYS_MAX];
	size_t i;

	for (i = a->first; i < a->last; i++) {
		keys_of(a->record[i], keys);
		compared[a->record[i]->event] += keys[0] == key;
	}
	if (max_apart < walk->apart)
		max_apart = walk->apart;
}

static bool same_key(u64 key, const struct mutation *mutation)
{
	struct walk walk = {};
	bool same;

	get_sequence(&walk.seq[0], &sides[0], key, mutation);
	get_sequence(&walk.seq[1], &sides[1], key, &no_mutation);
	walk.taken = must_alloc(walk.seq[1].nr, sizeof(*walk.taken));
	same = same_sequences(&walk);
	if (!same)
		show_difference(&walk, key);
	else if (!quiet)
		count(&walk, key);
	free(walk.taken);
	free(walk.seq[0].record);
	free(walk.seq[1].record);
	return same;
}

/* Every key that a side has; those of the second are left that the first has, too. */
static bool same_keys(const struct side *side, const struct side *known)
{
	bool same = true;
	size_t i;

	for (i = 0; i < side->nr_refs; i++) {
		u64 key = side->ref[i].key;

		if (i && key == side->ref[i - 1].key)
			continue;
		if (known && find_refs(known, key) != find_refs(known, key + 1))
			continue;
		same = same_key(key, &no_mutation) && same;
	}
	return same;
}

static bool same_everywhere(void)
{
	bool same = same_keys(&sides[0], NULL);

	return same_keys(&sides[1], &sides[0]) && same;
}

/* The comparer's own test: each change to a record of the first side must be noticed. */

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
		if (same_record(rec, other) || may_swap(rec->event, other->event) ||
		    may_swap(other->event, rec->event))
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

/* Is it one that the other side must have, too? */
static bool must_be_there(size_t at, size_t dump_end)
{
	const struct record *rec = &sides[0].record[at];

	if (in_sequence(rec->event))
		return is_sure(&sides[0], rec);
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
	if (nr)
		noticed = notices_changes(places[0]);
	if (nr > 1)
		noticed = notices_changes(places[nr - 1]) && noticed;
	if (nr > 2)
		noticed = notices_changes(places[nr / 2]) && noticed;
	free(places);
	return noticed;
}

static bool notices_all(void)
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

static void agree_on_marks(void)
{
	u64 begin = sides[0].begin > sides[1].begin ? sides[0].begin : sides[1].begin;
	u64 end = sides[0].end < sides[1].end ? sides[0].end : sides[1].end;

	sides[0].begin = begin;
	sides[1].begin = begin;
	sides[0].end = end;
	sides[1].end = end;
}

static int mark(const char *name)
{
	usleep(QUIET_US);
	if (prctl(PR_SET_NAME, name))
		err(1, "%s", name);
	usleep(QUIET_US);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: parity [-m] MODULE BPF\n"
		"       parity begin | end\n");
	return 2;
}

static bool all_kinds(void)
{
	unsigned int event;
	bool all = true;

	for (event = 1; event < OVNIK_NR_EVENTS; event++) {
		if (!event_table[event].name || may_lack(event))
			continue;
		printf("# %-18s %8llu the same", event_name(event), compared[event]);
		if (differences[event])
			printf(", %llu tasks differ there first", differences[event]);
		printf("\n");
		if (!compared[event])
			all = false;
	}
	if (!all)
		printf("# some kinds of events are not there\n");
	show_exceptions();
	printf("# stamps are %llu us apart at most\n", max_apart / 1000);
	return all;
}

int main(int argc, char **argv)
{
	bool mutate = argc == 4 && !strcmp(argv[1], "-m");
	bool same;
	int i;

	msg_init(argv[0]);
	if (argc == 2 && !strcmp(argv[1], "begin"))
		return mark(MARK_BEGIN);
	if (argc == 2 && !strcmp(argv[1], "end"))
		return mark(MARK_END);
	if (argc != 3 && !mutate)
		return usage();
	for (i = 0; i < 2; i++)
		read_side(&sides[i], argv[argc - 2 + i]);
	agree_on_marks();
	for (i = 0; i < 2; i++)
		index_side(&sides[i]);
	find_moved();
	same = same_everywhere();
	same = same_dumps(&no_mutation) && same;
	same = all_kinds() && same && sides[0].complete && sides[1].complete;
	if (same && mutate)
		same = notices_all();
	return !same;
}

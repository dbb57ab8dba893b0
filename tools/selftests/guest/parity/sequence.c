// SPDX-License-Identifier: GPL-2.0-only
/* Compare the records of each task one by one. */

#include "parity.h"

#define CONTEXT		4	/* records shown before and after a difference */

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

void get_sequence(struct sequence *seq, const struct side *side, u64 key,
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
		if (!may_swap(rec, b->record[i]))
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

bool same_key(u64 key, const struct mutation *mutation)
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

bool same_everywhere(void)
{
	bool same = same_keys(&sides[0], NULL);

	return same_keys(&sides[1], &sides[0]) && same;
}

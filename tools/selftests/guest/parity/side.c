// SPDX-License-Identifier: GPL-2.0-only
/* Both sides: a capture in memory, and the records of each task in it. */

#include "parity.h"

const struct mutation no_mutation;
struct side sides[2] = { { .name = "module" }, { .name = "bpf" } };
u64 compared[OVNIK_NR_EVENTS];
u64 differences[OVNIK_NR_EVENTS];
u64 max_apart;
bool quiet;

static bool between_marks(const struct side *side, const struct record *rec)
{
	return rec->ns + MARGIN >= side->begin && rec->ns <= side->end + MARGIN;
}

bool is_sure(const struct side *side, const struct record *rec)
{
	return rec->ns >= side->begin + MARGIN && rec->ns + MARGIN <= side->end;
}

static void note_mark(struct side *side, const struct record *rec)
{
	const struct ovnik_task_comm *comm = rec->data;

	if (rec->event != OVNIK_EV_task_comm)
		return;
	if (!strcmp(comm->comm, MARK_BEGIN))
		side->begin = rec->ns;
	else if (!strcmp(comm->comm, MARK_END))
		side->end = rec->ns;
}

static void add_record(struct side *side, const struct capture_item *item, u64 ns, u32 actor)
{
	struct record *rec;

	if (side->nr == side->room) {
		side->room = side->room ? side->room * 2 : 1 << 16;
		side->record = realloc(side->record, side->room * sizeof(*side->record));
		if (!side->record)
			err(1, "no memory");
	}
	rec = &side->record[side->nr++];
	rec->data = copy_data(item->event, item->data);
	rec->ns = ns;
	rec->actor = actor;
	rec->cpu = item->cpu;
	rec->event = item->event;
	note_mark(side, rec);
}

static void show_gap(struct side *side, struct capture *cap, const struct capture_gap *gap)
{
	char why[GAP_CAUSES_TEXT];
	unsigned int event;

	side->complete = false;
	printf("# %s: CPU %u, from %llu to %llu ns: %s:", side->name, gap->cpu,
	       clock_ns(&cap->clock, gap->from), clock_ns(&cap->clock, gap->to),
	       capture_gap_causes(why, gap->causes, ","));
	for (event = 1; event < OVNIK_NR_EVENTS; event++) {
		if (gap->lost[event])
			printf(" %llu %s", gap->lost[event], event_name(event));
	}
	printf("\n");
}

/*
 * The task on each CPU is known from the header of the first sub-buffer and then from
 * one switch to the next, and from an exec, which may change its number. Headers of later
 * ones are not asked: a thread that execs changes its number while it runs, and the two
 * sides' headers come at other times.
 */
static void take_item(struct side *side, struct capture *cap, const struct capture_item *item,
		      u32 *running)
{
	if (item->kind == ITEM_GAP_BEGIN)
		show_gap(side, cap, item->data);
	if (item->kind == ITEM_OPEN && *running == UNKNOWN)
		*running = ((const struct ovnik_subbuf *)item->data)->tid;
	if (item->kind != ITEM_RECORD)
		return;
	add_record(side, item, clock_ns(&cap->clock, item->tsc), *running);
	if (item->event == OVNIK_EV_sched_switch)
		*running = ((const struct ovnik_sched_switch *)item->data)->next_tid;
	if (item->event == OVNIK_EV_task_exec)
		*running = ((const struct ovnik_task_exec *)item->data)->tid;
}

void read_side(struct side *side, const char *dir)
{
	const struct capture_item *item = NULL;
	u32 running[CPUS_MAX];
	struct capture cap;
	struct merge merge;

	side->dir = dir;
	side->complete = true;
	memset(running, 0xff, sizeof(running));
	if (capture_open(&cap, dir) || cap.damaged || cap.nr_files > CPUS_MAX)
		errx(1, "%s cannot be read", dir);
	capture_begin_pass(&cap, false);
	if (merge_open(&merge, &cap))
		errx(1, "no memory");
	while (!merge_next(&merge, &item) && item)
		take_item(side, &cap, item, &running[item->cpu]);
	if (capture_damages(&cap) || cap.stats.unknown)
		errx(1, "%s is damaged", dir);
	if (side->complete)
		printf("# %s: %zu records\n", side->name, side->nr);
	if (!side->begin || side->end <= side->begin)
		errx(1, "%s: no marks", dir);
	merge_close(&merge);
	capture_close(&cap);
}

static int compare_refs(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void index_side(struct side *side)
{
	u64 keys[KEYS_MAX];
	size_t i;

	side->ref = must_alloc(side->nr * KEYS_MAX, sizeof(*side->ref));
	for (i = 0; i < side->nr; i++) {
		unsigned int nr;

		if (!in_sequence(side->record[i].event) || !between_marks(side, &side->record[i]))
			continue;
		for (nr = keys_of(&side->record[i], keys); nr; nr--)
			side->ref[side->nr_refs++] = (struct ref){ keys[nr - 1], i };
	}
	qsort(side->ref, side->nr_refs, sizeof(*side->ref), compare_refs);
}

size_t find_refs(const struct side *side, u64 key)
{
	size_t low = 0, high = side->nr_refs;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (side->ref[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

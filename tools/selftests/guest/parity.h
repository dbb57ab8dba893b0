/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_PARITY_H
#define GUEST_PARITY_H

/* Both sides of parity.c: a capture in memory, and whose its records are. */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/merge.h"

#define MARK_BEGIN	"parity-begin"
#define MARK_END	"parity-end"
#define NS		1000000000ULL
/*
 * So near a mark it is not certain on which side of it an event is: a guest's CPU may
 * be stopped for some time between the two probes. The quiet lasts longer.
 */
#define MARGIN		(400 * NS / 1000)
#define QUIET_US	600000
#define CPUS_MAX	64
#define UNKNOWN		~0U	/* no task */
#define KEYS_MAX	4
#define SHOWN		3	/* differences of a kind */

/**
 * struct record - A record, in our layout.
 * @data:  it
 * @ns:	   CLOCK_MONOTONIC
 * @actor: task that ran; of what names no task
 * @cpu:   index
 * @event: our number
 */
struct record {
	const void *data;
	u64 ns;
	u32 actor;
	u16 cpu;
	u8 event;
};

/* A record is one of those that a key is for. */
struct ref {
	u64 key;
	size_t at;
};

/**
 * struct side - What one back end recorded.
 * @name:    module or bpf
 * @dir:     of the capture
 * @record:  all of it, in the order of time
 * @nr:	     how many
 * @room:    for how many
 * @begin:   mark, ns; then the later one of both sides'
 * @end:     mark, ns; then the earlier one
 * @complete: nothing is missing
 * @ref:     by key, and then in the order of time: of what is between the marks
 * @nr_refs: how many
 */
struct side {
	const char *name;
	const char *dir;
	struct record *record;
	size_t nr;
	size_t room;
	u64 begin;
	u64 end;
	bool complete;
	struct ref *ref;
	size_t nr_refs;
};

/*
 * A change to one side, for the comparer's own test.
 * @gone:  this one is missing
 * @added: it has this one more; NULL: none
 * @at:	   before this one of the side's
 */
struct mutation {
	const struct record *gone;
	const struct record *added;
	size_t at;
};

static const struct mutation no_mutation;

static struct side sides[2] = { { .name = "module" }, { .name = "bpf" } };
static u64 compared[OVNIK_NR_EVENTS];
static u64 max_apart;
static u64 differences[OVNIK_NR_EVENTS];
static unsigned int mutations;
static bool quiet;

#define FAMILY(nr, name, family, ...) [nr] = #family,

static inline const char *family_of(unsigned int event)
{
	static const char * const families[] = { OVNIK_EVENT_TABLE(FAMILY, OVNIK_NO_FIELD) };

	return families[event];
}

static inline bool is_family(unsigned int event, const char *family)
{
	return family_of(event) && !strcmp(family_of(event), family);
}

/* Anchors are the capture's own; what a statedump says is no sequence. */
static inline bool in_sequence(unsigned int event)
{
	return event_table[event].name && !is_family(event, "meta") && !is_family(event, "dump");
}

static inline u64 number_in(const void *data, const struct event_field *field)
{
	u64 value = 0;

	memcpy(&value, (const char *)data + field->offset, field->size);	/* little endian */
	return value;
}

static inline bool is_text(const struct event_field *field)
{
	return !strcmp(field->type, "str") || !strcmp(field->type, "comm");
}

static inline const char *text_in(const void *data, const struct event_field *field)
{
	return (const char *)data + field->offset;
}

/* Not a field of its own: the length of a text. */
static inline bool is_length(const struct event_desc *desc, const struct event_field *field)
{
	return field == desc->fields && !strcmp(field->name, "size") &&
	       !strcmp(desc->fields[desc->nr_fields - 1].type, "str");
}

static inline const struct event_field *field_of(unsigned int event, const char *name)
{
	unsigned int i;

	for (i = 0; i < event_table[event].nr_fields; i++) {
		if (!strcmp(event_table[event].fields[i].name, name))
			return &event_table[event].fields[i];
	}
	return NULL;
}

/*
 * Whose a record is. Each task it names has it in its sequence, the one that wakes
 * another in a second one: wakeups come in interrupts, which may fall between the
 * two probes of whatever the task itself does. What names no task is of the one
 * that ran. Each CPU has an idle task of its own.
 */
enum key_kind {
	KEY_NONE,
	KEY_TASK,
	KEY_WAKER,
};

static inline enum key_kind key_kind_of(const struct event_field *field)
{
	if (strcmp(field->unit, "tid") || strstr(field->name, "tgid"))
		return KEY_NONE;
	return strcmp(field->name, "waker_tid") ? KEY_TASK : KEY_WAKER;
}

static inline u64 make_key(enum key_kind kind, const struct record *rec, u32 tid)
{
	u64 cpu = tid ? 0 : rec->cpu + 1U;

	return (u64)kind << 56 | cpu << 32 | tid;
}

static inline unsigned int add_key(u64 *keys, unsigned int nr, u64 key)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (keys[i] == key)
			return nr;
	}
	keys[nr] = key;
	return nr + 1;
}

static inline unsigned int keys_of(const struct record *rec, u64 keys[KEYS_MAX])
{
	const struct event_desc *desc = &event_table[rec->event];
	unsigned int i, nr = 0;

	for (i = 0; i < desc->nr_fields && nr < KEYS_MAX; i++) {
		enum key_kind kind = key_kind_of(&desc->fields[i]);

		if (kind)
			nr = add_key(keys, nr, make_key(kind, rec, number_in(rec->data,
									     &desc->fields[i])));
	}
	return nr ? nr : add_key(keys, 0, make_key(KEY_TASK, rec, rec->actor));
}

static inline bool between_marks(const struct side *side, const struct record *rec)
{
	return rec->ns + MARGIN >= side->begin && rec->ns <= side->end + MARGIN;
}

static inline bool is_sure(const struct side *side, const struct record *rec)
{
	return rec->ns >= side->begin + MARGIN && rec->ns + MARGIN <= side->end;
}

static inline void *must_alloc(size_t nr, size_t size)
{
	void *memory = calloc(nr + 1, size);

	if (!memory)
		err(1, "no memory");
	return memory;
}

static inline void *copy_data(unsigned int event, const void *data)
{
	const struct ovnik_record *rec = data;
	size_t size = rec->words ? event_table[event].size : rec->size;
	void *copy = must_alloc(size, 1);

	return memcpy(copy, data, size);
}

static inline void note_mark(struct side *side, const struct record *rec)
{
	const struct ovnik_task_comm *comm = rec->data;

	if (rec->event != OVNIK_EV_task_comm)
		return;
	if (!strcmp(comm->comm, MARK_BEGIN))
		side->begin = rec->ns;
	else if (!strcmp(comm->comm, MARK_END))
		side->end = rec->ns;
}

static inline void add_record(struct side *side, const struct capture_item *item, u64 ns, u32 actor)
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

static inline void show_gap(struct side *side, struct capture *cap, const struct capture_gap *gap)
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
 * Who runs on each CPU is known from the header of the first sub-buffer and then from
 * one switch to the next. Headers of later ones are not asked: a thread that execs
 * changes its number while it runs, and the two sides' headers come at other times.
 */
static inline void take_item(struct side *side, struct capture *cap,
			     const struct capture_item *item, u32 *running)
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
}

static inline void read_side(struct side *side, const char *dir)
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

static inline int compare_refs(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static inline void index_side(struct side *side)
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

/* The first one of a key, or where it would be. */
static inline size_t find_refs(const struct side *side, u64 key)
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

static inline void print_field(const void *data, const struct event_field *field)
{
	static const char * const hex[] = {
		"address", "pfn", "vma_flags", "open_flags", "task_state", "dev",
	};
	unsigned int i;

	if (is_text(field)) {
		printf(" %s=\"%s\"", field->name, text_in(data, field));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(hex) && strcmp(field->unit, hex[i]); i++)
		;
	printf(i < ARRAY_SIZE(hex) ? " %s=%#llx" : " %s=%llu", field->name,
	       number_in(data, field));
}

static inline void print_record(const char *what, const struct side *side, const struct record *rec)
{
	unsigned int i;

	printf("#   %-7s", what);
	if (!rec) {
		printf("nothing\n");
		return;
	}
	printf("%+.6f cpu%u (%u) %s", ((double)rec->ns - (double)side->begin) / NS, rec->cpu,
	       rec->actor, event_name(rec->event));
	for (i = 0; i < event_table[rec->event].nr_fields; i++)
		print_field(rec->data, &event_table[rec->event].fields[i]);
	printf("\n");
}

#endif /* GUEST_PARITY_H */

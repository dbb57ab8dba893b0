/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_PARITY_H
#define GUEST_PARITY_H

/* What the parts of parity share. */

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
#define TIDS		0x400000	/* more than there can be */

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

/**
 * enum key_kind - Which of the sequences of a task a record is in.
 * @KEY_NONE: the field names no task
 * @KEY_TASK: that of the task it names, or of the one that ran
 * @KEY_WAKER: that of the task that wakes another: wakeups come in interrupts, which may
 *	       fall between the two probes of whatever the task itself does
 */
enum key_kind {
	KEY_NONE,
	KEY_TASK,
	KEY_WAKER,
};

/**
 * struct ref - A record belongs to a key.
 * @key: a task, see keys_of()
 * @at:  index of the record
 */
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

/**
 * struct mutation - A change to one side, for the comparer's own test.
 * @gone:  this one is missing
 * @added: it has this one more; NULL: none
 * @at:	   before this one of the side's
 */
struct mutation {
	const struct record *gone;
	const struct record *added;
	size_t at;
};

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
 * enum moved - What a task did while the statedumps were made.
 * @ASLEEP: nothing
 * @RAN: nothing but what the scheduler records
 * @CHANGED: something else
 */
enum moved {
	ASLEEP,
	RAN,
	CHANGED,
};

extern const struct mutation no_mutation;
extern struct side sides[2];

/* By event. */
extern u64 compared[OVNIK_NR_EVENTS];
extern u64 differences[OVNIK_NR_EVENTS];

/* Between the two stamps of a record, ns. */
extern u64 max_apart;

/* Differences are not shown. */
extern bool quiet;

/* By tid: enum moved. */
extern u8 moved[TIDS];

/* Records and their fields. */

/**
 * must_alloc() - Allocate an array, one element longer; exit without memory.
 * @nr: elements
 * @size: of one
 */
void *must_alloc(size_t nr, size_t size);

/**
 * copy_data() - Copy a record.
 * @event: its number
 * @data: the record
 */
void *copy_data(unsigned int event, const void *data);

/**
 * is_family() - Is it an event of this family?
 * @event: its number
 * @family: its name
 */
bool is_family(unsigned int event, const char *family);

/**
 * in_sequence() - Is it compared in the sequences of tasks?
 * @event: its number
 */
bool in_sequence(unsigned int event);

/**
 * number_in() - Read a field.
 * @data: the record
 * @field: not a text
 */
u64 number_in(const void *data, const struct event_field *field);

/**
 * is_text() - Is the field a text?
 * @field: the field
 */
bool is_text(const struct event_field *field);

/**
 * text_in() - Read a field.
 * @data: the record
 * @field: a text
 */
const char *text_in(const void *data, const struct event_field *field);

/**
 * is_length() - Is it the length of a text, which is no field of its own?
 * @desc: the event
 * @field: the field
 */
bool is_length(const struct event_desc *desc, const struct event_field *field);

/**
 * field_of() - Find a field by its name.
 * @event: number of the event
 * @name: of the field
 */
const struct event_field *field_of(unsigned int event, const char *name);

/**
 * is_last_switch() - Does a dead task leave its CPU?
 * @rec: a switch
 */
bool is_last_switch(const struct record *rec);

/**
 * keys_of() - Whose is a record? Of each task that it names. Of the one that ran if it names none,
 *	       or if the one that it names may have run elsewhere.
 * @rec: the record
 * @keys: is set; each CPU has an idle task of its own
 *
 * Return: how many keys it has.
 */
unsigned int keys_of(const struct record *rec, u64 keys[KEYS_MAX]);

/**
 * print_record() - Print a record.
 * @what: begins the line
 * @side: whose it is
 * @rec: the record; NULL: nothing
 */
void print_record(const char *what, const struct side *side, const struct record *rec);

/* Sides. */

/**
 * read_side() - Read a capture.
 * @side: is set
 * @dir: of the capture
 */
void read_side(struct side *side, const char *dir);

/**
 * index_side() - Find the records of each key between the marks; sets @ref.
 * @side: the side
 */
void index_side(struct side *side);

/**
 * find_refs() - Find the first record of a key, or where it would be.
 * @side: the side
 * @key: the key
 */
size_t find_refs(const struct side *side, u64 key);

/**
 * is_sure() - Is a record certain to be between the marks?
 * @side: whose it is
 * @rec: the record
 */
bool is_sure(const struct side *side, const struct record *rec);

/* When records are the same. */

/**
 * named_tid() - Return the task that a record names as tid.
 * @rec: of an event that has this field, as those of tasks of a statedump
 */
u32 named_tid(const struct record *rec);

/**
 * may_swap() - May BPF have @b where the module has @a, and @b only then?
 * @a: the module's
 * @b: that of BPF
 */
bool may_swap(const struct record *a, const struct record *b);

/**
 * field_may_differ() - May a field differ?
 * @a: the module's record
 * @b: BPF's
 * @field: its name
 */
bool field_may_differ(const struct record *a, const struct record *b, const char *field);

/**
 * same_record() - Are the records the same, but for what may differ?
 * @a: the module's
 * @b: BPF's
 */
bool same_record(const struct record *a, const struct record *b);

/**
 * may_lack() - May a run have none of these events?
 * @event: its number
 */
bool may_lack(unsigned int event);

/**
 * show_exceptions() - Print each rule that was used.
 */
void show_exceptions(void);

/* Statedumps. */

/**
 * is_settled() - Did the task of a record do nothing that could change it meanwhile?
 * @rec: of a statedump
 */
bool is_settled(const struct record *rec);

/**
 * find_moved() - Find out what each task did between the statedumps; sets moved.
 */
void find_moved(void);

/**
 * same_dumps() - Are the statedumps the same?
 * @mutation: of the first side
 */
bool same_dumps(const struct mutation *mutation);

/* Sequences. */

/**
 * get_sequence() - Collect the records of a key.
 * @seq: is set; free @record
 * @side: the side
 * @key: the key
 * @mutation: of the side
 */
void get_sequence(struct sequence *seq, const struct side *side, u64 key,
		  const struct mutation *mutation);

/**
 * same_key() - Are the sequences of a key the same?
 * @key: the key
 * @mutation: of the first side
 */
bool same_key(u64 key, const struct mutation *mutation);

/**
 * same_everywhere() - Are all sequences the same?
 */
bool same_everywhere(void);

/**
 * notices_all() - Test the comparer: is each change to a record of the first side noticed?
 */
bool notices_all(void);

#endif /* GUEST_PARITY_H */

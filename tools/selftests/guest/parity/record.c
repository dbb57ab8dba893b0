// SPDX-License-Identifier: GPL-2.0-only
/* Records, their fields, and whose they are. */

#include "parity.h"

void *must_alloc(size_t nr, size_t size)
{
	void *memory = calloc(nr + 1, size);

	if (!memory)
		err(1, "no memory");
	return memory;
}

void *copy_data(unsigned int event, const void *data)
{
	const struct ovnik_record *rec = data;
	size_t size = rec->words ? event_table[event].size : rec->size;
	void *copy = must_alloc(size, 1);

	return memcpy(copy, data, size);
}

#define FAMILY(nr, name, family, ...) [nr] = #family,

static const char *family_of(unsigned int event)
{
	static const char * const families[] = { OVNIK_EVENT_TABLE(FAMILY, OVNIK_NO_FIELD) };

	return families[event];
}

bool is_family(unsigned int event, const char *family)
{
	return family_of(event) && !strcmp(family_of(event), family);
}

bool in_sequence(unsigned int event)
{
	return event_table[event].name && !is_family(event, "meta") && !is_family(event, "dump");
}

u64 number_in(const void *data, const struct event_field *field)
{
	u64 value = 0;

	memcpy(&value, (const char *)data + field->offset, field->size);	/* little endian */
	return value;
}

bool is_text(const struct event_field *field)
{
	return !strcmp(field->type, "str") || !strcmp(field->type, "comm");
}

const char *text_in(const void *data, const struct event_field *field)
{
	return (const char *)data + field->offset;
}

bool is_length(const struct event_desc *desc, const struct event_field *field)
{
	return field == desc->fields && !strcmp(field->name, "size") &&
	       !strcmp(desc->fields[desc->nr_fields - 1].type, "str");
}

const struct event_field *field_of(unsigned int event, const char *name)
{
	unsigned int i;

	for (i = 0; i < event_table[event].nr_fields; i++) {
		if (!strcmp(event_table[event].fields[i].name, name))
			return &event_table[event].fields[i];
	}
	return NULL;
}

bool is_last_switch(const struct record *rec)
{
	const struct ovnik_sched_switch *sw = rec->data;

	return sw->prev_state & (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE);
}

static enum key_kind key_kind_of(const struct event_field *field)
{
	if (!strcmp(field->name, "waker_tid"))
		return KEY_WAKER;
	return strcmp(field->unit, "tid") || strstr(field->name, "tgid") ? KEY_NONE : KEY_TASK;
}

/* Whom one task wakes on several CPUs has no order that both must see. */
static u64 make_key(enum key_kind kind, const struct record *rec, u32 tid)
{
	u64 cpu = tid && kind != KEY_WAKER ? 0 : rec->cpu + 1U;

	return (u64)kind << 56 | cpu << 32 | tid;
}

static unsigned int add_key(u64 *keys, unsigned int nr, u64 key)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (keys[i] == key)
			return nr;
	}
	keys[nr] = key;
	return nr + 1;
}

/*
 * One task acts on another, which may run elsewhere: the record's place is among those of the task
 * that acts. A worker completes a request of io_uring. The maker of a kernel thread names it.
 */
static bool is_done_to(const struct record *rec)
{
	if (rec->event == OVNIK_EV_file_read || rec->event == OVNIK_EV_file_write)
		return number_in(rec->data, field_of(rec->event, "op")) == OVNIK_OP_URING;
	return rec->event == OVNIK_EV_task_comm;
}

/* The number of a dead task may change as it leaves its CPU. The next task has this switch, too. */
static bool is_uncertain(const struct record *rec, const struct event_field *field)
{
	return rec->event == OVNIK_EV_sched_switch && !strcmp(field->name, "prev_tid") &&
	       is_last_switch(rec);
}

unsigned int keys_of(const struct record *rec, u64 keys[KEYS_MAX])
{
	const struct event_desc *desc = &event_table[rec->event];
	unsigned int i, nr = 0;

	if (is_done_to(rec))
		return add_key(keys, 0, make_key(KEY_TASK, rec, rec->actor));
	for (i = 0; i < desc->nr_fields && nr < KEYS_MAX; i++) {
		enum key_kind kind = key_kind_of(&desc->fields[i]);

		if (kind && !is_uncertain(rec, &desc->fields[i]))
			nr = add_key(keys, nr, make_key(kind, rec, number_in(rec->data,
									     &desc->fields[i])));
	}
	return nr ? nr : add_key(keys, 0, make_key(KEY_TASK, rec, rec->actor));
}

static void print_field(const void *data, const struct event_field *field)
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

void print_record(const char *what, const struct side *side, const struct record *rec)
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

// SPDX-License-Identifier: GPL-2.0-only
/* When two records are the same, and where the two back ends may differ: why. */

#include "parity.h"

u8 moved[TIDS];

u32 named_tid(const struct record *rec)
{
	return number_in(rec->data, field_of(rec->event, "tid"));
}

/* Not a field, but compared as one: the CPU that it was recorded on. */
#define CPU		"(CPU)"

#define MAY_SWITCH								\
	"what a fork copies is recorded at wake_up_new_task(), where others may run in between"

/* Fields that may differ, and when. */

static bool always(const struct record *a, const struct record *b)
{
	(void)a;
	(void)b;
	return true;
}

static bool buried(const struct record *a, const struct record *b)
{
	const struct ovnik_sched_switch *x = a->data, *y = b->data;

	return (x->prev_state | y->prev_state) == (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE);
}

/* Has one of the two tasks taken the number of the other by an exec? */
static bool is_exchange(u32 one, u32 other)
{
	const struct side *side = &sides[0];
	size_t i;

	for (i = 0; i < side->nr; i++) {
		const struct ovnik_task_exec *exec = side->record[i].data;

		if (side->record[i].event == OVNIK_EV_task_exec &&
		    ((exec->tid == one && exec->old_tid == other) ||
		     (exec->tid == other && exec->old_tid == one)))
			return true;
	}
	return false;
}

static bool renumbered(const struct record *a, const struct record *b)
{
	const struct ovnik_sched_switch *x = a->data, *y = b->data;

	return is_last_switch(a) && is_last_switch(b) && is_exchange(x->prev_tid, y->prev_tid);
}

static bool has_run(const struct record *a, const struct record *b)
{
	(void)b;
	return moved[named_tid(a) % TIDS] != ASLEEP;
}

static const struct {
	unsigned int event;
	const char *field;
	bool (*when)(const struct record *a, const struct record *b);
	const char *why;
} fields_that_differ[] = {
	{ OVNIK_EV_vma_dup, CPU, always, MAY_SWITCH },
	{ OVNIK_EV_sched_switch, "prev_state", buried,
	  "a zombie that leaves its CPU may be buried by another one at that moment, "
	  "between one probe's look at it and the other's" },
	{ OVNIK_EV_sched_switch, "prev_tid", renumbered,
	  "a thread that execs takes the number of its leader, which may be about to leave its CPU "
	  "for the last time" },
	{ OVNIK_EV_dump_task, "state", has_run, "it ran between the two statedumps" },
	{ OVNIK_EV_dump_task, "cpu", has_run, "it ran between the two statedumps" },
};

/*
 * Events of one task: BPF may have the first one earlier, with regard to the
 * second one, than the module.
 */

#define NO_STATE								\
	"the module has a state of CPU hotplug for itself, BPF sits on the scheduler's, " \
	"which is the last to come and the first to go; between the two the kernel waits"

/*
 * A task that sleeps has no events but the scheduler's, so this is of one that runs. Only its
 * switches wait for the lock of the run queue that the wakeup holds.
 */
#define WOKEN_AWAKE								\
	"a task that has meant to sleep, and goes on, may be woken by another CPU meanwhile"

#define NOT_SCHED	0	/* any event that is not of the scheduler's */

#define ANSWERED								\
	"a request is completed on another CPU, and not by the task, which leaves its own meanwhile"

static bool is_answer(const struct record *rec)
{
	return (rec->event == OVNIK_EV_file_read || rec->event == OVNIK_EV_file_write) &&
	       rec->actor != named_tid(rec);
}

static bool elsewhere(const struct record *a, const struct record *b)
{
	return a->cpu != b->cpu && (is_answer(a) || is_answer(b));
}

static const struct {
	unsigned int early;
	unsigned int late;
	bool (*when)(const struct record *a, const struct record *b);
	const char *why;
} orders_that_differ[] = {
	{ OVNIK_EV_vma_dup, OVNIK_EV_sched_switch, always, MAY_SWITCH },
	{ OVNIK_EV_vma_dup, OVNIK_EV_sched_migrate, always, MAY_SWITCH },
	{ OVNIK_EV_vma_dup, OVNIK_EV_sched_wakeup, always, MAY_SWITCH },
	{ OVNIK_EV_vma_dup, OVNIK_EV_cow_break, always, MAY_SWITCH },
	{ OVNIK_EV_vma_dup, OVNIK_EV_page_fault, always, MAY_SWITCH },
	{ OVNIK_EV_vma_dup, OVNIK_EV_page_fault_end, always, MAY_SWITCH },
	{ OVNIK_EV_cpu_hotplug, OVNIK_EV_sched_switch, always, NO_STATE },
	{ OVNIK_EV_cpu_hotplug, OVNIK_EV_sched_wakeup, always, NO_STATE },
	{ OVNIK_EV_sched_switch, OVNIK_EV_cpu_hotplug, always, NO_STATE },
	{ OVNIK_EV_sched_wakeup, OVNIK_EV_cpu_hotplug, always, NO_STATE },
	{ OVNIK_EV_sched_wakeup, NOT_SCHED, always, WOKEN_AWAKE },
	{ NOT_SCHED, OVNIK_EV_sched_wakeup, always, WOKEN_AWAKE },
	{ OVNIK_EV_file_read, OVNIK_EV_sched_switch, elsewhere, ANSWERED },
	{ OVNIK_EV_sched_switch, OVNIK_EV_file_read, elsewhere, ANSWERED },
	{ OVNIK_EV_file_write, OVNIK_EV_sched_switch, elsewhere, ANSWERED },
	{ OVNIK_EV_sched_switch, OVNIK_EV_file_write, elsewhere, ANSWERED },
};

/* What a run need not have. */
static const struct {
	unsigned int event;
	const char *why;
} may_be_absent[] = {
	{ OVNIK_EV_anchor, "of the capture itself, not of what it recorded" },
};

/* How often each was called for. */
static u64 fields_differ[ARRAY_SIZE(fields_that_differ)];
static u64 orders_differ[ARRAY_SIZE(orders_that_differ)];

static bool is_meant(unsigned int rule, unsigned int event)
{
	return rule == NOT_SCHED ? !is_family(event, "sched") : rule == event;
}

bool may_swap(const struct record *a, const struct record *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(orders_that_differ); i++) {
		if (!is_meant(orders_that_differ[i].early, b->event) ||
		    !is_meant(orders_that_differ[i].late, a->event) ||
		    !orders_that_differ[i].when(a, b))
			continue;
		orders_differ[i] += !quiet;
		return true;
	}
	return false;
}

bool field_may_differ(const struct record *a, const struct record *b, const char *field)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields_that_differ); i++) {
		if (fields_that_differ[i].event != a->event ||
		    strcmp(fields_that_differ[i].field, field) ||
		    !fields_that_differ[i].when(a, b))
			continue;
		fields_differ[i] += !quiet;
		return true;
	}
	return false;
}

static bool same_field(const struct record *a, const struct record *b,
		       const struct event_field *field)
{
	if (is_text(field))
		return !strcmp(text_in(a->data, field), text_in(b->data, field));
	return number_in(a->data, field) == number_in(b->data, field);
}

bool same_record(const struct record *a, const struct record *b)
{
	const struct event_desc *desc = &event_table[a->event];
	unsigned int i;

	if (a->event != b->event || (a->cpu != b->cpu && !field_may_differ(a, b, CPU)))
		return false;
	for (i = 0; i < desc->nr_fields; i++) {
		if (!same_field(a, b, &desc->fields[i]) &&
		    !field_may_differ(a, b, desc->fields[i].name))
			return false;
	}
	return true;
}

bool may_lack(unsigned int event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(may_be_absent); i++) {
		if (may_be_absent[i].event == event)
			return true;
	}
	return false;
}

static const char *name_in_rule(unsigned int event)
{
	return event == NOT_SCHED ? "another event" : event_name(event);
}

void show_exceptions(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields_that_differ); i++) {
		if (fields_differ[i])
			printf("# %s.%s may differ (%llu times): %s\n",
			       event_name(fields_that_differ[i].event),
			       fields_that_differ[i].field, fields_differ[i],
			       fields_that_differ[i].why);
	}
	for (i = 0; i < ARRAY_SIZE(orders_that_differ); i++) {
		if (orders_differ[i])
			printf("# %s before %s (%llu times): %s\n",
			       name_in_rule(orders_that_differ[i].early),
			       name_in_rule(orders_that_differ[i].late), orders_differ[i],
			       orders_that_differ[i].why);
	}
}

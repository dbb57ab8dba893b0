// SPDX-License-Identifier: GPL-2.0-only
/*
 * covercheck WAYS cpuN.ovk... - which events does each way of coverload give?
 *
 * Prints headings as "# HEADING", and ":WAY: EVENT, EVENT" in the order of the events' numbers; of
 * sched_wakeup also by what the task was woken.
 */
#include "capture/events.h"
#include "common/merge.h"

#define MAX_IDS		256

/* Numbers of tasks, or of address spaces. */
struct ids {
	__u64 id[MAX_IDS];
	unsigned int nr;
};

/**
 * struct way - A line of coverload, with what was found.
 * @tids:  of the process that has done it, and of all that it has made
 * @mms:   of these
 * @waits: only what is scheduled counts
 * @makes: that tasks come and go counts, too
 */
struct way {
	char name[256];
	char kind[16];
	__u64 begin;
	__u64 end;
	__u64 dev;
	__u64 ino;
	struct ids tids;
	struct ids mms;
	bool waits;
	bool makes;
	bool found[OVNIK_NR_EVENTS];
	bool by_task;
	bool by_interrupt;
};

static struct events all;

static bool has(const struct ids *ids, __u64 id)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		if (ids->id[i] == id)
			return true;
	}
	return false;
}

static void add(struct ids *ids, __u64 id)
{
	if (has(ids, id))
		return;
	if (ids->nr == MAX_IDS)
		errx(2, "too many tasks");
	ids->id[ids->nr++] = id;
}

static const struct event_field *field_of(const struct event *event, const char *name)
{
	const struct event_desc *desc = &event_table[event->kind];
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		if (!strcmp(desc->fields[i].name, name))
			return &desc->fields[i];
	}
	return NULL;
}

/* @value: left alone if the event has no such field */
static bool get(const struct event *event, const char *name, __u64 *value)
{
	const struct event_field *field = field_of(event, name);

	if (!field)
		return false;
	*value = 0;
	memcpy(value, (const char *)event->record + field->offset, field->size);
	return true;
}

static bool is_of(const struct event *event, const char *name, const struct ids *ids)
{
	__u64 id;

	return get(event, name, &id) && has(ids, id);
}

/* Of events that say no task. */
static bool is_of_file(const struct way *way, const struct event *event)
{
	__u64 dev, ino = 0;

	if (field_of(event, "tid") || !get(event, "dev", &dev) || dev != way->dev)
		return false;
	get(event, "ino", &ino);
	return ino == way->ino;
}

static bool is_in(const struct event *event, const char *family)
{
	return !strcmp(event_table[event->kind].family, family);
}

static bool belongs(const struct way *way, const struct event *event)
{
	static const char *const of_task[] = { "tid", "prev_tid", "next_tid", "parent_tid" };
	size_t i;

	if (is_in(event, "sched") != way->waits || (is_in(event, "task") && !way->makes))
		return false;
	for (i = 0; i < sizeof(of_task) / sizeof(*of_task); i++) {
		if (is_of(event, of_task[i], &way->tids))
			return true;
	}
	return !way->waits && (is_of(event, "mm", &way->mms) || is_of_file(way, event));
}

/* All that it has ever made, also before it begins. */
static void find_family(struct way *way)
{
	__u64 tid, mm;
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct event *event = &all.event[i];

		if (event->kind == OVNIK_EV_task_fork && !way->waits &&
		    is_of(event, "parent_tid", &way->tids) && get(event, "child_tid", &tid))
			add(&way->tids, tid);
		if (event->kind == OVNIK_EV_task_mm && is_of(event, "tid", &way->tids) &&
		    get(event, "mm", &mm))
			add(&way->mms, mm);
	}
}

static void find_events(struct way *way)
{
	__u64 waker;
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct event *event = &all.event[i];

		if (event->tsc < way->begin || event->tsc > way->end || !belongs(way, event))
			continue;
		way->found[event->kind] = true;
		if (event->kind != OVNIK_EV_sched_wakeup || !get(event, "waker_tid", &waker))
			continue;
		if (waker)
			way->by_task = true;
		else
			way->by_interrupt = true;
	}
}

static void print(const struct way *way)
{
	const char *separator = "";
	unsigned int kind;

	printf(":%s: ", way->name);
	for (kind = 0; kind < OVNIK_NR_EVENTS; kind++) {
		if (!way->found[kind])
			continue;
		printf("%s%s", separator, event_table[kind].name);
		separator = ", ";
		if (kind != OVNIK_EV_sched_wakeup)
			continue;
		printf(" by %s%s%s", way->by_task ? "a task" : "",
		       way->by_task && way->by_interrupt ? " or " : "",
		       way->by_interrupt ? "an interrupt" : "");
	}
	puts(*separator ? "" : "none");
}

static void judge(struct way *way)
{
	if (!strcmp(way->kind, "heading")) {
		printf("# %s\n", way->name);
	} else if (!strcmp(way->kind, "none")) {
		printf(":%s: not on this kernel\n", way->name);
	} else {
		way->waits = !strcmp(way->kind, "wait");
		way->makes = !strcmp(way->kind, "make");
		find_family(way);
		find_events(way);
		print(way);
	}
}

int main(int argc, char **argv)
{
	struct way way = {};
	__u64 pid;
	FILE *file;
	int n;

	if (argc < 3)
		errx(2, "usage: covercheck WAYS cpuN.ovk...");
	file = fopen(argv[1], "r");
	if (!file)
		err(2, "%s", argv[1]);
	load_merged(&all, argv + 2);
	while ((n = fscanf(file, "%255[^\t]\t%15s %llu %llu %llu %llu %llu\n",
			   way.name, way.kind, &pid, &way.begin, &way.end,
			   &way.dev, &way.ino)) == 7) {
		add(&way.tids, pid);
		judge(&way);
		memset(&way, 0, sizeof(way));
	}
	if (n != EOF)
		errx(2, "%s: a line is none", argv[1]);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ownercheck open|private OWNER LAUNCHER PID... - FILE... - who lies where in memory, by a capture?
 *
 * Private: all frames are unknown, where the kernel was called from when it faulted, and each
 * offset in the page that ownerload has; of all tasks but OWNER, which is a process, and its
 * children, all addresses are unknown, and there is no record of a mapping. Of OWNER there is all,
 * and in an open capture of each PID, too. Of each there are faults and copies in any case.
 * Children of LAUNCHER become the owner's by an exec, in which the kernel faults.
 */
#include "capture/events.h"
#include "common/capture.h"
#include "owner.h"

#define TIDS	(4 << 20)
#define WHO_MAX	8

static struct capture *files[MAX_CPUS];
static int nr_files;

/* By task, number in who[] plus 1: */
#define OWNER		1
#define LAUNCHER	2

static unsigned char family[TIDS];
/* Not of what was forked before the capture and ended before the statedump. */
static bool has_parent[TIDS];
static struct {
	unsigned int tid;
	unsigned long seen[OVNIK_NR_EVENTS];
	unsigned long known[OVNIK_NR_EVENTS];
} who[WHO_MAX];
static int nr_who;
static unsigned long frames[OVNIK_NR_EVENTS];
static unsigned long offsets[OVNIK_NR_EVENTS];	/* in the page of ownerload */
static unsigned long faults_of_exec;

/* A child that was there before the capture is in the statedump. */
static bool is_child(const struct event *event, __u32 *parent, __u32 *child)
{
	const struct ovnik_task_fork *fork = event->record;
	const struct ovnik_dump_task *dump = event->record;

	if (event->kind == OVNIK_EV_task_fork) {
		*parent = fork->parent_tid;
		*child = fork->child_tid;
		return true;
	}
	*parent = dump->parent_tgid;
	*child = dump->tid;
	return event->kind == OVNIK_EV_dump_task;
}

static bool has_children_of(const struct capture *cap)
{
	__u32 parent, child;
	bool more = false;
	size_t i;

	for (i = 0; i < cap->events.nr; i++) {
		if (!is_child(&cap->events.event[i], &parent, &child))
			continue;
		has_parent[child] = true;
		if (!family[parent] || family[child])
			continue;
		family[child] = family[parent];
		more = true;
	}
	return more;
}

/* Of a forked task there may be a record in another file. */
static void find_children(void)
{
	bool more;
	int i;

	do {
		more = false;
		for (i = 0; i < nr_files; i++)
			more |= has_children_of(files[i]);
	} while (more);
}

static const struct event_field *field_of(const struct event_desc *desc, const char *name)
{
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++)
		if (!strcmp(desc->fields[i].name, name))
			return &desc->fields[i];
	return NULL;
}

/* It has lengths in an address space. */
static bool is_of_mapping(const struct event_desc *desc)
{
	return field_of(desc, "mm") && (field_of(desc, "length") || field_of(desc, "vmas"));
}

static void look_at_fault(const struct event *event, int whose, bool private)
{
	const struct ovnik_page_fault *fault = event->record;

	if (event->kind != OVNIK_EV_page_fault || fault->error & OVNIK_FAULT_USER)
		return;
	if (private && fault->ip != OVNIK_NO_ADDRESS)
		errx(1, "a fault of the kernel in task %u says where it was called from",
		     fault->tid);
	if (whose == LAUNCHER && fault->address != OVNIK_NO_ADDRESS &&
	    fault->tid != who[LAUNCHER - 1].tid)
		faults_of_exec++;
}

static void look_at_offset(const struct event *event)
{
	const struct event_field *field = field_of(&event_table[event->kind], "offset");
	__u64 offset = 0;

	if (field)
		memcpy(&offset, (const char *)event->record + field->offset, sizeof(offset));
	offsets[event->kind] += offset >= OWNER_PAGE && offset < OWNER_PAGE + 4096;
}

/* May a private capture say where it lies? */
static bool is_owners(int whose, unsigned int task)
{
	return whose == OWNER || (whose == LAUNCHER && task != who[LAUNCHER - 1].tid) ||
	       (task && task < TIDS && !has_parent[task]);
}

static void look_at(const struct event *event, bool private)
{
	const struct event_desc *desc = &event_table[event->kind];
	const struct event_field *tid = field_of(desc, "tid");
	bool known = is_of_mapping(desc);
	unsigned int i, task = 0;
	__u64 value;
	int whose;

	if (tid)
		memcpy(&task, (const char *)event->record + tid->offset, sizeof(task));
	whose = task < TIDS ? family[task] : 0;
	for (i = 0; i < desc->nr_fields; i++) {
		memcpy(&value, (const char *)event->record + desc->fields[i].offset, sizeof(value));
		if (!strcmp(desc->fields[i].unit, "pfn"))
			frames[event->kind] += value != OVNIK_NO_FRAME;
		else if (!strcmp(desc->fields[i].unit, "address"))
			known |= value != OVNIK_NO_ADDRESS;
	}
	look_at_fault(event, whose, private);
	look_at_offset(event);
	if (known && private && !is_owners(whose, task))
		errx(1, "%s of task %u, of process %u, not the owner's, says where something lies",
		     desc->name, task, whose ? who[whose - 1].tid : 0);
	if (!whose)
		return;
	who[whose - 1].seen[event->kind]++;
	who[whose - 1].known[event->kind] += known;
}

static void expect_known(int nr)
{
	static const int kinds[] = {
		OVNIK_EV_dump_mm, OVNIK_EV_dump_vma, OVNIK_EV_mmap_anon, OVNIK_EV_mmap_file,
		OVNIK_EV_munmap, OVNIK_EV_mprotect, OVNIK_EV_madvise_dontneed, OVNIK_EV_vma_dup,
		OVNIK_EV_page_fault, OVNIK_EV_cow_break,
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!who[nr].known[kinds[i]])
			errx(1, "no %s of process %u", event_table[kinds[i]].name, who[nr].tid);
}

static void expect_seen(int nr)
{
	static const int kinds[] = {
		OVNIK_EV_dump_task, OVNIK_EV_task_mm, OVNIK_EV_page_fault,
		OVNIK_EV_cow_break, OVNIK_EV_file_write, OVNIK_EV_task_exit,
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!who[nr].seen[kinds[i]])
			errx(1, "no %s of process %u", event_table[kinds[i]].name, who[nr].tid);
}

static void check_frames(bool private)
{
	static const int kinds[] = {
		OVNIK_EV_dump_task, OVNIK_EV_task_mm, OVNIK_EV_mm_exit, OVNIK_EV_page_add,
		OVNIK_EV_page_remove, OVNIK_EV_dump_mm,
	};
	unsigned int i;

	for (i = 0; private && i < OVNIK_NR_EVENTS; i++)
		if (frames[i])
			errx(1, "%lu frames in %s", frames[i], event_table[i].name);
	for (i = 0; !private && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!frames[kinds[i]])
			errx(1, "no frame in %s", event_table[kinds[i]].name);
}

static void check_offsets(bool private)
{
	static const int kinds[] = {
		OVNIK_EV_file_read, OVNIK_EV_file_write, OVNIK_EV_dump_file,
	};
	unsigned int i;

	for (i = 0; private && i < OVNIK_NR_EVENTS; i++)
		if (offsets[i])
			errx(1, "%lu addresses in offsets of %s", offsets[i], event_table[i].name);
	for (i = 0; !private && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!offsets[kinds[i]])
			errx(1, "no address in the offset of a %s", event_table[kinds[i]].name);
}

int main(int argc, char **argv)
{
	bool private;
	int i;
	size_t j;

	if (argc < 6)
		errx(2, "usage: ownercheck open|private OWNER LAUNCHER PID... - FILE...");
	private = !strcmp(argv[1], "private");
	for (i = 2; i < argc && strcmp(argv[i], "-"); i++) {
		if (nr_who == WHO_MAX)
			errx(2, "too many processes");
		who[nr_who].tid = atoi(argv[i]);
		family[who[nr_who].tid % TIDS] = nr_who + 1;
		nr_who++;
	}
	for (i++; i < argc && nr_files < MAX_CPUS; i++)
		files[nr_files++] = load_capture(argv[i]);
	find_children();
	for (i = 0; i < nr_files; i++)
		for (j = 0; j < files[i]->events.nr; j++)
			look_at(&files[i]->events.event[j], private);
	check_frames(private);
	check_offsets(private);
	if (!faults_of_exec)
		errx(1, "no fault of the kernel where process %u executes", who[LAUNCHER - 1].tid);
	for (i = 0; i < nr_who; i++) {
		expect_seen(i);
		if (!i || !private)
			expect_known(i);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * callcheck - compare the records of changed mappings with the calls that ftrace saw
 *
 *	callcheck INSTANCE CPUS cpuN.ovk...
 *
 * For each call between the statedump and the end of the capture, of whatever task
 * of the machine: if it succeeded, the record of what it did is there, with its
 * address and length, stamped while the call ran; if it failed, there is none. And
 * no record of a kind that only calls cause is outside of one.
 *
 * A call of munmap() where nothing was mapped leaves no record; that nothing was is
 * known from the other records.
 *
 * And the statedump names no address space that its process had left before.
 */

#include "callcheck/callcheck.h"
#include "common/merge.h"

static struct events all;
static struct spaces now;

static __u32 tid_of(const struct event *event)
{
#define TID_OF(name) \
	case OVNIK_EV_##name: \
		return ((const struct ovnik_##name *)event->record)->tid

	switch (event->kind) {
	TID_OF(mmap_file);
	TID_OF(mmap_anon);
	TID_OF(shm_attach);
	TID_OF(munmap);
	TID_OF(mprotect);
	TID_OF(mremap);
	TID_OF(madvise_dontneed);
	default:
		return 0;
	}
}

/* What a fault does: a stack grows. */
static bool may_be_outside(const struct event *event)
{
	const struct ovnik_mmap_anon *rec = event->record;

	return event->kind == OVNIK_EV_mmap_anon && rec->kind == OVNIK_MAP_GROWTH;
}

/* The statedump's end: from then on everything is known. */
static __u64 known;

/* The calls that run, by task. */
static struct call **running;
static unsigned int *active, nr_active;

static void take_record(const struct event *event)
{
	__u32 tid = tid_of(event);
	struct call *call = running[tid % MAX_TIDS];

	if (!tid)
		return;
	if (call) {
		call->of[event->kind]++;
		call->last[event->kind] = event->record;
		call->mm = mm_of_event(event);
	} else if (event->tsc > known && !may_be_outside(event) && differences++ < 10) {
		printf("# outside of every call, task %u: ", tid);
		print_event("ovnik", event);
	}
}

/* Was there a moment when a munmap() that runs had nothing to do? */
static void look_for_holes(void)
{
	unsigned int i;

	for (i = 0; i < nr_active; i++) {
		struct call *call = &calls[active[i]];

		if (call->kind == CALL_MUNMAP && call->mm)
			call->empty = call->empty ||
				!is_mapped(space_of(&now, call->mm), call->arg[0],
					   call->arg[0] + ALIGNED(call->arg[1]));
	}
}

static void start_call(struct call *call)
{
	running[call->tid % MAX_TIDS] = call;
	active = realloc(active, (nr_active + 1) * sizeof(*active));
	if (!active)
		err(1, "no memory");
	active[nr_active++] = call - calls;
}

/* Those that have ended, of them those that began when all was known. */
static void end_calls(__u64 tsc)
{
	unsigned int i = 0;

	while (i < nr_active) {
		struct call *call = &calls[active[i]];

		if (!call->leave || call->leave > tsc) {
			i++;
			continue;
		}
		if (call->enter > known)
			check_call(call);
		running[call->tid % MAX_TIDS] = NULL;
		active[i] = active[--nr_active];
	}
}

/* Processes by their threads: a call of any of them is one in the process' space. */
static __u32 *tgid_of;

static void note_task(const struct event *event)
{
	const struct ovnik_task_fork *fork = event->record;
	const struct ovnik_dump_task *dump = event->record;

	if (event->kind == OVNIK_EV_task_fork)
		tgid_of[fork->child_tid % MAX_TIDS] = fork->child_tgid;
	else if (event->kind == OVNIK_EV_dump_task)
		tgid_of[dump->tid % MAX_TIDS] = dump->tgid;
}

/* What a process had before its last exec; it does not get that again. */
static __u64 *before_exec;

static void check_dump(const struct event *event)
{
	const struct ovnik_task_mm *mm = event->record;
	const struct ovnik_dump_task *dump = event->record;

	if (event->kind == OVNIK_EV_task_mm && mm->reason == OVNIK_MM_EXEC)
		before_exec[mm->tgid % MAX_TIDS] = now.mm_of[mm->tgid % MAX_TIDS];
	if (event->kind != OVNIK_EV_dump_task || !dump->mm ||
	    dump->mm != before_exec[dump->tgid % MAX_TIDS])
		return;
	if (differences++ < 10) {
		printf("# an address space from before the exec: ");
		print_event("ovnik", event);
	}
}

static void start_calls(size_t *next, __u64 tsc)
{
	while (*next < nr_calls && calls[*next].enter <= tsc) {
		struct call *call = &calls[(*next)++];

		end_calls(call->enter);
		call->mm = now.mm_of[tgid_of[call->tid % MAX_TIDS] % MAX_TIDS];
		start_call(call);
		look_for_holes();
	}
}

static __u64 time_of_dump_end(void)
{
	size_t i;

	for (i = 0; i < all.nr; i++) {
		if (all.event[i].kind == OVNIK_EV_dump_end)
			return all.event[i].tsc;
	}
	errx(1, "the capture has no statedump");
}

int main(int argc, char **argv)
{
	size_t i, next = 0;

	if (argc < 4)
		errx(2, "usage: callcheck INSTANCE CPUS cpuN.ovk...");
	check_begin();
	read_calls(argv[1], strtoul(argv[2], NULL, 10));
	load_merged(&all, argv + 3);
	init_spaces(&now);
	running = calloc(MAX_TIDS, sizeof(*running));
	tgid_of = calloc(MAX_TIDS, sizeof(*tgid_of));
	before_exec = calloc(MAX_TIDS, sizeof(*before_exec));
	if (!running || !tgid_of || !before_exec)
		err(1, "no memory");
	known = time_of_dump_end();
	for (i = 0; i < all.nr; i++) {
		const struct event *event = &all.event[i];

		start_calls(&next, event->tsc);
		end_calls(event->tsc);
		take_record(event);
		note_task(event);
		check_dump(event);
		apply_event(&now, event, i);
		look_for_holes();
	}
	end_calls(all.event[all.nr - 1].tsc);
	for (i = 0; i < NR_CALLS; i++)
		printf("# %-16s %6u calls, %6u succeeded\n", formats[i].name, checked[i],
		       succeeded[i]);
	printf("# %u differences\n", differences);
	return differences || !succeeded[CALL_MMAP] || !succeeded[CALL_MREMAP];
}

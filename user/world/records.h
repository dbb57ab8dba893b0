/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_RECORDS_H
#define OVNIK_WORLD_RECORDS_H

#include "world/world.h"

/*
 * How the world handles each event: one row per event, in the order of their numbers.
 *
 *	H(event, rule)	world_<event>() handles its records
 *	N(event, rule)	no function does; world_switch() handles sched_switch
 *
 * The rule says when the first pass, which only lists tasks, may skip a record (known.h).
 * RULE_<rule>(event) in inventory.c makes it:
 *
 *	NAMES	if its tid is known: the record only names that task
 *	SWITCH	if both its tasks are known and neither ends
 *	NOBODY	always: it names no task
 *	KEEP	never: it may make or end tasks, or change what the inventory contains
 */
#define WORLD_RECORDS(H, N)		\
	N(anchor, NOBODY)		\
	N(sched_switch, SWITCH)		\
	H(sched_wakeup, NAMES)		\
	H(sched_wakeup_new, NAMES)	\
	H(sched_migrate, NAMES)		\
	H(task_fork, KEEP)		\
	H(task_exec, KEEP)		\
	H(task_exit, KEEP)		\
	H(task_comm, KEEP)		\
	H(task_mm, KEEP)		\
	H(mm_exit, NOBODY)		\
	H(dump_task, KEEP)		\
	N(dump_end, NOBODY)		\
	H(cpu_hotplug, NOBODY)		\
	H(mmap_file, NAMES)		\
	H(mmap_anon, NAMES)		\
	H(shm_attach, NAMES)		\
	H(munmap, NAMES)		\
	H(mprotect, NAMES)		\
	H(mremap, NAMES)		\
	H(madvise_dontneed, NAMES)	\
	H(vma_dup, NAMES)		\
	H(cow_break, NAMES)		\
	H(page_fault, NAMES)		\
	H(page_fault_end, NAMES)	\
	H(page_add, NOBODY)		\
	H(page_remove, NOBODY)		\
	H(buffer_add, NOBODY)		\
	H(buffer_remove, NOBODY)	\
	H(file_open, NAMES)		\
	H(file_close, NAMES)		\
	H(file_begin, NAMES)		\
	H(file_read, NAMES)		\
	H(file_write, NAMES)		\
	H(file_delete, NOBODY)		\
	H(file_truncate, NAMES)		\
	H(file_rename, NAMES)		\
	H(dump_mm, NAMES)		\
	H(dump_vma, NAMES)		\
	H(dump_file, NAMES)

/* For H or N, where that row needs nothing. */
#define WORLD_NO_RECORD(event, rule)

#define WORLD_RECORD_FN(event, rule) \
	int world_##event(struct world *w, struct world_cpu *cpu, struct world_item *it);

/* @it has tsc, ns, cpu, rec and event. They return 0 or -ENOMEM. */
WORLD_RECORDS(WORLD_RECORD_FN, WORLD_NO_RECORD)

/* An event with two rows, or without one, does not compile. */
#define WORLD_RECORD_ROW(event, rule)	WORLD_ROW_##event,
#define WORLD_RECORD_CHECK(number, event, ...) \
	_Static_assert(WORLD_ROW_##event >= 0, "WORLD_RECORDS has a row for " #event);

enum world_record_row {
	WORLD_RECORDS(WORLD_RECORD_ROW, WORLD_RECORD_ROW)
};

OVNIK_EVENT_TABLE(WORLD_RECORD_CHECK, OVNIK_NO_FIELD)

#endif /* OVNIK_WORLD_RECORDS_H */

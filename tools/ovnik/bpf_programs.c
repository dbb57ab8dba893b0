// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which programs of bpf/ serve which events. An event is recorded only if all of its
 * programs can be attached; otherwise its records would be incomplete.
 */
#include <string.h>

#include "bpf.h"
#include "util/types.h"

#define BIT(name)	(1ULL << OVNIK_EV_##name)

/* Needed for any event: programs that maintain the filter, or that this program runs itself. */
#define ALWAYS		(~0ULL)

#define BY_MMAP		(BIT(mmap_file) | BIT(mmap_anon) | BIT(shm_attach))
#define BY_FORK		(BIT(task_fork) | BIT(task_mm))
#define BY_CALL		(BIT(file_begin) | BIT(file_read) | BIT(file_write))
#define DUMP_VMA	(BIT(dump_mm) | BIT(dump_vma))

#define PROGRAMS(PROGRAM) \
	PROGRAM(ovnik_constants, ALWAYS, BOTH_WAYS) \
	PROGRAM(ovnik_cpu_comes, BIT(cpu_hotplug), BOTH_WAYS) \
	PROGRAM(ovnik_cpu_goes, BIT(cpu_hotplug), BOTH_WAYS) \
	PROGRAM(ovnik_sched_switch, BIT(sched_switch), BOTH_WAYS) \
	PROGRAM(ovnik_sched_wakeup, BIT(sched_wakeup), TRUE_WAKERS) \
	PROGRAM(ovnik_queue, BIT(sched_wakeup), TRUE_WAKERS) \
	PROGRAM(ovnik_sched_wakeup_plain, BIT(sched_wakeup), PLAIN_WAKERS) \
	PROGRAM(ovnik_sched_wakeup_new, BIT(sched_wakeup_new), BOTH_WAYS) \
	PROGRAM(ovnik_sched_migrate, BIT(sched_migrate), BOTH_WAYS) \
	PROGRAM(ovnik_task_newtask, ALWAYS, BOTH_WAYS) \
	PROGRAM(ovnik_task_fork, BY_FORK, BOTH_WAYS) \
	PROGRAM(ovnik_task_exec, BIT(task_exec), BOTH_WAYS) \
	PROGRAM(ovnik_task_exit, BIT(task_exit), BOTH_WAYS) \
	PROGRAM(ovnik_task_comm, BIT(task_comm), BOTH_WAYS) \
	PROGRAM(ovnik_exec_mm, BIT(task_mm), BOTH_WAYS) \
	PROGRAM(ovnik_mm_exit, BIT(mm_exit), BOTH_WAYS) \
	PROGRAM(ovnik_mmap, BY_MMAP, BOTH_WAYS) \
	PROGRAM(ovnik_brk, BIT(mmap_anon), BOTH_WAYS) \
	PROGRAM(ovnik_insert_vma, BIT(mmap_anon), BOTH_WAYS) \
	PROGRAM(ovnik_expand_enter, BIT(mmap_anon), BOTH_WAYS) \
	PROGRAM(ovnik_expand_leave, BIT(mmap_anon), BOTH_WAYS) \
	PROGRAM(ovnik_munmap, BIT(munmap), BOTH_WAYS) \
	PROGRAM(ovnik_mprotect_enter, BIT(mprotect), BOTH_WAYS) \
	PROGRAM(ovnik_mprotect_leave, BIT(mprotect), BOTH_WAYS) \
	PROGRAM(ovnik_move_copy, BIT(mremap), BOTH_WAYS) \
	PROGRAM(ovnik_move, BIT(mremap), BOTH_WAYS) \
	PROGRAM(ovnik_grow, BIT(mremap), BOTH_WAYS) \
	PROGRAM(ovnik_shift_enter, BIT(mremap) | BIT(munmap), BOTH_WAYS) \
	PROGRAM(ovnik_shift_leave, BIT(mremap) | BIT(munmap), BOTH_WAYS) \
	PROGRAM(ovnik_madvise, BIT(madvise_dontneed), BOTH_WAYS) \
	PROGRAM(ovnik_madvise_ia32, BIT(madvise_dontneed), IA32_CALLS) \
	PROGRAM(ovnik_madvise_others, BIT(madvise_dontneed), BOTH_WAYS) \
	PROGRAM(ovnik_wake_new, BIT(vma_dup), BOTH_WAYS) \
	PROGRAM(ovnik_copy_enter, BIT(cow_break), BOTH_WAYS) \
	PROGRAM(ovnik_copy_leave, BIT(cow_break), BOTH_WAYS) \
	PROGRAM(ovnik_copied, BIT(cow_break), BOTH_WAYS) \
	PROGRAM(ovnik_copied_new, BIT(cow_break), BOTH_WAYS) \
	PROGRAM(ovnik_fault_user, BIT(page_fault), BOTH_WAYS) \
	PROGRAM(ovnik_fault_kernel, BIT(page_fault), BOTH_WAYS) \
	PROGRAM(ovnik_fault_leave, BIT(page_fault_end), NOT_BY_KPROBE) \
	PROGRAM(ovnik_fault_enter_kprobe, BIT(page_fault_end), BY_KPROBE) \
	PROGRAM(ovnik_fault_leave_kprobe, BIT(page_fault_end), BY_KPROBE) \
	PROGRAM(ovnik_fault_signal, BIT(page_fault_end), BOTH_WAYS) \
	PROGRAM(ovnik_page_add, BIT(page_add) | BIT(buffer_add), BOTH_WAYS) \
	PROGRAM(ovnik_page_remove, BIT(page_remove) | BIT(buffer_remove), BOTH_WAYS) \
	PROGRAM(ovnik_page_add_shmem, BIT(page_add), NOT_BY_KPROBE) \
	PROGRAM(ovnik_shmem_enter_kprobe, BIT(page_add), BY_KPROBE) \
	PROGRAM(ovnik_shmem_leave_kprobe, BIT(page_add), BY_KPROBE) \
	PROGRAM(ovnik_file_open, BIT(file_open), BOTH_WAYS) \
	PROGRAM(ovnik_file_close, BIT(file_close), BOTH_WAYS) \
	PROGRAM(ovnik_file_delete, BIT(file_delete), BOTH_WAYS) \
	PROGRAM(ovnik_file_truncate, BIT(file_truncate), BOTH_WAYS) \
	PROGRAM(ovnik_file_rename, BIT(file_rename), BOTH_WAYS) \
	PROGRAM(ovnik_rw_end, BY_CALL, BOTH_WAYS) \
	PROGRAM(ovnik_rw_verify, BY_CALL, NOT_BY_KPROBE) \
	PROGRAM(ovnik_rw_verify_kprobe, BY_CALL, BY_KPROBE) \
	PROGRAM(ovnik_rw_append, BIT(file_write), BOTH_WAYS) \
	PROGRAM(ovnik_rw_aio, BIT(file_read) | BIT(file_write), BOTH_WAYS) \
	PROGRAM(ovnik_rw_uring, BIT(file_read) | BIT(file_write), BOTH_WAYS) \
	PROGRAM(ovnik_dump_tasks, BIT(dump_task), BOTH_WAYS) \
	PROGRAM(ovnik_dump_vmas, DUMP_VMA, BOTH_WAYS) \
	PROGRAM(ovnik_dump_files, BIT(dump_file) | BIT(dump_end), BOTH_WAYS)

#define ROW(name, events, way)	{ #name, events, way },
#define OR(name, events, way)	| ((events) == ALWAYS ? 0 : (events))
#define OR_BIT(nr, ...)		| 1ULL << (nr)

/* The anchor has no program: the ring code writes it. */
_Static_assert((BIT(anchor) PROGRAMS(OR)) == (0 OVNIK_EVENT_TABLE(OR_BIT, OVNIK_NO_FIELD)),
	       "every event has a program");

static const struct program programs[] = {
	PROGRAMS(ROW)
};

/**
 * bpf_program_of() - Find a program in the table.
 * @name: its name
 *
 * Return: its row, or NULL.
 */
const struct program *bpf_program_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		if (!strcmp(programs[i].name, name))
			return &programs[i];
	}
	return NULL;
}

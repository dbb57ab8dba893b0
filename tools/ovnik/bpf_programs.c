// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which program of bpf/ is for which events. An event is recorded if all of its
 * programs can be attached; one that has a program less would be a lie.
 */
#include <string.h>

#include "bpf.h"
#include "util/types.h"

#define BIT(name)	(1ULL << OVNIK_EV_##name)

/* Those that are for any event at all: they keep the filter, or run when asked. */
#define ALWAYS		(~0ULL)

#define BY_MMAP		(BIT(mmap_file) | BIT(mmap_anon) | BIT(shm_attach))
#define BY_FORK		(BIT(task_fork) | BIT(task_mm) | BIT(vma_dup))
#define BY_CALL		(BIT(file_begin) | BIT(file_read) | BIT(file_write))
#define DUMP_VMA	(BIT(dump_mm) | BIT(dump_vma))

static const struct program programs[] = {
	{ "ovnik_constants", ALWAYS, BOTH_WAYS },
	{ "ovnik_cpu_comes", BIT(cpu_hotplug), BOTH_WAYS },
	{ "ovnik_cpu_goes", BIT(cpu_hotplug), BOTH_WAYS },

	{ "ovnik_sched_switch", BIT(sched_switch), BOTH_WAYS },
	{ "ovnik_sched_wakeup", BIT(sched_wakeup), BOTH_WAYS },
	{ "ovnik_sched_wakeup_new", BIT(sched_wakeup_new), BOTH_WAYS },
	{ "ovnik_sched_migrate", BIT(sched_migrate), BOTH_WAYS },

	{ "ovnik_task_newtask", ALWAYS, BOTH_WAYS },
	{ "ovnik_task_fork", BY_FORK, BOTH_WAYS },
	{ "ovnik_task_exec", BIT(task_exec), BOTH_WAYS },
	{ "ovnik_task_exit", BIT(task_exit), BOTH_WAYS },
	{ "ovnik_task_comm", BIT(task_comm), BOTH_WAYS },

	{ "ovnik_exec_mm", BIT(task_mm), BOTH_WAYS },
	{ "ovnik_mm_exit", BIT(mm_exit), BOTH_WAYS },
	{ "ovnik_mmap", BY_MMAP, BOTH_WAYS },
	{ "ovnik_brk", BIT(mmap_anon), BOTH_WAYS },
	{ "ovnik_insert_vma", BIT(mmap_anon), BOTH_WAYS },
	{ "ovnik_expand_enter", BIT(mmap_anon), BOTH_WAYS },
	{ "ovnik_expand_leave", BIT(mmap_anon), BOTH_WAYS },
	{ "ovnik_unmap_enter", BIT(munmap), BOTH_WAYS },
	{ "ovnik_munmap", BIT(munmap), BOTH_WAYS },
	{ "ovnik_mprotect_enter", BIT(mprotect), BOTH_WAYS },
	{ "ovnik_mprotect_leave", BIT(mprotect), BOTH_WAYS },
	{ "ovnik_move_tables", BIT(mremap), BOTH_WAYS },
	{ "ovnik_move", BIT(mremap), BOTH_WAYS },
	{ "ovnik_grow", BIT(mremap), BOTH_WAYS },
	{ "ovnik_shift_enter", BIT(mremap) | BIT(munmap), BOTH_WAYS },
	{ "ovnik_shift_leave", BIT(mremap) | BIT(munmap), BOTH_WAYS },
	{ "ovnik_madvise", BIT(madvise_dontneed), BOTH_WAYS },

	{ "ovnik_copy_enter", BIT(cow_break), BOTH_WAYS },
	{ "ovnik_copy_leave", BIT(cow_break), BOTH_WAYS },
	{ "ovnik_copied", BIT(cow_break), BOTH_WAYS },
	{ "ovnik_copied_new", BIT(cow_break), BOTH_WAYS },
	{ "ovnik_fault_user", BIT(page_fault), BOTH_WAYS },
	{ "ovnik_fault_kernel", BIT(page_fault), BOTH_WAYS },
	{ "ovnik_fault_leave", BIT(page_fault_end), NOT_BY_KPROBE },
	{ "ovnik_fault_enter_kprobe", BIT(page_fault_end), BY_KPROBE },
	{ "ovnik_fault_leave_kprobe", BIT(page_fault_end), BY_KPROBE },
	{ "ovnik_fault_signal", BIT(page_fault_end), BOTH_WAYS },

	{ "ovnik_page_add", BIT(page_add) | BIT(buffer_add), BOTH_WAYS },
	{ "ovnik_page_remove", BIT(page_remove) | BIT(buffer_remove), BOTH_WAYS },
	{ "ovnik_page_add_shmem", BIT(page_add), BOTH_WAYS },

	{ "ovnik_file_open", BIT(file_open), BOTH_WAYS },
	{ "ovnik_file_close", BIT(file_close), BOTH_WAYS },
	{ "ovnik_file_delete", BIT(file_delete), BOTH_WAYS },
	{ "ovnik_file_truncate", BIT(file_truncate), BOTH_WAYS },
	{ "ovnik_file_rename", BIT(file_rename), BOTH_WAYS },
	{ "ovnik_rw_end", BY_CALL, BOTH_WAYS },
	{ "ovnik_rw_verify", BY_CALL, BOTH_WAYS },
	{ "ovnik_rw_append", BIT(file_write), BOTH_WAYS },
	{ "ovnik_rw_aio", BIT(file_read) | BIT(file_write), BOTH_WAYS },
	{ "ovnik_rw_uring", BIT(file_read) | BIT(file_write), BOTH_WAYS },

	{ "ovnik_dump_tasks", BIT(dump_task), BOTH_WAYS },
	{ "ovnik_dump_vmas", DUMP_VMA, BOTH_WAYS },
	{ "ovnik_dump_files", BIT(dump_file) | BIT(dump_end), BOTH_WAYS },
};

/**
 * bpf_program_of() - What a program is for.
 * @name: its name
 *
 * Return: its row; NULL if there is none.
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

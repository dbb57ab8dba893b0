/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MM_BPF_H
#define OVNIK_MM_BPF_H

#include "ring.bpf.h"
#include "task.bpf.h"

#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define PAGE_ALIGN(length)	(((length) + PAGE_SIZE - 1) & PAGE_MASK)

#define IS_ERR_VALUE(value)	((u64)(value) >= (u64)-4095)

/* include/linux/mm.h, the same from 6.1 to 7.2; macros are not in BTF. */
#define VM_READ			0x00000001UL
#define VM_WRITE		0x00000002UL
#define VM_EXEC			0x00000004UL
#define VM_SHARED		0x00000008UL
#define VM_MAYSHARE		0x00000080UL
#define VM_GROWSDOWN		0x00000100UL
#define VM_HUGETLB		0x00400000UL
#define VM_WIPEONFORK		0x02000000UL

/* include/linux/mm_types.h, of what is in BTF */
#define VM_FAULT_ERROR		(VM_FAULT_OOM | VM_FAULT_SIGBUS | VM_FAULT_SIGSEGV |	\
				 VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE | VM_FAULT_FALLBACK)

/* enum x86_pf_error_code of arch/x86/include/asm/trap_pf.h, which is not in every BTF */
#define X86_PF_PROT		(1 << 0)
#define X86_PF_WRITE		(1 << 1)
#define X86_PF_USER		(1 << 2)
#define X86_PF_INSTR		(1 << 4)

#include "memory.h"

/**
 * struct ovnik_mapping - A mapping as records have it. Read at once, and by helpers:
 * what was found in the tree is a pointer without a type.
 * @file:	that is mapped, or NULL; the fields below are 0 then
 * @offset:	in the file, of the address it was read for
 */
struct ovnik_mapping {
	u64			start;
	u64			end;
	u64			mm;
	u32			flags;
	const struct file	*file;
	u64			offset;
	u64			ino;
	u32			dev;
	u32			generation;
};

/* The first members of a mapping, in the order of the kernel, and two further ones. */
struct vma_head {
	u64			start;
	u64			end;
	u64			mm;
	u64			prot;
	u64			flags;
};

struct vma_file {
	u64			pgoff;
	const struct file	*file;
};

/* Each by one read, if they are adjacent. */
static __always_inline void read_vma(const struct vm_area_struct *vma, struct vma_head *head,
				     struct vma_file *file)
{
	u32 start = bpf_core_field_offset(struct vm_area_struct, vm_start);
	u32 flags = bpf_core_field_offset(struct vm_area_struct, vm_flags);
	u32 pgoff = bpf_core_field_offset(struct vm_area_struct, vm_pgoff);
	u32 of_file = bpf_core_field_offset(struct vm_area_struct, vm_file);

	if (flags - start == offsetof(struct vma_head, flags)) {
		bpf_core_read(head, sizeof(*head), &vma->vm_start);
	} else {
		/* vm_end follows vm_start. */
		bpf_core_read(head, 2 * sizeof(u64), &vma->vm_start);
		head->flags = BPF_CORE_READ(vma, vm_flags);
	}
	if (of_file - pgoff == offsetof(struct vma_file, file)) {
		bpf_core_read(file, sizeof(*file), &vma->vm_pgoff);
	} else {
		file->pgoff = BPF_CORE_READ(vma, vm_pgoff);
		file->file = BPF_CORE_READ(vma, vm_file);
	}
}

/* All but which file it is. */
static __always_inline void ovnik_mapping_range(struct ovnik_mapping *map,
						const struct vm_area_struct *vma, u64 mm,
						u64 address)
{
	struct vma_head head = {};
	struct vma_file file = {};

	read_vma(vma, &head, &file);
	map->start = head.start;
	map->end = head.end;
	map->mm = mm;
	map->flags = ovnik_vma_flags(head.flags);
	map->file = file.file;
	map->offset = 0;
	map->ino = 0;
	map->dev = 0;
	map->generation = 0;
	if (!map->file)
		return;
	if (!address)
		address = map->start;
	map->offset = (file.pgoff << PAGE_SHIFT) + (address - map->start);
}

/* By helpers. */
static __always_inline void ovnik_mapping_file(struct ovnik_mapping *map)
{
	const struct file *file = map->file;
	const struct inode *inode = BPF_CORE_READ(file, f_inode);

	map->ino = BPF_CORE_READ(inode, i_ino);
	map->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	map->generation = BPF_CORE_READ(inode, i_generation);
}

/*
 * @mm: number of its address space
 * @address: whose offset in the file is needed; 0: of the start
 */
static __always_inline void ovnik_mapping_of(struct ovnik_mapping *map,
					     const struct vm_area_struct *vma, u64 mm, u64 address)
{
	ovnik_mapping_range(map, vma, mm, address);
	if (map->file)
		ovnik_mapping_file(map);
}

#define ovnik_set_mapping(rec, map) do {					\
	(rec)->dev = (map)->dev;						\
	(rec)->generation = (map)->generation;					\
	(rec)->ino = (map)->ino;						\
	(rec)->flags = (map)->flags;						\
	(rec)->mm = (map)->mm;							\
	(rec)->offset = (map)->offset;						\
} while (0)

static __always_inline const struct mm_struct *ovnik_current_mm(void)
{
	return bpf_get_current_task_btf()->mm;
}

/* Record that a task gets an address space. */
static __always_inline void ovnik_record_task_mm(const struct task_struct *task,
						 const struct mm_struct *mm, u16 reason)
{
	struct ovnik_task_mm *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, task_mm);
	if (!rec)
		return;
	rec->reason = reason;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, task_mm);
}

static __always_inline void ovnik_record_munmap(u64 mm, u64 start, u64 length)
{
	struct ovnik_munmap *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, munmap);
	if (!rec)
		return;
	rec->tid = current_tid();
	rec->mm = mm;
	rec->start = start;
	rec->length = length;
	ovnik_commit(&slot, munmap);
}

/**
 * struct ovnik_stash - What a task keeps from the entry of a function to its return.
 * Each part belongs to one function, which does not call itself; @known: it was entered.
 * If not, the call began before the capture and is not recorded. Without memory it is
 * counted as dropped at the entry.
 * @protect: @wanted: the call will be recorded
 * @growth:  where the stack began
 * @shift:   where the stack of a new image was
 * @move:    where mremap() moves a mapping to
 * @fault:   of handle_mm_fault(), enum fault_entry of fault.bpf.c
 * @shmem:   the folio that is added to a file of tmpfs; 0: none
 */
struct ovnik_stash {
	struct {
		u64	mm;
		u32	known;
		u32	wanted;
	} protect;
	struct {
		u64	known;
		u64	start;
	} growth;
	struct {
		u64	known;
		u64	start;
		u64	end;
	} shift;
	struct {
		u64	state;
		u64	start;
		u64	length;
	} move;
	u64	fault;
	u64	shmem;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ovnik_stash);
} ovnik_stashes SEC(".maps");

/* The current task's, made if needed; NULL: no memory, or in use by an interrupted program. */
static __always_inline struct ovnik_stash *ovnik_stash_make(void)
{
	return bpf_task_storage_get(&ovnik_stashes, bpf_get_current_task_btf(), NULL,
				    BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* The current task's, or NULL. */
static __always_inline struct ovnik_stash *ovnik_stash_get(void)
{
	return bpf_task_storage_get(&ovnik_stashes, bpf_get_current_task_btf(), NULL, 0);
}

#endif /* OVNIK_MM_BPF_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MM_H
#define OVNIK_MM_H

#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <asm/page.h>
#include <asm/trap_pf.h>

#include "memory.h"

/*
 * The number of an address space: arch/x86 gives each mm_struct one that is never reused
 * (mm_context_t.ctx_id, commit f39681ed0f48).
 */
static inline u64 ovnik_mm_id(struct mm_struct *mm)
{
	return mm ? mm->context.ctx_id : 0;
}

/* Frame of the page directory: CR3 >> 12 while the mm is loaded. */
static inline u64 ovnik_mm_pgd(struct mm_struct *mm)
{
	return mm ? __pa(mm->pgd) >> PAGE_SHIFT : 0;
}

/* Offset of an address in the mapped file, in bytes; 0 without a file. */
static inline u64 ovnik_vma_offset(struct vm_area_struct *vma, unsigned long address)
{
	if (!vma->vm_file)
		return 0;
	return ((u64)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
}

/* The fields that records of a mapping share; the offset is that of @address. */
#define ovnik_set_vma(rec, vma, address) do {					\
	const struct inode *__inode = (vma)->vm_file ? file_inode((vma)->vm_file) : NULL; \
										\
	(rec)->dev = __inode ? __inode->i_sb->s_dev : 0;			\
	(rec)->generation = __inode ? __inode->i_generation : 0;		\
	(rec)->ino = __inode ? __inode->i_ino : 0;				\
	(rec)->flags = ovnik_vma_flags((vma)->vm_flags);			\
	(rec)->mm = ovnik_mm_id((vma)->vm_mm);					\
	(rec)->offset = ovnik_vma_offset(vma, address);				\
} while (0)

void ovnik_record_task_mm(struct task_struct *task, struct mm_struct *mm, u16 reason);
void ovnik_record_munmap(struct mm_struct *mm, unsigned long start, unsigned long length);

#endif /* OVNIK_MM_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of address spaces: who gets which, what is mapped in it, when it is torn down.
 * Mappings are read while the kernel holds mmap_lock: the records of an address space are
 * in the order of its changes.
 */
#include <linux/ftrace.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <trace/events/mmap.h>

#include "compat.h"
#include "config.h"
#include "filter.h"
#include "mm.h"
#include "path.h"
#include "probe.h"
#include "ring.h"

/**
 * ovnik_record_task_mm() - Record that a task gets an address space.
 * @task:   the task
 * @mm:	    the address space
 * @reason: enum ovnik_mm_reason
 *
 * Context: Any; preemption off.
 */
void ovnik_record_task_mm(struct task_struct *task, struct mm_struct *mm, u16 reason)
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

/*
 * security_bprm_committing_creds() is the first function of exec that is out of line on
 * every kernel and runs with the new current->mm (begin_new_exec(), after exec_mmap()). The
 * image is not mapped yet.
 */
static void notrace probe_exec_mm(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	if (!ovnik_event_on(OVNIK_EV_task_mm) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	ovnik_record_task_mm(current, current->mm, OVNIK_MM_EXEC);
	preempt_enable_notrace();
}

static void probe_exit_mmap(void *unused, struct mm_struct *mm)
{
	struct ovnik_mm_exit *rec;
	struct ovnik_slot slot;

	ovnik_no_preemption();
	if (!ovnik_wanted(current))
		return;
	rec = ovnik_begin(&slot, mm_exit);
	if (!rec)
		return;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, mm_exit);
}

/* NULL, or all of it but what the mapping says. */
static __always_inline struct ovnik_mmap_anon *begin_anon(struct ovnik_slot *slot, u16 kind,
							  unsigned long start,
							  unsigned long length)
{
	struct ovnik_mmap_anon *rec;

	if (!ovnik_event_on(OVNIK_EV_mmap_anon))
		return NULL;
	rec = ovnik_begin(slot, mmap_anon);
	if (!rec)
		return NULL;
	rec->kind = kind;
	rec->tid = current->pid;
	rec->start = start;
	rec->length = length;
	return rec;
}

static void record_anon(struct vm_area_struct *vma, unsigned long start, unsigned long length,
			u16 kind)
{
	struct ovnik_slot slot;
	struct ovnik_mmap_anon *rec = begin_anon(&slot, kind, start, length);

	if (!rec)
		return;
	ovnik_set_vma(rec, vma, start);
	ovnik_commit(&slot, mmap_anon);
}

/* Private memory without a file has exactly the flags that it was asked for. */
static void record_private(unsigned long start, unsigned long length, unsigned long vm_flags)
{
	struct ovnik_slot slot;
	struct ovnik_mmap_anon *rec = begin_anon(&slot, OVNIK_MAP_MMAP, start, length);

	if (!rec)
		return;
	rec->flags = ovnik_vma_flags(vm_flags);
	rec->mm = ovnik_mm_id(current->mm);
	rec->offset = 0;
	rec->ino = 0;
	rec->dev = 0;
	rec->generation = 0;
	ovnik_commit(&slot, mmap_anon);
}

static void record_shm(struct vm_area_struct *vma, unsigned long start, unsigned long length)
{
	struct ovnik_shm_attach *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_shm_attach))
		return;
	rec = ovnik_begin(&slot, shm_attach);
	if (!rec)
		return;
	rec->tid = current->pid;
	rec->flags = ovnik_vma_flags(vma->vm_flags);
	rec->mm = ovnik_mm_id(vma->vm_mm);
	rec->start = start;
	rec->length = length;
	/* newseg() makes the segment number the inode number of the file. */
	rec->shmid = file_inode(vma->vm_file)->i_ino;
	rec->dev = file_inode(vma->vm_file)->i_sb->s_dev;
	ovnik_commit(&slot, shm_attach);
}

static void record_file(struct vm_area_struct *vma, unsigned long start, unsigned long length)
{
	struct ovnik_mmap_file *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_mmap_file))
		return;
	rec = ovnik_begin_path(&slot, mmap_file, path, &vma->vm_file->f_path);
	if (!rec)
		return;
	rec->tid = current->pid;
	ovnik_set_vma(rec, vma, start);
	rec->start = start;
	rec->length = length;
	ovnik_commit_str(&slot, mmap_file);
}

/* System V segments are files with such names in a tmpfs internal to the kernel. */
static bool is_shm(const struct file *file)
{
	return file->f_path.mnt->mnt_flags & MNT_INTERNAL &&
	       !strncmp(file->f_path.dentry->d_name.name, "SYSV", 4);
}

struct map_args {
	unsigned long	length;
	unsigned long	vm_flags;
	struct file	*file;
};

/* unsigned long mmap_region(file, addr, len, vm_flags, pgoff, uf) */
static int enter_mmap(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->file = (void *)regs_get_kernel_argument(regs, 0);
	args->length = PAGE_ALIGN(regs_get_kernel_argument(regs, 2));
	args->vm_flags = regs_get_kernel_argument(regs, 3);
	return 0;
}

static int leave_mmap(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct map_args *args = (void *)ri->data;
	unsigned long start = regs_return_value(regs);
	struct vm_area_struct *vma;

	if (IS_ERR_VALUE(start))
		return 0;
	if (!args->file && !(args->vm_flags & VM_SHARED)) {
		record_private(start, args->length, args->vm_flags);
		return 0;
	}
	vma = vma_lookup(current->mm, start);
	if (!vma) {
		ovnik_lose_one(args->file ? OVNIK_EV_mmap_file : OVNIK_EV_mmap_anon);
		return 0;
	}
	/* Shared anonymous memory has a file by now. */
	if (!args->file || !vma->vm_file)
		record_anon(vma, start, args->length, OVNIK_MAP_MMAP);
	else if (is_shm(vma->vm_file) && !ovnik_vma_offset(vma, start))
		record_shm(vma, start, args->length);
	else
		record_file(vma, start, args->length);
	return 0;
}

/* Memory that processes share has a file, too, but only once it is mapped. */
static void miss_mmap(const void *data)
{
	const struct map_args *args = data;

	if (!args->file)
		ovnik_lose_one(OVNIK_EV_mmap_anon);
	else
		ovnik_lose_one(is_shm(args->file) ? OVNIK_EV_shm_attach : OVNIK_EV_mmap_file);
}

OVNIK_RET_BY(mmap, enter_mmap, leave_mmap, miss_mmap, struct map_args);

struct range_args {
	struct mm_struct	*mm;
	unsigned long		start;
	unsigned long		length;
	u32			flags;
};

/* int do_brk_flags(mas, vma, addr, len, flags) */
static int enter_brk(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct range_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->start = regs_get_kernel_argument(regs, 2);
	args->length = PAGE_ALIGN(regs_get_kernel_argument(regs, 3));
	return 0;
}

static int leave_brk(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct range_args *args = (void *)ri->data;
	struct vm_area_struct *vma;

	if ((int)regs_return_value(regs) || !args->length)
		return 0;
	vma = vma_lookup(current->mm, args->start);
	if (vma)
		record_anon(vma, args->start, args->length, OVNIK_MAP_BRK);
	else
		ovnik_lose_one(OVNIK_EV_mmap_anon);
	return 0;
}

OVNIK_RET(brk, struct range_args);

struct vma_args {
	struct vm_area_struct	*vma;
	unsigned long		start;
	unsigned long		end;
};

/* int insert_vm_struct(mm, vma) */
static int enter_insert(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vma_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->vma = (void *)regs_get_kernel_argument(regs, 1);
	return 0;
}

static int leave_insert(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vm_area_struct *vma = ((struct vma_args *)ri->data)->vma;

	if (!(int)regs_return_value(regs))
		record_anon(vma, vma->vm_start, vma->vm_end - vma->vm_start,
			    vma->vm_flags & VM_GROWSDOWN ? OVNIK_MAP_STACK : OVNIK_MAP_SPECIAL);
	return 0;
}

OVNIK_RET(insert, struct vma_args);

/* int expand_downwards(vma, address) */
static int enter_expand(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vma_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->vma = (void *)regs_get_kernel_argument(regs, 0);
	args->end = args->vma->vm_start;
	args->start = regs_get_kernel_argument(regs, 1) & PAGE_MASK;
	return 0;
}

/*
 * mmap_lock is held for reading only: another thread may grow the stack at the same time,
 * and then both records begin at the same old start. Overlap is harmless.
 */
static int leave_expand(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vma_args *args = (void *)ri->data;

	if (!(int)regs_return_value(regs) && args->start < args->end)
		record_anon(args->vma, args->start, args->end - args->start, OVNIK_MAP_GROWTH);
	return 0;
}

OVNIK_RET(expand, struct vma_args);

static __always_inline void fill_munmap(struct ovnik_slot slot, struct mm_struct *mm,
					unsigned long start, unsigned long length)
{
	struct ovnik_munmap *rec = (void *)slot.rec;

	rec->tid = current->pid;
	rec->mm = ovnik_mm_id(mm);
	rec->start = start;
	rec->length = length;
	ovnik_commit(&slot, munmap);
}

static noinline void munmap_slow(struct mm_struct *mm, unsigned long start, unsigned long length)
{
	struct ovnik_slot slot;

	if (ovnik_begin_slow(&slot, munmap))
		fill_munmap(slot, mm, start, length);
}

static __always_inline void record_munmap(struct mm_struct *mm, unsigned long start,
					  unsigned long length)
{
	struct ovnik_slot slot;

	if (unlikely(!ovnik_begin_fast(&slot, munmap)))
		return munmap_slow(mm, start, length);
	fill_munmap(slot, mm, start, length);
}

/**
 * ovnik_record_munmap() - Record that a range was unmapped.
 * @mm:	    address space
 * @start:  of the range
 * @length: bytes
 *
 * Context: Process; preemption off.
 */
void ovnik_record_munmap(struct mm_struct *mm, unsigned long start, unsigned long length)
{
	record_munmap(mm, start, length);
}

/*
 * void unmap_vmas(tlb, …): nothing can fail any more if the mappings were moved to a tree on the
 * stack of a caller. Otherwise, with the tree of the address space, that ends, or mmap() has
 * failed.
 *
 * munmap() may hold mmap_lock for reading only by now. No mapping can be made or changed meanwhile,
 * but an access of another thread to the range may have failed before the record of munmap().
 */
static void notrace probe_munmap(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	unsigned long start = ovnik_unmap_start(fregs);

	if (!object_is_on_stack(ovnik_unmap_tree(fregs)) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	record_munmap(current->mm, start, ovnik_unmap_end(fregs) - start);
	preempt_enable_notrace();
}

/* int mprotect_fixup([vmi,] tlb, vma, pprev, start, end, newflags) */
#define MPROTECT_ARG(regs, n)	regs_get_kernel_argument(regs, OVNIK_MPROTECT_TLB + (n))

static int enter_mprotect(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)MPROTECT_ARG(regs, 1);
	struct range_args *args = (void *)ri->data;

	/* Do not trust a probe of kmod/configure that failed for another reason. */
	BUILD_BUG_ON(!__same_type(mprotect_fixup, ovnik_mprotect_fn));
	args->flags = ovnik_vma_flags(MPROTECT_ARG(regs, 5));
	/* Setting up the stack of a new image clears bits that are not recorded. */
	if (!ovnik_wanted(current) || args->flags == ovnik_vma_flags(vma->vm_flags))
		return 1;
	args->mm = vma->vm_mm;
	args->start = MPROTECT_ARG(regs, 3);
	args->length = MPROTECT_ARG(regs, 4) - args->start;
	return 0;
}

static int leave_mprotect(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct range_args *args = (void *)ri->data;
	struct ovnik_mprotect *rec;
	struct ovnik_slot slot;

	if ((int)regs_return_value(regs))
		return 0;
	rec = ovnik_begin(&slot, mprotect);
	if (!rec)
		return 0;
	rec->tid = current->pid;
	rec->flags = args->flags;
	rec->mm = ovnik_mm_id(args->mm);
	rec->start = args->start;
	rec->length = args->length;
	ovnik_commit(&slot, mprotect);
	return 0;
}

OVNIK_RET(mprotect, struct range_args);

/* Returns what enter_*() must: 1 if the call is not recorded. */
static int note_madvise(struct range_args *args, struct mm_struct *mm, unsigned long start,
			unsigned long length, int advice)
{
	if (advice != MADV_DONTNEED || !ovnik_wanted(current))
		return 1;
	args->mm = mm;
	args->start = untagged_addr(start);
	args->length = PAGE_ALIGN(length);
	return 0;
}

#ifdef OVNIK_HAVE_MADVISE_RANGE

/* int madvise_do_behavior(start, len_in, behavior) */
static int enter_madvise(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	void *madvise = (void *)regs_get_kernel_argument(regs, 2);

	return note_madvise((void *)ri->data, ovnik_madvise_mm(madvise),
			    regs_get_kernel_argument(regs, 0), regs_get_kernel_argument(regs, 1),
			    ovnik_madvise_advice(madvise));
}

#else

/* int do_madvise(mm, start, len_in, behavior) */
static int enter_madvise(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return note_madvise((void *)ri->data, (void *)regs_get_kernel_argument(regs, 0),
			    regs_get_kernel_argument(regs, 1), regs_get_kernel_argument(regs, 2),
			    regs_get_kernel_argument(regs, 3));
}

#endif /* OVNIK_HAVE_MADVISE_RANGE */

static int leave_madvise(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct range_args *args = (void *)ri->data;
	int ret = regs_return_value(regs);
	struct ovnik_madvise_dontneed *rec;
	struct ovnik_slot slot;

	/* -ENOMEM: parts were not mapped; the others were freed. */
	if ((ret && ret != -ENOMEM) || !args->length)
		return 0;
	rec = ovnik_begin(&slot, madvise_dontneed);
	if (!rec)
		return 0;
	rec->tid = current->pid;
	rec->mm = ovnik_mm_id(args->mm);
	rec->start = args->start;
	rec->length = args->length;
	ovnik_commit(&slot, madvise_dontneed);
	return 0;
}

OVNIK_RET(madvise, struct range_args);

OVNIK_PROBES(mm) = {
	{ .hook = "security_bprm_committing_creds", .entry = probe_exec_mm, .guard = true,
	  .events = OVNIK_BIT(task_mm) },
	{ OVNIK_TRACEPOINT(exit_mmap, probe_exit_mmap), .events = OVNIK_BIT(mm_exit) },
	{ .hook = "mmap_region", .ret = &mmap_ret,
	  .events = OVNIK_BIT(mmap_file) | OVNIK_BIT(mmap_anon) | OVNIK_BIT(shm_attach) },
	{ .hook = "do_brk_flags", .ret = &brk_ret, .events = OVNIK_BIT(mmap_anon) },
	{ .hook = "insert_vm_struct", .ret = &insert_ret, .events = OVNIK_BIT(mmap_anon) },
	{ .hook = "expand_downwards", .ret = &expand_ret, .events = OVNIK_BIT(mmap_anon) },
	{ .hook = OVNIK_FN_MUNMAP, .entry = probe_munmap, .events = OVNIK_BIT(munmap) },
	{ .hook = "mprotect_fixup", .ret = &mprotect_ret, .events = OVNIK_BIT(mprotect) },
	{ .hook = OVNIK_FN_MADVISE, .ret = &madvise_ret, .events = OVNIK_BIT(madvise_dontneed) },
	{}
};

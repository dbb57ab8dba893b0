// SPDX-License-Identifier: GPL-2.0-only
/* Probes of mappings that move or grow: mremap(), and the stack of a new image. */
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd_32_ia32.h>

#include "calls.h"
#include "compat.h"
#include "config.h"
#include "filter.h"
#include "mm.h"
#include "path.h"
#include "probe.h"
#include "ring.h"

struct remap {
	unsigned long	old_start;
	unsigned long	old_length;
	unsigned long	start;
	unsigned long	length;
};

static void record_remap(struct vm_area_struct *vma, const struct remap *remap)
{
	struct ovnik_mremap *rec;
	struct ovnik_slot slot;

	if (!ovnik_event_on(OVNIK_EV_mremap))
		return;
	if (vma->vm_file)
		rec = ovnik_begin_path(&slot, mremap, path, &vma->vm_file->f_path);
	else
		rec = ovnik_begin_str(&slot, mremap, path, 1);
	if (!rec)
		return;
	rec->tid = current->pid;
	ovnik_set_vma(rec, vma, remap->start);
	rec->old_start = remap->old_start;
	rec->old_length = remap->old_length;
	rec->start = remap->start;
	rec->length = remap->length;
	ovnik_commit_str(&slot, mremap);
}

/* unsigned long move_vma(vma, old_addr, old_len, new_len, new_addr, …) or move_vma(vrm) */
static int enter_move(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct remap *remap = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	remap->old_start = ovnik_move_arg(regs, 1, ADDR);
	remap->old_length = ovnik_move_arg(regs, 2, OLD_LEN);
	remap->length = ovnik_move_arg(regs, 3, NEW_LEN);
	return 0;
}

static int leave_move(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct remap *remap = (void *)ri->data;
	struct vm_area_struct *vma;

	remap->start = regs_return_value(regs);
	if (IS_ERR_VALUE(remap->start))
		return 0;
	vma = vma_lookup(current->mm, remap->start);
	if (vma)
		record_remap(vma, remap);
	else
		ovnik_lose_one(OVNIK_EV_mremap);
	return 0;
}

OVNIK_RET(move, struct remap);

struct shift_args {
	struct vm_area_struct	*vma;
	unsigned long		start;
	unsigned long		end;
};

/* int shift_arg_pages(vma, shift), or relocate_vma_down() */
static int enter_shift(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct shift_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->vma = (void *)regs_get_kernel_argument(regs, 0);
	args->start = args->vma->vm_start;
	args->end = args->vma->vm_end;
	return 0;
}

/* The old place is unmapped without the functions that unmap. */
static int leave_shift(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct shift_args *args = (void *)ri->data;
	struct vm_area_struct *vma = args->vma;
	struct remap remap = {
		.old_start = args->start,
		.old_length = args->end - args->start,
		.start = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
	};

	if ((int)regs_return_value(regs))
		return 0;
	if (ovnik_event_on(OVNIK_EV_munmap)) {
		unsigned long gone = max(args->start, vma->vm_end);

		ovnik_record_munmap(vma->vm_mm, gone, args->end - gone);
	}
	record_remap(vma, &remap);
	return 0;
}

OVNIK_RET(shift, struct shift_args);

static bool in_mremap(struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	if (!user_mode(regs))
		return false;
	return in_ia32_syscall() ? nr == __NR_ia32_mremap :
				   (nr & ~OVNIK_X32_BIT) == __NR_mremap;
}

/*
 * void vm_stat_account(mm, flags, npages). An mremap() that grows in place calls only this, at its
 * end, with mmap_lock still held and the number of pages added. One that moves passes the number
 * of all pages at the new place. The range is in the arguments of the system call.
 */
static void notrace probe_grow(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	long grown = ovnik_ftrace_arg(fregs, 2) << PAGE_SHIFT;
	struct pt_regs *regs = task_pt_regs(current);
	struct vm_area_struct *vma;
	unsigned long args[6];
	struct remap remap;

	if (grown <= 0 || !in_mremap(regs) || !ovnik_wanted(current))
		return;
	syscall_get_arguments(current, regs, args);
	remap.old_start = untagged_addr(args[0]);
	remap.old_length = PAGE_ALIGN(args[1]);
	remap.start = remap.old_start;
	remap.length = PAGE_ALIGN(args[2]);
	if (!remap.old_length || remap.length - remap.old_length != grown)
		return;
	preempt_disable_notrace();
	vma = vma_lookup(current->mm, remap.start);
	if (vma)
		record_remap(vma, &remap);
	else
		ovnik_lose_one(OVNIK_EV_mremap);
	preempt_enable_notrace();
}

OVNIK_PROBES(remap) = {
	{ .hook = "move_vma", .ret = &move_ret, .events = OVNIK_BIT(mremap) },
	{ .hook = OVNIK_FN_SHIFT_STACK, .ret = &shift_ret,
	  .events = OVNIK_BIT(mremap) | OVNIK_BIT(munmap) },
	{ .hook = "vm_stat_account", .entry = probe_grow, .events = OVNIK_BIT(mremap) },
	{}
};

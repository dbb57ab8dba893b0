/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COMPAT_H
#define OVNIK_COMPAT_H

/*
 * The only place that knows the differences between kernels. Differences are found by
 * compiling the probes in kmod/compat/ against the kernel headers (see kmod/configure),
 * never by version: distributions backport.
 */

#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/device.h>
#include <linux/ftrace.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/sched.h>

#include "ovnik_config.h"

/*
 * class_create() lost its module argument in commit 1aaba11da9aa ("driver core:
 * class: remove module * from class_create()"), 6.4.
 */
#ifdef OVNIK_HAVE_CLASS_CREATE_ONE_ARG
#define ovnik_class_create(name)	class_create(name)
#else
#define ovnik_class_create(name)	class_create(THIS_MODULE, name)
#endif

/*
 * The devnode callback of a device type takes a const device since "driver core: make struct
 * device_type.devnode() take a const *", 6.3.
 */
#ifdef OVNIK_HAVE_DEVNODE_CONST
#define OVNIK_DEVNODE_CONST	const
#else
#define OVNIK_DEVNODE_CONST
#endif

/*
 * sched_process_exit also says whether the whole group is dead, 7.x. The probe does not use
 * it, but must have the prototype of the tracepoint.
 */
#ifdef OVNIK_HAVE_EXIT_GROUP_DEAD
#define OVNIK_EXIT_ARGS		struct task_struct *task, bool group_dead
#else
#define OVNIK_EXIT_ARGS		struct task_struct *task
#endif

/*
 * The count of changes of a task's root and working directory, part of a seqlock since 7.x. By
 * its type, to read it may take the lock on PREEMPT_RT.
 */
#ifdef OVNIK_HAVE_FS_SEQLOCK
#define ovnik_fs_count(fs)	(&(fs)->seq.seqcount.seqcount)
#else
#define ovnik_fs_count(fs)	(&(fs)->seq.seqcount)
#endif

/* The tracepoints of page faults are no longer x86's alone: 7.x. */
#ifdef OVNIK_HAVE_FAULT_TRACE_X86
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif

/*
 * The flags of clone() are 64 bits wide everywhere since "copy_process: pass clone_flags as
 * u64 across calltree", 7.x.
 */
#ifdef OVNIK_HAVE_NEWTASK_U64
#define OVNIK_CLONE_FLAGS	u64
#else
#define OVNIK_CLONE_FLAGS	unsigned long
#endif

/*
 * Preemption is no longer off at tracepoints of system calls since 6.13, when tracepoints
 * got their ext, nor at any since 7.0, which protects them by SRCU. Probes where nothing
 * else switches it off must begin with this.
 */
#ifdef OVNIK_HAVE_TRACEPOINT_EXT
#define ovnik_no_preemption()	guard(preempt_notrace)()
#else
#define ovnik_no_preemption()	do { } while (0)
#endif

/* The same where otherwise interrupts are off, which PREEMPT_RT leaves on. */
#ifdef CONFIG_PREEMPT_RT
#define ovnik_no_preemption_rt()	ovnik_no_preemption()
#else
#define ovnik_no_preemption_rt()	do { } while (0)
#endif

/*
 * vm_flags may only be changed through vm_flags_set() and friends since commit
 * bc292ab00f6c ("mm: introduce vma->vm_flags wrapper functions"), 6.3.
 */
#ifdef OVNIK_HAVE_VM_FLAGS_SET
#define ovnik_vm_flags_set(vma, flags)		vm_flags_set(vma, flags)
#define ovnik_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#else
#define ovnik_vm_flags_set(vma, flags)		((vma)->vm_flags |= (flags))
#define ovnik_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/*
 * A bit beside the sleeping states since commit f5d39b020809 ("freezer,sched: Rewrite core
 * freezer logic"), 6.1; no interface reports it.
 */
#ifdef TASK_FREEZABLE
#define OVNIK_TASK_FREEZABLE	TASK_FREEZABLE
#else
#define OVNIK_TASK_FREEZABLE	0
#endif

/*
 * Arguments of a function at its entry: ftrace_regs_get_argument() came with
 * commit 94d095ffa0e1 ("ftrace: abstract DYNAMIC_FTRACE_WITH_ARGS accesses"), 6.2.
 */
#ifdef OVNIK_HAVE_FTRACE_GET_ARGUMENT
#define ovnik_ftrace_arg(fregs, n)	ftrace_regs_get_argument(fregs, n)
#else
#define ovnik_ftrace_arg(fregs, n)	regs_get_kernel_argument(&(fregs)->regs, n)
#endif

/*
 * The task of an io_uring request moved to its task context in commit f03baece0826
 * ("io_uring: move cancelations to be io_uring_task based"), 6.13.
 */
#ifdef OVNIK_HAVE_IO_KIOCB_TCTX
#define ovnik_uring_task(req)		((req)->tctx->task)
#else
#define ovnik_uring_task(req)		((req)->task)
#endif

/* RCU's state in full was a struct rcu_gp_oldstate before 7.3. */
#ifdef OVNIK_HAVE_RCU_GP_OLDSTATE
#define ovnik_rcu_gp_seq		rcu_gp_oldstate
#else
#define ovnik_rcu_gp_seq		rcu_gp_seq
#endif

/*
 * register_ftrace_direct() takes an ftrace_ops since commit da8bdfbd4223 ("ftrace: Rename
 * _ftrace_direct_multi APIs to _ftrace_direct APIs"), 6.4. The filter is set again before
 * each use.
 */
#ifdef OVNIK_HAVE_FTRACE_DIRECT_OPS
#define ovnik_ftrace_direct(ops, addr)		register_ftrace_direct(ops, addr)
#define ovnik_ftrace_direct_end(ops, addr)	unregister_ftrace_direct(ops, addr, false)
#else
#define ovnik_ftrace_direct(ops, addr)		register_ftrace_direct_multi(ops, addr)
#define ovnik_ftrace_direct_end(ops, addr)	unregister_ftrace_direct_multi(ops, addr)
#endif

/*
 * ftrace asks ops_func() whether a live patch and a direct call may share a function. In 7.x it
 * also passes the function's address.
 */
#ifdef OVNIK_HAVE_FTRACE_OPS_FUNC_IP
#define OVNIK_FTRACE_OPS_IP	unsigned long ip,
#else
#define OVNIK_FTRACE_OPS_IP
#endif

/*
 * The index of a hugetlb folio counts pages like all others' since commit
 * a08c7193e4f1 ("mm/filemap: remove hugetlb special casing in filemap.c"), 6.7,
 * which took hugetlb_basepage_index() away.
 */
#ifdef OVNIK_HAVE_HUGETLB_INDEX_IN_PAGES
#define ovnik_hugetlb_index_shift(folio)	0
#else
#define ovnik_hugetlb_index_shift(folio)	folio_order(folio)
#endif

/*
 * Functions for BPF programs are marked since commit 57e7c169cd6a ("bpf: Add __bpf_kfunc
 * tag for marking kernel functions as kfuncs"), 6.3, and so are sets of them since commit
 * 6f3189f38a3e ("bpf: treewide: Annotate BPF kfuncs in BTF"), 6.9.
 */
#ifndef __bpf_kfunc
#define __bpf_kfunc	__used noinline
#endif
#ifdef BTF_KFUNCS_START
#define OVNIK_KFUNCS_START(name)	BTF_KFUNCS_START(name)
#define OVNIK_KFUNCS_END(name)		BTF_KFUNCS_END(name)
#else
#define OVNIK_KFUNCS_START(name)	BTF_SET8_START(name)
#define OVNIK_KFUNCS_END(name)		BTF_SET8_END(name)
#endif

/*
 * The first argument of mprotect_fixup() is an iterator since commit 2286a6914c77 ("mm:
 * change mprotect_fixup to vma iterator"), 6.3.
 */
#ifdef OVNIK_HAVE_MPROTECT_VMI
#define OVNIK_MPROTECT_TLB	1
typedef int ovnik_mprotect_fn(struct vma_iterator *, struct mmu_gather *, struct vm_area_struct *,
			      struct vm_area_struct **, unsigned long, unsigned long,
			      unsigned long);
#else
#define OVNIK_MPROTECT_TLB	0
typedef int ovnik_mprotect_fn(struct mmu_gather *, struct vm_area_struct *,
			      struct vm_area_struct **, unsigned long, unsigned long,
			      unsigned long);
#endif

/*
 * The tracepoint io_uring_complete passes the completion entry instead of its members: not
 * in 6.12, but in 7.2.
 */
#ifdef OVNIK_HAVE_URING_COMPLETE_CQE
#define OVNIK_URING_ARGS	struct io_ring_ctx *ctx, void *request, struct io_uring_cqe *cqe
#define ovnik_uring_result	(cqe->res)
#else
#define OVNIK_URING_ARGS	void *ctx, void *request, u64 user_data, int result, \
				unsigned int cflags, u64 extra1, u64 extra2
#define ovnik_uring_result	result
#endif

/* pwritev2() may ask for no append since 6.9. */
#ifdef RWF_NOAPPEND
#define OVNIK_RWF_NOAPPEND	RWF_NOAPPEND
#else
#define OVNIK_RWF_NOAPPEND	0
#endif

/* A member that no header declares: kmod/configure takes its offset from the BTF. */
#define ovnik_member(type, base, offset)	(*(type const *)((const void *)(base) + (offset)))

/*
 * All unmapping, mmap() included, goes through unmap_vmas(), which gets the tree of the mappings
 * to unmap since commit 763ecb035029 ("mm: remove the vma linked list"), 6.1; a state of a walk
 * in that tree since commit fd892593d44d ("mm: change do_vmi_align_munmap() tracking of VMAs to
 * remove"), 6.6; and one structure with all that since 7.x. Built without the offsets that some of
 * its hooks need since 6.15, the module finds nothing to hook, and does not load.
 */
#if defined(OVNIK_HAVE_UNMAP_TREE)
#define ovnik_unmap_tree(fregs)		((const void *)ovnik_ftrace_arg(fregs, 1))
#elif defined(OVNIK_HAVE_UNMAP_STATE) && defined(OVNIK_HAVE_OFFSETS)
#define ovnik_unmap_tree(fregs) \
	((const void *)((struct ma_state *)ovnik_ftrace_arg(fregs, 1))->tree)
#elif defined(OVNIK_AT_UNMAP_DESC_MAS)
#define ovnik_unmap_member(fregs, type, name) \
	ovnik_member(type, ovnik_ftrace_arg(fregs, 1), OVNIK_AT_UNMAP_DESC_##name)
#define ovnik_unmap_tree(fregs) \
	((const void *)ovnik_unmap_member(fregs, struct ma_state *, MAS)->tree)
#define ovnik_unmap_start(fregs)	ovnik_unmap_member(fregs, unsigned long, VMA_START)
#define ovnik_unmap_end(fregs)		ovnik_unmap_member(fregs, unsigned long, VMA_END)
#else
#define ovnik_unmap_tree(fregs)		NULL
#define OVNIK_FN_MUNMAP			"unmap_vmas: unknown arguments, or built without the kernel's BTF"
#endif
#ifndef OVNIK_FN_MUNMAP
#define OVNIK_FN_MUNMAP			"unmap_vmas"
#endif
#ifndef ovnik_unmap_start
#define ovnik_unmap_start(fregs)	ovnik_ftrace_arg(fregs, 3)
#define ovnik_unmap_end(fregs)		ovnik_ftrace_arg(fregs, 4)
#endif

/*
 * move_vma() has one argument since "mm/mremap: introduce and use vma_remap_struct
 * threaded state", 6.15.
 */
#ifdef OVNIK_AT_VMA_REMAP_STRUCT_ADDR
#define ovnik_move_arg(regs, n, member)	\
	ovnik_member(unsigned long, (void *)regs_get_kernel_argument(regs, 0), \
		     OVNIK_AT_VMA_REMAP_STRUCT_##member)
#else
#define ovnik_move_arg(regs, n, member)	regs_get_kernel_argument(regs, n)
#endif

/*
 * process_madvise() may free memory of its own process, and does not call do_madvise(): both
 * call madvise_do_behavior(start, len, behavior), for each range. It has the address space in
 * its last argument since "mm/madvise: thread mm_struct through madvise_behavior", 7.x.
 */
#ifdef OVNIK_AT_MADVISE_BEHAVIOR_MM
#define OVNIK_HAVE_MADVISE_RANGE
#define ovnik_madvise_mm(madvise)	\
	ovnik_member(struct mm_struct *, madvise, OVNIK_AT_MADVISE_BEHAVIOR_MM)
#define ovnik_madvise_advice(madvise)	\
	ovnik_member(int, madvise, OVNIK_AT_MADVISE_BEHAVIOR_BEHAVIOR)
#define OVNIK_FN_MADVISE		"madvise_do_behavior"
#else
/*
 * gcc 10 splits it. The larger part has the same arguments, and all callers go to it, some of them
 * (the system calls) at once.
 */
#define OVNIK_FN_MADVISE		"do_madvise.part.0|do_madvise"
#endif

/*
 * Since "exec: introduce struct task_exec_state", 7.2, the state that the last exec of a task left
 * decides who may look at its memory, and no longer its address space. RCU is held.
 */
#ifdef OVNIK_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#define ovnik_is_dumpable(task, mm) \
	(READ_ONCE(rcu_dereference((task)->exec_state)->dumpable) == TASK_DUMPABLE_OWNER)
#else
#define ovnik_is_dumpable(task, mm)	(get_dumpable(mm) == SUID_DUMP_USER)
#endif

/*
 * Functions with more than one name: the first that the kernel has. The one that gives a
 * page its reverse map, and its caller when a write is the first touch: pages became
 * folios, 6.3 to 6.6. The one that copies a page on write may be part of its caller, as in
 * 6.12. The one that moves the stack of a new image went from fs/exec.c to mm/ in 6.12.
 */
#define OVNIK_FN_NEW_ANON	"folio_add_new_anon_rmap|page_add_new_anon_rmap"
#define OVNIK_FN_SET_PTE	"set_pte_range|do_set_pte"
#define OVNIK_FN_COPY_PAGE	"wp_page_copy|do_wp_page"
#define OVNIK_FN_SHIFT_STACK	"shift_arg_pages|relocate_vma_down"

#endif /* OVNIK_COMPAT_H */

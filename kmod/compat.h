/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COMPAT_H
#define OVNIK_COMPAT_H

/*
 * The only place that knows that kernels differ. What differs is found by
 * compiling the probes in kmod/compat/ against the kernel at hand (see
 * kmod/configure), never by its version: distributions backport.
 */

#include <linux/device.h>
#include <linux/ftrace.h>
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
 * The devnode callback of a class takes a const device since commit ff62b8e6588f
 * ("driver core: make struct class.devnode() take a const *"), 6.2.
 */
#ifdef OVNIK_HAVE_DEVNODE_CONST
#define OVNIK_DEVNODE_CONST	const
#else
#define OVNIK_DEVNODE_CONST
#endif

/*
 * sched_process_exit says whether the whole group is dead, 7.x; the probe does
 * not use it, but its prototype must be the tracepoint's.
 */
#ifdef OVNIK_HAVE_EXIT_GROUP_DEAD
#define OVNIK_EXIT_ARGS		struct task_struct *task, bool group_dead
#else
#define OVNIK_EXIT_ARGS		struct task_struct *task
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
 * A bit beside the sleeping states since commit f5d39b020809 ("freezer,sched:
 * Rewrite core freezer logic"), 6.1; no interface shows it.
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

/*
 * register_ftrace_direct() takes an ftrace_ops since commit da8bdfbd4223
 * ("ftrace: Rename _ftrace_direct_multi APIs to _ftrace_direct APIs"), 6.4; the
 * filter is set anew before each use.
 */
#ifdef OVNIK_HAVE_FTRACE_DIRECT_OPS
#define ovnik_ftrace_direct(ops, addr)		register_ftrace_direct(ops, addr)
#define ovnik_ftrace_direct_end(ops, addr)	unregister_ftrace_direct(ops, addr, false)
#else
#define ovnik_ftrace_direct(ops, addr)		register_ftrace_direct_multi(ops, addr)
#define ovnik_ftrace_direct_end(ops, addr)	unregister_ftrace_direct_multi(ops, addr)
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
 * Functions that are hooked and are not the same on every kernel: what unmaps a
 * range with everything checked; what gives a page of its own its reverse map;
 * who calls it when a write is the first touch; what moves the stack of a new
 * image.
 */
#define OVNIK_FN_UNMAP		"do_mas_align_munmap"
#define OVNIK_FN_NEW_ANON	"page_add_new_anon_rmap"
#define OVNIK_FN_SET_PTE	"do_set_pte"
#define OVNIK_FN_COPY_PAGE	"wp_page_copy"
#define OVNIK_FN_SHIFT_STACK	"shift_arg_pages"
#define OVNIK_FN_MREMAP		"__do_sys_mremap"

#endif /* OVNIK_COMPAT_H */

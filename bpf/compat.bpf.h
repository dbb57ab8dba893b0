/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COMPAT_BPF_H
#define OVNIK_COMPAT_BPF_H

/*
 * The only place that knows the differences between kernels. What a probe reads is resolved
 * when the object is loaded (CO-RE). What it hooks must be known before, because one
 * missing attach target makes the whole object fail to load. So there is an object for each
 * kernel where targets changed: OVNIK_BPF_KERNEL is 601, 603, 612 or 700.
 */

#include "probe.bpf.h"

/*
 * The tracepoint io_uring_complete passes the completion entry instead of its members: not
 * in 6.12, but in 7.2.
 */
#if OVNIK_BPF_KERNEL >= 700
#define OVNIK_HAVE_URING_COMPLETE_CQE
#endif

/*
 * All unmapping, mmap() included, goes through vms_complete_munmap_vmas() since commit
 * dba14840905f ("mm/vma: introduce vma_munmap_struct for use in munmap operations") and
 * those around it, 6.12.
 */
#if OVNIK_BPF_KERNEL >= 612
#define OVNIK_HAVE_VMS_MUNMAP
#endif

struct vma_munmap_struct___vms {
	unsigned long	start;
	unsigned long	end;
	int		vma_count;
} __attribute__((preserve_access_index));

/*
 * move_vma() has one argument since "mm/mremap: introduce and use vma_remap_struct
 * threaded state", 6.15.
 */
#if OVNIK_BPF_KERNEL >= 700
#define OVNIK_HAVE_MOVE_VRM
#endif

struct vma_remap_struct___vrm {
	unsigned long	addr;
	unsigned long	old_len;
	unsigned long	new_len;
} __attribute__((preserve_access_index));

/*
 * The first argument of mprotect_fixup() is an iterator since commit 2286a6914c77 ("mm:
 * change mprotect_fixup to vma iterator"), 6.3. A program can be attached to a function of more
 * than 6 arguments since commit 473e3150e30a ("bpf, x86: allow function arguments up to 12 for
 * TRACING"), 6.6: in between there is no mprotect.
 */
#if OVNIK_BPF_KERNEL >= 603
#define OVNIK_MPROTECT_ARGS	void *vmi, void *tlb, struct vm_area_struct *vma, void *pprev, \
				u64 start, u64 end, u64 newflags
#define OVNIK_MPROTECT_TYPES	"vma_iterator*, mmu_gather*, vm_area_struct*, *, 8, 8, 8"
#else
#define OVNIK_MPROTECT_ARGS	void *tlb, struct vm_area_struct *vma, void *pprev, \
				u64 start, u64 end, u64 newflags
#define OVNIK_MPROTECT_TYPES	"mmu_gather*, vm_area_struct*, *, 8, 8, 8"
#endif

/*
 * Hooked functions that differ between kernels. The one that moves the stack of a new image
 * went from fs/exec.c to mm/ in 6.12.
 */
#if OVNIK_BPF_KERNEL >= 612
#define OVNIK_FN_SHIFT_STACK	"relocate_vma_down"
#else
#define OVNIK_FN_SHIFT_STACK	"shift_arg_pages"
#endif

/*
 * The function that gives a new page its reverse map takes a folio since commit 28d41a486331
 * ("mm: convert wp_page_copy() to use folios"), 6.3. wp_page_copy(), which copies a page on
 * write, has one caller, and is part of it where the compiler likes to: in Debian's 6.12. The
 * caller has several, and stays.
 */
#if OVNIK_BPF_KERNEL >= 603
#define OVNIK_FN_COPY_PAGE	"do_wp_page"
#define OVNIK_FN_NEW_ANON	"folio_add_new_anon_rmap"
#else
#define OVNIK_FN_COPY_PAGE	"wp_page_copy"
#define OVNIK_FN_NEW_ANON	"page_add_new_anon_rmap"
#endif

/*
 * What unmaps a part of an address space for mremap() takes an iterator since commit 183654ce26a5
 * ("mmap: change do_mas_munmap and do_mas_aligned_munmap() to use vma iterator"), 6.3. It is in
 * another file than mremap(), which is never given it as a part.
 */
#if OVNIK_BPF_KERNEL >= 603
#define OVNIK_FN_UNMAP		"do_vmi_munmap"
#define OVNIK_UNMAP_ARGS	void *vmi, void *mm, u64 start, u64 length
#define OVNIK_UNMAP_TYPES	"vma_iterator*, mm_struct*, 8, 8"
#else
#define OVNIK_FN_UNMAP		"do_munmap"
#define OVNIK_UNMAP_ARGS	void *mm, u64 start, u64 length
#define OVNIK_UNMAP_TYPES	"mm_struct*, 8, 8"
#endif

/*
 * process_madvise() may free memory of its own process, and does not call do_madvise(): both
 * call madvise_do_behavior(start, len, behavior), for each range. It has the address space in
 * its last argument since "mm/madvise: thread mm_struct through madvise_behavior", 7.x.
 */
#if OVNIK_BPF_KERNEL >= 700
#define OVNIK_HAVE_MADVISE_RANGE
#endif

struct madvise_behavior___mm {
	struct mm_struct *mm;
	int behavior;
} __attribute__((preserve_access_index));

/*
 * Where a process asks for that, the processor ignores high bits of addresses (LAM), from 6.4 on
 * ("x86/uaccess: Provide untagged_addr() and remove tags before address check").
 */
struct mm_struct___lam {
	struct {
		unsigned long untag_mask;
	} context;
} __attribute__((preserve_access_index));

static __always_inline u64 ovnik_untagged(const struct mm_struct *mm, u64 address)
{
	const struct mm_struct___lam *lam = (const void *)mm;

	if (!bpf_core_field_exists(lam->context.untag_mask))
		return address;
	return address & lam->context.untag_mask;
}

/*
 * Since "exec: introduce struct task_exec_state", 7.2, the state that the last exec of a task left
 * decides who may look at its memory. Before, the flags of its address space do, which are an array
 * since "mm: convert core mm to mm_flags_*() accessors", 6.18.
 */
struct task_exec_state___dump {
	enum { DUMPABLE_OFF } dumpable;	/* enum task_dumpable: an int would not match it */
} __attribute__((preserve_access_index));

struct task_struct___exec {
	struct task_exec_state___dump *exec_state;
} __attribute__((preserve_access_index));

struct mm_struct___word {
	unsigned long flags;
} __attribute__((preserve_access_index));

struct mm_struct___array {
	struct {
		unsigned long word;
	} flags;
} __attribute__((preserve_access_index));

#define DUMPABLE_MASK	3	/* MMF_DUMPABLE_MASK */
#define DUMPABLE_USER	1	/* SUID_DUMP_USER, TASK_DUMPABLE_OWNER */

static __always_inline bool ovnik_is_dumpable(const struct task_struct *task)
{
	const struct task_struct___exec *exec = (const void *)task;
	const struct mm_struct___word *word;
	const struct mm_struct___array *array;
	u64 flags = 0;

	if (bpf_core_field_exists(exec->exec_state))
		return (u32)BPF_CORE_READ(exec, exec_state, dumpable) == DUMPABLE_USER;
	word = (const void *)BPF_CORE_READ(task, mm);
	array = (const void *)word;
	if (bpf_core_field_exists(word->flags))
		flags = BPF_CORE_READ(word, flags);
	else if (bpf_core_field_exists(array->flags))
		bpf_core_read(&flags, sizeof(flags), &array->flags);
	return (flags & DUMPABLE_MASK) == DUMPABLE_USER;
}

/*
 * The root of an address space's maple tree. A direct read is cheaper, but verifiers of 6.17 and
 * newer take what a void * has for a pointer, and do not come to an end with it.
 */
#if OVNIK_BPF_KERNEL >= 612
#define ovnik_maple_root(mm)	((u64)BPF_CORE_READ(mm, mm_mt.ma_root))
#else
#define ovnik_maple_root(mm)	((u64)(mm)->mm_mt.ma_root)
#endif

/* The frame of the zero page was called zero_pfn before 7.x; only one of the names exists. */
extern const void zero_pfn __ksym __weak;
extern const void zero_page_pfn __ksym __weak;

/*
 * compound_head was renamed compound_info in 7.0, and holds a mask where the size of struct
 * page is a power of two ("mm: rework compound_head() for power-of-2 sizeof(struct page)").
 */
struct page___info {
	unsigned long	compound_info;
} __attribute__((preserve_access_index));

struct page___head {
	unsigned long	compound_head;
} __attribute__((preserve_access_index));

/*
 * The count of what keeps a CPU from being preempted is a variable of its own, but lay in
 * pcpu_hot from commit c2da3ea4a9d2 ("x86/percpu: Move preempt_count next to current_task"),
 * 6.2, up to 6.14.
 */
struct pcpu_hot___count {
	int	preempt_count;
} __attribute__((preserve_access_index));

extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot___count pcpu_hot __ksym __weak;

/* PREEMPT_RT counts softirqs in the task. */
struct task_struct___rt {
	int	softirq_disable_cnt;
} __attribute__((preserve_access_index));

#define SOFTIRQ_OFFSET	(1 << 8)	/* include/linux/preempt.h */
#define HARDIRQ_NMI	0xff0000

static __always_inline bool ovnik_rt_softirq(void)
{
	const struct task_struct___rt *rt = NULL;

	if (!bpf_core_field_exists(rt->softirq_disable_cnt))
		return false;
	rt = (const void *)bpf_get_current_task_btf();
	return BPF_CORE_READ(rt, softirq_disable_cnt) & SOFTIRQ_OFFSET;
}

/* in_task() of the kernel: no interrupt, no softirq. */
static __always_inline bool ovnik_in_task(void)
{
	const struct pcpu_hot___count *hot;
	u32 count = 0;

	if (&__preempt_count) {
		count = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	} else if (&pcpu_hot) {
		hot = bpf_this_cpu_ptr(&pcpu_hot);
		count = hot->preempt_count;
	}
	return !(count & (HARDIRQ_NMI | SOFTIRQ_OFFSET)) && !ovnik_rt_softirq();
}

#endif /* OVNIK_COMPAT_BPF_H */

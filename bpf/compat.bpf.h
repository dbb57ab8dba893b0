/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COMPAT_BPF_H
#define OVNIK_COMPAT_BPF_H

/*
 * The only place that knows that kernels differ. What a probe reads is found out
 * when the object is loaded (CO-RE); what can be hooked must be known before, for
 * one function that is not there fails the whole object. So there is an object for
 * each of the kernels where it changed: OVNIK_BPF_KERNEL is 601, 612 or 700.
 */

#include "probe.bpf.h"

/*
 * Tracepoint io_uring_complete is given the completion entry instead of its members:
 * not in 6.12, but in 7.2.
 */
#if OVNIK_BPF_KERNEL >= 700
#define OVNIK_HAVE_URING_COMPLETE_CQE
#endif

/*
 * A program may be attached to a function of up to 12 arguments, not 6, since commit
 * 473e3150e30a ("bpf, x86: allow function arguments up to 12 for TRACING"), 6.6.
 */
#if OVNIK_BPF_KERNEL >= 612
#define OVNIK_HAVE_WIDE_TRAMPOLINE
#endif

/*
 * What unmaps, mmap() included, goes through vms_complete_munmap_vmas() since commit
 * dba14840905f ("mm/vma: introduce vma_munmap_struct for use in munmap operations")
 * and those around it, 6.12.
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
 * mprotect_fixup() is given an iterator first since commit 2286a6914c77 ("mm: change
 * mprotect_fixup to vma iterator"), 6.3.
 */
#if OVNIK_BPF_KERNEL >= 612
#define OVNIK_MPROTECT_ARGS	void *vmi, void *tlb, struct vm_area_struct *vma, void *pprev, \
				u64 start, u64 end, u64 newflags
#else
#define OVNIK_MPROTECT_ARGS	void *tlb, struct vm_area_struct *vma, void *pprev, \
				u64 start, u64 end, u64 newflags
#endif

/*
 * Functions that are hooked and are not the same on every kernel. What moves the stack
 * of a new image went from fs/exec.c to mm/ in 6.12. What copies a page that is written
 * to, if anything does, and what gives a new page its reverse map: wp_page_copy() is
 * part of its caller, and pages became folios, 6.12.
 */
#if OVNIK_BPF_KERNEL >= 612
#define OVNIK_FN_SHIFT_STACK	"relocate_vma_down"
#define OVNIK_FN_COPY_PAGE	"do_wp_page"
#define OVNIK_FN_NEW_ANON	"folio_add_new_anon_rmap"
#else
#define OVNIK_FN_SHIFT_STACK	"shift_arg_pages"
#define OVNIK_FN_COPY_PAGE	"wp_page_copy"
#define OVNIK_FN_NEW_ANON	"page_add_new_anon_rmap"
#endif

/*
 * The frame of the page of zeros was called zero_pfn before 7.x; it has one name or the
 * other.
 */
extern const void zero_pfn __ksym __weak;
extern const void zero_page_pfn __ksym __weak;

/*
 * compound_head was renamed compound_info in 7.0, and holds a mask where struct page has
 * a size that is a power of two ("mm: rework compound_head() for power-of-2
 * sizeof(struct page)").
 */
struct page___info {
	unsigned long	compound_info;
} __attribute__((preserve_access_index));

#endif /* OVNIK_COMPAT_BPF_H */

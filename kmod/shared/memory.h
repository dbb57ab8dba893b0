/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MEMORY_H
#define OVNIK_MEMORY_H

/*
 * Flags and results about memory, for the module and for BPF. The includer provides the
 * VM_*, VM_FAULT_*, FAULT_FLAG_* and X86_PF_* of the kernel.
 */
#include "ovnik.h"

_Static_assert(VM_READ == OVNIK_VMA_READ && VM_WRITE == OVNIK_VMA_WRITE &&
	       VM_EXEC == OVNIK_VMA_EXEC, "taken as they are");

/* enum ovnik_vma_flags: the bits of the kernel differ between versions. */
static __always_inline u32 ovnik_vma_flags(u64 vm_flags)
{
	u32 flags = vm_flags & (VM_READ | VM_WRITE | VM_EXEC);

	if (vm_flags & VM_MAYSHARE)
		flags |= OVNIK_VMA_SHARED;
	if (vm_flags & VM_GROWSDOWN)
		flags |= OVNIK_VMA_GROWSDOWN;
	if (vm_flags & VM_HUGETLB)
		flags |= OVNIK_VMA_HUGETLB;
	if (vm_flags & VM_WIPEONFORK)
		flags |= OVNIK_VMA_WIPEONFORK;
	return flags;
}

_Static_assert(OVNIK_FAULT_PROT == (u32)X86_PF_PROT && OVNIK_FAULT_WRITE == (u32)X86_PF_WRITE &&
	       OVNIK_FAULT_USER == (u32)X86_PF_USER && OVNIK_FAULT_INSTR == (u32)X86_PF_INSTR,
	       "taken as they are");

/*
 * enum ovnik_fault_error of what the processor says about a fault. For x86 that costs no
 * instruction: other machines have their own bits. Those without a name are kept.
 */
static __always_inline u16 ovnik_fault_error(unsigned long error)
{
	return error;
}

/*
 * enum ovnik_fault_result of a handle_mm_fault() that was called with @flags and has
 * returned @fault; -1: it is called again, or a signal follows and reports the end.
 */
static __always_inline int ovnik_fault_result(u32 fault, u32 flags)
{
	/* As mm_account_fault(): a second try has waited for a disk. */
	bool major = fault & VM_FAULT_MAJOR || flags & FAULT_FLAG_TRIED;

	if (fault & (VM_FAULT_ERROR | VM_FAULT_RETRY))
		return fault & VM_FAULT_OOM ? OVNIK_FAULT_FAILED : -1;
	return major ? OVNIK_FAULT_MAJOR : OVNIK_FAULT_MINOR;
}

#endif /* OVNIK_MEMORY_H */

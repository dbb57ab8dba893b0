// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>

int probe(struct vma_iterator *vmi, struct mmu_gather *tlb, struct vm_area_struct *vma,
	  struct vm_area_struct **pprev);
int probe(struct vma_iterator *vmi, struct mmu_gather *tlb, struct vm_area_struct *vma,
	  struct vm_area_struct **pprev)
{
	return mprotect_fixup(vmi, tlb, vma, pprev, 0, 0, 0);
}

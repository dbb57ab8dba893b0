// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>

void probe(struct mmu_gather *tlb, struct maple_tree *tree, struct vm_area_struct *vma);
void probe(struct mmu_gather *tlb, struct maple_tree *tree, struct vm_area_struct *vma)
{
	unmap_vmas(tlb, tree, vma, 0, 0);
}

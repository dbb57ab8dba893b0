// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>

void probe(struct mmu_gather *tlb, struct ma_state *state, struct vm_area_struct *vma);
void probe(struct mmu_gather *tlb, struct ma_state *state, struct vm_area_struct *vma)
{
	unmap_vmas(tlb, state, vma, 0, 0, 0, false);
}
